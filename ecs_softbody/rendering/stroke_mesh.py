"""Strokes: a line through points becomes a strip of quads whose vertices carry their distance from its middle."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.kernels.compiling import kernel


def stroke_sizes(point_count: int, closed: bool) -> tuple[int, int]:
    """Return how many vertices and indices a stroke through this many points has."""
    if closed:
        return 2 * point_count, 6 * point_count
    return 2 * (point_count + 2), 6 * (point_count + 1)


@kernel
def build_stroke(
    points: NDArray[np.float64],
    closed: bool,
    half: float,
    soft: float,
    colour: NDArray[np.float32],
    first: int,
    vertices: NDArray[np.float32],
    indices: NDArray[np.int32],
) -> None:
    """Write the strip of a line through `points` (N, 2) [px], with round ends when open, N >= 2.

    `half` is half its width, `soft` the width of its fading edge [px], `first` the number of vertices[0].
    """
    count = points.shape[0]
    reach = half + 0.5 * soft + 0.5
    row = 0 if closed else 1
    last_x, last_y = 1.0, 0.0
    for p in range(count):
        before = p - 1 if p > 0 else (count - 1 if closed else 0)
        after = p + 1 if p < count - 1 else (0 if closed else count - 1)
        ax, ay = points[p, 0] - points[before, 0], points[p, 1] - points[before, 1]
        bx, by = points[after, 0] - points[p, 0], points[after, 1] - points[p, 1]
        length_a, length_b = math.hypot(ax, ay), math.hypot(bx, by)
        if length_a > 1e-9:
            ax, ay = ax / length_a, ay / length_a
        if length_b > 1e-9:
            bx, by = bx / length_b, by / length_b
        tx, ty = ax + bx, ay + by
        length = math.hypot(tx, ty)
        if length > 1e-6:
            tx, ty = tx / length, ty / length
            last_x, last_y = tx, ty
        elif length_a > 1e-9:
            tx, ty = ax, ay
        else:
            tx, ty = last_x, last_y
        miter = 1.0
        if length_a > 1e-9 and length_b > 1e-9:
            miter = 1.0 / max(0.5, tx * bx + ty * by)
        for side in range(2):
            sign = 1.0 - 2.0 * side
            r = 2 * (row + p) + side
            vertices[r, 0] = points[p, 0] - ty * reach * miter * sign
            vertices[r, 1] = points[p, 1] + tx * reach * miter * sign
            vertices[r, 2] = 0.0
            vertices[r, 3] = reach * sign
            if not closed and (p == 0 or p == count - 1):
                out = -reach if p == 0 else reach
                cap = 2 * (0 if p == 0 else count + 1) + side
                vertices[cap, 0] = vertices[r, 0] + tx * out
                vertices[cap, 1] = vertices[r, 1] + ty * out
                vertices[cap, 2] = out
                vertices[cap, 3] = reach * sign
    rows = count if closed else count + 2
    for r in range(2 * rows):
        vertices[r, 4] = half
        vertices[r, 5] = soft
        vertices[r, 6], vertices[r, 7] = colour[0], colour[1]
        vertices[r, 8], vertices[r, 9] = colour[2], colour[3]
    for q in range(count if closed else count + 1):
        a = first + 2 * q
        b = first + 2 * ((q + 1) % rows)
        indices[6 * q], indices[6 * q + 1], indices[6 * q + 2] = a, a + 1, b
        indices[6 * q + 3], indices[6 * q + 4], indices[6 * q + 5] = b, a + 1, b + 1
