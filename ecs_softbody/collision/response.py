"""Response: sequential impulses on velocities (E. Catto's method, for particles).

For a contact with weights 1, -(1-t), -t on p, a, b, normal n and gap g (negative when they overlap):

    v_n = (v_p - (1-t) v_a - t v_b)·n,   1/W = w_p + (1-t)² w_a + t² w_b
    normal:   λ = max(0, λ - W (v_n + max(g, 0)/h))         speculative: the gap may close, not be passed
    friction: λ_t = clamp(λ_t - W (v_t - s), ±μ λ)         s: speed of a conveyor, along (-n_y, n_x)

The weighted impulses sum to zero in force. Friction acts at p and at the closest point of the edge, s n apart, which
would turn the pair by s λ_t; a couple ± s λ_t e⊥/|e|² on a and b takes that back, so that the torque sums to zero too.
Two discs have no edge that could take a couple: between them there is no friction.

Here are the columns of contacts and the formulas; busy.py lists the contacts that take part in a substep, rounds.py
solves them.
"""

import numpy as np

from ecs_softbody.kernels.compiling import lean, part

# Columns of the contact array `data`, shape (C, COLUMNS); what two discs need comes first.
NORMAL_X, NORMAL_Y, GAP, WEIGHT, IMPULSE, IMPULSE_BEFORE, ACTIVE, APPROACH = 0, 1, 2, 3, 4, 5, 6, 7
RESTITUTION, FRAME_IMPULSE, SLOP, ALONG, FRICTION_IMPULSE, FRICTION, SURFACE = 8, 9, 10, 11, 12, 13, 14
LEVER_X, LEVER_Y, FRICTION_WEIGHT = 15, 16, 17
COLUMNS = 18
ONE, TWO = np.uint64(1), np.uint64(2)


@part
def normal_speed(velocity: np.ndarray, p: int, a: int, b: int, t: float, nx: float, ny: float) -> float:
    """Return the relative velocity of point and edge along n [m/s]; negative when they approach."""
    vx = velocity[p, 0] - (1.0 - t) * velocity[a, 0] - t * velocity[b, 0]
    vy = velocity[p, 1] - (1.0 - t) * velocity[a, 1] - t * velocity[b, 1]
    return vx * nx + vy * ny


@part
def impulses_of(
    nx: float, ny: float, t: float, lever_x: float, lever_y: float, along: float, across: float
) -> tuple[float, float, float, float, float, float]:
    """Return the impulses on p, a and b (x and y of each) of one along and across the normal, with its couple."""
    ix, iy = along * nx - across * ny, along * ny + across * nx
    jx, jy = across * lever_x, across * lever_y
    return ix, iy, jx - (1.0 - t) * ix, jy - (1.0 - t) * iy, -jx - t * ix, -jy - t * iy


@lean
def predict_velocities(
    active: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    force: np.ndarray,
    dt: float,
    predicted: np.ndarray,
) -> None:
    """Write the velocities (N, 2) that the forces so far will give, in the spans of rows `active` (S, 2).

    x and y of all particles lie in a row, counted without sign, so that vectors can take several at once.
    """
    now, push, then = velocity.reshape(-1), force.reshape(-1), predicted.reshape(-1)
    for span in range(active.shape[0]):
        for p in range(np.uint64(active[span, 0]), np.uint64(active[span, 1])):
            x, y, share = TWO * p, TWO * p + ONE, dt * inverse_mass[p]
            then[x] = now[x] + share * push[x]
            then[y] = now[y] + share * push[y]
