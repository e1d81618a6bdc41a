"""Saturation: how much of the stiffness and damping of springs a substep of length h can carry
without instability. The solver "saturated" computes it when springs or masses have changed, and
uses the limited values in its explicit forces.

For frozen gradients g (∂ length/∂ position of an element) one substep of symplectic Euler is stable
when at every particle p

    Σ over elements (k h² + 2 c h) √w_p |g_p| Σ_q √w_q |g_q|  <=  4,      w = 1/m

(the row-sum bound of the Jury condition K h² + 2 D h <= 4 M). For a spring i-j the factor at i is
w_i + √(w_i w_j). A spring's term is its *share* of the bound at a particle, and the *budget* of a
particle is the bound minus what elements other than springs reserve. Within the budget every spring
keeps its stiffness k; beyond it the shares are cut by water filling: the smallest are kept whole,
the largest are cut to a common cap, so a soft spring beside a very stiff one keeps its stiffness.
Springs that bear the pressure of gas first get the stiffness that they need for it.

A saturated undamped network would gain energy, so a spring cut to the share x of its stiffness gets
a damping of at least `SATURATED_DAMPING` (1 - x) x k h. That takes a part of the budget as well: if
a share ρ of the stiffness alone would fit, both fit where x (1 + 2 SATURATED_DAMPING (1 - x)) = ρ.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers2, Uint32s1, Uint32s2
from ecs_softbody.parallel.compiling import entry, kernel

BOUND = 3.8
"""Bound of the sum over all elements at a particle: a little below 4, since gradients are not
frozen but turn from substep to substep.
"""
DAMPING_SHARE = 0.3
"""Share of a particle's budget that damping may claim from stiffness when both ask for more than
there is.
"""
STOPPING = 2.0
"""Most that damping may take of the bound at a particle (Σ 2 c h w): more would not stop a motion
within a substep but reverse it.
"""
SATURATED_DAMPING = 0.25
"""A spring cut to the stiffness x k is damped by at least this times (1 - x) x k h: a saturated
undamped network would gain energy. It grows with the cut, so that a spring slightly beyond the
bound loses little.
"""
ITERATIONS = 24
"""Most iterations of water filling. The caps of each iteration respect the budgets, so stopping
early is safe.
"""


class SaturatedSprings(NamedTuple):
    """Inputs and outputs of saturation, for all springs, (M,) each."""

    # (M, 2): rows of both ends
    packed_pairs: Uint32s2
    # [N/m]
    stiffness: Floats1
    # [N·s/m]
    damping: Floats1
    # [N/m]: needed by the skin of gas to bear its tension; has precedence
    needed_stiffness: Floats1
    # [N/m], written: limited for stability
    effective_stiffness: Floats1
    # [N·s/m], written
    effective_damping: Floats1


@entry
def find_changed(
    active: Integers2, stiffness: Floats1, damping: Floats1, seen_k: Floats1, seen_c: Floats1
) -> bool:
    """Return whether any stiffness or damping (M,) in the spans `active` (S, 2) of awake rows
    differs from the copies seen_k, seen_c of the last saturation, so that it has to be computed
    again.

    The loop collects differing bits without a branch, so that vector instructions compare several
    springs at a time.
    """
    k = stiffness.view(np.int64)
    before_k = seen_k.view(np.int64)
    c = damping.view(np.int64)
    before_c = seen_c.view(np.int64)
    different = np.int64(0)
    for span in range(active.shape[0]):
        for s in range(active[span, 0], active[span, 1]):
            different |= (k[s] ^ before_k[s]) | (c[s] ^ before_c[s])
    return bool(different != 0)


@kernel
def fill_shares(
    rows: np.ndarray,
    pairs: np.ndarray,
    inverse_mass: np.ndarray,
    asked: np.ndarray,
    scale: float,
    scratch: np.ndarray,
    granted: np.ndarray,
) -> None:
    """Water filling: write granted[s] <= asked[s] with Σ granted × scale × (w_i + √(w_i w_j)) <=
    budget at every particle i.

    rows: the springs to treat. asked, granted (M,): stiffness or damping of each spring. scale: h²
    or 2 h, so that the products are shares of the bound. scratch (4, N): the budget of each
    particle, then room for `cap` (largest share of a spring at it), `used` (sum of its shares) and
    `over` (number of its springs that are cut).
    """
    budget = scratch[0]
    cap = scratch[1]
    used = scratch[2]
    over = scratch[3]
    for iteration in range(ITERATIONS):
        for row in rows:
            for end in range(2):
                used[pairs[row, end]] = 0.0
                over[pairs[row, end]] = 0.0
        for row in rows:
            coupling = math.sqrt(inverse_mass[pairs[row, 0]] * inverse_mass[pairs[row, 1]])
            for end in range(2):
                p = pairs[row, end]
                share = asked[row] * scale * (inverse_mass[p] + coupling)
                if iteration > 0 and share > cap[p]:
                    used[p] += cap[p]
                    over[p] += 1.0
                else:
                    used[p] += share
        if not _raise_caps(rows, pairs, iteration, budget, used, over, cap):
            break
    for row in rows:
        coupling = math.sqrt(inverse_mass[pairs[row, 0]] * inverse_mass[pairs[row, 1]])
        granted[row] = asked[row]
        for end in range(2):
            p = pairs[row, end]
            factor = scale * (inverse_mass[p] + coupling)
            if granted[row] * factor > cap[p]:
                granted[row] = cap[p] / factor


@kernel
def _raise_caps(
    rows: np.ndarray,
    pairs: np.ndarray,
    iteration: int,
    budget: np.ndarray,
    used: np.ndarray,
    over: np.ndarray,
    cap: np.ndarray,
) -> bool:
    """Raise the cap of each particle: spread the remainder of its budget over its `over` springs
    that are still cut. Return whether any cap rises. In iteration 0: set the first caps, none
    (infinite) where the budget suffices, else 0.
    """
    if iteration == 0:
        for row in rows:
            for end in range(2):
                p = pairs[row, end]
                if used[p] <= budget[p]:
                    cap[p] = math.inf
                    used[p] = 0.0
                else:
                    cap[p] = 0.0
        return True
    rising = False
    for row in rows:
        for end in range(2):
            p = pairs[row, end]
            if over[p] > 0.0 and cap[p] < math.inf:
                gain = (budget[p] - used[p]) / over[p]
                if gain > 1e-12 * (budget[p] + cap[p]):
                    cap[p] += gain
                    rising = True
                over[p] = 0.0
    return rising


@entry
def sum_shares(
    rows: Uint32s1,
    pairs: Uint32s2,
    inverse_mass: Floats1,
    value: Floats1,
    scale: float,
    total: Floats1,
) -> None:
    """Write the sum of the shares, value × scale × (w_i + √(w_i w_j)), of the springs `rows` at
    each of their particles i to `total` (N,). value (M,): stiffness with the scale h², or damping
    with the scale 2 h.
    """
    for row in rows:
        for end in range(2):
            total[pairs[row, end]] = 0.0
    for row in rows:
        coupling = math.sqrt(inverse_mass[pairs[row, 0]] * inverse_mass[pairs[row, 1]])
        for end in range(2):
            p = pairs[row, end]
            total[p] += value[row] * scale * (inverse_mass[p] + coupling)


@kernel
def kept_share(fits: float) -> float:
    """Return the share x of its stiffness that a spring keeps, if the share `fits` (0 to 1) would
    fit without extra damping: the solution of x (1 + 2 SATURATED_DAMPING (1 - x)) = fits.
    """
    extra = 2.0 * SATURATED_DAMPING
    return 2.0 * fits / ((1.0 + extra) + math.sqrt((1.0 + extra) ** 2 - 4.0 * extra * fits))


@kernel
def fill_in_two_rounds(
    rows: np.ndarray,
    springs: SaturatedSprings,
    inverse_mass: np.ndarray,
    scale: float,
    scratch: np.ndarray,
) -> None:
    """Write the effective stiffness of the springs `rows` in two rounds: first the stiffness that a
    skin needs to bear the tension by its gas, then the rest of the stiffness asked for, so far as
    the budgets leave room for it and for the damping of saturated springs.

    scale: h². scratch (6, N): the sum of the shares asked for at each particle, a working row, the
    budgets, and three more working rows. `effective_damping` serves as room.
    """
    pairs = springs.packed_pairs
    needed = springs.needed_stiffness
    given = springs.effective_stiffness
    asked = scratch[0]
    used = scratch[1]
    budget = scratch[2]
    more = springs.effective_damping
    given[rows] = 0.0
    for row in rows:
        if needed[row] > 0.0:
            fill_shares(rows, pairs, inverse_mass, needed, scale, scratch[2:], given)
            break
    sum_shares(rows, pairs, inverse_mass, given, scale, used)
    for row in rows:
        for end in range(2):
            p = pairs[row, end]
            if used[p] >= 0.0:
                whole = (
                    asked[p] * kept_share(budget[p] / asked[p])
                    if asked[p] > budget[p]
                    else budget[p]
                )
                budget[p] = max(whole - used[p], 0.0)
                used[p] = -1.0  # done: the particle is an end of other springs, too
        more[row] = springs.stiffness[row] - given[row]
    fill_shares(rows, pairs, inverse_mass, more, scale, scratch[2:], more)
    for row in rows:
        given[row] += more[row]


@entry
def saturate_springs(
    rows: Uint32s1,
    springs: SaturatedSprings,
    inverse_mass: Floats1,
    reserved: Floats1,
    dt: float,
    left: Floats1,
    scratch: Floats2,
) -> None:
    """Write the effective stiffness and damping of the springs `rows`, and the rest of the budget
    of their particles.

    `rows` must contain every spring of the particles it touches. reserved (N,): part of BOUND that
    elements other than springs take at each particle. left (N,), written: part of BOUND that is
    still free. scratch: (6, N).
    """
    pairs = springs.packed_pairs
    stiffness = springs.stiffness
    damping = springs.damping
    effective_stiffness = springs.effective_stiffness
    effective_damping = springs.effective_damping
    from_stiffness = scratch[0]
    from_damping = scratch[1]
    budget = scratch[2]
    sum_shares(rows, pairs, inverse_mass, stiffness, dt * dt, from_stiffness)
    sum_shares(rows, pairs, inverse_mass, damping, 2.0 * dt, from_damping)
    for row in rows:
        for end in range(2):
            p = pairs[row, end]
            whole = BOUND - reserved[p]
            budget[p] = whole
            if from_stiffness[p] + min(from_damping[p], STOPPING) > whole:
                budget[p] = whole - min(from_damping[p], DAMPING_SHARE * whole)
    # Stiffness comes first, damping gets the rest: a saturated spring is damped by the share of its
    # stiffness that was cut.
    fill_in_two_rounds(rows, springs, inverse_mass, dt * dt, scratch)
    sum_shares(rows, pairs, inverse_mass, effective_stiffness, dt * dt, from_stiffness)
    wanted = effective_damping
    for row in rows:
        wanted[row] = damping[row]
        if effective_stiffness[row] < stiffness[row]:
            cut = 1.0 - effective_stiffness[row] / stiffness[row]
            wanted[row] = max(wanted[row], SATURATED_DAMPING * cut * effective_stiffness[row] * dt)
        for end in range(2):
            p = pairs[row, end]
            budget[p] = min(BOUND - reserved[p] - from_stiffness[p], STOPPING)
    fill_shares(rows, pairs, inverse_mass, wanted, 2.0 * dt, scratch[2:6], effective_damping)
    sum_shares(rows, pairs, inverse_mass, effective_damping, 2.0 * dt, from_damping)
    for row in rows:
        for end in range(2):
            p = pairs[row, end]
            left[p] = max(BOUND - reserved[p] - from_stiffness[p] - from_damping[p], 0.0)
