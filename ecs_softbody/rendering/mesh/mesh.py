"""Mesh: the triangles of one layer of a picture, in two growing arrays that every backend draws as they are.

Each vertex has ten float32 numbers: x, y [pixels, origin at the bottom left, y up], u, v, half, soft, then red,
green, blue, alpha (0 to 1). The opacity of a pixel is alpha · smooth((half - |(u, v)|) / soft + 1/2): strokes carry
their distance from the middle line in v, discs the position within the disc in (u, v), and that makes their edges
smooth without any multi-sampling. Where soft < 0 the pixel takes its opacity from the glyph atlas at (u, v).

In a mesh with a picture (u, v) is a place in it, in shares of its width and height from the lower left corner; the
colour is multiplied by the picture's, and `half` is a share of white light that is added.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.arrays import Float32s2, Floats, Int32s1
from ecs_softbody.rendering.texture import Texture

Float32s: TypeAlias = NDArray[np.float32]
Int32s: TypeAlias = NDArray[np.int32]

WIDTH = 10
"""Numbers per vertex."""
SOLID = np.float32(1e6)
"""`half` of a fill: far inside everywhere."""
GLYPH = np.float32(-1.0)
"""`soft` of a glyph."""
SMOOTH = np.float32(1.4)
"""Pixels over which an edge fades."""
QUAD = np.array([0, 1, 2, 0, 2, 3], np.int32)
SIDES = np.array([-1, -1, 1, 1], np.float32)
CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
BOX_CORNERS = np.array([[0, 1], [2, 1], [2, 3], [0, 3]])
"""Which numbers of left, bottom, right, top are the x and y of a quad's corners."""

BOX = np.array(
    [[row + column + step for step in (0, 1, 5, 0, 5, 4)] for row in (0, 4, 8) for column in (0, 1, 2)], np.int32
).ravel()
"""Triangles of a box of 4 by 4 vertices."""


class Part(NamedTuple):
    """New vertices (V, 10) and indices (3 T,) of a mesh, to be written; indices count from the mesh's first vertex."""

    vertices: Float32s2
    indices: Int32s1
    first: int  # Number of vertices[0] in the mesh


class Mesh:
    """Vertices and triangles that are cleared and filled again for every picture."""

    def __init__(self, texture: Texture | None = None, repeats: bool = False) -> None:
        self.texture, self.repeats = texture, repeats
        """The picture on the triangles, if any, and whether it goes on beyond its edges."""
        self._vertices = np.zeros((1024, WIDTH), np.float32)
        self._indices = np.zeros(3072, np.int32)
        self.vertex_count = 0
        self.index_count = 0

    @property
    def vertices(self) -> Float32s:
        """The vertices in use, shape (V, 10)."""
        return self._vertices[: self.vertex_count]

    @property
    def indices(self) -> Int32s:
        """Three vertices per triangle, shape (3 T,)."""
        return self._indices[: self.index_count]

    def clear(self) -> None:
        """Drop everything, and keep the memory."""
        self.vertex_count = self.index_count = 0

    def is_opaque(self) -> bool:
        """Return whether all triangles are fills that hide what is behind them."""
        return self.texture is None and bool(
            (self.vertices[:, 9] >= 1.0).all() and (self.vertices[:, 4] >= SOLID).all()
        )

    def reserve(self, vertex_count: int, index_count: int) -> Part:
        """Add this many vertices and indices, and return them to be written."""
        first = self.vertex_count
        last, index_last = first + vertex_count, self.index_count + index_count
        if last > len(self._vertices):
            grown = np.zeros((max(last, 2 * len(self._vertices)), WIDTH), np.float32)
            grown[:first] = self._vertices[:first]
            self._vertices = grown
        if index_last > len(self._indices):
            indices = np.zeros(max(index_last, 2 * len(self._indices)), np.int32)
            indices[: self.index_count] = self._indices[: self.index_count]
            self._indices = indices
        part = Part(self._vertices[first:last], self._indices[self.index_count : index_last], first)
        self.vertex_count, self.index_count = last, index_last
        return part

    def give_back(self, vertex_count: int, index_count: int) -> None:
        """Drop this many of the last vertices and indices, which were reserved and not written."""
        self.vertex_count -= vertex_count
        self.index_count -= index_count

    def add_fill(self, points: ArrayLike, triangles: ArrayLike, colours: ArrayLike) -> None:
        """Add flat triangles: points (N, 2) [px], triangles (T, 3) or (3 T,), colours (4,) or (N, 4)."""
        points = np.asarray(points, np.float32)
        triangles = np.asarray(triangles, np.int32).ravel()
        vertices, indices, first = self.reserve(len(points), len(triangles))
        vertices[:, :2] = points
        vertices[:, 2:4] = 0.0
        vertices[:, 4] = SOLID
        vertices[:, 5] = 1.0
        vertices[:, 6:] = colours
        indices[:] = triangles + first

    def add_pictures(self, points: ArrayLike, uv: ArrayLike, tint: ArrayLike) -> None:
        """Add quads with this mesh's picture: corners (4 N, 2) [px], their places in it (4 N, 2), tint (4,)."""
        points, uv = np.asarray(points, np.float32).reshape(-1, 4, 2), np.asarray(uv, np.float32).reshape(-1, 4, 2)
        vertices, _ = self._add_quads(len(points))
        vertices[:, :, :2], vertices[:, :, 2:4] = points, uv
        vertices[:, :, 4], vertices[:, :, 5] = 0.0, 1.0
        vertices[:, :, 6:] = tint

    def add_textured_fill(self, points: ArrayLike, uv: ArrayLike, triangles: ArrayLike, tint: ArrayLike) -> None:
        """Add triangles with this mesh's picture: points (N, 2) [px], their places in it (N, 2), triangles, tint."""
        first = self.vertex_count
        self.add_fill(points, triangles, tint)
        added = self._vertices[first : self.vertex_count]
        added[:, 2:4], added[:, 4] = uv, 0.0

    def add_band(self, upper: Floats, lower: Floats, upper_colours: ArrayLike, lower_colours: ArrayLike) -> None:
        """Fill between two lines of N points (N, 2) [px] from left to right, each with its colours (N, 4) or (4,)."""
        count, a = len(upper), np.arange(len(upper) - 1)
        quads = np.stack((a, a + count, a + 1, a + 1, a + count, a + count + 1), axis=1)
        colours = [np.broadcast_to(colour, (count, 4)) for colour in (upper_colours, lower_colours)]
        self.add_fill(np.concatenate((upper, lower)), quads, np.concatenate(colours))

    def add_ellipses(
        self, centers: ArrayLike, radii: ArrayLike, colours: ArrayLike, softness: float | Float32s = 0.0
    ) -> None:
        """Add N ellipses: centers (N, 2), radii (N, 2), (N, 1) or (2,) [px], colours (N, 4) or (4,).

        Softness, one number or (N,), is 0 for a sharp edge and 1 for one that fades from the middle.
        """
        centers, radii = np.asarray(centers, np.float32).reshape(-1, 2), np.asarray(radii, np.float32)
        colours = np.asarray(colours, np.float32)
        small = radii.min(axis=-1, keepdims=True)
        soft = np.maximum(SMOOTH, np.reshape(softness, (-1, 1)) * small)
        outer = 1.0 + 0.5 * soft / np.maximum(small, 1e-3)
        local = CORNERS * outer[..., None, :]
        vertices, _ = self._add_quads(len(centers))
        vertices[:, :, :2] = centers[:, None] + local * radii[..., None, :]
        vertices[:, :, 2:4] = local * small[..., None, :]
        vertices[:, :, 4] = small - np.where(np.reshape(softness, (-1, 1)) > 0.0, 0.5 * soft, 0.0)
        vertices[:, :, 5] = soft
        vertices[:, :, 6:] = colours[..., None, :]

    def add_segments(self, starts: ArrayLike, ends: ArrayLike, widths: ArrayLike, colours: ArrayLike) -> None:
        """Add N straight strokes: starts, ends (N, 2), widths (N,) or one number [px], colours (N, 4) or (4,)."""
        starts = np.asarray(starts, np.float32).reshape(-1, 2)
        ends = np.asarray(ends, np.float32).reshape(-1, 2)
        along = ends - starts
        length = np.hypot(along[:, 0], along[:, 1])
        along /= np.maximum(length, 1e-6)[:, None]
        across = np.stack((-along[:, 1], along[:, 0]), axis=1)
        half = 0.5 * np.asarray(widths, np.float32)[..., None]
        outer = half + SMOOTH
        across *= outer
        vertices, _ = self._add_quads(len(starts))
        positions = vertices[:, :, :2]
        positions[:, 0] = starts - across
        positions[:, 1] = ends - across
        positions[:, 2] = ends + across
        positions[:, 3] = starts + across
        vertices[:, :, 2] = 0.0
        vertices[:, :, 3] = outer * SIDES
        vertices[:, :, 4] = half
        vertices[:, :, 5] = SMOOTH
        vertices[:, :, 6:] = np.asarray(colours, np.float32)[..., None, :]

    def add_round_box(self, low: ArrayLike, high: ArrayLike, radius: float, colour: ArrayLike) -> None:
        """Add an upright box with round corners: corners low and high (2,), radius [px], colour (4,)."""
        (left, bottom), (right, top) = np.asarray(low, np.float32), np.asarray(high, np.float32)
        outer, corner = 0.5 * SMOOTH, np.float32(max(radius, 0.5))
        vertices, indices, first = self.reserve(16, 54)
        grid = vertices.reshape(4, 4, WIDTH)
        grid[:, :, 0] = (left - outer, left + corner, right - corner, right + outer)
        grid[:, :, 1] = np.array((bottom - outer, bottom + corner, top - corner, top + outer), np.float32)[:, None]
        away = np.array((-corner - outer, 0.0, 0.0, corner + outer), np.float32)
        grid[:, :, 2] = away
        grid[:, :, 3] = away[:, None]
        grid[:, :, 4] = corner
        grid[:, :, 5] = SMOOTH
        grid[:, :, 6:] = colour
        indices[:] = BOX + first

    def add_glyphs(self, positions: ArrayLike, atlas_boxes: ArrayLike, colours: ArrayLike) -> None:
        """Add N glyphs: boxes and atlas_boxes (N, 4): left, bottom, right, top [px]; atlas rows count downwards."""
        positions, atlas_boxes = np.asarray(positions, np.float32), np.asarray(atlas_boxes, np.float32)
        vertices, _ = self._add_quads(len(positions))
        vertices[:, :, :2] = positions[:, BOX_CORNERS]
        vertices[:, :, 2:4] = atlas_boxes[:, BOX_CORNERS]
        vertices[:, :, 4] = 0.0
        vertices[:, :, 5] = GLYPH
        vertices[:, :, 6:] = np.asarray(colours, np.float32)[..., None, :]

    def _add_quads(self, count: int) -> tuple[Float32s, Int32s]:
        vertices, indices, first = self.reserve(4 * count, 6 * count)
        if count == 1:
            indices[:] = first + QUAD
        else:
            indices.reshape(count, 6)[:] = np.arange(first, first + 4 * count, 4, dtype=np.int32)[:, None] + QUAD
        return vertices.reshape(count, 4, WIDTH), indices
