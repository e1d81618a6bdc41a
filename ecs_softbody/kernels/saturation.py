"""How much stiffness and damping a substep of length h can carry.

For frozen gradients one substep of symplectic Euler is stable when at every particle p

    Σ over elements (k h² + 2 c h) √w_p |g_p| Σ_q √w_q |g_q|  <=  4,      w = 1/m

(the row-sum bound of the Jury condition K h² + 2 D h <= 4 M). For a spring i-j the factor at i is w_i + √(w_i w_j).
The first term sums up along directions: springs that leave i in all directions load each one with half of their sum
only, so w_i is multiplied by the `spread` s_i from 1/2 (evenly all round) to 1 (in one line), taken from the axes of
the springs when first packed. Should they all turn into one line later, the bound is passed by a third at most.
Springs share the bound minus what other elements at the particle reserve. Within it every element is exact; beyond
it the shares are filled like water: the smallest are kept whole, the largest are cut to a common cap, so a soft
spring beside a very stiff one keeps its stiffness. A saturated undamped network would heat up, so each spring cut
in stiffness is damped by at least `SATURATED_DAMPING` k h.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import kernel

BOUND = 3.2
"""What all elements at a particle may sum to: below 4, because gradients do turn between substeps."""
DAMPING_SHARE = 0.3
"""Share of a particle's budget that damping may claim from stiffness when both ask for more than there is."""
SATURATED_DAMPING = 0.25
ROUNDS = 24
"""Rounds of water filling; each one is feasible, so stopping early is safe."""


@kernel
def find_changed(stiffness: np.ndarray, damping: np.ndarray, seen_k: np.ndarray, seen_c: np.ndarray) -> bool:
    """Tell whether any stiffness or damping differs from when it was last saturated."""
    for s in range(stiffness.shape[0]):
        if stiffness[s] != seen_k[s] or damping[s] != seen_c[s]:
            return True
    return False


@kernel
def fill_shares(
    rows: np.ndarray,
    pairs: np.ndarray,
    inverse_mass: np.ndarray,
    spread: np.ndarray,
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
                share = asked[row] * scale * (inverse_mass[p] * spread[p] + coupling)
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
            factor = scale * (inverse_mass[p] * spread[p] + coupling)
            if granted[row] * factor > cap[p]:
                granted[row] = cap[p] / factor


@kernel
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


@kernel
def sum_shares(
    rows: np.ndarray,
    pairs: np.ndarray,
    inverse_mass: np.ndarray,
    spread: np.ndarray,
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
            total[p] += value[row] * scale * (inverse_mass[p] * spread[p] + coupling)


@kernel
def find_spread(
    rows: np.ndarray,
    pairs: np.ndarray,
    axis: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    dt: float,
    room: np.ndarray,
    spread: np.ndarray,
) -> None:
    """Write, for each particle of the springs, the largest eigenvalue of Σ (k h² + 2 c h) n nᵀ over its trace.

    axis (M, 2): unit vectors n, or zero where a spring had no direction; such a one counts in every direction.
    """
    xx, xy, yy, none = room[0], room[1], room[2], room[3]
    for row in rows:
        for end in range(2):
            p = pairs[row, end]
            xx[p] = xy[p] = yy[p] = none[p] = 0.0
    for row in rows:
        weight = stiffness[row] * dt * dt + 2.0 * damping[row] * dt
        nx, ny = axis[row, 0], axis[row, 1]
        for end in range(2):
            p = pairs[row, end]
            xx[p] += weight * nx * nx
            xy[p] += weight * nx * ny
            yy[p] += weight * ny * ny
            if nx == 0.0 and ny == 0.0:
                none[p] += weight
    for row in rows:
        for end in range(2):
            p = pairs[row, end]
            trace = xx[p] + yy[p]
            largest = 0.5 * trace + math.sqrt(0.25 * (xx[p] - yy[p]) ** 2 + xy[p] ** 2)
            spread[p] = (largest + none[p]) / (trace + none[p]) if trace + none[p] > 0.0 else 1.0


@kernel
def saturate_springs(
    rows: np.ndarray,
    pairs: np.ndarray,
    axis: np.ndarray,
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
    shape (7, N), to work in.
    """
    from_stiffness, from_damping, budget, spread = room[0], room[1], room[2], room[6]
    find_spread(rows, pairs, axis, stiffness, damping, dt, room, spread)
    sum_shares(rows, pairs, inverse_mass, spread, stiffness, dt * dt, from_stiffness)
    sum_shares(rows, pairs, inverse_mass, spread, damping, 2.0 * dt, from_damping)
    for row in rows:
        for end in range(2):
            p = pairs[row, end]
            whole = BOUND - reserved[p]
            budget[p] = whole
            if from_stiffness[p] + from_damping[p] > whole:
                budget[p] = whole - min(from_damping[p], DAMPING_SHARE * whole)
                if from_stiffness[p] > budget[p]:
                    budget[p] /= 1.0 + 2.0 * SATURATED_DAMPING
    fill_shares(
        rows, pairs, inverse_mass, spread, stiffness, dt * dt, budget, room[3], room[4], room[5], effective_stiffness
    )
    sum_shares(rows, pairs, inverse_mass, spread, effective_stiffness, dt * dt, from_stiffness)
    wanted = effective_damping
    for row in rows:
        wanted[row] = damping[row]
        if effective_stiffness[row] < stiffness[row]:
            wanted[row] = max(wanted[row], SATURATED_DAMPING * effective_stiffness[row] * dt)
        for end in range(2):
            p = pairs[row, end]
            budget[p] = BOUND - reserved[p] - from_stiffness[p]
    fill_shares(
        rows, pairs, inverse_mass, spread, wanted, 2.0 * dt, budget, room[3], room[4], room[5], effective_damping
    )
    sum_shares(rows, pairs, inverse_mass, spread, effective_damping, 2.0 * dt, from_damping)
    for row in rows:
        for end in range(2):
            p = pairs[row, end]
            left[p] = max(BOUND - reserved[p] - from_stiffness[p] - from_damping[p], 0.0)
