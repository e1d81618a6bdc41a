"""Depenetration: the kernels that drive two overlapping bodies apart, or one body off a wall.

The contacts of such a pair are left out, since they have no inner side and would hold it together.
Each search for contacts writes the pair's axis of separation: a point, the unit direction in which
the first body leaves the second, and a speed (`find_axes`). Each substep pushes both along the axis
as if they were rigid, until they part at that speed (`separate`). The formula of the impulse is in
interpenetration.py.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers2
from ecs_softbody.collision.detect.margins import ParticleSpans
from ecs_softbody.collision.recover.interpenetration import Sums, add_crossings, holds_point_of
from ecs_softbody.collision.solve.rigid_motion import RigidBodies, find_free_body
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.geometry.outlines import DISCS, LOOP, Outlines, Shapes
from ecs_softbody.geometry.polygon import orientation
from ecs_softbody.parallel.compiling import entry, kernel

CHORD_SHARE = 0.25
"""Where outlines enter and leave each other, the chord between the crossings tells the direction;
unless it is shorter than this fraction of the box around all crossings.
"""
ACCELERATION = 40.0
"""The motor speeds up by no more than this [m/s²]: a pressed body yields."""
SLOWEST = 0.5
"""Least speed of the motor [m/s]."""
FASTEST = 3.0
"""Largest speed of the motor [m/s]; between the limits it is the diagonal of the smaller body, in a
second. It bounds how fast bodies leave that start in one place: they do not jump.
"""
X, Y, AXIS_X, AXIS_Y, SPEED = range(5)
"""Columns of an axis of separation: a point [m], the unit vector along which the first body leaves
the second (or a body a wall), the speed of the motor [m/s].
"""


class FreeParticles(NamedTuple):
    """Columns of N particles."""

    position: Floats2  # (N, 2) [m]
    velocity: Floats2  # (N, 2) [m/s]
    inverse_mass: Floats1  # (N,) [1/kg], 0 for fixed particles
    force: Floats2  # (N, 2) [N]


@kernel
def centre_of(position: np.ndarray, outlines: Outlines, i: int) -> tuple[float, float]:
    """Return the mean position of the points of outline i."""
    x = 0.0
    y = 0.0
    first = outlines.first[i]
    last = outlines.last[i]
    for k in range(first, last):
        x += position[outlines.points[k], 0]
        y += position[outlines.points[k], 1]
    return x / (last - first), y / (last - first)


@kernel
def orientation_of(position: np.ndarray, outlines: Outlines, i: int) -> float:
    """Return +1 where ring i runs counter-clockwise now, else -1."""
    return orientation(position, outlines.points, outlines.first[i], outlines.last[i])


@kernel
def chord_and_least(sums: np.ndarray) -> tuple[float, float]:
    """Return the length of the chord between crossings, and the least length that tells a
    direction [m]. sums: of the crossings, see SUMS.
    """
    spread = hypot(float(sums["high_x"] - sums["low_x"]), float(sums["high_y"] - sums["low_y"]))
    return hypot(float(sums["chord_x"]), float(sums["chord_y"])), CHORD_SHARE * spread


@kernel
def separation_of(
    i: int, j: int, shapes: Shapes, box: np.ndarray, sums: np.ndarray
) -> tuple[float, float, float, float]:
    """Return a point (x, y) of the overlap of bodies i and j, and a direction (x, y), of any
    length, in which i leaves j.

    box: of all proxies. sums: workspace. The cases in their order: nothing crosses, so one is in
    the other, and the line of centres counts; two open chains; an end of a chain in a ring (an odd
    number of crossings); a chord too short; and the rule, the normal of the chord, along which the
    overlap shrinks fastest.
    """
    position = shapes.position
    outlines = shapes.outlines
    points = outlines.points
    first = outlines.first
    last = outlines.last
    kind = outlines.kind
    ix, iy = centre_of(position, outlines, i)
    jx, jy = centre_of(position, outlines, j)
    crossings = (
        add_crossings(i, j, shapes, box, sums) if kind[i] != DISCS and kind[j] != DISCS else 0
    )
    if crossings == 0:
        inner = holds_point_of(j, i, shapes, box)
        return ix if inner else jx, iy if inner else jy, ix - jx, iy - jy
    x = float(sums["sum_x"]) / crossings
    y = float(sums["sum_y"]) / crossings
    closed_i = kind[i] >= LOOP
    closed_j = kind[j] >= LOOP
    if not closed_i and not closed_j:
        return shorter_tail(x, y, i, j, position, outlines, sums)
    if crossings % 2 == 1:
        # The end of a chain is in a ring: it goes back the way it came.
        chain, ring, sign = (i, j, 1.0) if not closed_i else (j, i, -1.0)
        end = points[first[chain]]
        if not holds_point_of(ring, chain, shapes, box):
            end = points[last[chain] - 1]
        return x, y, sign * (x - position[end, 0]), sign * (y - position[end, 1])
    chord_x = float(sums["chord_x"])
    chord_y = float(sums["chord_y"])
    chord, least = chord_and_least(sums)
    if chord < least:
        return x, y, ix - jx, iy - jy
    if closed_i and closed_j:
        sign = orientation_of(position, outlines, i) * orientation_of(position, outlines, j)
    elif closed_i:
        sign = 1.0 if (ix - x) * -chord_y + (iy - y) * chord_x >= 0.0 else -1.0
    else:
        sign = 1.0 if (x - jx) * -chord_y + (y - jy) * chord_x >= 0.0 else -1.0
    return x, y, -sign * chord_y, sign * chord_x


@kernel
def shorter_tail(
    x: float, y: float, i: int, j: int, position: np.ndarray, outlines: Outlines, sums: np.ndarray
) -> tuple[float, float, float, float]:
    """Return `separation_of` for two open chains that cross at (x, y): the chain with the shorter
    end beyond the crossing, counted in edges, draws that end back.
    """
    points = outlines.points
    first = outlines.first
    last = outlines.last
    k = int(sums["edge_i"])
    m = int(sums["edge_j"])
    beyond_i = last[i] - first[i] - 2 - k
    beyond_j = last[j] - first[j] - 2 - m
    if min(k, beyond_i) <= min(m, beyond_j):
        end = points[first[i]] if k <= beyond_i else points[last[i] - 1]
        return x, y, x - position[end, 0], y - position[end, 1]
    end = points[first[j]] if m <= beyond_j else points[last[j] - 1]
    return x, y, position[end, 0] - x, position[end, 1] - y


@entry
def find_axes(pairs: Integers2, shapes: Shapes, box: Floats2, sums: Sums, axes: Floats2) -> None:
    """Write the axis of separation (T, 5) of each pair of bodies, see X."""
    for k in range(pairs.shape[0]):
        i = pairs[k, 0]
        j = pairs[k, 1]
        x, y, nx, ny = separation_of(i, j, shapes, box, sums[0])
        length = hypot(nx, ny)
        nx, ny = (nx / length, ny / length) if length > 1e-9 else (1.0, 0.0)
        size_i = hypot(box[i, 2] - box[i, 0], box[i, 3] - box[i, 1])
        size_j = hypot(box[j, 2] - box[j, 0], box[j, 3] - box[j, 1])
        axes[k, X] = x
        axes[k, Y] = y
        axes[k, AXIS_X] = nx
        axes[k, AXIS_Y] = ny
        axes[k, SPEED] = min(max(min(size_i, size_j), SLOWEST), FASTEST)


@entry
def separate(
    pairs: Integers2,
    axes: Floats2,
    spans: ParticleSpans,
    particles: FreeParticles,
    dt: float,
    motions: RigidBodies,
) -> None:
    """Add the motor's forces [N] on the particles of both bodies of every pair (T, 2).

    With the impulse J = clamp((speed - v_n) / K, 0, ACCELERATION h / K) at the point of the axis,
    K = Σ 1/M + (r × n)²/I over both bodies; each particle gets its share as of a rigid body:
    m (J/M n + (r × n) J/I ω × r). -1 as the second body stands for a wall, which does not move.
    motions: workspace for two bodies.
    """
    start = spans.particle_first
    stop = spans.particle_last
    position = particles.position
    inverse_mass = particles.inverse_mass
    force = particles.force
    for k in range(pairs.shape[0]):
        nx = axes[k, AXIS_X]
        ny = axes[k, AXIS_Y]
        x = axes[k, X]
        y = axes[k, Y]
        closing = 0.0  # [m/s] along the axis
        softness = 0.0  # [1/kg] K
        # First pass: both bodies as if rigid, with the velocities that forces will give.
        for side in range(2):
            body = pairs[k, side]
            motion = motions[side]
            if body < 0:
                continue
            find_free_body(
                start[body],
                stop[body],
                position,
                particles.velocity,
                inverse_mass,
                force,
                dt,
                motion,
            )
            # A single particle takes no torque: it is pushed at its centre, and so is what it is
            # in, or angular momentum changed by 1 % a second.
            if motion["inverse_inertia"] == 0.0 and motion["inverse_mass"] > 0.0:
                x = motion["centre_x"]
                y = motion["centre_y"]
        for side in range(2):
            motion = motions[side]
            if pairs[k, side] < 0:
                continue
            arm = (x - motion["centre_x"]) * ny - (y - motion["centre_y"]) * nx
            softness += motion["inverse_mass"] + arm * arm * motion["inverse_inertia"]
            speed = (
                motion["velocity_x"] * nx
                + motion["velocity_y"] * ny
                + arm * motion["angular_velocity"]
            )
            closing += speed if side == 1 else -speed
        if softness == 0.0:
            continue
        impulse = min(max(axes[k, SPEED] + closing, 0.0), ACCELERATION * dt) / softness
        for side in range(2):
            body = pairs[k, side]
            motion = motions[side]
            if body < 0:
                continue
            signed = (impulse if side == 0 else -impulse) / dt
            arm = (x - motion["centre_x"]) * ny - (y - motion["centre_y"]) * nx
            torque = signed * arm * motion["inverse_inertia"]
            for p in range(start[body], stop[body]):
                if inverse_mass[p] > 0.0:
                    m = 1.0 / inverse_mass[p]
                    rx = position[p, 0] - motion["centre_x"]
                    ry = position[p, 1] - motion["centre_y"]
                    force[p, 0] += m * (signed * motion["inverse_mass"] * nx - torque * ry)
                    force[p, 1] += m * (signed * motion["inverse_mass"] * ny + torque * rx)
