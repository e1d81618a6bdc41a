"""Response: sequential impulses on velocities (E. Catto's method, for particles).

For a contact with weights 1, -(1-t), -t on p, a, b, normal n and gap g (negative when they overlap):

    v_n = (v_p - (1-t) v_a - t v_b)·n,   1/W = w_p + (1-t)² w_a + t² w_b
    normal:   λ = max(0, λ - W (v_n + max(g, 0)/h))         speculative: the gap may close, not be passed
    friction: λ_t = clamp(λ_t - W (v_t - s), ±μ λ)         s: speed of a conveyor, along (-n_y, n_x)

The weighted impulses sum to zero in force. Friction acts at p and at the closest point of the edge, s n apart, which
would turn the pair by s λ_t; a couple ± s λ_t e⊥/|e|² on a and b takes that back, so that the torque sums to zero too.
Two discs have no edge that could take a couple: between them there is no friction.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import kernel

# Columns of the contact array `data`, shape (C, COLUMNS); what every iteration needs comes first.
NORMAL_X, NORMAL_Y, ALONG, GAP, WEIGHT, IMPULSE, FRICTION_IMPULSE, ACTIVE = 0, 1, 2, 3, 4, 5, 6, 7
LEVER_X, LEVER_Y, FRICTION_WEIGHT, FRICTION, SURFACE, FRAME_IMPULSE = 8, 9, 10, 11, 12, 13
APPROACH, RESTITUTION, IMPULSE_BEFORE, SLOP = 14, 15, 16, 17
COLUMNS = 18

SPARE_SPEED = 5.0
"""Contacts that could close faster by this [m/s] without touching are left out of the rounds."""
SETTLED = 0.1
LONGEST = 4
"""While a round changes a velocity by more than this [m/s] there are up to so many times as many rounds."""
CONVERGED = 1e-6
"""Sequential impulses stop when no velocity changes by more than this [m/s]."""


@kernel
def normal_speed(velocity: np.ndarray, p: int, a: int, b: int, t: float, nx: float, ny: float) -> float:
    """Return the relative velocity of point and edge along n [m/s]; negative when they approach."""
    vx = velocity[p, 0] - (1.0 - t) * velocity[a, 0] - t * velocity[b, 0]
    vy = velocity[p, 1] - (1.0 - t) * velocity[a, 1] - t * velocity[b, 1]
    return vx * nx + vy * ny


@kernel
def apply_impulse(
    velocity: np.ndarray,
    weight: np.ndarray,
    data: np.ndarray,
    c: int,
    p: int,
    a: int,
    b: int,
    along: float,
    across: float,
) -> None:
    """Change the velocities of p, a and b by an impulse along and across the normal, its reaction and its couple."""
    nx, ny, t = data[c, NORMAL_X], data[c, NORMAL_Y], data[c, ALONG]
    ix, iy = along * nx - across * ny, along * ny + across * nx
    jx, jy = across * data[c, LEVER_X], across * data[c, LEVER_Y]
    velocity[p, 0] += weight[p] * ix
    velocity[p, 1] += weight[p] * iy
    velocity[a, 0] += weight[a] * (jx - (1.0 - t) * ix)
    velocity[a, 1] += weight[a] * (jy - (1.0 - t) * iy)
    velocity[b, 0] -= weight[b] * (jx + t * ix)
    velocity[b, 1] -= weight[b] * (jy + t * iy)


@kernel
def solve_contacts(
    rows: np.ndarray,
    data: np.ndarray,
    predicted: np.ndarray,
    weight: np.ndarray,
    dt: float,
    iterations: int,
    busy: np.ndarray,
) -> None:
    """Warm-start and iterate sequential impulses on the predicted velocities, in place.

    Contacts that are far from pushing are left out, unless a last look shows that one has to push after all.
    busy: room for the numbers of the others, shape (C,).
    """
    warm_start(rows, data, predicted, weight)
    count = select_busy(rows, data, predicted, dt, SPARE_SPEED, busy)
    iterate(rows, data, predicted, weight, dt, iterations, busy, count)
    if is_one_missed(rows, data, predicted, dt, busy, count):
        count = select_busy(rows, data, predicted, dt, math.inf, busy)
        iterate(rows, data, predicted, weight, dt, iterations, busy, count)


@kernel
def warm_start(rows: np.ndarray, data: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> None:
    """Start from the smaller one of the last two impulses.

    Under load both are alike, but where saturated springs push with alternating sign the last impulse is the wrong
    guess, and would feed energy in.
    """
    for c in range(rows.shape[0]):
        last = data[c, IMPULSE]
        if data[c, ACTIVE] == 0.0 or (last == 0.0 and data[c, IMPULSE_BEFORE] == 0.0):
            continue
        along = min(last, data[c, IMPULSE_BEFORE])
        across = data[c, FRICTION_IMPULSE] * along / last if last > 0.0 else 0.0
        data[c, IMPULSE], data[c, FRICTION_IMPULSE], data[c, IMPULSE_BEFORE] = along, across, last
        apply_impulse(predicted, weight, data, c, rows[c, 0], rows[c, 1], rows[c, 2], along, across)


@kernel
def spare_speed(rows: np.ndarray, data: np.ndarray, predicted: np.ndarray, c: int, dt: float) -> float:
    """Return how much faster [m/s] the point could come nearer before it would pass the gap in this substep."""
    speed = normal_speed(
        predicted, rows[c, 0], rows[c, 1], rows[c, 2], data[c, ALONG], data[c, NORMAL_X], data[c, NORMAL_Y]
    )
    return float(speed + max(data[c, GAP], 0.0) / dt)


@kernel
def select_busy(
    rows: np.ndarray, data: np.ndarray, predicted: np.ndarray, dt: float, spare: float, busy: np.ndarray
) -> int:
    """Write the contacts that push or have less than `spare` [m/s] to spare; return their number."""
    count: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for c in range(rows.shape[0]):
        if data[c, ACTIVE] == 0.0:
            continue
        if data[c, IMPULSE] > 0.0 or spare_speed(rows, data, predicted, c, dt) < spare:
            busy[count] = c
            count += 1
    return count


@kernel
def is_one_missed(
    rows: np.ndarray, data: np.ndarray, predicted: np.ndarray, dt: float, busy: np.ndarray, count: int
) -> bool:
    """Tell whether a contact that is not busy would pass its gap now."""
    k = 0
    for c in range(rows.shape[0]):
        if k < count and busy[k] == c:
            k += 1
        elif data[c, ACTIVE] != 0.0 and spare_speed(rows, data, predicted, c, dt) < 0.0:
            return True
    return False


@kernel
def iterate(
    rows: np.ndarray,
    data: np.ndarray,
    predicted: np.ndarray,
    weight: np.ndarray,
    dt: float,
    iterations: int,
    busy: np.ndarray,
    count: int,
) -> None:
    """Run rounds of sequential impulses over the busy contacts, until nothing changes.

    There are more than `iterations` as long as velocities still change by much: where a heavy load rests on light ones.
    """
    for done in range(1, LONGEST * iterations + 1):
        change = 0.0
        for k in range(count):
            c = busy[k]
            p, a, b = rows[c, 0], rows[c, 1], rows[c, 2]
            t, nx, ny = data[c, ALONG], data[c, NORMAL_X], data[c, NORMAL_Y]
            vx = predicted[p, 0] - (1.0 - t) * predicted[a, 0] - t * predicted[b, 0]
            vy = predicted[p, 1] - (1.0 - t) * predicted[a, 1] - t * predicted[b, 1]
            old = data[c, IMPULSE]
            new = old - data[c, WEIGHT] * (vx * nx + vy * ny + max(data[c, GAP], 0.0) / dt)
            if new < 0.0:
                new = 0.0
            old_friction = data[c, FRICTION_IMPULSE]
            if new == 0.0 and old == 0.0 and old_friction == 0.0:
                continue
            limit = data[c, FRICTION] * new
            slip = vy * nx - vx * ny - data[c, SURFACE]
            slip += data[c, LEVER_X] * (predicted[a, 0] - predicted[b, 0])
            slip += data[c, LEVER_Y] * (predicted[a, 1] - predicted[b, 1])
            new_friction = old_friction - data[c, FRICTION_WEIGHT] * slip
            if new_friction > limit:
                new_friction = limit
            elif new_friction < -limit:
                new_friction = -limit
            data[c, IMPULSE], data[c, FRICTION_IMPULSE] = new, new_friction
            along, across = new - old, new_friction - old_friction
            change = max(change, (abs(along) + abs(across)) / data[c, WEIGHT])
            apply_impulse(predicted, weight, data, c, p, a, b, along, across)
        if change < CONVERGED or (done >= iterations and change < SETTLED):
            break


@kernel
def impulses_to_forces(rows: np.ndarray, data: np.ndarray, offset: int, dt: float, force: np.ndarray) -> None:
    """Add impulse / dt of every contact to `force` (N, 2), and the impulse to the sum of the frame."""
    for c in range(rows.shape[0]):
        along, across = data[c, IMPULSE], data[c, FRICTION_IMPULSE]
        if data[c, ACTIVE] == 0.0 or (along == 0.0 and across == 0.0):
            continue
        data[c, FRAME_IMPULSE] += along
        fx = (along * data[c, NORMAL_X] - across * data[c, NORMAL_Y]) / dt
        fy = (along * data[c, NORMAL_Y] + across * data[c, NORMAL_X]) / dt
        jx, jy = across * data[c, LEVER_X] / dt, across * data[c, LEVER_Y] / dt
        p, a, b, t = rows[c, 0], rows[c, 1], rows[c, 2], data[c, ALONG]
        if p < offset:
            force[p, 0] += fx
            force[p, 1] += fy
        if a < offset:
            force[a, 0] += jx - (1.0 - t) * fx
            force[a, 1] += jy - (1.0 - t) * fy
            force[b, 0] -= jx + t * fx
            force[b, 1] -= jy + t * fy


@kernel
def predict_velocities(
    active: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    force: np.ndarray,
    dt: float,
    predicted: np.ndarray,
) -> None:
    """Write the velocities (N, 2) that the forces so far will give, in the spans of rows `active` (S, 2)."""
    for span in range(active.shape[0]):
        for p in range(active[span, 0], active[span, 1]):
            predicted[p, 0] = velocity[p, 0] + dt * inverse_mass[p] * force[p, 0]
            predicted[p, 1] = velocity[p, 1] + dt * inverse_mass[p] * force[p, 1]
