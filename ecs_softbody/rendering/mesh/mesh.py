"""Mesh: the triangles of one layer of a picture, in two growing arrays that every backend draws as
they are.

Each vertex has ten float32 numbers: x, y [pixels, origin at the bottom left, y up], u, v, half,
soft, then red, green, blue, alpha (0 to 1). All are interpolated over a triangle. The opacity of a
pixel is alpha · smooth((half - |(u, v)|) / soft + 1/2), with smooth(t) = t² (3 - 2 t) for t from 0
to 1: strokes carry their distance from the middle line in v, discs the position within the disc in
(u, v), `half` is half the width or the radius, `soft` the width of the fading edge [px]. That makes
edges smooth without any multi-sampling. Where soft < 0 the pixel takes its opacity from the glyph
atlas at (u, v).

In a mesh with a picture (u, v) is a place in it, in shares of its width and height from the lower
left corner; the colour is multiplied by the picture's, and `half` is a share of white light that is
added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.rendering.mesh.quads import (
    SOLID,
    Part,
    write_band,
    write_ellipses,
    write_glyphs,
    write_round_box,
    write_segments,
)

if TYPE_CHECKING:
    from ecs_softbody.rendering.texture import Texture

Float32s: TypeAlias = NDArray[np.float32]
Int32s: TypeAlias = NDArray[np.int32]

WIDTH = 10
"""Numbers per vertex."""
QUAD = np.array([0, 1, 2, 0, 2, 3], np.int32)
"""Two triangles of four corners."""
FLAT = np.array((0.0, 0.0, SOLID, 1.0), np.float32)
"""Components of a fill vertex between its position and its colour."""
CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
"""Corners of a quad around its middle, in half widths and half heights."""


class Mesh:
    """Vertices and triangles that are cleared and filled again for every picture."""

    def __init__(self, texture: Texture | None = None, repeats: bool = False) -> None:
        # The texture of the triangles, if any, and whether it repeats beyond its edges.
        self.texture, self.repeats = texture, repeats
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
        """Return whether all triangles are opaque fills."""
        return self.texture is None and bool(
            (self.vertices[:, 9] >= 1.0).all() and (self.vertices[:, 4] >= SOLID).all()
        )

    def reserve(self, vertex_count: int, index_count: int) -> Part:
        """Add this many vertices and indices, and return them to be written."""
        first = self.vertex_count
        index_first = self.index_count
        last = first + vertex_count
        index_last = index_first + index_count
        if last > len(self._vertices):
            # The array is doubled and kept for the next pictures: a mesh soon grows no more.
            grown = np.zeros((max(last, 2 * len(self._vertices)), WIDTH), np.float32)
            grown[:first] = self._vertices[:first]
            self._vertices = grown
        if index_last > len(self._indices):
            indices = np.zeros(max(index_last, 2 * len(self._indices)), np.int32)
            indices[:index_first] = self._indices[:index_first]
            self._indices = indices
        self.vertex_count = last
        self.index_count = index_last
        return Part(self._vertices[first:last], self._indices[index_first:index_last], first)

    def give_back(self, vertex_count: int, index_count: int) -> None:
        """Drop this many of the last vertices and indices, which were reserved and not written."""
        self.vertex_count -= vertex_count
        self.index_count -= index_count

    def add_fill(self, points: ArrayLike, triangles: ArrayLike, colours: ArrayLike) -> None:
        """Add flat triangles: points (N, 2) [px], triangles (T, 3) or (3 T,), colours (4,) or
        (N, 4).
        """
        points = np.asarray(points, np.float32)
        triangles = np.asarray(triangles, np.int32).ravel()
        vertices, indices, first = self.reserve(len(points), len(triangles))
        vertices[:, :2] = points
        vertices[:, 2:6] = FLAT
        vertices[:, 6:] = colours
        np.add(triangles, np.int32(first), out=indices)

    def add_quad(self, corners: ArrayLike, lower: Float32s, upper: Float32s) -> None:
        """Add four flat corners (4, 2) [px], two below and two above, with the colours (4,) of both
        pairs.
        """
        vertices, indices, first = self.reserve(4, 6)
        vertices[:, :2] = corners
        vertices[:, 2:6] = FLAT
        vertices[:2, 6:] = lower
        vertices[2:, 6:] = upper
        np.add(QUAD, np.int32(first), out=indices)

    def add_pictures(self, points: ArrayLike, uv: ArrayLike, tint: ArrayLike) -> None:
        """Add quads with this mesh's picture: corners (4 N, 2) [px], their places in it (4 N, 2),
        tint (4,).
        """
        points = np.asarray(points, np.float32).reshape(-1, 4, 2)
        uv = np.asarray(uv, np.float32).reshape(-1, 4, 2)
        vertices, _ = self._add_quads(len(points))
        vertices[:, :, :2] = points
        vertices[:, :, 2:4] = uv
        vertices[:, :, 4] = 0.0
        vertices[:, :, 5] = 1.0
        vertices[:, :, 6:] = tint

    def add_textured_fill(
        self, points: ArrayLike, uv: ArrayLike, triangles: ArrayLike, tint: ArrayLike
    ) -> None:
        """Add triangles with this mesh's picture: points (N, 2) [px], their places in it (N, 2),
        triangles, tint.
        """
        first = self.vertex_count
        self.add_fill(points, triangles, tint)
        added = self._vertices[first : self.vertex_count]
        added[:, 2:4] = uv
        added[:, 4] = 0.0

    def add_band(
        self, upper: ArrayLike, lower: ArrayLike, upper_colours: ArrayLike, lower_colours: ArrayLike
    ) -> None:
        """Fill between two lines of N points (N, 2) [px] from left to right, each with its colours
        (N, 4) or (4,).
        """
        above = _rows(upper, 2)
        below = _rows(lower, 2)
        count = len(above)
        if count > 1:
            part = self.reserve(2 * count, 6 * count - 6)
            write_band(above, below, _tints(upper_colours), _tints(lower_colours), part)

    def add_ellipses(
        self,
        centers: ArrayLike,
        radii: ArrayLike,
        colours: ArrayLike,
        softness: float | ArrayLike = 0.0,
    ) -> None:
        """Add N ellipses: centers (N, 2), radii (N, 2), (N, 1) or (2,) [px], colours (N, 4) or
        (4,).

        Softness, one number or (N,), is 0 for a sharp edge and 1 for a fade from the center.
        """
        middles = _rows(centers, 2)
        sizes = np.ascontiguousarray(radii, np.float64)
        sizes = sizes.reshape(-1, sizes.shape[-1])
        part = self.reserve(4 * len(middles), 6 * len(middles))
        write_ellipses(
            middles, sizes, _tints(colours), np.array(softness, np.float64, ndmin=1), part
        )

    def add_segments(
        self, starts: ArrayLike, ends: ArrayLike, widths: ArrayLike, colours: ArrayLike
    ) -> None:
        """Add N straight strokes: starts, ends (N, 2), widths (N,) or one number [px], colours
        (N, 4) or (4,).
        """
        first = _rows(starts, 2)
        last = _rows(ends, 2)
        part = self.reserve(4 * len(first), 6 * len(first))
        write_segments(first, last, np.array(widths, np.float64, ndmin=1), _tints(colours), part)

    def add_round_box(
        self, low: ArrayLike, high: ArrayLike, radius: float, colour: ArrayLike
    ) -> None:
        """Add an upright box with round corners: corners low and high (2,), radius [px], colour
        (4,).
        """
        (left, bottom) = np.asarray(low, np.float64).tolist()
        (right, top) = np.asarray(high, np.float64).tolist()
        write_round_box(left, bottom, right, top, radius, _tints(colour), self.reserve(16, 54))

    def add_glyphs(
        self, boxes: Float32s, sources: Float32s, at: tuple[float, float], colour: Float32s
    ) -> None:
        """Add N glyphs at a point [px]: boxes and their sources (N, 4): left, bottom, right, top;
        atlas rows down.
        """
        part = self.reserve(4 * len(boxes), 6 * len(boxes))
        write_glyphs(boxes, sources, at[0], at[1], colour, part)

    def _add_quads(self, count: int) -> tuple[Float32s, Int32s]:
        """Add quads whose vertices are to be written, (count, 4, 10); return these and the
        indices.
        """
        vertices, indices, first = self.reserve(4 * count, 6 * count)
        indices.reshape(count, 6)[:] = (
            np.arange(first, first + 4 * count, 4, dtype=np.int32)[:, None] + QUAD
        )
        return vertices.reshape(count, 4, WIDTH), indices


def _rows(points: ArrayLike, columns: int) -> Floats:
    """Return points as an array (N, columns) that kernels take."""
    return np.ascontiguousarray(points, np.float64).reshape(-1, columns)


def _tints(colours: ArrayLike) -> Float32s:
    """Return one or many colours as an array (N, 4) that kernels take."""
    return np.ascontiguousarray(colours, np.float32).reshape(-1, 4)
