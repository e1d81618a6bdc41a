"""Untangling: where and along which normal two tangled bodies come apart, and the motor that drives them."""

import math

import numpy as np

from ecs_softbody.collision.tangles import ACCELERATION, FASTEST, SLOWEST, add_crossings, holds_point_of
from ecs_softbody.kernels.compiling import lean

CHORD_SHARE = 0.25
"""A chord shorter than this share of the spread of all crossings tells no direction."""


@lean
def middle_of(place: np.ndarray, points: np.ndarray, first: int, last: int) -> tuple[float, float]:
    """Return the mean place of a body's points."""
    x, y = 0.0, 0.0
    for k in range(first, last):
        x += place[points[k], 0]
        y += place[points[k], 1]
    return x / (last - first), y / (last - first)


@lean
def turning_of(place: np.ndarray, points: np.ndarray, first: int, last: int) -> float:
    """Return +1 for a ring that goes counter-clockwise now, else -1."""
    twice_area = 0.0
    previous = points[last - 1]
    for k in range(first, last):
        row = points[k]
        twice_area += place[previous, 0] * place[row, 1] - place[previous, 1] * place[row, 0]
        previous = row
    return 1.0 if twice_area >= 0.0 else -1.0


@lean
def way_out(
    i: int,
    j: int,
    place: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    box: np.ndarray,
    sums: np.ndarray,
) -> tuple[float, float, float, float]:
    """Return the place (x, y) where bodies i and j touch, and the direction, not normalised, in which i leaves j."""
    ix, iy = middle_of(place, points, first[i], last[i])
    jx, jy = middle_of(place, points, first[j], last[j])
    crossings = add_crossings(i, j, place, points, first, last, closed, box, sums) if ringed[i] and ringed[j] else 0
    if crossings == 0:
        inner = holds_point_of(j, i, place, points, first, last, ringed, closed, box)
        return ix if inner else jx, iy if inner else jy, ix - jx, iy - jy
    x, y = sums[0] / crossings, sums[1] / crossings
    if not closed[i] and not closed[j]:
        return shorter_tail(x, y, i, j, place, points, first, last, sums)
    if crossings % 2 == 1:
        # The end of a chain is in a ring: it goes back the way it came.
        chain, ring, sign = (i, j, 1.0) if not closed[i] else (j, i, -1.0)
        end = points[first[chain]]
        if not holds_point_of(ring, chain, place, points, first, last, ringed, closed, box):
            end = points[last[chain] - 1]
        return x, y, sign * (x - place[end, 0]), sign * (y - place[end, 1])
    chord_x, chord_y = sums[2], sums[3]
    spread = math.hypot(sums[6] - sums[4], sums[7] - sums[5])
    if math.hypot(chord_x, chord_y) < CHORD_SHARE * spread:
        return x, y, ix - jx, iy - jy
    if closed[i] and closed[j]:
        sign = turning_of(place, points, first[i], last[i]) * turning_of(place, points, first[j], last[j])
    elif closed[i]:
        sign = 1.0 if (ix - x) * -chord_y + (iy - y) * chord_x >= 0.0 else -1.0
    else:
        sign = 1.0 if (x - jx) * -chord_y + (y - jy) * chord_x >= 0.0 else -1.0
    return x, y, -sign * chord_y, sign * chord_x


@lean
def shorter_tail(
    x: float,
    y: float,
    i: int,
    j: int,
    place: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    sums: np.ndarray,
) -> tuple[float, float, float, float]:
    """Two chains that cross: the one with the shorter end beyond the crossing draws it back."""
    k, m = int(sums[8]), int(sums[9])
    beyond_i, beyond_j = last[i] - first[i] - 2 - k, last[j] - first[j] - 2 - m
    if min(k, beyond_i) <= min(m, beyond_j):
        end = points[first[i]] if k <= beyond_i else points[last[i] - 1]
        return x, y, x - place[end, 0], y - place[end, 1]
    end = points[first[j]] if m <= beyond_j else points[last[j] - 1]
    return x, y, place[end, 0] - x, place[end, 1] - y


@lean
def find_ways_out(
    pairs: np.ndarray,
    place: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    box: np.ndarray,
    sums: np.ndarray,
    ways: np.ndarray,
) -> None:
    """Write for each tangled pair: x, y, n_x, n_y and the speed [m/s] of the motor, shape (T, 5)."""
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        x, y, nx, ny = way_out(i, j, place, points, first, last, ringed, closed, box, sums)
        length = math.hypot(nx, ny)
        nx, ny = (nx / length, ny / length) if length > 1e-9 else (1.0, 0.0)
        size_i = math.hypot(box[i, 2] - box[i, 0], box[i, 3] - box[i, 1])
        size_j = math.hypot(box[j, 2] - box[j, 0], box[j, 3] - box[j, 1])
        ways[k, 0], ways[k, 1], ways[k, 2], ways[k, 3] = x, y, nx, ny
        ways[k, 4] = min(max(min(size_i, size_j), SLOWEST), FASTEST)


@lean
def rigid_motion(
    first: int,
    last: int,
    position: np.ndarray,
    velocity: np.ndarray,
    force: np.ndarray,
    inverse_mass: np.ndarray,
    dt: float,
    motion: np.ndarray,
) -> None:
    """Write 1/mass, centre (2), velocity (2), 1/inertia and spin of the free rows, with this substep's forces."""
    motion[:] = 0.0
    mass, inertia, spin = 0.0, 0.0, 0.0
    for sweep in range(2):
        for p in range(first, last):
            if inverse_mass[p] == 0.0:
                continue
            m = 1.0 / inverse_mass[p]
            vx, vy = velocity[p, 0] + dt * force[p, 0] / m, velocity[p, 1] + dt * force[p, 1] / m
            if sweep == 0:
                mass += m
                motion[1] += m * position[p, 0]
                motion[2] += m * position[p, 1]
                motion[3] += m * vx
                motion[4] += m * vy
            else:
                rx, ry = position[p, 0] - motion[1], position[p, 1] - motion[2]
                inertia += m * (rx * rx + ry * ry)
                spin += m * (rx * (vy - motion[4]) - ry * (vx - motion[3]))
        if sweep == 0 and mass > 0.0:
            motion[0] = 1.0 / mass
            for column in range(1, 5):
                motion[column] /= mass
    if inertia > 0.0:
        motion[5], motion[6] = 1.0 / inertia, spin / inertia


@lean
def drive_apart(
    pairs: np.ndarray,
    ways: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    dt: float,
    motions: np.ndarray,
    force: np.ndarray,
) -> None:
    """Add the motor's forces on the particles [start[i], stop[i]) of both bodies of every tangled pair to `force`.

    -1 in the place of the second body stands for a wall.
    """
    for k in range(pairs.shape[0]):
        nx, ny = ways[k, 2], ways[k, 3]
        closing, softness = 0.0, 0.0
        for side in range(2):
            body, motion = pairs[k, side], motions[side]
            if body < 0:
                continue
            rigid_motion(start[body], stop[body], position, velocity, force, inverse_mass, dt, motion)
            lever = (ways[k, 0] - motion[1]) * ny - (ways[k, 1] - motion[2]) * nx
            softness += motion[0] + lever * lever * motion[5]
            speed = motion[3] * nx + motion[4] * ny + lever * motion[6]
            closing += speed if side == 1 else -speed
        if softness == 0.0:
            continue
        impulse = min(max(ways[k, 4] + closing, 0.0), ACCELERATION * dt) / softness
        for side in range(2):
            body, motion = pairs[k, side], motions[side]
            if body < 0:
                continue
            signed = (impulse if side == 0 else -impulse) / dt
            lever = (ways[k, 0] - motion[1]) * ny - (ways[k, 1] - motion[2]) * nx
            turn = signed * lever * motion[5]
            for p in range(start[body], stop[body]):
                if inverse_mass[p] > 0.0:
                    m = 1.0 / inverse_mass[p]
                    force[p, 0] += m * (signed * motion[0] * nx - turn * (position[p, 1] - motion[2]))
                    force[p, 1] += m * (signed * motion[0] * ny + turn * (position[p, 0] - motion[1]))
