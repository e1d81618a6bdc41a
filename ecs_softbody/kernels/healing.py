"""Healing of a cut: with u = v - V - w × (x - x_c), what a particle's velocity has beyond the motion of the whole,

    u <- u exp(-h r),   r = STRENGTH · (time left / HEALING_TIME)

V is momentum over mass and w angular momentum over moment of inertia, so both momenta stay as they are. The radius of
the particles along the cut grows evenly to what it shall be.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean

HEALING_TIME = 0.5
"""How long a cut takes to heal [s]."""
STRENGTH = 150.0
"""How fast a piece stops deforming at first [1/s]."""


@lean
def heal(
    active: np.ndarray,
    position: np.ndarray,
    mass: np.ndarray,
    inverse_mass: np.ndarray,
    particle_first: np.ndarray,
    particle_last: np.ndarray,
    rows: np.ndarray,
    full_radius: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    dt: float,
    time_left: np.ndarray,
    radius: np.ndarray,
    velocity: np.ndarray,
) -> int:
    """Brake the bodies b in `active`, and let their `radius` grow; return how many have healed."""
    healed = 0
    for b in active:
        start, stop = particle_first[b], particle_last[b]
        brake(
            start, stop, position, mass, inverse_mass, math.exp(-dt * STRENGTH * time_left[b] / HEALING_TIME), velocity
        )
        share = min(dt / time_left[b], 1.0) if time_left[b] > 0.0 else 1.0
        for row in range(first[b], last[b]):
            radius[rows[row]] += share * (full_radius[row] - radius[rows[row]])
        time_left[b] = max(time_left[b] - dt, 0.0)
        if time_left[b] == 0.0:
            healed += 1
    return healed


@lean
def brake(
    start: int,
    stop: int,
    position: np.ndarray,
    mass: np.ndarray,
    inverse_mass: np.ndarray,
    kept: float,
    velocity: np.ndarray,
) -> None:
    """Keep this share of the velocity that the free particles [start, stop) have beyond the motion of the whole."""
    total, x, y, vx, vy = 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(start, stop):
        if inverse_mass[p] > 0.0:
            total += mass[p]
            x += mass[p] * position[p, 0]
            y += mass[p] * position[p, 1]
            vx += mass[p] * velocity[p, 0]
            vy += mass[p] * velocity[p, 1]
    if total == 0.0:
        return
    x, y, vx, vy = x / total, y / total, vx / total, vy / total
    spin, inertia = 0.0, 0.0
    for p in range(start, stop):
        if inverse_mass[p] > 0.0:
            dx, dy = position[p, 0] - x, position[p, 1] - y
            spin += mass[p] * (dx * (velocity[p, 1] - vy) - dy * (velocity[p, 0] - vx))
            inertia += mass[p] * (dx * dx + dy * dy)
    omega = spin / inertia if inertia > 0.0 else 0.0
    for p in range(start, stop):
        if inverse_mass[p] > 0.0:
            wx, wy = vx - omega * (position[p, 1] - y), vy + omega * (position[p, 0] - x)
            velocity[p, 0] = wx + kept * (velocity[p, 0] - wx)
            velocity[p, 1] = wy + kept * (velocity[p, 1] - wy)
