"""Parts of a body's picture: fill, rim, outline and highlight of one closed curve."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.kernels.compiling import kernel
from ecs_softbody.rendering.mesh import SOLID
from ecs_softbody.rendering.polygon_mesh import clip_ears

LIGHT = (-0.42, 0.91)
"""Direction to the light: from above, a little from the left."""
OVERLAP = 1.3
"""Pixels by which the outline reaches over the curve."""


@kernel
def write_fill(
    curve: NDArray[np.float64],
    samples: int,
    top_colour: NDArray[np.float32],
    bottom_colour: NDArray[np.float32],
    statistics: NDArray[np.float64],
    before: NDArray[np.int32],
    after: NDArray[np.int32],
    first: int,
    vertices: NDArray[np.float32],
    indices: NDArray[np.int32],
) -> bool:
    """Fill a curve with a vertical gradient; True where a fan around the middle did it, False where ears were cut."""
    bottom, height = statistics[4], max(statistics[6] - statistics[4], 1e-9)
    smallest, largest = np.inf, -np.inf
    for p in range(samples + 1):
        x, y = (curve[p, 0], curve[p, 1]) if p < samples else (statistics[0], statistics[1])
        share = (y - bottom) / height
        vertices[p, 0], vertices[p, 1] = x, y
        vertices[p, 2], vertices[p, 3] = 0.0, 0.0
        vertices[p, 4], vertices[p, 5] = SOLID, 1.0
        for n in range(4):
            vertices[p, 6 + n] = bottom_colour[n] + (top_colour[n] - bottom_colour[n]) * share
        if p < samples:
            q = (p + 1) % samples
            ax, ay = x - statistics[0], y - statistics[1]
            bx, by = curve[q, 0] - statistics[0], curve[q, 1] - statistics[1]
            cross = ax * by - ay * bx
            smallest, largest = min(smallest, cross), max(largest, cross)
    if smallest >= 0.0 or largest <= 0.0:
        for p in range(samples):
            indices[3 * p], indices[3 * p + 1] = first + p, first + (p + 1) % samples
            indices[3 * p + 2] = first + samples
        return True
    clip_ears(curve[:samples], before, after, indices[: 3 * (samples - 2)])
    for n in range(3 * (samples - 2)):
        indices[n] += first
    for n in range(3 * (samples - 2), 3 * samples):
        indices[n] = first
    return False


@kernel
def write_rim(
    curve: NDArray[np.float64],
    normals: NDArray[np.float64],
    samples: int,
    star: bool,
    statistics: NDArray[np.float64],
    colour: NDArray[np.float32],
    first: int,
    vertices: NDArray[np.float32],
    indices: NDArray[np.int32],
) -> None:
    """Write light along the inside of the edge, stronger towards the light, fading inwards.

    It fades towards the middle of a `star`, and so never crosses itself; elsewhere along the normals, less deep.
    """
    depth = 0.22 * statistics[2]
    for p in range(samples):
        inner_x = curve[p, 0] - normals[p, 0] * depth
        inner_y = curve[p, 1] - normals[p, 1] * depth
        if star:
            inner_x = curve[p, 0] + 0.42 * (statistics[0] - curve[p, 0])
            inner_y = curve[p, 1] + 0.42 * (statistics[1] - curve[p, 1])
        shade = max(0.0, normals[p, 0] * LIGHT[0] + normals[p, 1] * LIGHT[1])
        for side in range(2):
            r = 2 * p + side
            vertices[r, 0] = inner_x if side else curve[p, 0]
            vertices[r, 1] = inner_y if side else curve[p, 1]
            vertices[r, 2], vertices[r, 3] = 0.0, 0.0
            vertices[r, 4], vertices[r, 5] = SOLID, 1.0
            vertices[r, 6], vertices[r, 7], vertices[r, 8] = colour[0], colour[1], colour[2]
            vertices[r, 9] = colour[3] * (0.30 + 0.45 * shade) * (1.0 - side)
        a, b = first + 2 * p, first + 2 * ((p + 1) % samples)
        indices[6 * p], indices[6 * p + 1], indices[6 * p + 2] = a, a + 1, b
        indices[6 * p + 3], indices[6 * p + 4], indices[6 * p + 5] = b, a + 1, b + 1


@kernel
def write_outline(
    curve: NDArray[np.float64],
    normals: NDArray[np.float64],
    samples: int,
    width: float,
    soft: float,
    colour: NDArray[np.float32],
    first: int,
    vertices: NDArray[np.float32],
    indices: NDArray[np.int32],
) -> None:
    """Write a strip of a width [px] just inside the curve; its fading edge covers the hard edge of the fill."""
    half = 0.5 * width
    reach = half + 0.5 * soft + 0.5
    for p in range(samples):
        for side in range(2):
            sign = 1.0 - 2.0 * side
            r = 2 * p + side
            vertices[r, 0] = curve[p, 0] + normals[p, 0] * (sign * reach - half + OVERLAP)
            vertices[r, 1] = curve[p, 1] + normals[p, 1] * (sign * reach - half + OVERLAP)
            vertices[r, 2], vertices[r, 3] = 0.0, sign * reach
            vertices[r, 4], vertices[r, 5] = half, soft
            for n in range(4):
                vertices[r, 6 + n] = colour[n]
        a, b = first + 2 * p, first + 2 * ((p + 1) % samples)
        indices[6 * p], indices[6 * p + 1], indices[6 * p + 2] = a, a + 1, b
        indices[6 * p + 3], indices[6 * p + 4], indices[6 * p + 5] = b, a + 1, b + 1


@kernel
def write_highlight(
    curve: NDArray[np.float64],
    normals: NDArray[np.float64],
    samples: int,
    thickness: float,
    colour: NDArray[np.float32],
    first: int,
    vertices: NDArray[np.float32],
    indices: NDArray[np.int32],
) -> None:
    """Write one soft spot of light inside the edge that faces the light most."""
    x, y, nx, ny, total = 0.0, 0.0, 0.0, 0.0, 1e-12
    for p in range(samples):
        shade = max(0.0, normals[p, 0] * LIGHT[0] + normals[p, 1] * LIGHT[1])
        weight = shade**12
        x, y = x + weight * curve[p, 0], y + weight * curve[p, 1]
        nx, ny = nx + weight * normals[p, 0], ny + weight * normals[p, 1]
        total += weight
    length = math.hypot(nx, ny)
    nx, ny = (nx / length, ny / length) if length > 1e-9 else (0.0, 1.0)
    x, y = x / total - 0.34 * thickness * nx, y / total - 0.34 * thickness * ny
    wide, high = 0.30 * thickness, 0.13 * thickness
    for corner in range(4):
        u = 1.3 if corner in (1, 2) else -1.3
        w = 1.3 if corner >= 2 else -1.3
        vertices[corner, 0] = x + u * wide * ny + w * high * nx
        vertices[corner, 1] = y - u * wide * nx + w * high * ny
        vertices[corner, 2], vertices[corner, 3] = u, w
        vertices[corner, 4], vertices[corner, 5] = 0.8, 0.6
        vertices[corner, 6], vertices[corner, 7], vertices[corner, 8] = 1.0, 1.0, 1.0
        vertices[corner, 9] = 0.62 * colour[3]
    indices[0], indices[1], indices[2] = first, first + 1, first + 2
    indices[3], indices[4], indices[5] = first, first + 2, first + 3
