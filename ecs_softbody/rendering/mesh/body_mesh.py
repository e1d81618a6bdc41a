"""Body meshes: the rings of all soft bodies become fills, rims, outlines and highlights in one
call.

A ring is the closed outline of a body, a list of its particles. A smooth curve runs through them,
in pixels, a radius outside; body_parts.py writes the triangles of each part of the picture from it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Float32s2, Floats, Floats1, Floats2, Int32s1, Integers1
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, kernel
from ecs_softbody.rendering.mesh.body_parts import (
    INCLUSIONS,
    LIGHT,
    Curve,
    write_fill,
    write_highlight,
    write_inclusions,
    write_outline,
    write_rim,
)
from ecs_softbody.rendering.mesh.curves import MOST_SUBDIVISIONS, STEP_PX, sample_curve
from ecs_softbody.rendering.mesh.mesh import Mesh
from ecs_softbody.rendering.mesh.quads import SMOOTH, Part
from ecs_softbody.rendering.screen.view import View

STATISTICS = 8
"""Number of values that `build_bodies` returns for each body, all in pixels: x and y of its middle,
thickness (area over length of the curve), left, bottom, right and top; then 1 if it is in view,
else 0.
"""


class Rings(NamedTuple):
    """The outlines of B bodies among N packed particles."""

    position: Floats2  # (N, 2) [m]
    radius: Floats1  # (N,) [m]; the curves run this far outside of the particles
    rows: Integers1  # Particles of all rings; ring b is rows[first[b]:first[b + 1]]
    first: Integers1  # (B + 1,)


class Scratch(NamedTuple):
    """Workspace of `build_bodies`, for at most S points of a curve."""

    control: Floats2  # (S, 2) [px] the particles of a ring, moved outwards by their radii
    points: Floats2  # (S, 2) [px] the curve through these
    normals: Floats2  # (S, 2) unit vectors out of the curve
    before: Int32s1  # (S,) scratch of `clip_ears`
    after: Int32s1  # (S,) scratch of `clip_ears`

    @classmethod
    def for_samples(cls, count: int) -> Scratch:
        """Return one for curves of up to `count` points."""
        points = np.zeros((3, count, 2))
        ears = np.zeros((2, count), np.int32)
        return cls(*points, *ears)


class RingColours(NamedTuple):
    """Colours of B bodies, rgba shares, shape (B, 4) each."""

    top: Float32s2
    bottom: Float32s2
    rim: Float32s2
    outline: Float32s2


def add_bodies(
    mesh: Mesh,
    rings: Rings,
    colours: RingColours,
    view: View,
    outline_px: float,
    light: tuple[float, float] = LIGHT,
) -> Floats:
    """Add all bodies whose rings lie in view to a mesh, farthest first.

    Args:
        mesh: gets the triangles.
        rings: which particles the curves run through.
        colours: of each body.
        view: from metres to pixels.
        outline_px: width of the outline [px].
        light: direction to the light, of length 1.

    Returns:
        Shape (B, 8): middle x, y, thickness (the radius of a round body), left, bottom, right, top
            [px], visible 0/1.
    """
    count = len(rings.first) - 1
    statistics = np.zeros((count, STATISTICS))
    if not count:
        return statistics
    subdivisions = np.zeros(count, np.int64)
    # In kernels `window` stands for the view: center x, y [m], scale [px/m], width, height [px],
    # direction to the light x, y.
    window = np.array((*view.center, view.scale, view.width_px, view.height_px, *light))
    measure_rings(rings, window, subdivisions)
    samples = (subdivisions * (rings.first[1:] - rings.first[:-1])).tolist()
    # A body takes S + 1 vertices and 3 S indices for its fill, 2 S and 6 S each for its rim and its
    # outline, and a quad (4 and 6) each for its highlight and its inclusions.
    total = sum(samples)
    visible = int(np.count_nonzero(subdivisions))
    more = 1 + INCLUSIONS
    part = mesh.reserve(5 * total + (1 + 4 * more) * visible, 15 * total + 6 * more * visible)
    build_bodies(
        rings,
        colours,
        window,
        subdivisions,
        outline_px,
        part,
        Scratch.for_samples(max(samples)),
        statistics,
    )
    return statistics


@entry
def measure_rings(rings: Rings, window: Floats1, subdivisions: Integers1) -> None:
    """Write into how many parts to divide each edge of a ring, (B,): about one point of the curve
    per STEP_PX; 0 where the ring is out of view or has a position that is not finite.
    """
    positions = rings.position
    rows = rings.rows
    half_width = 0.5 * window[3] / window[2]
    half_height = 0.5 * window[4] / window[2]
    for b in range(rings.first.shape[0] - 1):
        start = rings.first[b]
        stop = rings.first[b + 1]
        left = np.inf
        right = -np.inf
        bottom = np.inf
        top = -np.inf
        length = 0.0
        margin = 0.0
        last = rows[stop - 1]
        for r in range(start, stop):
            row = rows[r]
            x = positions[row, 0]
            y = positions[row, 1]
            left = min(left, x)
            right = max(right, x)
            bottom = min(bottom, y)
            top = max(top, y)
            length += hypot(x - positions[last, 0], y - positions[last, 1])
            margin = max(margin, rings.radius[row])
            last = row
        # A curve swings out of the box of its points by some of the size.
        margin += 0.15 * (right - left + top - bottom)
        seen = left - margin < window[0] + half_width and right + margin > window[0] - half_width
        seen = (
            seen
            and bottom - margin < window[1] + half_height
            and top + margin > window[1] - half_height
        )
        subdivisions[b] = 0
        if seen and math.isfinite(length):
            wanted = math.ceil(length * window[2] / ((stop - start) * STEP_PX))
            subdivisions[b] = min(max(wanted, 1), MOST_SUBDIVISIONS)


@entry
def build_bodies(
    rings: Rings,
    colours: RingColours,
    window: Floats1,
    subdivisions: Integers1,
    outline: float,
    part: Part,
    scratch: Scratch,
    statistics: Floats2,
) -> None:
    """Write fill, inclusions, rim, outline and highlight of every ring with subdivisions > 0 (see
    `add_bodies`).
    """
    light_x = window[5]
    light_y = window[6]
    control, points, normals, before, after = scratch
    # Next vertex and next index of `part`.
    v = 0
    i = 0
    for b in range(subdivisions.shape[0]):
        if subdivisions[b] == 0:
            continue
        count = rings.first[b + 1] - rings.first[b]
        samples = count * subdivisions[b]
        expand_ring(rings, b, window, control)
        sample_curve(control, count, True, subdivisions[b], points)
        curve = Curve(points[:samples], normals[:samples])
        measure_curve(curve, statistics[b])
        target = cut_part(part, v, samples + 1, i, 3 * samples)
        rim = colours.rim[b]
        dark = colours.outline[b]
        measures = statistics[b]
        star = write_fill(
            curve, colours.top[b], colours.bottom[b], rim, measures, before, after, target
        )
        v = v + samples + 1
        i = i + 3 * samples
        target = cut_part(part, v, 4 * INCLUSIONS, i, 6 * INCLUSIONS)
        write_inclusions(curve, star, measures, rim, dark, target)
        v = v + 4 * INCLUSIONS
        i = i + 6 * INCLUSIONS
        target = cut_part(part, v, 2 * samples, i, 6 * samples)
        write_rim(curve, star, measures, rim, dark, light_x, light_y, target)
        v = v + 2 * samples
        i = i + 6 * samples
        target = cut_part(part, v, 2 * samples, i, 6 * samples)
        write_outline(curve, outline, float(SMOOTH), colours.outline[b], target)
        v = v + 2 * samples
        i = i + 6 * samples
        write_highlight(curve, measures[2], rim, light_x, light_y, cut_part(part, v, 4, i, 6))
        v = v + 4
        i = i + 6


@kernel
def cut_part(part: Part, v: int, vertices: int, i: int, indices: int) -> Part:
    """Return this many vertices from v on, and this many indices from i on, of a part."""
    return Part(part.vertices[v : v + vertices], part.indices[i : i + indices], part.first + v)


@kernel
def expand_ring(rings: Rings, b: int, window: Floats, control: Floats) -> None:
    """Write ring b in pixels, moved outwards by the radius of its particles."""
    positions = rings.position
    rows = rings.rows[rings.first[b] : rings.first[b + 1]]
    count = rows.shape[0]
    twice_area = 0.0
    for p in range(count):
        a = positions[rows[p]]
        c = positions[rows[(p + 1) % count]]
        twice_area += a[0] * c[1] - a[1] * c[0]
    turn = 1.0 if twice_area >= 0.0 else -1.0
    for p in range(count):
        row = rows[p]
        a = positions[rows[p - 1]]
        c = positions[rows[(p + 1) % count]]
        x = c[1] - a[1]
        y = a[0] - c[0]
        length = hypot(x, y)
        grow = turn * rings.radius[row] / length if length > 1e-12 else 0.0
        control[p, 0] = (positions[row, 0] + grow * x - window[0]) * window[2] + 0.5 * window[3]
        control[p, 1] = (positions[row, 1] + grow * y - window[1]) * window[2] + 0.5 * window[4]


@kernel
def measure_curve(curve: Curve, statistics: Floats) -> None:
    """Write outward normals of a closed curve, and its statistics (see STATISTICS)."""
    point = curve.point
    normals = curve.normal
    samples = curve.point.shape[0]
    area = 0.0
    mx = 0.0
    my = 0.0
    length = 0.0
    left = np.inf
    right = -np.inf
    bottom = np.inf
    top = -np.inf
    ox = point[0, 0]
    oy = point[0, 1]
    for p in range(samples):
        q = (p + 1) % samples
        ax = point[p, 0] - ox
        ay = point[p, 1] - oy
        bx = point[q, 0] - ox
        by = point[q, 1] - oy
        cross = ax * by - ay * bx
        area += cross
        mx += cross * (ax + bx)
        my += cross * (ay + by)
        length += hypot(bx - ax, by - ay)
        left = min(left, point[p, 0])
        right = max(right, point[p, 0])
        bottom = min(bottom, point[p, 1])
        top = max(top, point[p, 1])
    # `area` is twice the signed area. The middle is the centroid, or, of a curve without an area,
    # the middle of its box.
    inside = left + (right - left) * 1e-3
    if abs(area) > 1e-3 * length * length:
        mx = ox + mx / (3.0 * area)
        my = oy + my / (3.0 * area)
    else:
        mx = 0.5 * (left + right)
        my = 0.5 * (bottom + top)
    statistics[0] = min(max(mx, inside), right)
    statistics[1] = min(max(my, bottom), top)
    statistics[2] = abs(area) / length if length > 0.0 else 0.0
    statistics[3] = left
    statistics[4] = bottom
    statistics[5] = right
    statistics[6] = top
    statistics[7] = 1.0
    turn = 1.0 if area >= 0.0 else -1.0
    nx = 0.0
    ny = 1.0
    for p in range(samples):
        q = (p + 1) % samples
        o = (p - 1) % samples
        tx = point[q, 0] - point[o, 0]
        ty = point[q, 1] - point[o, 1]
        size = hypot(tx, ty)
        if size > 1e-9:
            nx = turn * ty / size
            ny = -turn * tx / size
        normals[p, 0] = nx
        normals[p, 1] = ny
