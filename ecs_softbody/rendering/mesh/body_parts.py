"""Parts of a body's picture: fill, inclusions, rim, outline and highlight of one closed curve.

Kernels of `build_bodies` (body_mesh.py), which has the curve in pixels. Each writes vertices of ten
numbers, as mesh.py describes them, and triangles. `statistics` are the eight numbers of a body,
see `STATISTICS` there. A curve is a `star` if all of it is seen from its middle: then a fan of
triangles around the middle fills it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import kernel
from ecs_softbody.rendering.mesh.ears import clip_ears
from ecs_softbody.rendering.mesh.mesh import Float32s, Int32s
from ecs_softbody.rendering.mesh.quads import SOLID, Part
from ecs_softbody.rendering.mesh.stroke_mesh import join_strip, paint_strip

LIGHT = (-0.42, 0.91)
"""Default direction to the light: from above, a little from the left."""
CORE = 0.30
"""Share of the core colour in the middle of a body, where light comes through."""
WARMTH = 0.05
"""Amount by which red grows in the middle, and blue falls: it is warmer there."""
INCLUSIONS = 6
"""Bubbles and seeds in every body, at places of its material: they show how it rolls and twists."""
PLACES = (0.04, 0.21, 0.36, 0.55, 0.71, 0.88)
"""For each inclusion, to which point of the outline it belongs, as a share of all points."""
DEPTHS = (0.56, 0.30, 0.68, 0.44, 0.66, 0.52)
"""How far from the middle of the body it is, as a share of the way to that point."""
SIZES = (0.13, 0.09, 0.075, 0.12, 0.085, 0.07)
"""Its radius, as a share of the body's thickness."""
SMALLEST = 5.0
"""Bodies that are thinner than this [px] have no inclusions."""
OVERLAP = 1.3
"""Pixels by which the outline lies outside of the curve, to cover the hard edge of the fill."""


class Curve(NamedTuple):
    """A closed curve: S points [px] and the unit normals that point out of it, shape
    (S, 2) each.
    """

    point: Floats
    normal: Floats


@kernel
def write_fill(
    curve: Curve,
    top_colour: Float32s,
    bottom_colour: Float32s,
    core_colour: Float32s,
    statistics: Floats,
    before: Int32s,
    after: Int32s,
    part: Part,
) -> bool:
    """Fill a curve with a vertical gradient; return whether it is a star, filled by a fan around
    its middle. Any other is cut into triangles (ears.py).

    The middle of a fan is lighter and warmer, as light comes through there.
    `before` and `after` are scratch, S numbers or more each.
    """
    point = curve.point
    samples = curve.point.shape[0]
    vertices = part.vertices
    indices = part.indices
    first = part.first
    bottom = statistics[4]
    height = max(statistics[6] - statistics[4], 1e-9)
    smallest = np.inf
    largest = -np.inf
    for p in range(samples + 1):
        x, y = (point[p, 0], point[p, 1]) if p < samples else (statistics[0], statistics[1])
        share = (y - bottom) / height
        vertices[p, 0] = x
        vertices[p, 1] = y
        vertices[p, 2] = 0.0
        vertices[p, 3] = 0.0
        vertices[p, 4] = SOLID
        vertices[p, 5] = 1.0
        for n in range(4):
            vertices[p, 6 + n] = bottom_colour[n] + (top_colour[n] - bottom_colour[n]) * share
        if p == samples:
            for n in range(3):
                warm = WARMTH * (1.0 - n)
                mixed = vertices[p, 6 + n] + (core_colour[n] - vertices[p, 6 + n]) * CORE + warm
                vertices[p, 6 + n] = min(max(mixed, 0.0), 1.0)
        else:
            q = (p + 1) % samples
            ax = x - statistics[0]
            ay = y - statistics[1]
            bx = point[q, 0] - statistics[0]
            by = point[q, 1] - statistics[1]
            cross = ax * by - ay * bx
            smallest = min(smallest, cross)
            largest = max(largest, cross)
    if smallest >= 0.0 or largest <= 0.0:
        for p in range(samples):
            indices[3 * p] = first + p
            indices[3 * p + 1] = first + (p + 1) % samples
            indices[3 * p + 2] = first + samples
        return True
    clip_ears(point, before, after, indices[: 3 * (samples - 2)])
    for n in range(3 * (samples - 2)):
        indices[n] += first
    for n in range(3 * (samples - 2), 3 * samples):
        indices[n] = first
    return False


@kernel
def write_rim(
    curve: Curve,
    star: bool,
    statistics: Floats,
    colour: Float32s,
    dark: Float32s,
    light_x: float,
    light_y: float,
    part: Part,
) -> None:
    """Write a strip along the inside of the edge, which fades inwards: bright where the edge faces
    the light, dark on the far side.

    In a star the strip goes towards the middle, and so never crosses itself; in other curves along
    the normals, less deep.
    """
    point = curve.point
    normal = curve.normal
    vertices = part.vertices
    samples = point.shape[0]
    depth = 0.22 * statistics[2]
    for p in range(samples):
        inner_x = point[p, 0] - normal[p, 0] * depth
        inner_y = point[p, 1] - normal[p, 1] * depth
        if star:
            inner_x = point[p, 0] + 0.42 * (statistics[0] - point[p, 0])
            inner_y = point[p, 1] + 0.42 * (statistics[1] - point[p, 1])
        shade = normal[p, 0] * light_x + normal[p, 1] * light_y
        lit = shade > -0.25
        opacity = 0.16 + 0.64 * max(shade, -0.25) if lit else 0.62 * (-shade - 0.25)
        for side in range(2):
            r = 2 * p + side
            vertices[r, 0] = inner_x if side else point[p, 0]
            vertices[r, 1] = inner_y if side else point[p, 1]
            vertices[r, 2] = 0.0
            vertices[r, 3] = 0.0
            vertices[r, 4] = SOLID
            vertices[r, 5] = 1.0
            for n in range(3):
                vertices[r, 6 + n] = colour[n] if lit else dark[n]
            vertices[r, 9] = colour[3] * opacity * (1.0 - side)
    join_strip(samples, True, part)


@kernel
def write_outline(curve: Curve, width: float, soft: float, colour: Float32s, part: Part) -> None:
    """Write a strip of a width [px] just inside the curve; its fading edge covers the hard edge of
    the fill.
    """
    point = curve.point
    normal = curve.normal
    vertices = part.vertices
    samples = point.shape[0]
    half = 0.5 * width
    outer = half + 0.5 * soft + 0.5
    for p in range(samples):
        for side in range(2):
            sign = 1.0 - 2.0 * side
            r = 2 * p + side
            vertices[r, 0] = point[p, 0] + normal[p, 0] * (sign * outer - half + OVERLAP)
            vertices[r, 1] = point[p, 1] + normal[p, 1] * (sign * outer - half + OVERLAP)
            vertices[r, 2] = 0.0
            vertices[r, 3] = sign * outer
    paint_strip(samples, half, soft, colour, part)
    join_strip(samples, True, part)


@kernel
def write_highlight(
    curve: Curve, thickness: float, colour: Float32s, light_x: float, light_y: float, part: Part
) -> None:
    """Write one soft spot of light inside the edge that faces the light most."""
    point = curve.point
    normal = curve.normal
    vertices = part.vertices
    indices = part.indices
    first = part.first
    x = 0.0
    y = 0.0
    nx = 0.0
    ny = 0.0
    total = 1e-12
    for p in range(point.shape[0]):
        shade = max(0.0, normal[p, 0] * light_x + normal[p, 1] * light_y)
        brightness = shade**12
        x = x + brightness * point[p, 0]
        y = y + brightness * point[p, 1]
        nx = nx + brightness * normal[p, 0]
        ny = ny + brightness * normal[p, 1]
        total += brightness
    length = hypot(nx, ny)
    nx, ny = (nx / length, ny / length) if length > 1e-9 else (0.0, 1.0)
    x = x / total - 0.34 * thickness * nx
    y = y / total - 0.34 * thickness * ny
    wide = 0.30 * thickness
    high = 0.13 * thickness
    for corner in range(4):
        u = 1.3 if corner in (1, 2) else -1.3
        w = 1.3 if corner >= 2 else -1.3
        vertices[corner, 0] = x + u * wide * ny + w * high * nx
        vertices[corner, 1] = y - u * wide * nx + w * high * ny
        vertices[corner, 2] = u
        vertices[corner, 3] = w
        vertices[corner, 4] = 0.8
        vertices[corner, 5] = 0.6
        vertices[corner, 6] = 1.0
        vertices[corner, 7] = 1.0
        vertices[corner, 8] = 1.0
        vertices[corner, 9] = 0.62 * colour[3]
    indices[0] = first
    indices[1] = first + 1
    indices[2] = first + 2
    indices[3] = first
    indices[4] = first + 2
    indices[5] = first + 3


@kernel
def write_inclusions(
    curve: Curve, star: bool, statistics: Floats, light: Float32s, dark: Float32s, part: Part
) -> None:
    """Write bubbles, lighter than the body, and seeds, darker; none in bodies that are thin, or no
    star.
    """
    point = curve.point
    vertices = part.vertices
    indices = part.indices
    first = part.first
    samples = point.shape[0]
    shown = star and statistics[2] > SMALLEST
    for k in range(INCLUSIONS):
        at = int(PLACES[k] * samples)
        x = statistics[0] + DEPTHS[k] * (point[at, 0] - statistics[0])
        y = statistics[1] + DEPTHS[k] * (point[at, 1] - statistics[1])
        radius = 2.0 * SIZES[k] * statistics[2] if shown else 0.0
        bubble = k % 2 == 0
        for corner in range(4):
            u = 1.0 if corner in (1, 2) else -1.0
            w = 1.0 if corner >= 2 else -1.0
            v = 4 * k + corner
            vertices[v, 0] = x + u * (radius + 1.0)
            vertices[v, 1] = y + w * (radius + 1.0)
            vertices[v, 2] = u * (radius + 1.0)
            vertices[v, 3] = w * (radius + 1.0)
            vertices[v, 4] = radius
            vertices[v, 5] = 1.4
            for n in range(3):
                vertices[v, 6 + n] = light[n] if bubble else dark[n]
            vertices[v, 9] = (0.26 if bubble else 0.18) * light[3] if shown else 0.0
        i = 6 * k
        indices[i] = first + 4 * k
        indices[i + 1] = first + 4 * k + 1
        indices[i + 2] = first + 4 * k + 2
        indices[i + 3] = first + 4 * k
        indices[i + 4] = first + 4 * k + 2
        indices[i + 5] = first + 4 * k + 3
