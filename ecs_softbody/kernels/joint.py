"""Joints: impulses λ after which all rows hold at the end of the substep, C(x + h (v + W Jᵀ λ)) = 0 (SHAKE: J.-P. Ryckaert,
G. Ciccotti and H. Berendsen, 1977), v being what the other forces give.

The rows of a connected group are solved together, A Δλ = -C/h with A = J' W Jᵀ, in Newton steps that let the rows J' turn
with their pairs. So nothing depends on the order of rows, on ratios of masses, or on a number of sweeps. J is taken at
the start of the substep, where the forces act: that is what keeps both momenta. Limits are an active set: rows that would
push where they can only pull are let go, rows that would be overrun are taken in, until neither is left.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import kernel
from ecs_softbody.kernels.joint_contacts import (
    HELD,
    POSSIBLE,
    SLIDES,
    STICKS,
    STRENGTH,
    change_leans,
    moved,
    start_members,
)
from ecs_softbody.kernels.joint_rows import DISTANCE, POINT, SOFT, gap_at_end, push_velocities
from ecs_softbody.kernels.skyline import factor, solve_factored

MENDED = 0.25
"""Share of an error that contacts, or a start apart, have left that is mended in a substep ..."""
MENDING_SPEED = 3.0
"""... but no faster than this [m/s]: nothing is flung."""
CLOSE = 1e-11
"""Rows hold when they are this near [m]."""
TAUT = 1e-9
"""A limit is tried when the pair is this near to it, as a share of its length."""
COMPLIANCE = 1e-9
"""Share that the diagonal of A is raised by: rows that say the same twice are no fault."""
SURE = 0.3
"""Pairs that turn further than this cosine in a substep are held along their old directions only."""
NEARLY = 1e-7
"""Where Newton steps leave more than this [m], the rows of a group are held in the next simpler way."""
ROOM, BANKED = 1e-4, 0.1
"""Bent rows take energy in one substep and give it back in another: they may gain what they took before, up to BANKED of the
kinetic energy, and ROOM of it besides."""
MENDING_ROOM = 10.0
"""Rows that are mended may gain this many times what each of them would take alone."""
BENT, STRAIGHT, SOFTENED = 0, 1, 2
"""How rows are held: where their pairs will be; along their old directions, which never adds energy; yielding, where they
contradict each other."""
YIELD = 0.05
SLIGHT = 1e-6
GENTLE = 0.5
"""Straight rows are mended with no more energy than all of the group's mass has at this speed [m/s]."""
STUCK = 1e-6
"""A row that contacts hold so well that it yields less than this share of what it would alone is left to them."""
NEWTON_STEPS = 12
ROUNDS = 40
LATE = 30
"""From this round on no row is taken in any more, so that rounds end."""
BOTH = 2


@kernel
def solve_joints(
    group_first: np.ndarray,
    kind: np.ndarray,
    alive: np.ndarray,
    term_first: np.ndarray,
    particle: np.ndarray,
    weight: np.ndarray,
    partner: np.ndarray,
    bodies: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    softness: np.ndarray,
    pull: np.ndarray,
    ceiling: np.ndarray,
    gap: np.ndarray,
    direction: np.ndarray,
    couple: np.ndarray,
    member_first: np.ndarray,
    members: np.ndarray,
    shared_first: np.ndarray,
    shared: np.ndarray,
    sky_first: np.ndarray,
    sky_start: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    body: np.ndarray,
    position: np.ndarray,
    inverse_mass: np.ndarray,
    leaning: np.ndarray,
    predicted: np.ndarray,
    velocity: np.ndarray,
    kick: np.ndarray,
    leans: np.ndarray,
    dt: float,
    bank: np.ndarray,
    side: np.ndarray,
    turned: np.ndarray,
    held: np.ndarray,
    step: np.ndarray,
    errors: np.ndarray,
    impulse: np.ndarray,
    effort: np.ndarray,
) -> None:
    """Write the impulse of every row, and which `side` of its limits it is at: 1 the upper, -1 the lower, 0 neither.

    Rows of a group are [group_first[g], group_first[g + 1]). predicted (N, 2): velocities that other forces give;
    velocity, kick, leans,
    turned, held, step, low and high are room to work in. bank (G,): what a group took of energy so far. softness and pull: of SOFT rows, λ softness + u·v' +
    pull C = 0; ceiling: their largest impulse.
    """
    rows = (term_first, particle, weight)
    for g in range(len(group_first) - 1):
        begin, end = group_first[g], group_first[g + 1]
        own = members[member_first[g] : member_first[g + 1]]
        if not begin_sides(begin, end, kind, alive, *rows, lower, upper, gap, predicted, dt, side, held):
            impulse[begin:end] = 0.0
            continue
        for p in own:
            leans[p] = 0
            if leaning[p, STRENGTH] > POSSIBLE:
                leans[p] = STICKS if leaning[p, HELD] > 0.0 else SLIDES
        state = (*rows, direction, gap, partner, bodies, couple, own, body, position, inverse_mass, leans, leaning)
        done, mode = False, BENT
        for attempt in range(ROUNDS):
            effort[g] = attempt
            for r in range(begin, end):
                impulse[r] = held[r]
                turned[r, 0], turned[r, 1] = direction[r, 0], direction[r, 1]
            start_members(own, predicted, leans, leaning, velocity, kick)
            energy = energy_of(own, inverse_mass, velocity)
            push_velocities(begin, end, impulse, *state, velocity, kick)
            worst, before, mending = math.inf, math.inf, 0.0
            for newton in range(NEWTON_STEPS if mode == BENT else 1):
                look = mode == BENT and newton > 0
                worst, spent = find_residuals(
                    begin,
                    end,
                    kind,
                    side,
                    *rows,
                    lower,
                    upper,
                    softness,
                    pull,
                    inverse_mass,
                    gap,
                    direction,
                    velocity,
                    impulse,
                    mode,
                    look,
                    dt,
                    turned,
                    step,
                )
                if newton == 0:
                    mending = spent
                if worst < CLOSE or not worst < before:
                    break
                before = worst if newton > 1 else math.inf
                if newton == 0 or look:
                    assemble(
                        begin,
                        end,
                        shared_first[g],
                        shared_first[g + 1],
                        shared,
                        *rows,
                        inverse_mass,
                        leans,
                        leaning,
                        direction,
                        turned,
                        side,
                        softness,
                        mode,
                        sky_first,
                        sky_start,
                        low,
                        high,
                    )
                    factor(sky_first, sky_start, begin, end, low, high)
                solve_factored(sky_first, sky_start, begin, end, low, high, step)
                for r in range(begin, end):
                    if side[r] == 0:
                        step[r] = 0.0
                    impulse[r] += step[r]
                push_velocities(begin, end, step, *state, velocity, kick)
            if mode == BENT and not worst < NEARLY:
                mode += 1
                continue
            early = attempt < LATE
            done = not change_sides(
                begin,
                end,
                kind,
                alive,
                partner,
                ceiling,
                *rows,
                lower,
                upper,
                gap,
                velocity,
                dt,
                early,
                side,
                held,
                impulse,
            )
            if change_leans(own, predicted, inverse_mass, leaning, velocity, kick, early, leans):
                done = False
            if done:
                spare = max(bank[g], 0.0) + ROOM * energy
                gain = energy_of(own, inverse_mass, velocity) - energy
                if mode == BENT and gain > spare + MENDING_ROOM * mending:
                    done, mode = False, STRAIGHT
                elif mode == STRAIGHT and gain > spare + SLIGHT * energy:
                    done, mode = False, SOFTENED
                else:
                    if mode == STRAIGHT:
                        find_residuals(
                            begin,
                            end,
                            kind,
                            side,
                            *rows,
                            lower,
                            upper,
                            softness,
                            pull,
                            inverse_mass,
                            gap,
                            direction,
                            velocity,
                            impulse,
                            BENT,
                            True,
                            dt,
                            turned,
                            step,
                        )
                        room = max(spare - gain, 0.0) + 0.5 * GENTLE * GENTLE * mass_of(own, inverse_mass)
                        mend_gently(begin, end, sky_first, sky_start, low, high, side, room, step, errors)
                        before = energy_of(own, inverse_mass, velocity)
                        push_velocities(begin, end, step, *state, velocity, kick)
                        if energy_of(own, inverse_mass, velocity) - before < 2.0 * room:
                            for r in range(begin, end):
                                impulse[r] += step[r]
                    bank[g] = min(bank[g] - max(gain, -energy), BANKED * energy)
                    break
        if not done or not np.isfinite(impulse[begin:end]).all():
            calm(begin, end, kind, lower, upper, side, impulse)
            start_members(own, predicted, leans, leaning, velocity, kick)
            push_velocities(begin, end, impulse, *state, velocity, kick)
            shorten(begin, end, own, inverse_mass, predicted, velocity, impulse)


@kernel
def mend_gently(
    begin: int,
    end: int,
    sky_first: np.ndarray,
    sky_start: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    side: np.ndarray,
    room: float,
    step: np.ndarray,
    errors: np.ndarray,
) -> None:
    """Replace the errors `step` by the impulses that mend them, or by as much of these as has the energy `room`."""
    for r in range(begin, end):
        errors[r] = step[r]
    solve_factored(sky_first, sky_start, begin, end, low, high, step)
    spent = 0.0
    for r in range(begin, end):
        if side[r] == 0:
            step[r] = 0.0
        spent += 0.5 * errors[r] * step[r]
    share = min(1.0, math.sqrt(room / spent)) if spent > 0.0 else 0.0
    for r in range(begin, end):
        step[r] *= share


@kernel
def energy_of(members: np.ndarray, inverse_mass: np.ndarray, velocity: np.ndarray) -> float:
    """Return the kinetic energy of the particles that can be pushed."""
    total = 0.0
    for p in members:
        if inverse_mass[p] > 0.0:
            total += 0.5 * (velocity[p, 0] ** 2 + velocity[p, 1] ** 2) / inverse_mass[p]
    return total


@kernel
def mass_of(members: np.ndarray, inverse_mass: np.ndarray) -> float:
    """Return the mass of the particles that can be pushed."""
    total = 0.0
    for p in members:
        if inverse_mass[p] > 0.0:
            total += 1.0 / inverse_mass[p]
    return total


@kernel
def shorten(
    begin: int,
    end: int,
    members: np.ndarray,
    inverse_mass: np.ndarray,
    predicted: np.ndarray,
    velocity: np.ndarray,
    impulse: np.ndarray,
) -> None:
    """Scale the impulses so that they take out as much energy as they can, or to nothing where they would add some."""
    work, spent = 0.0, 0.0
    for p in members:
        if inverse_mass[p] > 0.0:
            dx, dy = velocity[p, 0] - predicted[p, 0], velocity[p, 1] - predicted[p, 1]
            work += (predicted[p, 0] * dx + predicted[p, 1] * dy) / inverse_mass[p]
            spent += (dx * dx + dy * dy) / inverse_mass[p]
    share = min(max(-work / spent, 0.0), 1.0) if spent > 0.0 and math.isfinite(spent) else 0.0
    for r in range(begin, end):
        impulse[r] *= share


@kernel
def begin_sides(
    begin: int,
    end: int,
    kind: np.ndarray,
    alive: np.ndarray,
    term_first: np.ndarray,
    particle: np.ndarray,
    weight: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    gap: np.ndarray,
    predicted: np.ndarray,
    dt: float,
    side: np.ndarray,
    held: np.ndarray,
) -> bool:
    """Choose which rows are tried first; tell whether there are any."""
    found = False
    for r in range(begin, end):
        held[r] = 0.0
        if not alive[r]:
            side[r] = 0
        elif kind[r] != DISTANCE or lower[r] == upper[r]:
            side[r] = BOTH
        else:
            length = math.hypot(gap[r, 0], gap[r, 1])
            ahead = math.hypot(*gap_at_end(r, term_first, particle, weight, gap, predicted, dt))
            if max(length, ahead) >= upper[r] * (1.0 - TAUT):
                side[r] = 1
            elif min(length, ahead) <= lower[r] * (1.0 + TAUT):
                side[r] = -1 if lower[r] > 0.0 else 0
            elif side[r] == BOTH:
                side[r] = 0
        found |= side[r] != 0
    return found


@kernel
def assemble(
    begin: int,
    end: int,
    shared_begin: int,
    shared_end: int,
    shared: np.ndarray,
    term_first: np.ndarray,
    particle: np.ndarray,
    weight: np.ndarray,
    inverse_mass: np.ndarray,
    leans: np.ndarray,
    leaning: np.ndarray,
    direction: np.ndarray,
    turned: np.ndarray,
    side: np.ndarray,
    softness: np.ndarray,
    mode: int,
    sky_first: np.ndarray,
    sky_start: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> None:
    """Write A = J' W Jᵀ of the rows [begin, end) that take part; of the others the diagonal is 1.

    shared (K, 5): (later row, earlier row, particle, its term in one, its term in the other).
    """
    for k in range(sky_start[begin], sky_start[end - 1] + end - sky_first[end - 1]):
        low[k], high[k] = 0.0, 0.0
    for k in range(shared_begin, shared_end):
        i, j, p = shared[k, 0], shared[k, 1], shared[k, 2]
        if side[i] != 0 and side[j] != 0:
            by = weight[shared[k, 3]] * weight[shared[k, 4]] * inverse_mass[p]
            here = sky_start[i] + j - sky_first[i]
            jx, jy = moved(p, direction[j, 0], direction[j, 1], leans, leaning)
            ix, iy = moved(p, direction[i, 0], direction[i, 1], leans, leaning)
            low[here] += by * (turned[i, 0] * jx + turned[i, 1] * jy)
            high[here] += by * (turned[j, 0] * ix + turned[j, 1] * iy)
    compliance = YIELD if mode == SOFTENED else COMPLIANCE
    for r in range(begin, end):
        here = sky_start[r] + r - sky_first[r]
        low[here] = low[here] * (1.0 + compliance) + softness[r]
        if side[r] == 0 or low[here] <= STUCK * mobility_of(r, term_first, particle, weight, inverse_mass):
            low[here], side[r] = 1.0, 0


@kernel
def mobility_of(
    r: int, term_first: np.ndarray, particle: np.ndarray, weight: np.ndarray, inverse_mass: np.ndarray
) -> float:
    """Return what a row yields to an impulse of 1 where nothing else holds its particles."""
    mobility = 0.0
    for t in range(term_first[r], term_first[r + 1]):
        mobility += weight[t] * weight[t] * inverse_mass[particle[t]]
    return mobility


@kernel
def find_residuals(
    begin: int,
    end: int,
    kind: np.ndarray,
    side: np.ndarray,
    term_first: np.ndarray,
    particle: np.ndarray,
    weight: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    softness: np.ndarray,
    pull: np.ndarray,
    inverse_mass: np.ndarray,
    gap: np.ndarray,
    direction: np.ndarray,
    velocity: np.ndarray,
    impulse: np.ndarray,
    mode: int,
    look: bool,
    dt: float,
    turned: np.ndarray,
    step: np.ndarray,
) -> tuple[float, float]:
    """Write -C/h of each row that takes part to `step`; return the largest |C|, and the energy that mending may take.

    With `look`, rows turn with their pairs.
    """
    worst, spent, mended = 0.0, 0.0, MENDING_SPEED * dt if mode == BENT else 0.0
    for r in range(begin, end):
        step[r] = 0.0
        if side[r] == 0:
            continue
        dx, dy = gap_at_end(r, term_first, particle, weight, gap, velocity, dt)
        c = dx * direction[r, 0] + dy * direction[r, 1]
        if look and kind[r] == DISTANCE:
            length = math.hypot(dx, dy)
            if c > SURE * length:
                turned[r, 0], turned[r, 1] = dx / length, dy / length
                c = length
            else:
                turned[r, 0], turned[r, 1] = direction[r, 0], direction[r, 1]
        if kind[r] == DISTANCE:
            limit = lower[r] if side[r] == -1 else upper[r]
            error = math.hypot(gap[r, 0], gap[r, 1]) - limit
            if (side[r] == 1 and error < 0.0) or (side[r] == -1 and error > 0.0):
                error = 0.0
            c -= limit
        elif kind[r] == POINT:
            error = gap[r, 0] * direction[r, 0] + gap[r, 1] * direction[r, 1]
        else:
            now = gap[r, 0] * direction[r, 0] + gap[r, 1] * direction[r, 1]
            c = c - now + dt * (pull[r] * now + softness[r] * impulse[r])
            error = 0.0
        mend = max(-mended, min(mended, MENDED * error))
        c -= error - mend
        step[r] = -c / dt
        worst = max(worst, abs(c))
        mobility = mobility_of(r, term_first, particle, weight, inverse_mass)
        if mobility > 0.0:
            spent += 0.5 * mend * mend / (dt * dt * mobility)
    return worst, spent


@kernel
def change_sides(
    begin: int,
    end: int,
    kind: np.ndarray,
    alive: np.ndarray,
    partner: np.ndarray,
    ceiling: np.ndarray,
    term_first: np.ndarray,
    particle: np.ndarray,
    weight: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    gap: np.ndarray,
    velocity: np.ndarray,
    dt: float,
    early: bool,
    side: np.ndarray,
    held: np.ndarray,
    impulse: np.ndarray,
) -> bool:
    """Let go of rows that push where they can only pull, take in those that are overrun; tell whether any changed."""
    changed = False
    for r in range(begin, end):
        if not alive[r]:
            continue
        if kind[r] == SOFT and partner[r] >= 0 and side[r] != 0:
            other = partner[r]
            size = math.hypot(impulse[r], impulse[other])
            if size > ceiling[r]:
                held[r], held[other] = impulse[r] * ceiling[r] / size, impulse[other] * ceiling[r] / size
                side[r], side[other] = 0, 0
                changed = True
        if kind[r] != DISTANCE or side[r] == BOTH:
            continue
        if side[r] != 0:
            if side[r] * impulse[r] > 0.0:
                side[r] = 0
                changed = True
        elif early:
            length = math.hypot(*gap_at_end(r, term_first, particle, weight, gap, velocity, dt))
            slack = TAUT * upper[r] if upper[r] < math.inf else TAUT * lower[r]
            if length > max(upper[r], math.hypot(gap[r, 0], gap[r, 1])) + slack:
                side[r] = 1
                changed = True
            elif length < min(lower[r], math.hypot(gap[r, 0], gap[r, 1])) - slack:
                side[r] = -1
                changed = True
    return changed


@kernel
def calm(
    begin: int,
    end: int,
    kind: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    side: np.ndarray,
    impulse: np.ndarray,
) -> None:
    """Where no set of rows was found, or numbers ran out: keep what pulls the right way; nothing, where not finite."""
    finite = True
    for r in range(begin, end):
        finite &= math.isfinite(impulse[r])
    for r in range(begin, end):
        wrong = kind[r] == DISTANCE and lower[r] != upper[r] and side[r] * impulse[r] > 0.0
        if wrong or not finite:
            impulse[r] = 0.0
            side[r] = 0
