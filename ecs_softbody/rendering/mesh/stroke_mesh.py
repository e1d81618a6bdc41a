"""Strokes: a line through points becomes a strip of quads whose vertices carry their distance from
its middle.

A strip has rows of two vertices, one on each side of the line. An open line has one more row at
each end, for its round cap. mesh.py explains the numbers of a vertex.
"""

from __future__ import annotations

from ecs_softbody.arrays import Float32s1, Floats2
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, kernel
from ecs_softbody.rendering.mesh.mesh import Float32s
from ecs_softbody.rendering.mesh.quads import Part


def stroke_sizes(point_count: int, closed: bool) -> tuple[int, int]:
    """Return how many vertices and indices a stroke through this many points has."""
    if closed:
        return 2 * point_count, 6 * point_count
    return 2 * (point_count + 2), 6 * (point_count + 1)


@kernel
def paint_strip(rows: int, half: float, soft: float, colour: Float32s, part: Part) -> None:
    """Write the width, the fading edge [px] and the colour (4,) of a strip's vertices, two in each
    row.
    """
    for r in range(2 * rows):
        part.vertices[r, 4] = half
        part.vertices[r, 5] = soft
        for n in range(4):
            part.vertices[r, 6 + n] = colour[n]


@kernel
def join_strip(rows: int, closed: bool, part: Part) -> None:
    """Write the triangles between the rows of a strip, two vertices in each row."""
    indices = part.indices
    for q in range(rows if closed else rows - 1):
        a = part.first + 2 * q
        b = part.first + 2 * ((q + 1) % rows)
        indices[6 * q] = a
        indices[6 * q + 1] = a + 1
        indices[6 * q + 2] = b
        indices[6 * q + 3] = b
        indices[6 * q + 4] = a + 1
        indices[6 * q + 5] = b + 1


@entry
def build_stroke(
    points: Floats2, closed: bool, half: float, soft: float, colour: Float32s1, part: Part
) -> None:
    """Write the strip of a line through `points` (N, 2) [px], with round ends when open, N >= 2.

    `half` is half its width, `soft` the width of its fading edge [px].
    """
    count = points.shape[0]
    vertices = part.vertices
    outer = half + 0.5 * soft + 0.5
    row = 0 if closed else 1
    last_x = 1.0
    last_y = 0.0
    for p in range(count):
        before = p - 1 if p > 0 else (count - 1 if closed else 0)
        after = p + 1 if p < count - 1 else (0 if closed else count - 1)
        ax = points[p, 0] - points[before, 0]
        ay = points[p, 1] - points[before, 1]
        bx = points[after, 0] - points[p, 0]
        by = points[after, 1] - points[p, 1]
        length_a = hypot(ax, ay)
        length_b = hypot(bx, by)
        if length_a > 1e-9:
            ax = ax / length_a
            ay = ay / length_a
        if length_b > 1e-9:
            bx = bx / length_b
            by = by / length_b
        tx = ax + bx
        ty = ay + by
        length = hypot(tx, ty)
        if length > 1e-6:
            tx = tx / length
            ty = ty / length
            last_x = tx
            last_y = ty
        elif length_a > 1e-9:
            tx = ax
            ty = ay
        else:
            tx = last_x
            ty = last_y
        miter = 1.0
        if length_a > 1e-9 and length_b > 1e-9:
            miter = 1.0 / max(0.5, tx * bx + ty * by)
        for side in range(2):
            sign = 1.0 - 2.0 * side
            r = 2 * (row + p) + side
            vertices[r, 0] = points[p, 0] - ty * outer * miter * sign
            vertices[r, 1] = points[p, 1] + tx * outer * miter * sign
            vertices[r, 2] = 0.0
            vertices[r, 3] = outer * sign
            if not closed and (p == 0 or p == count - 1):
                out = -outer if p == 0 else outer
                cap = 2 * (0 if p == 0 else count + 1) + side
                vertices[cap, 0] = vertices[r, 0] + tx * out
                vertices[cap, 1] = vertices[r, 1] + ty * out
                vertices[cap, 2] = out
                vertices[cap, 3] = outer * sign
    rows = count if closed else count + 2
    paint_strip(rows, half, soft, colour, part)
    join_strip(rows, closed, part)
