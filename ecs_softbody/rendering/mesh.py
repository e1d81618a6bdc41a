"""Mesh: the triangles of one layer of a picture, in two growing arrays that every backend draws as they are.

Each vertex has ten float32 numbers: x, y [pixels, origin at the bottom left, y up], u, v, half, soft, then red,
green, blue, alpha (0 to 1). The opacity of a pixel is alpha · smooth((half - |(u, v)|) / soft + 1/2): strokes carry
their distance from the middle line in v, discs the place within the disc in (u, v), and that makes their edges
smooth without any multi-sampling. Where soft < 0 the pixel takes its opacity from the glyph atlas at (u, v).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


class Mesh:
    """Vertices and triangles that are cleared and filled again for every picture."""

    def __init__(self) -> None:
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
        return bool((self.vertices[:, 9] >= 1.0).all() and (self.vertices[:, 4] >= SOLID).all())

    def reserve(self, vertex_count: int, index_count: int) -> tuple[Float32s, Int32s, int]:
        """Return room for more vertices and indices, and the number of the first new vertex."""
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
        places = self._vertices[first:last], self._indices[self.index_count : index_last], first
        self.vertex_count, self.index_count = last, index_last
        return places

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
        reach = 1.0 + 0.5 * soft / np.maximum(small, 1e-3)
        local = CORNERS * reach[..., None, :]
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
        reach = half + SMOOTH
        across *= reach
        vertices, _ = self._add_quads(len(starts))
        places = vertices[:, :, :2]
        places[:, 0] = starts - across
        places[:, 1] = ends - across
        places[:, 2] = ends + across
        places[:, 3] = starts + across
        vertices[:, :, 2] = 0.0
        vertices[:, :, 3] = reach * SIDES
        vertices[:, :, 4] = half
        vertices[:, :, 5] = SMOOTH
        vertices[:, :, 6:] = np.asarray(colours, np.float32)[..., None, :]

    def add_round_box(self, low: ArrayLike, high: ArrayLike, radius: float, colour: ArrayLike) -> None:
        """Add an upright box with round corners: corners low and high (2,), radius [px], colour (4,)."""
        (left, bottom), (right, top) = np.asarray(low, np.float32), np.asarray(high, np.float32)
        reach, corner = 0.5 * SMOOTH, np.float32(max(radius, 0.5))
        vertices, indices, first = self.reserve(16, 54)
        grid = vertices.reshape(4, 4, WIDTH)
        grid[:, :, 0] = (left - reach, left + corner, right - corner, right + reach)
        grid[:, :, 1] = np.array((bottom - reach, bottom + corner, top - corner, top + reach), np.float32)[:, None]
        away = np.array((-corner - reach, 0.0, 0.0, corner + reach), np.float32)
        grid[:, :, 2] = away
        grid[:, :, 3] = away[:, None]
        grid[:, :, 4] = corner
        grid[:, :, 5] = SMOOTH
        grid[:, :, 6:] = colour
        indices[:] = BOX + first

    def add_glyphs(self, places: ArrayLike, atlas_places: ArrayLike, colours: ArrayLike) -> None:
        """Add N glyphs: places and atlas_places (N, 4): left, bottom, right, top [px]; atlas rows count downwards."""
        places, atlas_places = np.asarray(places, np.float32), np.asarray(atlas_places, np.float32)
        vertices, _ = self._add_quads(len(places))
        vertices[:, :, :2] = places[:, BOX_CORNERS]
        vertices[:, :, 2:4] = atlas_places[:, BOX_CORNERS]
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
