"""Newton steps of the joints: find the impulses λ of a connected group of rows so that C = 0 at the
end of the substep, for solve.py.

    A Δλ = -C/h,   A = J' W Jᵀ,   h: substep

Impulses act along J, the directions at the start of the substep. C is measured at its end, where a
distance has turned with its particles: J' are the directions there. W has the inverse masses of the
particles, smaller where a contact supports them (contacts.py). One step solves a linear problem;
further steps follow the turning.
"""

import math

import numpy as np

from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.joints.arrays import Groups, JointMotion, Matrix, Rows
from ecs_softbody.kernels.joints.contacts import FREE, SLIDES, STICKS, allowed_impulse
from ecs_softbody.kernels.joints.rows import DISTANCE, POINT, offset_at_end, push_velocities
from ecs_softbody.kernels.joints.skyline import factor, solve_factored
from ecs_softbody.parallel.compiling import kernel

BENT, STRAIGHT, SOFTENED = 0, 1, 2
"""Modes: three ways to hold the rows of a group, each simpler than the one before. BENT: the
lengths at the end of the substep, with rows that turn. STRAIGHT: the speeds along the directions at
the start, which never adds energy. SOFTENED: the same with rows that yield a little, for rows that
contradict each other.
"""
NEWTON_STEPS = 12
"""At most, in BENT mode; the others are linear, and take one."""
CLOSE = 1e-11
"""Newton steps end when no row is off by more than this [m]."""
NEARLY = 1e-7
"""Where Newton steps leave more than this [m], the rows of a group are held in the next simpler
way.
"""
SURE = 0.3
"""Cosine of the angle by which a distance turns in a substep: below it, the row is held along its
direction at the start.
"""
CORRECTED_SHARE = 0.25
"""Share of a row's error at the start of the substep that is corrected in it. Such errors come from
contacts, which move particles after the joints, and from joints that are created apart.
"""
CORRECTION_SPEED = 3.0
"""Errors are corrected no faster than this [m/s], so that nothing is flung."""
COMPLIANCE = 1e-9
"""The diagonal of A is raised by this share, so that A can be factored where two rows say the same.
"""
YIELD = 0.05
"""The share for SOFTENED rows, in place of COMPLIANCE."""
STUCK = 1e-4
"""A row is dropped if supports by contacts leave it less than this share of the response that it
has without them (`mobility_of`), and releasing them did not help.
"""
HOLDS, MISSES, RELEASED = 0, 1, 2
"""Results of `take_steps`: the rows hold; they do not; supports by contacts have been released, so
the group has to start again.
"""


@kernel
def take_steps(
    g: int,
    rows: Rows,
    groups: Groups,
    matrix: Matrix,
    motion: JointMotion,
    dt: float,
    mode: int,
    release: bool,
) -> tuple[int, float]:
    """Change the impulses of group g, and the velocities with them, until its rows hold. Return
    HOLDS, MISSES or RELEASED, and the energy [J] that the correction of errors may add.

    release: whether supports by contacts that leave a row almost no response are released.
    """
    begin = groups.first[g]
    end = groups.first[g + 1]
    members = groups.members[groups.member_first[g] : groups.member_first[g + 1]]
    worst = math.inf
    before = math.inf
    correction = 0.0
    # The first step uses the directions at the start; `look`: later ones turn the rows.
    for newton in range(NEWTON_STEPS if mode == BENT else 1):
        look = mode == BENT and newton > 0
        worst, spent = find_residuals(begin, end, rows, motion, mode, look, dt)
        if newton == 0:
            correction = spent
        if worst < CLOSE or not worst < before:
            break
        before = worst if newton > 1 else math.inf
        if newton == 0 or look:
            if assemble(g, rows, groups, matrix, motion, mode, release):
                return RELEASED, correction
            factor(matrix.first, matrix.start, begin, end, matrix.low, matrix.high)
        solve_factored(matrix.first, matrix.start, begin, end, matrix.low, matrix.high, rows.step)
        for r in range(begin, end):
            if rows.side[r] == 0:
                rows.step[r] = 0.0
            rows.impulse[r] += rows.step[r]
        push_velocities(begin, end, rows.step, rows, members, motion)
    return HOLDS if mode != BENT or worst < NEARLY else MISSES, correction


@kernel
def find_residuals(
    begin: int, end: int, rows: Rows, motion: JointMotion, mode: int, look: bool, dt: float
) -> tuple[float, float]:
    """Write -C/h of each row that takes part (side != 0) to `step`; return the largest |C| [m], and
    the energy [J] that the correction of errors may add: ½ (correction/h)² / mobility of each row.

    C is the error at the end of the substep, less the part of the error at its start that is not to
    be corrected yet. With `look`, distances are measured along their directions at the end,
    which are written to `turned`.
    """
    worst = 0.0
    spent = 0.0
    longest = CORRECTION_SPEED * dt if mode == BENT else 0.0
    offset = rows.offset
    direction = rows.direction
    turned = rows.turned
    for r in range(begin, end):
        rows.step[r] = 0.0
        if rows.side[r] == 0:
            continue
        dx, dy = offset_at_end(r, rows, motion.velocity, dt)
        # c becomes C at the end of the substep, `error` C at its start.
        c = dx * direction[r, 0] + dy * direction[r, 1]
        if look and rows.kind[r] == DISTANCE:
            length = hypot(dx, dy)
            if c > SURE * length:
                turned[r, 0] = dx / length
                turned[r, 1] = dy / length
                c = length
            else:
                turned[r, 0] = direction[r, 0]
                turned[r, 1] = direction[r, 1]
        if rows.kind[r] == DISTANCE:
            limit = rows.lower[r] if rows.side[r] == -1 else rows.upper[r]
            error = hypot(offset[r, 0], offset[r, 1]) - limit
            if (rows.side[r] == 1 and error < 0.0) or (rows.side[r] == -1 and error > 0.0):
                error = 0.0
            c -= limit
        elif rows.kind[r] == POINT:
            error = offset[r, 0] * direction[r, 0] + offset[r, 1] * direction[r, 1]
        else:  # a spring or damper: h (u·v' + softness λ + bias_rate C)
            now = offset[r, 0] * direction[r, 0] + offset[r, 1] * direction[r, 1]
            c = c - now + dt * (rows.bias_rate[r] * now + rows.softness[r] * rows.impulse[r])
            error = 0.0
        correction = max(-longest, min(longest, CORRECTED_SHARE * error))
        c -= error - correction
        rows.step[r] = -c / dt
        worst = max(worst, abs(c))
        mobility = mobility_of(r, rows, motion.inverse_mass)
        if mobility > 0.0:
            spent += 0.5 * correction * correction / (dt * dt * mobility)
    return worst, spent


@kernel
def assemble(
    g: int,
    rows: Rows,
    groups: Groups,
    matrix: Matrix,
    motion: JointMotion,
    mode: int,
    release: bool,
) -> bool:
    """Write A = J' W Jᵀ of the rows of group g that take part to `matrix`; rows that do not are
    decoupled: their diagonal is 1.

    With `release`, supports that leave a row almost no response are released; return whether any
    was. A particle that slides sticks first, and is let go in the next round: sliding friction that
    answers a load with more load acts like a wedge, which holds.
    """
    begin = groups.first[g]
    end = groups.first[g + 1]
    first = matrix.first
    start = matrix.start
    low = matrix.low
    high = matrix.high
    direction = rows.direction
    turned = rows.turned
    side = rows.side
    shared = groups.shared
    for k in range(start[begin], start[end - 1] + end - first[end - 1]):
        low[k] = 0.0
        high[k] = 0.0
    # A[i, j] = Σ_p s_i s_j J'_i · W_p J_j, over the particles p that the rows i and j share.
    for k in range(groups.shared_first[g], groups.shared_first[g + 1]):
        i = shared[k, 0]
        j = shared[k, 1]
        p = shared[k, 2]
        if side[i] != 0 and side[j] != 0:
            by = (
                rows.coefficient[shared[k, 3]]
                * rows.coefficient[shared[k, 4]]
                * motion.inverse_mass[p]
            )
            here = start[i] + j - first[i]
            jx, jy = allowed_impulse(p, direction[j, 0], direction[j, 1], motion)
            ix, iy = allowed_impulse(p, direction[i, 0], direction[i, 1], motion)
            low[here] += by * (turned[i, 0] * jx + turned[i, 1] * jy)
            high[here] += by * (turned[j, 0] * ix + turned[j, 1] * iy)
    released = False
    compliance = YIELD if mode == SOFTENED else COMPLIANCE
    for r in range(begin, end):
        here = start[r] + r - first[r]
        low[here] = low[here] * (1.0 + compliance) + rows.softness[r]
        if side[r] == 0 or low[here] <= STUCK * mobility_of(r, rows, motion.inverse_mass):
            if side[r] != 0 and release:
                for t in range(rows.term_first[r], rows.term_first[r + 1]):
                    p = rows.particle[t]
                    released |= motion.contact_state[p] != FREE
                    motion.contact_state[p] = STICKS if motion.contact_state[p] == SLIDES else FREE
            low[here] = 1.0
            side[r] = 0 if not released else side[r]
    return released


@kernel
def mobility_of(r: int, rows: Rows, inverse_mass: np.ndarray) -> float:
    """Return Σ s_p² w_p [1/kg], the inverse of a row's effective mass: the speed that a unit of
    its impulse gives along it if nothing else holds its particles.
    """
    mobility = 0.0
    for t in range(rows.term_first[r], rows.term_first[r + 1]):
        mobility += rows.coefficient[t] * rows.coefficient[t] * inverse_mass[rows.particle[t]]
    return mobility
