"""The solver of the joints: once a substep, after all forces and before the contacts, it finds the
impulses λ after which all rows (rows.py) hold at the end of the substep:

    C(x + h (v + W Jᵀ λ)) = 0

with the velocities v by the other forces, inverse masses W and directions J of the rows (SHAKE:
J.-P. Ryckaert, G. Ciccotti and H. Berendsen, 1977).

The rows of a connected group are solved together, A Δλ = -C/h with A = J' W Jᵀ, in Newton steps
(newton.py) in which the directions J' turn with the particles. So nothing depends on the order of
rows, on ratios of masses, or on a number of sweeps. J is taken at the start of the substep, where
the forces act: this conserves both momenta. Limits are an active set (sides.py): rows that would
push although they can only pull are released, rows beyond their limit are added, until neither is
left. An energy guard at the end (energy.py) accepts the result or has the rows held in a simpler
way.
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
"""Most rounds of a group. Impulses that are not consistent by then are only kept as far as they add
no energy.
"""
LATE = 30
"""From this round on rows and supports are only released, none is added, so that the rounds end."""
BRAKES = 6
"""How often the bends of a group are braked harder before its rows are held in a simpler way."""
TURNS = 3
"""How often the speeds at which contacts part are adapted to the turning of joints (turning.py)."""
LAST_RELEASE = 2
"""Number of the first rounds in which supports that leave a row no response are released."""
ROOM, BANKED = 1e-4, 0.1
"""BENT rows take energy in one substep and give it back in another. So they may add the energy that
they have taken before (the group's bank), up to BANKED of its kinetic energy, plus ROOM of it.
"""
CORRECTION_ROOM = 10.0
"""The correction of errors may add this multiple of the energy that all rows would need for it if
each were alone.
"""
SLIGHT = 1e-6
"""STRAIGHT rows may add this share of the kinetic energy by rounding."""
GENTLE = 0.5
"""The lengths of STRAIGHT rows are corrected with no more energy than all of the group's mass has
at this speed [m/s], in addition to the energy that the bank still allows.
"""


@entry
def solve_joints(
    rows: Rows, groups: Groups, matrix: Matrix, motion: JointMotion, dt: float
) -> None:
    """Write the impulse λ [N·s] of every row, and the velocities that result. dt: substep [s]."""
    for g in range(len(groups.first) - 1):
        solve_group(g, rows, groups, matrix, motion, dt)


@kernel
def solve_group(
    g: int, rows: Rows, groups: Groups, matrix: Matrix, motion: JointMotion, dt: float
) -> None:
    """Solve one group in rounds. Each round starts from the velocities by the other forces and
    takes Newton steps. Then it checks in turn: do the rows hold; do all rows and supports have the
    right sign; is too much energy added? If a check fails, the next round has other rows, other
    supports, stronger dampers at bends (bends.py), or the next simpler mode.
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
        groups.effort[g] = attempt + 100 * mode  # a diagnostic: rounds, and the mode
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
        # The energy guard, all in [J]: what the rows may add, and what they have added.
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
        # No round passed: keep the part of the last impulses that adds no energy.
        calm(begin, end, rows)
        start_members(members, motion)
        push_velocities(begin, end, rows.impulse, rows, members, motion)
        shorten(begin, end, members, motion, rows.impulse)
    find_turning(g, rows, groups, motion, dt)


@kernel
def begin_impulses(begin: int, end: int, rows: Rows) -> None:
    """Reset the impulses of a group to their first guess: 0 but for mouse joints at their largest
    force; reset the turned directions J' to those at the start of the substep.
    """
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
    """Correct the lengths of STRAIGHT rows, which were held along their directions at the start
    only, as far as `spare` [J] and GENTLE allow; leave it if it adds twice that energy.
    """
    find_residuals(begin, end, rows, motion, BENT, True, dt)
    room = spare + 0.5 * GENTLE * GENTLE * mass_of(members, motion.inverse_mass)
    correct_gently(begin, end, rows, matrix, room)
    before = energy_of(members, motion.inverse_mass, motion.velocity)
    push_velocities(begin, end, rows.step, rows, members, motion)
    if energy_of(members, motion.inverse_mass, motion.velocity) - before < 2.0 * room:
        for r in range(begin, end):
            rows.impulse[r] += rows.step[r]
