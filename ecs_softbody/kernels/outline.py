"""Outline: the edges of a body as air and water meet them, the ring of its particles grown by the body's skin.

A corner of a ring moves out along m = s (n₁ + n₂) / (1 + n₁·n₂) with the normals of both edges, so edges stay parallel
to themselves at the distance s; where the ring turns by more than 120 degrees, less far than that.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import kernel

BLUNTEST = 0.5
"""Smallest 1 + n₁·n₂ that counts."""


@kernel
def turn_of_ring(place: np.ndarray, points: np.ndarray, first: int, last: int) -> float:
    """Return +1 where the ring points[first:last] runs counter-clockwise now, else -1."""
    twice_area = 0.0
    before = points[last - 1]
    for k in range(first, last):
        here = points[k]
        twice_area += place[before, 0] * place[here, 1] - place[here, 0] * place[before, 1]
        before = here
    return 1.0 if twice_area >= 0.0 else -1.0


@kernel
def grown_corner(
    place: np.ndarray, points: np.ndarray, first: int, last: int, k: int, skin: float
) -> tuple[float, float]:
    """Return corner k of a ring moved out by `skin`, below 0 for a ring that runs clockwise."""
    here = points[k]
    x, y = place[here, 0], place[here, 1]
    if skin == 0.0:
        return x, y
    before, after = points[k - 1 if k > first else last - 1], points[k + 1 if k + 1 < last else first]
    ax, ay, bx, by = x - place[before, 0], y - place[before, 1], place[after, 0] - x, place[after, 1] - y
    a, b = math.sqrt(ax * ax + ay * ay), math.sqrt(bx * bx + by * by)
    ax, ay = (ay / a, -ax / a) if a > 0.0 else (0.0, 0.0)
    bx, by = (by / b, -bx / b) if b > 0.0 else (0.0, 0.0)
    share = skin / max(1.0 + ax * bx + ay * by, BLUNTEST)
    return x + share * (ax + bx), y + share * (ay + by)
