"""Curves: smooth lines that pass through every one of some points, such as the particles of an
outline or a rope (Catmull-Rom splines, E. Catmull and R. Rom, 1974).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats2
from ecs_softbody.parallel.compiling import entry

STEP_PX = 5.0
"""Pixels between two points of a curve, about."""
MOST_SUBDIVISIONS = 8
"""Limit of the parts that a curve is divided into between two points."""


def smooth_line(points: NDArray[np.float64], closed: bool = False) -> NDArray[np.float64]:
    """Return points [px] along the curve through `points` (N, 2); the density fits their
    distances.
    """
    count = len(points)
    if count < 3:
        return points
    length = float(np.hypot(*np.diff(points, axis=0).T).sum())
    subdivisions = int(np.clip(math.ceil(length / (count * STEP_PX)), 1, MOST_SUBDIVISIONS))
    samples = count * subdivisions if closed else (count - 1) * subdivisions + 1
    curve = np.zeros((samples, 2))
    sample_curve(np.ascontiguousarray(points, np.float64), count, closed, subdivisions, curve)
    return curve


@entry
def sample_curve(
    points: Floats2, count: int, closed: bool, subdivisions: int, curve: Floats2
) -> None:
    """Write `subdivisions` points of the curve for each span between two of the first `count`
    points (N, 2).

    Uniform Catmull-Rom: p(t) = b + t (c - a)/2 + t² (a - 5/2 b + 2 c - d/2) + t³ ((d - a)/2 + 3/2
    (b - c)).
    """
    spans = count if closed else count - 1
    for b in range(spans):
        a = b - 1
        c = b + 1
        d = b + 2
        if closed:
            a = a % count
            c = c % count
            d = d % count
        else:
            a = max(a, 0)
            d = min(d, count - 1)
        for s in range(subdivisions):
            t = s / subdivisions
            for axis in range(2):
                pa = points[a, axis]
                pb = points[b, axis]
                pc = points[c, axis]
                pd = points[d, axis]
                linear = 0.5 * (pc - pa)
                square = pa - 2.5 * pb + 2.0 * pc - 0.5 * pd
                cube = 0.5 * (pd - pa) + 1.5 * (pb - pc)
                curve[b * subdivisions + s, axis] = pb + t * (linear + t * (square + t * cube))
    if not closed:
        # Components are assigned one by one: assigning the row would double the time to compile.
        for axis in range(2):
            curve[spans * subdivisions, axis] = points[count - 1, axis]
