"""Responses: how joints pass on the impulse of an impact between two of their particles.

The contact solver needs the effective mass of a particle that joints hold: a disc that is struck
across its string moves alone, along its taut string it pulls the rest along. A unit of impulse
along the normal n on particle p, and its opposite on q, makes the rows that are at a limit (taut,
for example) answer with impulses λ, so that none of them passes it:

    g = n_p - n_q + Jᵀ λ,   J W Jᵀ λ = -J W (n_p - n_q),   W: inverse masses,   J: rows

g is the whole impulse that each particle gets (its *share* of the unit), so velocities change by
W g. A reflection (collision/reflection) pushes along g and stops the speed g · v.

A limit that would have to push takes no part: a ball on a string can be struck upwards. A limit
that pulls already in this substep takes part as long as the impact takes no more than this pull
back: half of its pull comes after the impact, and would add energy where the impact has made it
slack (slack elastic ropes gained 5 %).
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Integers2
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.joints.arrays import Groups, JointMotion, Matrix, Rows
from ecs_softbody.kernels.joints.newton import COMPLIANCE
from ecs_softbody.kernels.joints.rows import DISTANCE, POINT
from ecs_softbody.kernels.joints.sides import BOTH
from ecs_softbody.kernels.joints.skyline import factor, solve_factored
from ecs_softbody.parallel.compiling import entry, kernel

NONE = -1
"""Instead of a particle: an immovable side. Instead of a group: no joint holds the particle."""
ROUNDS = 8
"""How often limits that would push are released; limits left after that do push."""
SLIGHT = 1e-3
"""A limit that would push with less than this share of the impulse is not released: another round
would cost more than this error is worth.
"""
NEARLY_TAUT = 1e-4
"""A limit of a just woken body takes part if its distance is this near to it, as a share."""


class Struck(NamedTuple):
    """K pairs of particles that may strike each other."""

    particles: Integers2  # (K, 2) p and q, NONE for an immovable side
    normal: Floats2  # (K, 2) unit normal from q to p
    impulse: Floats1  # (K,) [N·s] estimate of the impulse between them


class Answers(NamedTuple):
    """The result: pair k moves the particles of the entries [first[k], first[k + 1]).

    Entries before first[0] are answers to earlier calls.
    """

    first: Integers1  # (K + 1,)
    particle: Integers1  # (E,) row of the particle of each entry
    share: Floats2  # (E, 2) its g, per unit of impulse of the pair


class Jointed(NamedTuple):
    """Which joints hold a particle, and the state of their rows in an answer."""

    # (N,) connected group of joints of a free particle, else NONE
    group: Integers1
    # (R,) whether a row was woken after the joints were solved, so that its `side` is not known
    awake: Flags1
    # (R,) scratch: whether a row takes part in the answer
    holds: Flags1
    # (G,) scratch: whether the factors in `matrix` are of all holding rows of a group, so that the
    # next pair can use them again; False at the start
    factored: Flags1


@entry
def find_responses(
    struck: Struck,
    rows: Rows,
    groups: Groups,
    matrix: Matrix,
    motion: JointMotion,
    jointed: Jointed,
    answers: Answers,
) -> int:
    """Write the answers of all pairs; return how many entries there are now. Entries beyond the
    room E are only counted: the caller makes room and calls again.
    """
    count = answers.first[0]
    # The velocities serve as scratch: nothing reads them until joints are solved again.
    share = motion.velocity
    for k in range(struck.particles.shape[0]):
        answers.first[k] = count
        answered = NONE
        for side in range(2):
            p = struck.particles[k, side]
            sign = 1.0 - 2.0 * side
            g = jointed.group[p] if p != NONE else NONE
            if p != NONE and g == NONE:
                count = write_entry(
                    count, p, sign * struck.normal[k, 0], sign * struck.normal[k, 1], answers
                )
            elif g not in (NONE, answered):
                find_shares(g, k, struck, rows, groups, matrix, motion, jointed)
                for m in range(groups.member_first[g], groups.member_first[g + 1]):
                    q = groups.members[m]
                    is_struck = q == struck.particles[k, 0] or q == struck.particles[k, 1]
                    if is_struck or share[q, 0] != 0.0 or share[q, 1] != 0.0:
                        count = write_entry(count, q, share[q, 0], share[q, 1], answers)
            answered = g
    answers.first[struck.particles.shape[0]] = count
    return count


@entry
def add_impacts(
    struck: Struck,
    impulse: Floats1,
    rows: Rows,
    groups: Groups,
    matrix: Matrix,
    motion: JointMotion,
    jointed: Jointed,
    taken: Floats1,
) -> None:
    """Add to `taken` (R,) [N·s] the impulses of the rows that answer the impulses (K,) [N·s] which
    the pairs have got: so the force of a joint contains impacts.
    """
    for k in range(struck.particles.shape[0]):
        answered = NONE
        for side in range(2 if impulse[k] != 0.0 else 0):
            p = struck.particles[k, side]
            g = jointed.group[p] if p != NONE else NONE
            if g not in (NONE, answered):
                find_shares(g, k, struck, rows, groups, matrix, motion, jointed)
                for r in range(groups.first[g], groups.first[g + 1]):
                    taken[r] += impulse[k] * rows.step[r]
            answered = g


@kernel
def write_entry(count: int, p: int, x: float, y: float, answers: Answers) -> int:
    """Append an entry, particle p with the share (x, y), if there is room; return the new count."""
    if count < answers.particle.shape[0]:
        answers.particle[count] = p
        answers.share[count, 0] = x
        answers.share[count, 1] = y
    return count + 1


@kernel
def find_shares(
    g: int,
    k: int,
    struck: Struck,
    rows: Rows,
    groups: Groups,
    matrix: Matrix,
    motion: JointMotion,
    jointed: Jointed,
) -> None:
    """Write the share g of each particle of group g in a unit of impulse of pair k to
    `motion.velocity`, and the answers λ of its rows to `rows.step`.
    """
    begin = groups.first[g]
    end = groups.first[g + 1]
    share = motion.velocity
    holds = jointed.holds
    for m in range(groups.member_first[g], groups.member_first[g + 1]):
        share[groups.members[m], 0] = share[groups.members[m], 1] = 0.0
    for side in range(2):
        p = struck.particles[k, side]
        sign = 1.0 - 2.0 * side
        if p != NONE and jointed.group[p] == g:
            share[p, 0], share[p, 1] = sign * struck.normal[k, 0], sign * struck.normal[k, 1]
    if not jointed.factored[g]:
        for r in range(begin, end):
            holds[r] = does_hold(r, rows, motion, jointed)
        factor_held(g, rows, groups, matrix, motion.inverse_mass, holds)
    jointed.factored[g] = True
    for _ in range(ROUNDS):
        for r in range(begin, end):
            rows.step[r] = 0.0
            for t in range(
                rows.term_first[r], rows.term_first[r + 1] if holds[r] else rows.term_first[r]
            ):
                p = rows.particle[t]
                along = rows.direction[r, 0] * share[p, 0] + rows.direction[r, 1] * share[p, 1]
                rows.step[r] -= rows.coefficient[t] * motion.inverse_mass[p] * along
        solve_factored(matrix.first, matrix.start, begin, end, matrix.low, matrix.high, rows.step)
        if not let_go(begin, end, rows, struck.impulse[k], holds):
            break
        factor_held(g, rows, groups, matrix, motion.inverse_mass, holds)
        jointed.factored[g] = False
    for r in range(begin, end):
        for t in range(
            rows.term_first[r], rows.term_first[r + 1] if holds[r] else rows.term_first[r]
        ):
            p = rows.particle[t]
            impulse = rows.coefficient[t] * rows.step[r]
            share[p, 0] += impulse * rows.direction[r, 0]
            share[p, 1] += impulse * rows.direction[r, 1]


@kernel
def does_hold(r: int, rows: Rows, motion: JointMotion, jointed: Jointed) -> bool:
    """Return whether a row takes part in an impact: a row that joints have just solved if it was at
    a limit (`side`), a just woken row by its length. SOFT and BEND rows take no part: a spring or
    damper gives no impulse in no time.
    """
    if rows.kind[r] != POINT and rows.kind[r] != DISTANCE:
        return False
    if not jointed.awake[r]:
        return bool(rows.alive[r] and rows.side[r] != 0)
    if rows.kind[r] == POINT or rows.lower[r] == rows.upper[r]:
        rows.side[r] = BOTH
    else:
        length = hypot(rows.offset[r, 0], rows.offset[r, 1])
        is_short = 0.0 < length < (1.0 + NEARLY_TAUT) * rows.lower[r]
        rows.side[r] = 1 if length > (1.0 - NEARLY_TAUT) * rows.upper[r] else -1 if is_short else 0
    return bool(rows.alive[r] and rows.side[r] != 0)


@kernel
def factor_held(
    g: int, rows: Rows, groups: Groups, matrix: Matrix, inverse_mass: np.ndarray, holds: np.ndarray
) -> None:
    """Factor A = J W Jᵀ of the rows of a group that hold. The rows that do not are decoupled: their
    diagonal is 1.
    """
    begin = groups.first[g]
    end = groups.first[g + 1]
    first = matrix.first
    start = matrix.start
    shared = groups.shared
    for k in range(start[begin], start[end - 1] + end - first[end - 1]):
        matrix.low[k] = matrix.high[k] = 0.0
    for k in range(groups.shared_first[g], groups.shared_first[g + 1]):
        i = shared[k, 0]
        j = shared[k, 1]
        p = shared[k, 2]
        if holds[i] and holds[j]:
            by = rows.coefficient[shared[k, 3]] * rows.coefficient[shared[k, 4]] * inverse_mass[p]
            by *= (
                rows.direction[i, 0] * rows.direction[j, 0]
                + rows.direction[i, 1] * rows.direction[j, 1]
            )
            matrix.low[start[i] + j - first[i]] += by
            matrix.high[start[i] + j - first[i]] += by
    for r in range(begin, end):
        here = start[r] + r - first[r]
        holds[r] = holds[r] and matrix.low[here] > 0.0
        matrix.low[here] = matrix.low[here] * (1.0 + COMPLIANCE) if holds[r] else 1.0
    factor(matrix.first, matrix.start, begin, end, matrix.low, matrix.high)


@kernel
def let_go(begin: int, end: int, rows: Rows, impulse: float, holds: np.ndarray) -> bool:
    """Release limits whose impulse would have the wrong sign after the impact: a rope that pushes,
    a least distance that pulls. Return whether there are any.
    """
    changed = False
    for r in range(begin, end):
        whole = rows.impulse[r] + impulse * rows.step[r]
        if holds[r] and rows.side[r] != BOTH and rows.side[r] * whole > SLIGHT * impulse:
            holds[r] = False
            changed = True
    return changed
