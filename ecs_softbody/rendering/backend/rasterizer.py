"""Rasterizer: draws a picture's triangles into an array, where there is no OpenGL: for tests, films
and pictures in files. The shader (shaders.py) gives the same result.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Float32s2, Floats2, Int32s1, Uint8s2, Uint8s3
from ecs_softbody.parallel.compiling import entry
from ecs_softbody.rendering.backend.textured import Texels, draw_textured
from ecs_softbody.rendering.backend.triangle import rows_of, span_of

if TYPE_CHECKING:
    from ecs_softbody.rendering.picture import Picture


def draw_image(picture: Picture, image: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """Return the picture as an image, shape (height_px, width_px, 3), rows from the top; `image` is
    used again.
    """
    return drawing(picture, image)()


def drawing(
    picture: Picture, image: NDArray[np.uint8] | None = None
) -> Callable[[], NDArray[np.uint8]]:
    """Return a function that draws the picture as it is now: another thread may call it while the
    picture changes.
    """
    shape = (picture.height_px, picture.width_px, 3)
    # Triangles are taken now, since another thread may draw them while the game goes on: recordings
    # take up to a quarter less time where a second core is free.
    vertices, indices = picture.triangles()
    runs = picture.runs
    atlas = picture.atlas.pixels

    def draw() -> NDArray[np.uint8]:
        if image is None or image.shape != shape:
            drawn = np.zeros(shape, np.uint8)
        else:
            drawn = image
            drawn.fill(0)
        # Scratch of a triangle: its edge functions and its interpolated values (triangle.py).
        edges = np.zeros((3, 3))
        planes = np.zeros((3, 8))
        for texture, repeats, first, count in runs:
            run = indices[first : first + count]
            if texture is None:
                draw_triangles(vertices, run, atlas, drawn, edges, planes)
            else:
                draw_textured(
                    vertices,
                    run,
                    Texels(texture.pixels, texture.levels),
                    repeats,
                    drawn,
                    edges,
                    planes,
                )
        return drawn

    return draw


@entry
def draw_triangles(
    vertices: Float32s2,
    indices: Int32s1,
    atlas: Uint8s2,
    image: Uint8s3,
    edges: Floats2,
    planes: Floats2,
) -> None:
    """Blend triangles (see mesh.py) into `image` (height, width, 3), in order.

    Each pixel belongs to the triangle that holds its centre; along a shared edge exactly one of two
    (half-open spans). `edges` and `planes` are scratch for `set_up`.
    """
    height = image.shape[0]
    width = image.shape[1]
    base = planes[0]
    slope_x = planes[1]
    slope_y = planes[2]
    for t in range(indices.shape[0] // 3):
        p = indices[3 * t]
        q = indices[3 * t + 1]
        r = indices[3 * t + 2]
        if vertices[p, 9] <= 0.0 and vertices[q, 9] <= 0.0 and vertices[r, 9] <= 0.0:
            continue
        low, high = rows_of(vertices, p, q, r, height, width, edges, planes)
        if low > high:
            continue
        glyph = vertices[p, 5] < 0.0
        solid = vertices[p, 4] > 1e5
        for row in range(low, high + 1):
            y = row + 0.5
            first, last = span_of(edges, y, float(width))
            line = height - 1 - row
            for column in range(first, last):
                x = column + 0.5
                opacity = base[7] + slope_x[7] * x + slope_y[7] * y
                if glyph:
                    u = int(base[0] + slope_x[0] * x + slope_y[0] * y)
                    v = int(base[1] + slope_x[1] * x + slope_y[1] * y)
                    opacity *= (
                        atlas[
                            min(max(v, 0), atlas.shape[0] - 1), min(max(u, 0), atlas.shape[1] - 1)
                        ]
                        / 255.0
                    )
                elif not solid:
                    disc_u = base[0] + slope_x[0] * x + slope_y[0] * y
                    disc_v = base[1] + slope_x[1] * x + slope_y[1] * y
                    half = base[2] + slope_x[2] * x + slope_y[2] * y
                    soft = base[3] + slope_x[3] * x + slope_y[3] * y
                    cover = (half - math.sqrt(disc_u * disc_u + disc_v * disc_v)) / soft + 0.5
                    cover = min(max(cover, 0.0), 1.0)
                    opacity *= cover * cover * (3.0 - 2.0 * cover)
                if opacity > 0.002:
                    opacity = min(opacity, 1.0)
                    for n in range(3):
                        colour = base[n + 4] + slope_x[n + 4] * x + slope_y[n + 4] * y
                        colour = min(max(colour, 0.0), 1.0) * 255.0
                        before = float(image[line, column, n])
                        image[line, column, n] = np.uint8(
                            before + (colour - before) * opacity + 0.5
                        )
