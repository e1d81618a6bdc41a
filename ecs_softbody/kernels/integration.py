"""Symplectic Euler: v' = v + h F/m, then x' = x + h v'."""

import math

import numpy as np

from ecs_softbody.kernels.compiling import kernel


@kernel
def integrate(
    active: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    kinematic: np.ndarray,
    force: np.ndarray,
    previous_position: np.ndarray,
    dt: float,
    speed_limit: float,
) -> None:
    """Move every free and kinematic particle in the row spans `active` (S, 2), keep where it was, and clear `force`."""
    fastest = speed_limit * speed_limit
    for span in range(active.shape[0]):
        for p in range(active[span, 0], active[span, 1]):
            previous_position[p, 0] = position[p, 0]
            previous_position[p, 1] = position[p, 1]
            w = inverse_mass[p]
            if w > 0.0:
                vx = velocity[p, 0] + dt * w * force[p, 0]
                vy = velocity[p, 1] + dt * w * force[p, 1]
                squared = vx * vx + vy * vy
                if squared > fastest:
                    kept = speed_limit / math.sqrt(squared)
                    vx *= kept
                    vy *= kept
                velocity[p, 0] = vx
                velocity[p, 1] = vy
            if w > 0.0 or kinematic[p]:
                position[p, 0] += dt * velocity[p, 0]
                position[p, 1] += dt * velocity[p, 1]
            force[p, 0] = 0.0
            force[p, 1] = 0.0


@kernel
def limit_speeds(active: np.ndarray, velocity: np.ndarray, speed_limit: float) -> None:
    """Shorten what is faster than the limit [m/s] in the row spans `active` (S, 2)."""
    for span in range(active.shape[0]):
        for p in range(active[span, 0], active[span, 1]):
            squared = velocity[p, 0] * velocity[p, 0] + velocity[p, 1] * velocity[p, 1]
            if squared > speed_limit * speed_limit:
                velocity[p, 0] *= speed_limit / math.sqrt(squared)
                velocity[p, 1] *= speed_limit / math.sqrt(squared)


@kernel
def refresh_inverse_mass(
    mass: np.ndarray, pinned: np.ndarray, kinematic: np.ndarray, velocity: np.ndarray, inverse_mass: np.ndarray
) -> bool:
    """Write 1/mass, 0 for a particle that nothing can push; tell whether any inverse mass changed.

    A fixed particle has no velocity either, a kinematic one keeps it.
    """
    changed = False
    for p in range(mass.shape[0]):
        w = 1.0 / mass[p] if mass[p] > 0.0 and not pinned[p] and not kinematic[p] else 0.0
        if w == 0.0 and (pinned[p] or not kinematic[p]):
            velocity[p, 0] = 0.0
            velocity[p, 1] = 0.0
        if w != inverse_mass[p]:
            inverse_mass[p] = w
            changed = True
    return changed
