"""Rounds: sequential impulses over the busy contacts of a substep, and what becomes of the impulses."""

import numpy as np

from ecs_softbody.collision.busy import (
    COUPLE_X,
    COUPLE_Y,
    DISCS,
    EDGES,
    IDLE,
    MASS,
    OPEN_SPEED,
    PLACE,
    PUSH,
    ROUGH,
    RUB,
    RUB_MASS,
    SOFTNESS,
    SPEED,
    W_A,
    W_B,
    W_P,
    X,
    Y,
    are_discs,
    list_disc,
    list_edge,
)
from ecs_softbody.collision.response import (
    ALONG,
    FRAME_IMPULSE,
    FRICTION_IMPULSE,
    GAP,
    IMPULSE,
    IMPULSE_BEFORE,
    NORMAL_X,
    NORMAL_Y,
    impulses_of,
    normal_speed,
)
from ecs_softbody.kernels.compiling import lean, part

SETTLED = 0.1
LONGEST = 4
"""While a round changes a velocity by more than this [m/s] there are up to so many times as many rounds."""
CONVERGED = 1e-5
"""Rounds stop when none changes a velocity by more than what would move a particle by this [m] in the substep."""

TURNS = 6
"""So many parts of the list of discs take turns in a round."""


@lean
def start_discs(disc_rows: np.ndarray, discs: np.ndarray, first: int, predicted: np.ndarray) -> None:
    """Apply the impulses that the discs from `first` on start from."""
    for k in range(first, disc_rows.shape[0]):
        p, a = disc_rows[k, 0], disc_rows[k, 1]
        ix, iy = discs[k, PUSH] * discs[k, X], discs[k, PUSH] * discs[k, Y]
        predicted[p, 0] += discs[k, W_P] * ix
        predicted[p, 1] += discs[k, W_P] * iy
        predicted[a, 0] -= discs[k, W_A] * ix
        predicted[a, 1] -= discs[k, W_A] * iy


@lean
def start_edges(edge_rows: np.ndarray, edges: np.ndarray, first: int, predicted: np.ndarray) -> None:
    """Apply the impulses that the edges from `first` on start from."""
    for k in range(first, edge_rows.shape[0]):
        if edges[k, PUSH] != 0.0:
            apply_impulse(edge_rows, edges, k, edges[k, PUSH], edges[k, RUB], predicted)


@part
def apply_impulse(
    edge_rows: np.ndarray, edges: np.ndarray, k: int, along: float, across: float, velocity: np.ndarray
) -> None:
    """Change the velocities of p, a and b of the k-th edge by an impulse along and across the normal."""
    p, a, b = edge_rows[k, 0], edge_rows[k, 1], edge_rows[k, 2]
    px, py, ax, ay, bx, by = impulses_of(
        edges[k, X], edges[k, Y], edges[k, PLACE], edges[k, COUPLE_X], edges[k, COUPLE_Y], along, across
    )
    velocity[p, 0] += edges[k, W_P] * px
    velocity[p, 1] += edges[k, W_P] * py
    velocity[a, 0] += edges[k, W_A] * ax
    velocity[a, 1] += edges[k, W_A] * ay
    velocity[b, 0] += edges[k, W_B] * bx
    velocity[b, 1] += edges[k, W_B] * by


@lean
def push_discs(disc_rows: np.ndarray, discs: np.ndarray, predicted: np.ndarray) -> float:
    """Run one round over the discs; return the largest change of a relative velocity [m/s].

    Neighbours in the list often share a disc, so that one would wait for the other: far ones take turns instead.
    """
    change, size = 0.0, disc_rows.shape[0] // TURNS
    for k in range(size):
        for turn in range(TURNS):
            change = max(change, push_disc(disc_rows, discs, turn * size + k, predicted))
    for k in range(TURNS * size, disc_rows.shape[0]):
        change = max(change, push_disc(disc_rows, discs, k, predicted))
    return change


@part
def push_disc(disc_rows: np.ndarray, discs: np.ndarray, k: int, predicted: np.ndarray) -> float:
    """Find the impulse of two discs anew; return the change of their relative velocity [m/s]."""
    p, a, nx, ny = disc_rows[k, 0], disc_rows[k, 1], discs[k, X], discs[k, Y]
    px, py, ax, ay = predicted[p, 0], predicted[p, 1], predicted[a, 0], predicted[a, 1]
    old = discs[k, PUSH]
    new = max(old - discs[k, MASS] * ((px - ax) * nx + (py - ay) * ny + discs[k, OPEN_SPEED]), 0.0)
    along = new - old
    discs[k, PUSH] = new
    on_p, on_a = discs[k, W_P] * along, discs[k, W_A] * along
    predicted[p, 0], predicted[p, 1] = px + on_p * nx, py + on_p * ny
    predicted[a, 0], predicted[a, 1] = ax - on_a * nx, ay - on_a * ny
    return abs(along) * discs[k, SOFTNESS]


@lean
def push_edges(edge_rows: np.ndarray, edges: np.ndarray, predicted: np.ndarray) -> float:
    """Run one round over the edges; return the largest change of a relative velocity [m/s]."""
    change = 0.0
    for k in range(edge_rows.shape[0]):
        p, a, b = edge_rows[k, 0], edge_rows[k, 1], edge_rows[k, 2]
        nx, ny, t = edges[k, X], edges[k, Y], edges[k, PLACE]
        vx = predicted[p, 0] - (1.0 - t) * predicted[a, 0] - t * predicted[b, 0]
        vy = predicted[p, 1] - (1.0 - t) * predicted[a, 1] - t * predicted[b, 1]
        old, old_rub = edges[k, PUSH], edges[k, RUB]
        new = max(old - edges[k, MASS] * (vx * nx + vy * ny + edges[k, OPEN_SPEED]), 0.0)
        if new == 0.0 and old == 0.0 and old_rub == 0.0:
            continue
        slip = vy * nx - vx * ny - edges[k, SPEED]
        slip += edges[k, COUPLE_X] * (predicted[a, 0] - predicted[b, 0])
        slip += edges[k, COUPLE_Y] * (predicted[a, 1] - predicted[b, 1])
        limit = edges[k, ROUGH] * new
        new_rub = min(max(old_rub - edges[k, RUB_MASS] * slip, -limit), limit)
        edges[k, PUSH], edges[k, RUB] = new, new_rub
        along, across = new - old, new_rub - old_rub
        change = max(change, (abs(along) + abs(across)) * edges[k, SOFTNESS])
        apply_impulse(edge_rows, edges, k, along, across, predicted)
    return change


@lean
def is_one_missed(rows: np.ndarray, data: np.ndarray, predicted: np.ndarray, dt: float, idle: np.ndarray) -> bool:
    """Tell whether an idle contact would pass its gap now."""
    for k in range(idle.shape[0]):
        c = idle[k]
        p, a, b = rows[c, 0], rows[c, 1], rows[c, 2]
        speed = normal_speed(predicted, p, a, b, data[c, ALONG], data[c, NORMAL_X], data[c, NORMAL_Y])
        if speed * dt + max(data[c, GAP], 0.0) < 0.0:
            return True
    return False


@lean
def take_in_idle(
    rows: np.ndarray,
    data: np.ndarray,
    weight: np.ndarray,
    offset: int,
    dt: float,
    disc_rows: np.ndarray,
    discs: np.ndarray,
    edge_rows: np.ndarray,
    edges: np.ndarray,
    idle: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Add all idle contacts to the busy ones."""
    for k in range(counts[IDLE]):
        c = idle[k]
        if are_discs(rows, c, offset):
            list_disc(rows, data, c, weight, 1.0 / dt, disc_rows, discs, counts[DISCS])
            counts[DISCS] += 1
        else:
            list_edge(rows, data, c, weight, 1.0 / dt, edge_rows, edges, counts[EDGES])
            counts[EDGES] += 1
    counts[IDLE] = 0


@lean
def leave_idle(data: np.ndarray, idle: np.ndarray) -> None:
    """Note that the idle contacts did not push."""
    for k in range(idle.shape[0]):
        c = idle[k]
        data[c, IMPULSE_BEFORE], data[c, IMPULSE], data[c, FRICTION_IMPULSE] = data[c, IMPULSE], 0.0, 0.0


@lean
def share_impulses(
    data: np.ndarray,
    disc_rows: np.ndarray,
    discs: np.ndarray,
    edge_rows: np.ndarray,
    edges: np.ndarray,
    counts: np.ndarray,
    offset: int,
    dt: float,
    force: np.ndarray,
) -> None:
    """Add impulse / dt of every busy contact to `force` (N, 2), and the impulse to the contact and its frame."""
    for k in range(counts[DISCS]):
        p, a, c, along = disc_rows[k, 0], disc_rows[k, 1], disc_rows[k, 3], discs[k, PUSH]
        data[c, IMPULSE_BEFORE], data[c, IMPULSE] = data[c, IMPULSE], along
        data[c, FRAME_IMPULSE] += along
        fx, fy = along * discs[k, X] / dt, along * discs[k, Y] / dt
        force[p, 0] += fx
        force[p, 1] += fy
        force[a, 0] -= fx
        force[a, 1] -= fy
    for k in range(counts[EDGES]):
        p, a, b, c = edge_rows[k, 0], edge_rows[k, 1], edge_rows[k, 2], edge_rows[k, 3]
        along, across = edges[k, PUSH], edges[k, RUB]
        data[c, IMPULSE_BEFORE], data[c, IMPULSE], data[c, FRICTION_IMPULSE] = data[c, IMPULSE], along, across
        data[c, FRAME_IMPULSE] += along
        if along == 0.0 and across == 0.0:
            continue
        px, py, ax, ay, bx, by = impulses_of(
            edges[k, X], edges[k, Y], edges[k, PLACE], edges[k, COUPLE_X], edges[k, COUPLE_Y], along / dt, across / dt
        )
        if p < offset:
            force[p, 0] += px
            force[p, 1] += py
        if a < offset:
            force[a, 0] += ax
            force[a, 1] += ay
            force[b, 0] += bx
            force[b, 1] += by
