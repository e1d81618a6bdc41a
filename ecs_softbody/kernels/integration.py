"""Symplectic Euler: v' = v + h F/m, then x' = x + h v'."""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean


@lean
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
    place, motion = position.reshape(-1), velocity.reshape(-1)
    push, before = force.reshape(-1), previous_position.reshape(-1)
    for span in range(active.shape[0]):
        rows = slice(active[span, 0], active[span, 1])
        both = slice(2 * active[span, 0], 2 * active[span, 1])
        move_particles(
            place[both], motion[both], inverse_mass[rows], kinematic[rows], push[both], before[both], dt, speed_limit
        )


@lean
def move_particles(
    place: np.ndarray,
    motion: np.ndarray,
    inverse_mass: np.ndarray,
    kinematic: np.ndarray,
    push: np.ndarray,
    before: np.ndarray,
    dt: float,
    speed_limit: float,
) -> None:
    """Do it for particles in a row; place, motion, push and before hold x and y in turn, (2 N,).

    A loop without branches on plain columns: several particles are moved by one instruction.
    """
    fastest = speed_limit * speed_limit
    for p in range(len(inverse_mass)):
        x, y, w = place[2 * p], place[2 * p + 1], inverse_mass[p]
        free = w > 0.0
        vx = motion[2 * p] + dt * w * push[2 * p]
        vy = motion[2 * p + 1] + dt * w * push[2 * p + 1]
        squared = vx * vx + vy * vy
        kept = speed_limit / math.sqrt(squared) if squared > fastest else 1.0
        vx = vx * kept if free else motion[2 * p]
        vy = vy * kept if free else motion[2 * p + 1]
        moves = free | (kinematic[p] != 0)
        before[2 * p], before[2 * p + 1] = x, y
        motion[2 * p], motion[2 * p + 1] = vx, vy
        place[2 * p] = x + dt * vx if moves else x
        place[2 * p + 1] = y + dt * vy if moves else y
        push[2 * p] = push[2 * p + 1] = 0.0


@lean
def limit_speeds(active: np.ndarray, velocity: np.ndarray, speed_limit: float) -> None:
    """Shorten what is faster than the limit [m/s] in the row spans `active` (S, 2)."""
    for span in range(active.shape[0]):
        if not any_faster(velocity.reshape(-1)[2 * active[span, 0] : 2 * active[span, 1]], speed_limit):
            continue
        for p in range(active[span, 0], active[span, 1]):
            squared = velocity[p, 0] * velocity[p, 0] + velocity[p, 1] * velocity[p, 1]
            if squared > speed_limit * speed_limit:
                velocity[p, 0] *= speed_limit / math.sqrt(squared)
                velocity[p, 1] *= speed_limit / math.sqrt(squared)


@lean
def any_faster(motion: np.ndarray, speed_limit: float) -> bool:
    """Tell whether any velocity is greater than the limit [m/s]; motion holds x and y in turn, (2 N,)."""
    found = False
    for p in range(len(motion) // 2):
        found |= motion[2 * p] * motion[2 * p] + motion[2 * p + 1] * motion[2 * p + 1] > speed_limit * speed_limit
    return found


@lean
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
