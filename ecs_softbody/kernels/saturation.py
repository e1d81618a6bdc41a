"""How much stiffness and damping a substep of length h can carry.

For frozen gradients one substep of symplectic Euler is stable when at every particle p

    Σ over elements (k h² + 2 c h) √w_p |g_p| Σ_q √w_q |g_q|  <=  4,      w = 1/m

(the row-sum bound of the Jury condition K h² + 2 D h <= 4 M). For a spring i-j the factor at i is w_i + √(w_i w_j).
Springs share the bound minus what other elements at the particle reserve. Within it every element is exact; beyond
it the shares are filled like water: the smallest are kept whole, the largest are cut to a common cap, so a soft
spring beside a very stiff one keeps its stiffness. A saturated undamped network would heat up, so a spring cut to the
share x of its stiffness is damped by at least `SATURATED_DAMPING` (1 - x) k h. Room for that is kept: with the share
ρ of the stiffness that fits, x (1 + 2 SATURATED_DAMPING (1 - x)) = ρ.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean

BOUND = 3.8
"""What all elements at a particle may sum to: below 4, because gradients do turn between substeps."""
DAMPING_SHARE = 0.3
"""Share of a particle's budget that damping may claim from stiffness when both ask for more than there is."""
STOPPING = 2.0
"""2 c h beyond this would not stop a motion within a substep but turn it round."""
SATURATED_DAMPING = 0.25
ROUNDS = 24
"""Rounds of water filling; each one is feasible, so stopping early is safe."""


@lean
def find_changed(
    active: np.ndarray, stiffness: np.ndarray, damping: np.ndarray, seen_k: np.ndarray, seen_c: np.ndarray
) -> bool:
    """Tell whether any stiffness or damping in the row spans `active` (S, 2) has changed since it was last saturated.

    Bits that differ are collected without looking at them in between: several springs are compared at once.
    """
    k, before_k, c, before_c = (
        stiffness.view(np.int64), seen_k.view(np.int64), damping.view(np.int64), seen_c.view(np.int64),
    )  # fmt: skip
    different = np.int64(0)
    for span in range(active.shape[0]):
        for s in range(active[span, 0], active[span, 1]):
            different |= (k[s] ^ before_k[s]) | (c[s] ^ before_c[s])
    return bool(different != 0)


@lean
def fill_shares(
    rows: np.ndarray,
    pairs: np.ndarray,
    inverse_mass: np.ndarray,
    asked: np.ndarray,
    scale: float,
    budget: np.ndarray,
    cap: np.ndarray,
    used: np.ndarray,
    over: np.ndarray,
    granted: np.ndarray,
) -> None:
    """Water filling: granted[s] <= asked[s] with Σ granted × scale × factor <= budget at every particle.

    rows are the springs to treat; asked and granted are indexed like pairs, budget like inverse_mass. cap, used and
    over are room to work in, of budget's shape.
    """
    for round_number in range(ROUNDS):
        for row in rows:
            for end in range(2):
                used[pairs[row, end]] = 0.0
                over[pairs[row, end]] = 0.0
        for row in rows:
            coupling = math.sqrt(inverse_mass[pairs[row, 0]] * inverse_mass[pairs[row, 1]])
            for end in range(2):
                p = pairs[row, end]
                share = asked[row] * scale * (inverse_mass[p] + coupling)
                if round_number > 0 and share > cap[p]:
                    used[p] += cap[p]
                    over[p] += 1.0
                else:
                    used[p] += share
        if not _raise_caps(rows, pairs, round_number, budget, used, over, cap):
            break
    for row in rows:
        coupling = math.sqrt(inverse_mass[pairs[row, 0]] * inverse_mass[pairs[row, 1]])
        granted[row] = asked[row]
        for end in range(2):
            p = pairs[row, end]
            factor = scale * (inverse_mass[p] + coupling)
            if granted[row] * factor > cap[p]:
                granted[row] = cap[p] / factor


@lean
def _raise_caps(
    rows: np.ndarray,
    pairs: np.ndarray,
    round_number: int,
    budget: np.ndarray,
    used: np.ndarray,
    over: np.ndarray,
    cap: np.ndarray,
) -> bool:
    """One round: spread what is left of each budget over the springs still cut; True while caps rise."""
    if round_number == 0:
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


@lean
def sum_shares(
    rows: np.ndarray,
    pairs: np.ndarray,
    inverse_mass: np.ndarray,
    value: np.ndarray,
    scale: float,
    total: np.ndarray,
) -> None:
    """Write Σ value × scale × factor of the springs `rows` at each of their particles into `total` (N,)."""
    for row in rows:
        for end in range(2):
            total[pairs[row, end]] = 0.0
    for row in rows:
        coupling = math.sqrt(inverse_mass[pairs[row, 0]] * inverse_mass[pairs[row, 1]])
        for end in range(2):
            p = pairs[row, end]
            total[p] += value[row] * scale * (inverse_mass[p] + coupling)


@lean
def kept_share(room: float) -> float:
    """Return x with x (1 + 2 SATURATED_DAMPING (1 - x)) = room, for 0 <= room <= 1."""
    extra = 2.0 * SATURATED_DAMPING
    return 2.0 * room / ((1.0 + extra) + math.sqrt((1.0 + extra) ** 2 - 4.0 * extra * room))


@lean
def saturate_springs(
    rows: np.ndarray,
    pairs: np.ndarray,
    inverse_mass: np.ndarray,
    reserved: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    dt: float,
    effective_stiffness: np.ndarray,
    effective_damping: np.ndarray,
    left: np.ndarray,
    room: np.ndarray,
) -> None:
    """Write the stiffness and damping that the springs `rows` can have, and what is left at their particles.

    `rows` must hold every spring of the particles it touches. reserved and left: shares of BOUND, shape (N,). room:
    shape (6, N), to work in.
    """
    from_stiffness, from_damping, budget = room[0], room[1], room[2]
    sum_shares(rows, pairs, inverse_mass, stiffness, dt * dt, from_stiffness)
    sum_shares(rows, pairs, inverse_mass, damping, 2.0 * dt, from_damping)
    for row in rows:
        for end in range(2):
            p = pairs[row, end]
            whole = BOUND - reserved[p]
            budget[p] = whole
            if from_stiffness[p] + min(from_damping[p], STOPPING) > whole:
                budget[p] = whole - min(from_damping[p], DAMPING_SHARE * whole)
                if from_stiffness[p] > budget[p]:
                    budget[p] = from_stiffness[p] * kept_share(budget[p] / from_stiffness[p])
    fill_shares(rows, pairs, inverse_mass, stiffness, dt * dt, budget, room[3], room[4], room[5], effective_stiffness)
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
    fill_shares(rows, pairs, inverse_mass, wanted, 2.0 * dt, budget, room[3], room[4], room[5], effective_damping)
    sum_shares(rows, pairs, inverse_mass, effective_damping, 2.0 * dt, from_damping)
    for row in rows:
        for end in range(2):
            p = pairs[row, end]
            left[p] = max(BOUND - reserved[p] - from_stiffness[p] - from_damping[p], 0.0)
