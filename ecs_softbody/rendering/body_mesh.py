"""Body meshes: the rings of all soft bodies become fills, rims, outlines and highlights in one call."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.kernels.compiling import kernel
from ecs_softbody.rendering.body_parts import write_fill, write_highlight, write_outline, write_rim
from ecs_softbody.rendering.camera import View
from ecs_softbody.rendering.curves import MOST_SUBDIVISIONS, STEP_PX, sample_curve
from ecs_softbody.rendering.mesh import SMOOTH, Mesh

STATISTICS = 8
"""Numbers that `build_bodies` tells about each body."""


@dataclass(frozen=True)
class Rings:
    """The outlines of B bodies: packed rows of ring b are rows[first[b]:first[b + 1]]."""

    rows: NDArray[np.int64]
    first: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.first) - 1


@dataclass(frozen=True)
class RingColours:
    """Colours of B bodies, rgba shares, shape (B, 4) each."""

    top: NDArray[np.float32]
    bottom: NDArray[np.float32]
    rim: NDArray[np.float32]
    outline: NDArray[np.float32]


def add_bodies(
    mesh: Mesh,
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    rings: Rings,
    colours: RingColours,
    view: View,
    outline_px: float,
) -> NDArray[np.float64]:
    """Add all bodies whose rings lie in view to a mesh, farthest first.

    Args:
        mesh: gets the triangles.
        positions: packed particles (N, 2) [m].
        radii: packed radii (N,) [m]; the curve runs this far outside of the particles.
        rings: which particles the curves run through.
        colours: of each body.
        view: from metres to pixels.
        outline_px: width of the outline [px].

    Returns:
        Shape (B, 8): middle x, y, thickness (the radius of a round body), left, bottom, right, top [px], visible 0/1.
    """
    statistics = np.zeros((len(rings), STATISTICS))
    if not len(rings):
        return statistics
    subdivisions = np.zeros(len(rings), np.int64)
    window = np.array((*view.center, view.scale, view.width_px, view.height_px))
    measure_rings(positions, radii, rings.rows, rings.first, window, STEP_PX, MOST_SUBDIVISIONS, subdivisions)
    samples = subdivisions * np.diff(rings.first)
    total, visible = int(samples.sum()), int((subdivisions > 0).sum())
    vertices, indices, first = mesh.reserve(5 * total + 5 * visible, 15 * total + 6 * visible)
    build_bodies(
        positions,
        radii,
        rings.rows,
        rings.first,
        window,
        subdivisions,
        int(samples.max()),
        colours.top,
        colours.bottom,
        colours.rim,
        colours.outline,
        outline_px,
        float(SMOOTH),
        first,
        vertices,
        indices,
        statistics,
    )
    return statistics


@kernel
def measure_rings(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    rows: NDArray[np.int64],
    ring_first: NDArray[np.int64],
    window: NDArray[np.float64],
    step: float,
    most: int,
    subdivisions: NDArray[np.int64],
) -> None:
    """Write how finely to draw each ring: about one point per `step` pixels, 0 where it is out of view."""
    half_width, half_height = 0.5 * window[3] / window[2], 0.5 * window[4] / window[2]
    for b in range(ring_first.shape[0] - 1):
        start, stop = ring_first[b], ring_first[b + 1]
        left, right, bottom, top, length, reach = np.inf, -np.inf, np.inf, -np.inf, 0.0, 0.0
        last = rows[stop - 1]
        for r in range(start, stop):
            row = rows[r]
            x, y = positions[row, 0], positions[row, 1]
            left, right, bottom, top = min(left, x), max(right, x), min(bottom, y), max(top, y)
            length += math.hypot(x - positions[last, 0], y - positions[last, 1])
            reach = max(reach, radii[row])
            last = row
        margin = reach + 0.15 * (right - left + top - bottom)
        seen = left - margin < window[0] + half_width and right + margin > window[0] - half_width
        seen = seen and bottom - margin < window[1] + half_height and top + margin > window[1] - half_height
        subdivisions[b] = 0
        if seen and math.isfinite(length):
            wanted = math.ceil(length * window[2] / ((stop - start) * step))
            subdivisions[b] = min(max(wanted, 1), most)


@kernel
def build_bodies(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    rows: NDArray[np.int64],
    ring_first: NDArray[np.int64],
    window: NDArray[np.float64],
    subdivisions: NDArray[np.int64],
    most_samples: int,
    top_colours: NDArray[np.float32],
    bottom_colours: NDArray[np.float32],
    rim_colours: NDArray[np.float32],
    outline_colours: NDArray[np.float32],
    outline: float,
    soft: float,
    first: int,
    vertices: NDArray[np.float32],
    indices: NDArray[np.int32],
    statistics: NDArray[np.float64],
) -> None:
    """Write fill, rim, outline and highlight of every ring with subdivisions > 0 (see `add_bodies`)."""
    control = np.zeros((most_samples, 2))
    curve = np.zeros((most_samples, 2))
    normals = np.zeros((most_samples, 2))
    before, after = np.zeros(most_samples, np.int32), np.zeros(most_samples, np.int32)
    v, i = 0, 0
    for b in range(ring_first.shape[0] - 1):
        if subdivisions[b] == 0:
            continue
        count = ring_first[b + 1] - ring_first[b]
        samples = count * subdivisions[b]
        expand_ring(positions, radii, rows[ring_first[b] : ring_first[b + 1]], window, control)
        sample_curve(control, count, True, subdivisions[b], curve)
        measure_curve(curve, samples, normals, statistics[b])
        star = write_fill(curve, samples, top_colours[b], bottom_colours[b], statistics[b], before, after, first + v,
                   vertices[v : v + samples + 1], indices[i : i + 3 * samples])  # fmt: skip
        v, i = v + samples + 1, i + 3 * samples
        write_rim(curve, normals, samples, star, statistics[b], rim_colours[b], first + v,
                  vertices[v : v + 2 * samples], indices[i : i + 6 * samples])  # fmt: skip
        v, i = v + 2 * samples, i + 6 * samples
        write_outline(curve, normals, samples, outline, soft, outline_colours[b], first + v,
                      vertices[v : v + 2 * samples], indices[i : i + 6 * samples])  # fmt: skip
        v, i = v + 2 * samples, i + 6 * samples
        write_highlight(curve, normals, samples, statistics[b, 2], rim_colours[b], first + v,
                        vertices[v : v + 4], indices[i : i + 6])  # fmt: skip
        v, i = v + 4, i + 6


@kernel
def expand_ring(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    rows: NDArray[np.int64],
    window: NDArray[np.float64],
    control: NDArray[np.float64],
) -> None:
    """Write the ring in pixels, moved outwards by the radius of its particles."""
    count = rows.shape[0]
    twice_area = 0.0
    for p in range(count):
        a, c = positions[rows[p]], positions[rows[(p + 1) % count]]
        twice_area += a[0] * c[1] - a[1] * c[0]
    turn = 1.0 if twice_area >= 0.0 else -1.0
    for p in range(count):
        row = rows[p]
        a, c = positions[rows[p - 1]], positions[rows[(p + 1) % count]]
        x, y = c[1] - a[1], a[0] - c[0]
        length = math.hypot(x, y)
        grow = turn * radii[row] / length if length > 1e-12 else 0.0
        control[p, 0] = (positions[row, 0] + grow * x - window[0]) * window[2] + 0.5 * window[3]
        control[p, 1] = (positions[row, 1] + grow * y - window[1]) * window[2] + 0.5 * window[4]


@kernel
def measure_curve(
    curve: NDArray[np.float64], samples: int, normals: NDArray[np.float64], statistics: NDArray[np.float64]
) -> None:
    """Write outward normals, and middle, thickness, bounds and visibility of a closed curve."""
    area, mx, my, length = 0.0, 0.0, 0.0, 0.0
    left, right, bottom, top = np.inf, -np.inf, np.inf, -np.inf
    ox, oy = curve[0, 0], curve[0, 1]
    for p in range(samples):
        q = (p + 1) % samples
        ax, ay, bx, by = curve[p, 0] - ox, curve[p, 1] - oy, curve[q, 0] - ox, curve[q, 1] - oy
        cross = ax * by - ay * bx
        area += cross
        mx += cross * (ax + bx)
        my += cross * (ay + by)
        length += math.hypot(bx - ax, by - ay)
        left, right = min(left, curve[p, 0]), max(right, curve[p, 0])
        bottom, top = min(bottom, curve[p, 1]), max(top, curve[p, 1])
    inside = left + (right - left) * 1e-3
    if abs(area) > 1e-3 * length * length:
        mx, my = ox + mx / (3.0 * area), oy + my / (3.0 * area)
    else:
        mx, my = 0.5 * (left + right), 0.5 * (bottom + top)
    statistics[0] = min(max(mx, inside), right)
    statistics[1] = min(max(my, bottom), top)
    statistics[2] = abs(area) / length if length > 0.0 else 0.0
    statistics[3], statistics[4], statistics[5], statistics[6] = left, bottom, right, top
    statistics[7] = 1.0
    turn = 1.0 if area >= 0.0 else -1.0
    nx, ny = 0.0, 1.0
    for p in range(samples):
        q, o = (p + 1) % samples, (p - 1) % samples
        tx, ty = curve[q, 0] - curve[o, 0], curve[q, 1] - curve[o, 1]
        size = math.hypot(tx, ty)
        if size > 1e-9:
            nx, ny = turn * ty / size, -turn * tx / size
        normals[p, 0], normals[p, 1] = nx, ny
