"""Correction: what contacts, a start apart or quick turns have left of a joint is taken back on
positions alone.

As a velocity it stays one: heavy balls that were attached to the same light particle and kept each
other from it got their 3 m/s anew in each substep, and handed the energy to the particle, which
reached 1 km/s. So that is paid from the bank of a group: what its joints have taken before, and
contacts in the substep before. The rest is a shift after the move, by the same rows and masses. A
shift δ of a mass m at a velocity v is an angular momentum m δ × v, which a turn of the group gives
back.
"""

import math

import numpy as np

from ecs_softbody.arrays import Floats2
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.joints.arrays import Groups, JointMotion, Matrix, Rows
from ecs_softbody.kernels.joints.contacts import FREE, LEAST_YIELDING, allowed_impulse
from ecs_softbody.kernels.joints.energy import energy_of
from ecs_softbody.kernels.joints.newton import NEARLY, assemble, find_residuals
from ecs_softbody.kernels.joints.rows import rotation_of
from ecs_softbody.kernels.joints.skyline import factor, solve_factored
from ecs_softbody.parallel.compiling import entry, kernel

GENTLE = 0.5
"""Nothing is shifted faster than this [m/s]: two that are shifted at each other come as fast as
contacts push apart what overlaps, and at 1.0 balls were shifted into each other.
"""


@kernel
def forget_shift(members: np.ndarray, motion: JointMotion) -> None:
    """Correct nothing in a group."""
    for p in members:
        motion.shift[p, 0] = 0.0
        motion.shift[p, 1] = 0.0


@kernel
def find_shift(
    g: int, rows: Rows, groups: Groups, matrix: Matrix, motion: JointMotion, dt: float, mode: int
) -> None:
    """Write what the particles of a group whose rows hold are moved by, so that a part of their
    errors is gone.

    What cannot yield, as a wall, keeps them where they are; what else they touch does not: their
    common centre stays.
    """
    begin = groups.first[g]
    end = groups.first[g + 1]
    members = groups.members[groups.member_first[g] : groups.member_first[g + 1]]
    worst, _ = find_residuals(begin, end, rows, motion, 1.0, True, dt)
    if worst < NEARLY:
        return
    for p in members:
        if motion.support[p]["yielding"] > LEAST_YIELDING:
            motion.contact_state[p] = FREE
    assemble(g, rows, groups, matrix, motion, mode, False)
    factor(matrix.first, matrix.start, begin, end, matrix.low, matrix.high)
    solve_factored(matrix.first, matrix.start, begin, end, matrix.low, matrix.high, rows.step)
    shift = motion.shift
    longest = 0.0
    for r in range(begin, end):
        if rows.side[r] == 0:
            continue
        for t in range(rows.term_first[r], rows.term_first[r + 1]):
            p = rows.particle[t]
            by = dt * rows.step[r] * rows.coefficient[t]
            jx, jy = allowed_impulse(
                p, by * rows.direction[r, 0], by * rows.direction[r, 1], motion
            )
            shift[p, 0] += motion.inverse_mass[p] * jx
            shift[p, 1] += motion.inverse_mass[p] * jy
    for p in members:
        longest = max(longest, hypot(shift[p, 0], shift[p, 1]))
    share = min(1.0, GENTLE * dt / longest) if 0.0 < longest < math.inf else 0.0
    for p in members:
        shift[p, 0] *= share
        shift[p, 1] *= share


@entry
def apply_shift(rows: Rows, groups: Groups, motion: JointMotion, velocity: Floats2) -> None:
    """Move the particles of all joints, and turn free groups so that angular momentum stays; bank
    what contacts have taken; velocity: (N, 2).
    """
    for g in range(len(groups.first) - 1):
        members = groups.members[groups.member_first[g] : groups.member_first[g + 1]]
        taken = energy_of(members, motion.inverse_mass, motion.velocity)
        taken -= energy_of(members, motion.inverse_mass, velocity)
        if 0.0 < taken < math.inf:
            groups.bank[g] += taken
        has_moved = False
        is_free = True
        for p in members:
            has_moved |= motion.shift[p, 0] != 0.0 or motion.shift[p, 1] != 0.0
            motion.position[p, 0] += motion.shift[p, 0]
            motion.position[p, 1] += motion.shift[p, 1]
            is_free &= motion.inverse_mass[p] > 0.0
        for r in range(groups.first[g], groups.first[g + 1]):
            is_free &= rows.bodies[r, 1] >= 0
        if has_moved and is_free:
            keep_turning(members, motion, velocity)


@kernel
def keep_turning(members: np.ndarray, motion: JointMotion, velocity: np.ndarray) -> None:
    """Turn a group of free particles about its centre by what its shift has changed its angular
    momentum by.
    """
    position = motion.position
    inverse_mass = motion.inverse_mass
    shift = motion.shift
    x, y, inertia, _ = rotation_of(members, position, velocity, inverse_mass)
    gained = 0.0
    for p in members:
        gained += (shift[p, 0] * velocity[p, 1] - shift[p, 1] * velocity[p, 0]) / inverse_mass[p]
    turn = -gained / inertia if inertia > 0.0 else 0.0
    for p in members:
        velocity[p, 0] -= turn * (position[p, 1] - y)
        velocity[p, 1] += turn * (position[p, 0] - x)
