"""Joints: impulses λ after which all rows hold at the end of the substep, C(x + h (v + W Jᵀ λ)) =
0, with the velocities v by the other forces (SHAKE: J.-P. Ryckaert, G. Ciccotti and H. Berendsen,
1977).

The rows of a connected group are solved together, A Δλ = -C/h with A = J' W Jᵀ, in Newton steps
that let the rows J' turn with their pairs. So nothing depends on the order of rows, on ratios of
masses, or on a number of sweeps. J is taken at the start of the substep, where the forces act: this
conserves both momenta. Limits are an active set: rows that would push although they can only pull
are released, rows beyond their limit are added, until neither is left.
"""

import numpy as np

from ecs_softbody.kernels.joints.arrays import Groups, JointMotion, Matrix, Rows
from ecs_softbody.kernels.joints.bends import brake_bends
from ecs_softbody.kernels.joints.contacts import (
    begin_supports,
    change_supports,
    start_members,
    work_of_supports,
)
from ecs_softbody.kernels.joints.energy import (
    correct_gently,
    energy_of,
    mass_of,
    shorten,
    work_from_outside,
)
from ecs_softbody.kernels.joints.newton import (
    BENT,
    MISSES,
    RELEASED,
    SOFTENED,
    STRAIGHT,
    find_residuals,
    take_steps,
)
from ecs_softbody.kernels.joints.rows import push_velocities
from ecs_softbody.kernels.joints.sides import begin_sides, calm, change_sides
from ecs_softbody.kernels.joints.turning import find_turning, follow_turning
from ecs_softbody.parallel.compiling import entry, kernel

ROUNDS = 40
LATE = 30
"""From this round on no row is taken in any more, so that rounds end."""
BRAKES = 6
"""How often the bends of a group are braked harder before its rows are held in a simpler way."""
TURNS = 3
"""How often the speeds at which contacts part follow the turning of joints."""
LAST_RELEASE = 2
"""Rounds in which contacts that hold rows too well are let go."""
ROOM, BANKED = 1e-4, 0.1
"""Bent rows take energy in one substep and give it back in another: they may gain the energy taken
before, up to BANKED of the kinetic energy, plus ROOM of it.
"""
CORRECTION_ROOM = 10.0
"""Corrected rows may gain this multiple of the energy that each would take alone."""
SLIGHT = 1e-6
"""Straight rows may gain this share of the kinetic energy by rounding."""
GENTLE = 0.5
"""Straight rows are corrected with no more energy than all of the group's mass has at this speed
[m/s].
"""


@entry
def solve_joints(
    rows: Rows, groups: Groups, matrix: Matrix, motion: JointMotion, dt: float
) -> None:
    """Write the impulse of every row."""
    for g in range(len(groups.first) - 1):
        solve_group(g, rows, groups, matrix, motion, dt)


@kernel
def solve_group(
    g: int, rows: Rows, groups: Groups, matrix: Matrix, motion: JointMotion, dt: float
) -> None:
    """Write the impulses of one group: rounds of Newton steps, each with other rows, contacts, or
    ways to hold them.
    """
    begin = groups.first[g]
    end = groups.first[g + 1]
    members = groups.members[groups.member_first[g] : groups.member_first[g + 1]]
    if not begin_sides(begin, end, rows, motion.predicted, dt):
        rows.impulse[begin:end] = 0.0
        find_turning(g, rows, groups, motion, dt)
        return
    begin_supports(members, motion)
    done = False
    mode = BENT
    brakes = BRAKES
    turns = 0
    for attempt in range(ROUNDS):
        groups.effort[g] = attempt + 100 * mode
        begin_impulses(begin, end, rows)
        start_members(members, motion)
        energy = energy_of(members, motion.inverse_mass, motion.velocity)
        push_velocities(begin, end, rows.impulse, rows, members, motion)
        end_of_steps, correction = take_steps(
            g, rows, groups, matrix, motion, dt, mode, attempt < LAST_RELEASE
        )
        if end_of_steps == RELEASED:
            continue
        if end_of_steps == MISSES:
            brakes -= 1
            mode = (
                BENT
                if brakes >= 0 and brake_bends(begin, end, rows, motion.inverse_mass)
                else STRAIGHT
            )
            continue
        changed = change_sides(begin, end, rows, motion.velocity, dt, attempt < LATE)
        if change_supports(members, motion, attempt < LATE) or changed:
            continue
        spare = max(groups.bank[g], 0.0) + ROOM * energy
        gain = (
            energy_of(members, motion.inverse_mass, motion.velocity)
            - energy
            - work_of_supports(members, motion)
            - work_from_outside(begin, end, members, rows, motion)
        )
        if mode == BENT and gain > spare + CORRECTION_ROOM * correction:
            brakes -= 1
            mode = (
                BENT
                if brakes >= 0 and brake_bends(begin, end, rows, motion.inverse_mass)
                else STRAIGHT
            )
        elif mode == STRAIGHT and gain > spare + SLIGHT * energy:
            mode = SOFTENED
        else:
            if mode == BENT and turns < TURNS and follow_turning(g, rows, groups, motion, dt):
                turns += 1
                continue
            done = True
            if mode == STRAIGHT:
                correct(begin, end, members, rows, matrix, motion, dt, max(spare - gain, 0.0))
            groups.bank[g] = min(groups.bank[g] - max(gain, -energy), BANKED * energy)
            break
    if not done or not are_finite(rows.impulse, begin, end):
        calm(begin, end, rows)
        start_members(members, motion)
        push_velocities(begin, end, rows.impulse, rows, members, motion)
        shorten(begin, end, members, motion, rows.impulse)
    find_turning(g, rows, groups, motion, dt)


@kernel
def begin_impulses(begin: int, end: int, rows: Rows) -> None:
    """Take the first guess of the impulses, and the directions of the start of the substep."""
    for r in range(begin, end):
        rows.impulse[r] = rows.initial_impulse[r]
        rows.turned[r, 0], rows.turned[r, 1] = rows.direction[r, 0], rows.direction[r, 1]


@kernel
def are_finite(values: np.ndarray, begin: int, end: int) -> bool:
    """Return whether the values [begin, end) are finite."""
    for i in range(begin, end):
        if not np.isfinite(values[i]):
            return False
    return True


@kernel
def correct(
    begin: int,
    end: int,
    members: np.ndarray,
    rows: Rows,
    matrix: Matrix,
    motion: JointMotion,
    dt: float,
    spare: float,
) -> None:
    """Correct the lengths of straight rows, which have held along their old directions, as far as
    little energy goes.
    """
    find_residuals(begin, end, rows, motion, BENT, True, dt)
    room = spare + 0.5 * GENTLE * GENTLE * mass_of(members, motion.inverse_mass)
    correct_gently(begin, end, rows, matrix, room)
    before = energy_of(members, motion.inverse_mass, motion.velocity)
    push_velocities(begin, end, rows.step, rows, members, motion)
    if energy_of(members, motion.inverse_mass, motion.velocity) - before < 2.0 * room:
        for r in range(begin, end):
            rows.impulse[r] += rows.step[r]
