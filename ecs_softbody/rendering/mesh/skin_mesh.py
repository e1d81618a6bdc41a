"""Skin meshes: the skins of all bodies with one picture become triangles in one call.

A skin (SkinShape, skin_shape.py) has controls, which follow particles, and corners, which are
weighted means of controls. In each picture the kernel finds where the controls are, then the
corners; each carries its place in the picture (u, v). Along the edge, a second row of corners a
little further out has no opacity, which makes the edge smooth.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Float32s2, Floats, Floats1, Floats2, Integers1, Integers2
from ecs_softbody.elementary.angles import cos, sin
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, kernel
from ecs_softbody.rendering.mesh.body_mesh import STATISTICS, measure_curve
from ecs_softbody.rendering.mesh.body_parts import Curve
from ecs_softbody.rendering.mesh.mesh import Float32s, Mesh
from ecs_softbody.rendering.mesh.quads import Part
from ecs_softbody.rendering.mesh.skin_shape import SkinShape
from ecs_softbody.rendering.screen.view import View

FADE = 1.2
"""Pixels over which the edge of a skin fades out."""
SPANS = 7
"""The number of counts of a shape: controls, corners, numbers in `first`, weights, triangles, rim,
edges.
"""


class SkinnedBodies(NamedTuple):
    """B bodies with one picture; each has one of the shapes."""

    shape: Integers1  # (B,)
    particle_first: Integers1  # (B,) its first row in `position`
    uv_first: Integers1  # (B,) its first row in `uv`
    per_metre: Floats2  # (B, 2) shares of the picture in a metre
    tint: Float32s2  # (B, 5) red, green, blue, opacity and light


class SkinnedParticles(NamedTuple):
    """The packed particles and skins."""

    position: Floats2  # (N, 2) [m]
    radius: Floats1  # (N,) [m]
    angle: Floats1  # (N,) [rad] by which discs have turned
    uv: Floats2  # (M, 2) shares of the picture, from its lower left corner


class SkinScratch(NamedTuple):
    """Workspace of `build_skins`."""

    controls: Floats2  # (C, 4) x, y [px], u, v of each control of a body
    ring: Floats2  # (C, 2) [px] the same places, as a curve
    normals: Floats2  # (C, 2) unit vectors out of it


class Shapes(NamedTuple):
    """S shapes, joined into one."""

    all: SkinShape
    """The columns of all shapes, one after another."""
    starts: Integers2
    """(S + 1, 7) where each shape begins in them; see SPANS."""


def joined_shapes(shapes: list[SkinShape]) -> Shapes:
    """Return shapes one after another."""
    counts = [
        (
            len(s.rows),
            len(s.first) - 1,
            len(s.first),
            len(s.control),
            len(s.triangles),
            len(s.rim),
            len(s.edges),
        )
        for s in shapes
    ]
    starts = np.concatenate(
        (np.zeros((1, SPANS), np.int64), np.cumsum(counts, axis=0, dtype=np.int64))
    )
    return Shapes(
        SkinShape(*(np.concatenate(parts) for parts in zip(*shapes, strict=True))), starts
    )


def add_skins(
    mesh: Mesh, shapes: Shapes, bodies: SkinnedBodies, particles: SkinnedParticles, view: View
) -> Floats:
    """Add the visible skins to a mesh with their picture; return the statistics of `add_bodies`,
    (B, 8).
    """
    statistics = np.zeros((len(bodies.shape), STATISTICS))
    sizes = np.diff(shapes.starts, axis=0)
    each = sizes[bodies.shape]
    window = np.array((*view.center, view.scale, view.width_px, view.height_px))
    part = mesh.reserve(
        int((each[:, 1] + each[:, 5]).sum()), int((each[:, 4] + 6 * each[:, 6]).sum())
    )
    most = int(sizes[:, 0].max())
    scratch = SkinScratch(np.zeros((most, 4)), np.zeros((most, 2)), np.zeros((most, 2)))
    used = np.zeros(2, np.int64)
    build_skins(shapes, bodies, particles, window, part, scratch, statistics, used)
    mesh.give_back(len(part.vertices) - int(used[0]), len(part.indices) - int(used[1]))
    return statistics


@entry
def build_skins(
    shapes: Shapes,
    bodies: SkinnedBodies,
    particles: SkinnedParticles,
    window: Floats1,
    part: Part,
    scratch: SkinScratch,
    statistics: Floats2,
    used: Integers1,
) -> None:
    """Write corners, fading edge and triangles of every skin in view; `used` (2,) counts vertices
    and indices.
    """
    all_shapes, starts = shapes
    vertices = part.vertices
    indices = part.indices
    v = 0
    i = 0
    for b in range(bodies.shape.shape[0]):
        s = bodies.shape[b]
        seen = place_controls(
            all_shapes, starts[s, 0], starts[s + 1, 0], bodies, b, particles, window, scratch
        )
        if not seen:
            continue
        statistics[b, 7] = 1.0
        ring = all_shapes.ring[s]
        if ring > 0:
            measure_curve(Curve(scratch.ring[:ring], scratch.normals[:ring]), statistics[b])
        tint = bodies.tint[b]
        corners = starts[s + 1, 1] - starts[s, 1]
        for n in range(corners):
            low = starts[s, 3] + all_shapes.first[starts[s, 2] + n]
            high = starts[s, 3] + all_shapes.first[starts[s, 2] + n + 1]
            x = 0.0
            y = 0.0
            tu = 0.0
            tv = 0.0
            for k in range(low, high):
                c = all_shapes.control[k]
                w = all_shapes.weight[k]
                x += w * scratch.controls[c, 0]
                y += w * scratch.controls[c, 1]
                tu += w * scratch.controls[c, 2]
                tv += w * scratch.controls[c, 3]
            vertices[v + n, 0] = x
            vertices[v + n, 1] = y
            vertices[v + n, 2] = tu
            vertices[v + n, 3] = tv
            paint(vertices, v + n, tint)
        rims = starts[s + 1, 5] - starts[s, 5]
        for r in range(rims):
            write_fading(vertices, all_shapes.rim[starts[s, 5] + r], v, v + corners + r, tint)
        base = part.first + v
        for k in range(starts[s, 4], starts[s + 1, 4]):
            indices[i] = base + all_shapes.triangles[k]
            i += 1
        for k in range(starts[s, 6], starts[s + 1, 6]):
            one = all_shapes.edges[k, 0]
            two = all_shapes.edges[k, 1]
            a = all_shapes.rim[starts[s, 5] + one, 0]
            c = all_shapes.rim[starts[s, 5] + two, 0]
            indices[i] = base + a
            indices[i + 1] = base + corners + one
            indices[i + 2] = base + corners + two
            indices[i + 3] = base + a
            indices[i + 4] = base + corners + two
            indices[i + 5] = base + c
            i += 6
        v += corners + rims
    used[0] = v
    used[1] = i


@kernel
def paint(vertices: Float32s, n: int, tint: Float32s) -> None:
    """Write the light and the colour of a vertex."""
    vertices[n, 4] = tint[4]
    vertices[n, 5] = 1.0
    vertices[n, 6], vertices[n, 7], vertices[n, 8], vertices[n, 9] = (
        tint[0],
        tint[1],
        tint[2],
        tint[3],
    )


@kernel
def write_fading(vertices: Float32s, rim: Integers1, first: int, n: int, tint: Float32s) -> None:
    """Write vertex n: as a corner on the edge of the skin, a little outwards and clear."""
    corner = first + rim[0]
    before = first + rim[1]
    after = first + rim[2]
    nx = float(vertices[after, 1] - vertices[before, 1])
    ny = float(vertices[before, 0] - vertices[after, 0])
    length = hypot(nx, ny)
    grow = FADE / length if length > 1e-9 else 0.0
    vertices[n, 0], vertices[n, 1] = (
        vertices[corner, 0] + grow * nx,
        vertices[corner, 1] + grow * ny,
    )
    vertices[n, 2], vertices[n, 3] = vertices[corner, 2], vertices[corner, 3]
    paint(vertices, n, tint)
    vertices[n, 9] = 0.0


@kernel
def place_controls(
    shape: SkinShape,
    first: int,
    last: int,
    bodies: SkinnedBodies,
    b: int,
    particles: SkinnedParticles,
    window: Floats,
    scratch: SkinScratch,
) -> bool:
    """Write where the controls [first, last) of body b are now; return whether any of it may be in
    view.
    """
    position = particles.position
    controls = scratch.controls
    base = bodies.particle_first[b]
    uv = bodies.uv_first[b]
    left = np.inf
    right = -np.inf
    bottom = np.inf
    top = -np.inf
    margin = 0.0
    for n in range(first, last):
        row = base + shape.rows[n]
        one = base + shape.before[n]
        two = base + shape.after[n]
        x = position[row, 0]
        y = position[row, 1]
        radius = particles.radius[row]
        nx = shape.direction[n, 0]
        ny = shape.direction[n, 1]
        u = particles.uv[uv + shape.rows[n], 0] + radius * nx * bodies.per_metre[b, 0]
        v = particles.uv[uv + shape.rows[n], 1] + radius * ny * bodies.per_metre[b, 1]
        if one != two:
            nx = position[two, 1] - position[one, 1]
            ny = position[one, 0] - position[two, 0]
            length = hypot(nx, ny)
            if length > 1e-12:
                reach = hypot(shape.direction[n, 0], shape.direction[n, 1])
                nx = reach * nx / length
                ny = reach * ny / length
        elif particles.angle[row] != 0.0:
            c = cos(particles.angle[row])
            s = sin(particles.angle[row])
            nx, ny = c * nx - s * ny, s * nx + c * ny
        x = x + radius * nx
        y = y + radius * ny
        left = min(left, x)
        right = max(right, x)
        bottom = min(bottom, y)
        top = max(top, y)
        k = n - first
        controls[k, 0] = (x - window[0]) * window[2] + 0.5 * window[3]
        controls[k, 1] = (y - window[1]) * window[2] + 0.5 * window[4]
        controls[k, 2] = u
        controls[k, 3] = v
        scratch.ring[k, 0], scratch.ring[k, 1] = controls[k, 0], controls[k, 1]
    margin = 0.15 * (right - left + top - bottom)
    half_width = 0.5 * window[3] / window[2]
    half_height = 0.5 * window[4] / window[2]
    seen = left - margin < window[0] + half_width and right + margin > window[0] - half_width
    seen = (
        seen
        and bottom - margin < window[1] + half_height
        and top + margin > window[1] - half_height
    )
    return seen and math.isfinite(right - left) and math.isfinite(top - bottom)
