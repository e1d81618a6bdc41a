"""Quads: ellipses, straight strokes, glyphs and bands become vertices and triangles of a mesh (see
mesh.py).
"""

from __future__ import annotations

from typing import NamedTuple

from ecs_softbody.arrays import Float32s1, Float32s2, Floats1, Floats2, Int32s1
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, kernel

SMOOTH = 1.4
"""Pixels over which an edge fades."""
SOLID = 1e6
"""`half` of the vertices of a fill: every pixel is so far inside that it is opaque."""
GLYPH = -1.0
"""`soft` of the vertices of a glyph; below 0 the opacity comes from the atlas of letters."""


class Part(NamedTuple):
    """New vertices (V, 10) and indices (3 T,) of a mesh, to be written; indices count from the
    mesh's first vertex.
    """

    vertices: Float32s2
    indices: Int32s1
    first: int  # Number of vertices[0] in the mesh


@kernel
def join_quads(count: int, part: Part) -> None:
    """Write the triangles of quads, four vertices each."""
    for q in range(count):
        a = part.first + 4 * q
        i = 6 * q
        part.indices[i] = a
        part.indices[i + 1] = a + 1
        part.indices[i + 2] = a + 2
        part.indices[i + 3] = a
        part.indices[i + 4] = a + 2
        part.indices[i + 5] = a + 3


@entry
def write_ellipses(
    centers: Floats2, radii: Floats2, colours: Float32s2, softness: Floats1, part: Part
) -> None:
    """Write N ellipses: centers (N, 2), radii (N or 1, 2 or 1) [px], colours (N or 1, 4), softness
    (N or 1,).
    """
    vertices = part.vertices
    columns = radii.shape[1] - 1
    for e in range(centers.shape[0]):
        r = e if radii.shape[0] > 1 else 0
        c = e if colours.shape[0] > 1 else 0
        s = e if softness.shape[0] > 1 else 0
        wide = radii[r, 0]
        high = radii[r, columns]
        small = min(wide, high)
        soft = max(SMOOTH, softness[s] * small)
        outer = 1.0 + 0.5 * soft / max(small, 1e-3)
        half = small - 0.5 * soft if softness[s] > 0.0 else small
        for corner in range(4):
            x = outer if corner in (1, 2) else -outer
            y = outer if corner >= 2 else -outer
            v = 4 * e + corner
            vertices[v, 0], vertices[v, 1] = centers[e, 0] + x * wide, centers[e, 1] + y * high
            vertices[v, 2] = x * small
            vertices[v, 3] = y * small
            vertices[v, 4] = half
            vertices[v, 5] = soft
            for n in range(4):
                vertices[v, 6 + n] = colours[c, n]
    join_quads(centers.shape[0], part)


@entry
def write_segments(
    starts: Floats2, ends: Floats2, widths: Floats1, colours: Float32s2, part: Part
) -> None:
    """Write N straight strokes: starts and ends (N, 2), widths (N or 1,) [px], colours
    (N or 1, 4).
    """
    vertices = part.vertices
    for s in range(starts.shape[0]):
        half = 0.5 * (widths[s] if widths.shape[0] > 1 else widths[0])
        c = s if colours.shape[0] > 1 else 0
        outer = half + SMOOTH
        x = ends[s, 0] - starts[s, 0]
        y = ends[s, 1] - starts[s, 1]
        length = max(hypot(x, y), 1e-6)
        across_x = -y / length * outer
        across_y = x / length * outer
        for corner in range(4):
            side = 1.0 if corner >= 2 else -1.0
            v = 4 * s + corner
            if corner in (1, 2):
                vertices[v, 0], vertices[v, 1] = (
                    ends[s, 0] + side * across_x,
                    ends[s, 1] + side * across_y,
                )
            else:
                vertices[v, 0], vertices[v, 1] = (
                    starts[s, 0] + side * across_x,
                    starts[s, 1] + side * across_y,
                )
            vertices[v, 2] = 0.0
            vertices[v, 3] = outer * side
            vertices[v, 4] = half
            vertices[v, 5] = SMOOTH
            for n in range(4):
                vertices[v, 6 + n] = colours[c, n]
    join_quads(starts.shape[0], part)


@entry
def write_glyphs(
    boxes: Float32s2, sources: Float32s2, x: float, y: float, colour: Float32s1, part: Part
) -> None:
    """Write N glyphs at (x, y): boxes and their sources in the atlas (N, 4): left, bottom, right,
    top [px].
    """
    vertices = part.vertices
    for g in range(boxes.shape[0]):
        for corner in range(4):
            across = 2 if corner in (1, 2) else 0
            up = 3 if corner >= 2 else 1
            v = 4 * g + corner
            vertices[v, 0], vertices[v, 1] = boxes[g, across] + x, boxes[g, up] + y
            vertices[v, 2], vertices[v, 3] = sources[g, across], sources[g, up]
            vertices[v, 4] = 0.0
            vertices[v, 5] = GLYPH
            for n in range(4):
                vertices[v, 6 + n] = colour[n]
    join_quads(boxes.shape[0], part)


@entry
def write_band(
    upper: Floats2, lower: Floats2, upper_colours: Float32s2, lower_colours: Float32s2, part: Part
) -> None:
    """Write the band between two lines of N points (N, 2) [px], each with its colours (N or 1,
    4).
    """
    vertices = part.vertices
    indices = part.indices
    count = upper.shape[0]
    for p in range(count):
        for side in range(2):
            v = p + side * count
            line = lower if side else upper
            colours = lower_colours if side else upper_colours
            c = p if colours.shape[0] > 1 else 0
            vertices[v, 0], vertices[v, 1] = line[p, 0], line[p, 1]
            vertices[v, 2] = 0.0
            vertices[v, 3] = 0.0
            vertices[v, 4] = SOLID
            vertices[v, 5] = 1.0
            for n in range(4):
                vertices[v, 6 + n] = colours[c, n]
    for p in range(count - 1):
        a = part.first + p
        i = 6 * p
        indices[i] = a
        indices[i + 1] = a + count
        indices[i + 2] = a + 1
        indices[i + 3] = a + 1
        indices[i + 4] = a + count
        indices[i + 5] = a + count + 1


@entry
def write_round_box(
    left: float,
    bottom: float,
    right: float,
    top: float,
    radius: float,
    colour: Float32s2,
    part: Part,
) -> None:
    """Write an upright box with round corners of a radius [px] as 4 by 4 vertices;
    colour (1, 4).
    """
    vertices = part.vertices
    indices = part.indices
    outer = 0.5 * SMOOTH
    corner = max(radius, 0.5)
    for row in range(4):
        y = (
            bottom - outer
            if row == 0
            else (bottom + corner if row == 1 else top - corner if row == 2 else top + outer)
        )
        for column in range(4):
            v = 4 * row + column
            x = left - outer if column == 0 else (left + corner if column == 1 else right - corner)
            vertices[v, 0] = right + outer if column == 3 else x
            vertices[v, 1] = y
            vertices[v, 2] = (corner + outer) * (
                -1.0 if column == 0 else (1.0 if column == 3 else 0.0)
            )
            vertices[v, 3] = (corner + outer) * (-1.0 if row == 0 else (1.0 if row == 3 else 0.0))
            vertices[v, 4] = corner
            vertices[v, 5] = SMOOTH
            for n in range(4):
                vertices[v, 6 + n] = colour[0, n]
    for cell in range(9):
        a = part.first + 4 * (cell // 3) + cell % 3
        i = 6 * cell
        indices[i] = a
        indices[i + 1] = a + 1
        indices[i + 2] = a + 5
        indices[i + 3] = a
        indices[i + 4] = a + 5
        indices[i + 5] = a + 4
