"""Newton steps of the joints: A Δλ = -C/h with A = J' W Jᵀ, in which the rows J' turn with their
pairs.
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
"""How rows are held: where their pairs will be; along their old directions, which never adds
energy; yielding, where they contradict each other.
"""
NEWTON_STEPS = 12
CLOSE = 1e-11
"""Rows hold when they are this near [m]."""
NEARLY = 1e-7
"""Where Newton steps leave more than this [m], the rows of a group are held in the next simpler
way.
"""
SURE = 0.3
"""Pairs that turn further than this cosine in a substep are held along their old
directions only.
"""
CORRECTED_SHARE = 0.25
"""Share of an error that contacts or a start apart have left that is corrected in a substep ..."""
CORRECTION_SPEED = 3.0
"""... but no faster than this [m/s]: nothing is flung."""
COMPLIANCE = 1e-9
"""Share that the diagonal of A is raised by: rows that say the same twice are no fault."""
YIELD = 0.05
"""The same, of SOFTENED rows."""
STUCK = 1e-4
"""If contacts reduce the response of a row below this fraction of its response alone, and releasing
them did not help, the row is dropped.
"""
HOLDS, MISSES, RELEASED = 0, 1, 2
"""How the steps end: rows hold; they do not; contacts have been let go, and all has to
start again.
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
    """Change the impulses of a group until its rows hold; return how that went, and the energy that
    correction may take.

    release: whether contacts that hold a row too well are let go.
    """
    begin = groups.first[g]
    end = groups.first[g + 1]
    members = groups.members[groups.member_first[g] : groups.member_first[g + 1]]
    worst = math.inf
    before = math.inf
    correction = 0.0
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
    """Write -C/h of each row that takes part to `step`; return the largest |C|, and the energy that
    correction may take.

    With `look`, rows turn with their pairs.
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
        else:
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
    """Write A = J' W Jᵀ of the rows of a group that take part; of the others the diagonal is 1.

    Return whether contacts were released: with `release`, contacts that leave a row almost no
    response. Sliding contacts stick first: sliding friction that answers a load with more load acts
    like a wedge, which holds.
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
    """Return the response of a row to an impulse of 1 if nothing else holds its particles."""
    mobility = 0.0
    for t in range(rows.term_first[r], rows.term_first[r + 1]):
        mobility += rows.coefficient[t] * rows.coefficient[t] * inverse_mass[rows.particle[t]]
    return mobility
