"""Textured triangles of the rasterizer: the same as OpenGL draws, with the nearest of a picture's
versions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Float32s2, Floats, Floats2, Int32s1, Integers2, Uint8s1, Uint8s3
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, kernel
from ecs_softbody.rendering.backend.triangle import rows_of, span_of


class Texels(NamedTuple):
    """The pixels of a Texture: the picture and ever smaller versions of it, each half as large."""

    pixels: Uint8s1  # All versions, one after another, four bytes a pixel, colours × opacity
    levels: Integers2  # (L, 3) of each version: its first byte, its width and its height


SQRT_2 = 1.4142135623730951  # between two powers of two


@kernel
def level_of(texels: Texels, planes: Floats) -> int:
    """Return the version in which a pixel of the screen is about as large as one of the picture."""
    width = float(texels.levels[0, 1])
    height = float(texels.levels[0, 2])
    across = hypot(planes[1, 0] * width, planes[1, 1] * height)
    up = hypot(planes[2, 0] * width, planes[2, 1] * height)
    size = max(across, up)
    if not size > 1.0:
        return 0
    level = 0
    last = int(texels.levels.shape[0]) - 1
    while level < last and size > SQRT_2:  # the nearest power of two
        size = 0.5 * size
        level = level + 1
    return level


@kernel
def bounded(place: int, count: int, repeats: bool) -> int:
    """Return a row or column of a picture, which repeats beyond its edges, or stays at them."""
    return int(place % count if repeats else min(max(place, 0), count - 1))


@entry
def draw_textured(
    vertices: Float32s2,
    indices: Int32s1,
    texels: Texels,
    repeats: bool,
    image: Uint8s3,
    edges: Floats2,
    planes: Floats2,
) -> None:
    """Blend triangles with a picture (see mesh.py) into `image` (height, width, 3), in order.

    Each pixel belongs to the triangle that holds its centre; along a shared edge exactly one of two
    (half-open spans).
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
        low, high = rows_of(vertices, p, q, r, height, width, edges, planes)
        if low > high:
            continue
        level = level_of(texels, planes)
        start = texels.levels[level, 0]
        columns = texels.levels[level, 1]
        rows = texels.levels[level, 2]
        for row in range(low, high + 1):
            y = row + 0.5
            first, last = span_of(edges, y, float(width))
            line = height - 1 - row
            for column in range(first, last):
                x = column + 0.5
                opacity = min(max(base[7] + slope_x[7] * x + slope_y[7] * y, 0.0), 1.0)
                tu = (base[0] + slope_x[0] * x + slope_y[0] * y) * columns - 0.5
                tv = (1.0 - (base[1] + slope_x[1] * x + slope_y[1] * y)) * rows - 0.5
                if opacity <= 0.002 or not abs(tu) + abs(tv) < 1e9:
                    continue
                left = math.floor(tu)
                upper = math.floor(tv)
                share_u = tu - left
                share_v = tv - upper
                c0 = bounded(left, columns, repeats)
                c1 = bounded(left + 1, columns, repeats)
                r0 = bounded(upper, rows, repeats)
                r1 = bounded(upper + 1, rows, repeats)
                i00 = start + 4 * (r0 * columns + c0)
                i01 = start + 4 * (r0 * columns + c1)
                i10 = start + 4 * (r1 * columns + c0)
                i11 = start + 4 * (r1 * columns + c1)
                w00 = (1.0 - share_u) * (1.0 - share_v)
                w01 = share_u * (1.0 - share_v)
                w10 = (1.0 - share_u) * share_v
                w11 = share_u * share_v
                pixels = texels.pixels
                cover = (
                    w00 * pixels[i00 + 3]
                    + w01 * pixels[i01 + 3]
                    + w10 * pixels[i10 + 3]
                    + w11 * pixels[i11 + 3]
                )
                light = base[2] + slope_x[2] * x + slope_y[2] * y
                for n in range(3):
                    colour = w00 * pixels[i00 + n] + w01 * pixels[i01 + n] + w10 * pixels[i10 + n]
                    colour += w11 * pixels[i11 + n]
                    colour *= base[n + 4] + slope_x[n + 4] * x + slope_y[n + 4] * y
                    colour += (cover - colour) * light
                    before = float(image[line, column, n])
                    after = before * (1.0 - opacity * cover / 255.0) + colour * opacity
                    image[line, column, n] = np.uint8(min(max(after, 0.0), 255.0) + 0.5)
