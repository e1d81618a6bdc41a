"""Depenetration: where and along which axis two interpenetrating bodies separate, and the motor that drives them."""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers2
from ecs_softbody.collision.detect.margins import ParticleSpans
from ecs_softbody.collision.recover.interpenetration import (
    CHORD_X,
    CHORD_Y,
    EDGE_I,
    EDGE_J,
    HIGH_X,
    HIGH_Y,
    LOW_X,
    LOW_Y,
    SUM_X,
    SUM_Y,
    add_crossings,
    holds_point_of,
)
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.geometry.outlines import DISCS, LOOP, Outlines, Shapes
from ecs_softbody.geometry.polygon import orientation
from ecs_softbody.parallel.compiling import entry, kernel

CHORD_SHARE = 0.25
"""A chord shorter than this share of the spread of all crossings tells no direction."""
ACCELERATION = 40.0
"""The motor speeds up by no more than this [m/s²]: a pressed body yields."""
SLOWEST, FASTEST = 0.5, 3.0
"""Limits of its speed [m/s]; between them it is the diagonal of the smaller body, in a second."""
X, Y, AXIS_X, AXIS_Y, SPEED = range(5)
"""Columns of the axes of separation: a point, the direction in which the first body leaves the second, a speed."""
INVERSE_MASS, CENTRE_X, CENTRE_Y, VELOCITY_X, VELOCITY_Y, INVERSE_INERTIA, ANGULAR_VELOCITY = range(7)
"""The rigid motion of a body: [1/kg], [m], [m/s], [1/(kg m²)], [rad/s]."""


class FreeParticles(NamedTuple):
    """Columns of the particles."""

    position: Floats2  # (N, 2) [m]
    velocity: Floats2  # (N, 2) [m/s]
    inverse_mass: Floats1  # (N,) [1/kg], 0 for what is fixed
    force: Floats2  # (N, 2) [N]


@kernel
def centre_of(position: np.ndarray, outlines: Outlines, i: int) -> tuple[float, float]:
    """Return the mean position of the points of outline i."""
    x, y, first, last = 0.0, 0.0, outlines.first[i], outlines.last[i]
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
    """Return the length of the chord between crossings, and the least one that tells a direction [m]."""
    spread = hypot(sums[HIGH_X] - sums[LOW_X], sums[HIGH_Y] - sums[LOW_Y])
    return hypot(sums[CHORD_X], sums[CHORD_Y]), CHORD_SHARE * spread


@kernel
def separation_of(
    i: int, j: int, shapes: Shapes, box: np.ndarray, sums: np.ndarray
) -> tuple[float, float, float, float]:
    """Return the point (x, y) where bodies i and j touch, and the direction, not normalised, in which i leaves j."""
    position, outlines = shapes.position, shapes.outlines
    points, first, last, kind = outlines.points, outlines.first, outlines.last, outlines.kind
    ix, iy = centre_of(position, outlines, i)
    jx, jy = centre_of(position, outlines, j)
    crossings = add_crossings(i, j, shapes, box, sums) if kind[i] != DISCS and kind[j] != DISCS else 0
    if crossings == 0:
        inner = holds_point_of(j, i, shapes, box)
        return ix if inner else jx, iy if inner else jy, ix - jx, iy - jy
    x, y = sums[SUM_X] / crossings, sums[SUM_Y] / crossings
    closed_i, closed_j = kind[i] >= LOOP, kind[j] >= LOOP
    if not closed_i and not closed_j:
        return shorter_tail(x, y, i, j, position, outlines, sums)
    if crossings % 2 == 1:
        # The end of a chain is in a ring: it goes back the way it came.
        chain, ring, sign = (i, j, 1.0) if not closed_i else (j, i, -1.0)
        end = points[first[chain]]
        if not holds_point_of(ring, chain, shapes, box):
            end = points[last[chain] - 1]
        return x, y, sign * (x - position[end, 0]), sign * (y - position[end, 1])
    chord_x, chord_y = sums[CHORD_X], sums[CHORD_Y]
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
    """Two chains that cross: the one with the shorter end beyond the crossing draws it back."""
    points, first, last = outlines.points, outlines.first, outlines.last
    k, m = int(sums[EDGE_I]), int(sums[EDGE_J])
    beyond_i, beyond_j = last[i] - first[i] - 2 - k, last[j] - first[j] - 2 - m
    if min(k, beyond_i) <= min(m, beyond_j):
        end = points[first[i]] if k <= beyond_i else points[last[i] - 1]
        return x, y, x - position[end, 0], y - position[end, 1]
    end = points[first[j]] if m <= beyond_j else points[last[j] - 1]
    return x, y, position[end, 0] - x, position[end, 1] - y


@entry
def find_axes(pairs: Integers2, shapes: Shapes, box: Floats2, sums: Floats1, axes: Floats2) -> None:
    """Write the axis of separation (T, 5) of each pair of bodies, see X."""
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        x, y, nx, ny = separation_of(i, j, shapes, box, sums)
        length = hypot(nx, ny)
        nx, ny = (nx / length, ny / length) if length > 1e-9 else (1.0, 0.0)
        size_i = hypot(box[i, 2] - box[i, 0], box[i, 3] - box[i, 1])
        size_j = hypot(box[j, 2] - box[j, 0], box[j, 3] - box[j, 1])
        axes[k, X], axes[k, Y], axes[k, AXIS_X], axes[k, AXIS_Y] = x, y, nx, ny
        axes[k, SPEED] = min(max(min(size_i, size_j), SLOWEST), FASTEST)


@kernel
def find_rigid_motion(first: int, last: int, particles: FreeParticles, dt: float, motion: np.ndarray) -> None:
    """Write the rigid motion of the free particles [first, last), with this substep's forces, see INVERSE_MASS."""
    position, velocity, force = particles.position, particles.velocity, particles.force
    inverse_mass = particles.inverse_mass
    motion[:] = 0.0
    mass, inertia, angular_momentum = 0.0, 0.0, 0.0
    for sweep in range(2):
        for p in range(first, last):
            if inverse_mass[p] == 0.0:
                continue
            m = 1.0 / inverse_mass[p]
            vx, vy = velocity[p, 0] + dt * force[p, 0] / m, velocity[p, 1] + dt * force[p, 1] / m
            if sweep == 0:
                mass += m
                motion[CENTRE_X] += m * position[p, 0]
                motion[CENTRE_Y] += m * position[p, 1]
                motion[VELOCITY_X] += m * vx
                motion[VELOCITY_Y] += m * vy
            else:
                rx, ry = position[p, 0] - motion[CENTRE_X], position[p, 1] - motion[CENTRE_Y]
                inertia += m * (rx * rx + ry * ry)
                angular_momentum += m * (rx * (vy - motion[VELOCITY_Y]) - ry * (vx - motion[VELOCITY_X]))
        if sweep == 0 and mass > 0.0:
            motion[INVERSE_MASS] = 1.0 / mass
            for column in range(CENTRE_X, VELOCITY_Y + 1):
                motion[column] /= mass
    if inertia > 0.0:
        motion[INVERSE_INERTIA], motion[ANGULAR_VELOCITY] = 1.0 / inertia, angular_momentum / inertia


@entry
def separate(
    pairs: Integers2, axes: Floats2, spans: ParticleSpans, particles: FreeParticles, dt: float, motions: Floats2
) -> None:
    """Add the motor's forces on the particles of both bodies of every interpenetrating pair.

    -1 as the second body stands for a wall. motions: a workspace, (2, 7).
    """
    start, stop, position = spans.particle_first, spans.particle_last, particles.position
    inverse_mass, force = particles.inverse_mass, particles.force
    for k in range(pairs.shape[0]):
        nx, ny = axes[k, AXIS_X], axes[k, AXIS_Y]
        closing, softness = 0.0, 0.0
        for side in range(2):
            body, motion = pairs[k, side], motions[side]
            if body < 0:
                continue
            find_rigid_motion(start[body], stop[body], particles, dt, motion)
            arm = (axes[k, X] - motion[CENTRE_X]) * ny - (axes[k, Y] - motion[CENTRE_Y]) * nx
            softness += motion[INVERSE_MASS] + arm * arm * motion[INVERSE_INERTIA]
            speed = motion[VELOCITY_X] * nx + motion[VELOCITY_Y] * ny + arm * motion[ANGULAR_VELOCITY]
            closing += speed if side == 1 else -speed
        if softness == 0.0:
            continue
        impulse = min(max(axes[k, SPEED] + closing, 0.0), ACCELERATION * dt) / softness
        for side in range(2):
            body, motion = pairs[k, side], motions[side]
            if body < 0:
                continue
            signed = (impulse if side == 0 else -impulse) / dt
            arm = (axes[k, X] - motion[CENTRE_X]) * ny - (axes[k, Y] - motion[CENTRE_Y]) * nx
            torque = signed * arm * motion[INVERSE_INERTIA]
            for p in range(start[body], stop[body]):
                if inverse_mass[p] > 0.0:
                    m = 1.0 / inverse_mass[p]
                    rx, ry = position[p, 0] - motion[CENTRE_X], position[p, 1] - motion[CENTRE_Y]
                    force[p, 0] += m * (signed * motion[INVERSE_MASS] * nx - torque * ry)
                    force[p, 1] += m * (signed * motion[INVERSE_MASS] * ny + torque * rx)
