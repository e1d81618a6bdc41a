"""Joints that lean on contacts: a particle that was pressed against something moves along it only, until it is let go.

Contacts are solved after the joints. A rope that did not know of its peg would take its light particles into the peg,
instead
of holding what hangs at its ends. So where a contact pushed in the last substep, the particle has the inverse mass
W = w (1 - (1 - φ) n nᵀ); φ = w_other/(w + w_other) is what the other side yields, 0 for a wall. One that friction held
sticks, W = w φ, until more than the friction pulls at it. The push itself is left to the contacts.
"""

import numpy as np

from ecs_softbody.kernels.compiling import kernel
from ecs_softbody.kernels.joint_arrays import Motion

NORMAL_X, NORMAL_Y, YIELDING, LEAST, STRENGTH, FRICTION, ACROSS, HELD = 0, 1, 2, 3, 4, 5, 6, 7
"""Columns of `leaning` (N, 8): normal, φ, least speed along the normal, impulse of the last substep, friction, speed
of the
other side across the normal (-n_y, n_x), and 1 where friction held it."""
FREE, SLIDES, STICKS = 0, 1, 2
HALF = 0.5
POSSIBLE = 1e-100
"""Strength of a contact that did not push [N·s]: it may have to."""
HOLDING = 0.999
"""Share of the most that friction can do, above which a contact slides."""
MISSED = 1e-6
"""A contact is leant on when it would close faster than it may by this [m/s]."""


@kernel
def find_leaning(
    contacts: np.ndarray,
    normals: np.ndarray,
    along: np.ndarray,
    gaps: np.ndarray,
    impulse: np.ndarray,
    rubbing: np.ndarray,
    friction: np.ndarray,
    surface: np.ndarray,
    active: np.ndarray,
    dt: float,
    offset: int,
    body: np.ndarray,
    weight: np.ndarray,
    velocity: np.ndarray,
    wall_velocity: np.ndarray,
    used: np.ndarray,
    in_use: np.ndarray,
    leaning: np.ndarray,
) -> None:
    """Write for each of the particles `used` the contact that presses it most.

    contacts (C, 3): point and both ends of an edge; rows from `offset` on are vertices of walls. in_use (N,): room.
    """
    for p in used:
        in_use[p] = True
        leaning[p, STRENGTH] = 0.0
    for c in range(len(contacts)):
        if active[c] != 0.0:
            strength = impulse[c] + POSSIBLE / (1.0 + max(gaps[c], 0.0))
            open_speed = max(gaps[c], 0.0) / dt
            p, a, b, t = contacts[c, 0], contacts[c, 1], contacts[c, 2], along[c]
            nx, ny = normals[c, 0], normals[c, 1]
            nearer = a if t <= HALF else b
            edge = (1.0 - t) * (1.0 - t) * weight[a] + t * t * weight[b]
            if p < offset and nearer < offset and body[p] == body[nearer]:
                continue  # neighbours of a chain touch; what holds them is the joint
            held = 1.0 if abs(rubbing[c]) < HOLDING * friction[c] * impulse[c] else 0.0
            if p < offset and in_use[p] and strength > leaning[p, STRENGTH]:
                vx, vy = 0.0, 0.0
                for q, share in ((a, 1.0 - t), (b, t)):
                    if q >= offset:
                        vx += share * wall_velocity[q - offset, 0]
                        vy += share * wall_velocity[q - offset, 1]
                    else:
                        vx += share * velocity[q, 0]
                        vy += share * velocity[q, 1]
                lean(leaning, p, nx, ny, edge, weight[p], vx, vy, open_speed, surface[c], strength, friction[c], held)
            if nearer < offset and in_use[nearer] and strength > leaning[nearer, STRENGTH]:
                if p >= offset:
                    vx, vy = wall_velocity[p - offset, 0], wall_velocity[p - offset, 1]
                else:
                    vx, vy = velocity[p, 0], velocity[p, 1]
                lean(
                    leaning,
                    nearer,
                    -nx,
                    -ny,
                    weight[p],
                    weight[nearer],
                    vx,
                    vy,
                    open_speed,
                    surface[c],
                    strength,
                    friction[c],
                    held,
                )
    for p in used:
        in_use[p] = False


@kernel
def lean(
    leaning: np.ndarray,
    p: int,
    nx: float,
    ny: float,
    other: float,
    own: float,
    vx: float,
    vy: float,
    open_speed: float,
    surface: float,
    strength: float,
    friction: float,
    held: float,
) -> None:
    """Write the row of one particle; other, own: inverse masses; (vx, vy): of the other side."""
    leaning[p, NORMAL_X], leaning[p, NORMAL_Y] = nx, ny
    leaning[p, YIELDING] = other / (own + other) if own + other > 0.0 else 0.0
    leaning[p, LEAST], leaning[p, STRENGTH] = vx * nx + vy * ny - open_speed, strength
    leaning[p, FRICTION], leaning[p, ACROSS], leaning[p, HELD] = friction, vy * nx - vx * ny + surface, held


@kernel
def moved(p: int, jx: float, jy: float, motion: Motion) -> tuple[float, float]:
    """Return what is left of an impulse on a particle when its contact has taken its part."""
    state, leaning = motion.leans[p], motion.leaning
    if state == FREE:
        return jx, jy
    kept = leaning[p, YIELDING]
    if state == STICKS:
        return kept * jx, kept * jy
    nx, ny = leaning[p, NORMAL_X], leaning[p, NORMAL_Y]
    into = (1.0 - kept) * (jx * nx + jy * ny)
    return jx - into * nx, jy - into * ny


@kernel
def begin_leans(members: np.ndarray, motion: Motion) -> None:
    """Lean on the contacts that pushed in the last substep."""
    for p in members:
        motion.leans[p] = FREE
        if motion.leaning[p, STRENGTH] > POSSIBLE:
            motion.leans[p] = STICKS if motion.leaning[p, HELD] > 0.0 else SLIDES


@kernel
def start_members(members: np.ndarray, motion: Motion) -> None:
    """Start from what the other forces give, without what goes into a contact."""
    predicted, velocity, leaning = motion.predicted, motion.velocity, motion.leaning
    for p in members:
        velocity[p, 0], velocity[p, 1] = predicted[p, 0], predicted[p, 1]
        motion.kick[p, 0], motion.kick[p, 1] = 0.0, 0.0
        if motion.leans[p] != FREE:
            nx, ny, taken = leaning[p, NORMAL_X], leaning[p, NORMAL_Y], 1.0 - leaning[p, YIELDING]
            into = taken * (predicted[p, 0] * nx + predicted[p, 1] * ny - leaning[p, LEAST])
            across = taken * (predicted[p, 1] * nx - predicted[p, 0] * ny - leaning[p, ACROSS])
            across = across if motion.leans[p] == STICKS else 0.0
            velocity[p, 0] -= into * nx - across * ny
            velocity[p, 1] -= into * ny + across * nx


@kernel
def change_leans(members: np.ndarray, motion: Motion, early: bool) -> bool:
    """Let go of particles that would have to be drawn to their contact, take in those that would pass it; tell
    whether any.
    """
    changed, leans, leaning = False, motion.leans, motion.leaning
    for p in members:
        nx, ny = leaning[p, NORMAL_X], leaning[p, NORMAL_Y]
        if early and leans[p] == FREE and leaning[p, STRENGTH] > 0.0:
            if motion.velocity[p, 0] * nx + motion.velocity[p, 1] * ny < leaning[p, LEAST] - MISSED:
                leans[p] = SLIDES
                changed = True
        elif leans[p] != FREE:
            ox, oy, w = motion.predicted[p, 0], motion.predicted[p, 1], motion.inverse_mass[p]
            kx, ky = w * motion.kick[p, 0], w * motion.kick[p, 1]
            away = ox * nx + oy * ny - leaning[p, LEAST]
            away += kx * nx + ky * ny
            if away > 0.0:
                leans[p] = FREE
                changed = True
            elif leans[p] == STICKS:
                across = oy * nx - ox * ny - leaning[p, ACROSS]
                across += ky * nx - kx * ny
                if abs(across) > -leaning[p, FRICTION] * away:
                    leans[p] = SLIDES
                    changed = True
    return changed
