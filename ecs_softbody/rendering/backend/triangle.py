"""Triangles of the rasterizer: which pixels a triangle covers, and linear interpolation over it.

An edge function a x + b y + c is 0 on an edge and grows inwards. The interpolated value number n
(column n + 2 of a vertex, see mesh.py) at (x, y) is
planes[0, n] + planes[1, n] x + planes[2, n] y.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.parallel.compiling import kernel
from ecs_softbody.rendering.mesh.mesh import Float32s


@kernel
def set_up(
    p: Float32s, q: Float32s, r: Float32s, area: float, edges: Floats, planes: Floats
) -> None:
    """Write `edges` (3, 3) and `planes` (3, 8) of a triangle of vertices p, q and r,
    counter-clockwise; area: twice its area [px²].
    """
    for e in range(3):
        start, end = (q, r) if e == 0 else (r, p) if e == 1 else (p, q)
        x0 = float(start[0])
        y0 = float(start[1])
        x1 = float(end[0])
        y1 = float(end[1])
        edges[e, 0] = y0 - y1
        edges[e, 1] = x1 - x0
        edges[e, 2] = x0 * y1 - x1 * y0
    for n in range(8):
        for part, column in ((0, 2), (1, 0), (2, 1)):
            weighted = (
                edges[0, column] * p[n + 2]
                + edges[1, column] * q[n + 2]
                + edges[2, column] * r[n + 2]
            )
            planes[part, n] = weighted / area


@kernel
def rows_of(
    vertices: Float32s,
    p: int,
    q: int,
    r: int,
    height: int,
    width: int,
    edges: Floats,
    planes: Floats,
) -> tuple[int, int]:
    """Set a triangle up and return its first and its last row; the first is greater if there is
    nothing to draw.
    """
    ax = float(vertices[p, 0])
    ay = float(vertices[p, 1])
    bx = float(vertices[q, 0])
    by = float(vertices[q, 1])
    cx = float(vertices[r, 0])
    cy = float(vertices[r, 1])
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if not abs(area) > 1e-9 or max(ax, bx, cx) < 0.0 or min(ax, bx, cx) > width:
        return 1, 0
    low = max(0, math.ceil(min(ay, by, cy) - 0.5))
    high = min(height - 1, math.ceil(max(ay, by, cy) - 0.5) - 1)
    if low > high:
        return 1, 0
    if area > 0.0:
        set_up(vertices[p], vertices[q], vertices[r], area, edges, planes)
    else:
        set_up(vertices[p], vertices[r], vertices[q], -area, edges, planes)
    return low, high


@kernel
def span_of(edges: NDArray[np.float64], y: float, width: float) -> tuple[int, int]:
    """Return the columns [first, last) whose centres lie inside all edges at a height y within the
    triangle's.
    """
    left = 0.0
    right = width
    for e in range(3):
        rest = edges[e, 1] * y + edges[e, 2]
        if edges[e, 0] > 0.0:
            left = max(left, -rest / edges[e, 0])
        elif edges[e, 0] < 0.0:
            right = min(right, -rest / edges[e, 0])
    return math.ceil(left - 0.5), math.ceil(right - 0.5)
