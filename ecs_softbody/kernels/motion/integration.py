"""Integration: the stage that moves all particles once a substep h, after the forces, joints and
contact impulses are known, by symplectic Euler: v' = v + h F/m, then x' = x + h v'.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers2, Uint32s1
from ecs_softbody.parallel.compiling import entry, kernel

TURN = 2.0 * math.pi
"""A whole turn [rad]."""
LARGEST_ANGLE = 1e6
"""Angles beyond this [rad] are reduced by whole turns. The larger the number, the fewer digits the
angle within a turn has: at 1e16 rad none would be left.
"""


class Moving(NamedTuple):
    """Inputs and outputs of integration, for all particles, N rows."""

    position: Floats2  # (N, 2) [m]
    velocity: Floats2  # (N, 2) [m/s]
    inverse_mass: Floats1  # (N,) [1/kg]
    kinematic: Flags1  # (N,) whether it is moved by its velocity, which no force changes
    force: Floats2  # (N, 2) [N]
    previous_position: Floats2  # (N, 2) [m], where it was before the substep


@entry
def integrate(active: Integers2, particles: Moving, dt: float, speed_limit: float) -> None:
    """Move every free and kinematic particle in the spans `active` (S, 2) of awake rows, store
    where it was in `previous_position`, and clear `force` for the next substep. Free particles move
    no faster than speed_limit [m/s].
    """
    for span in range(active.shape[0]):
        integrate_rows(active[span, 0], active[span, 1], particles, dt, speed_limit)


@kernel
def integrate_rows(first: int, last: int, particles: Moving, dt: float, speed_limit: float) -> None:
    """Move the particles of the rows [first, last), as `integrate` does."""
    rows = slice(first, last)
    both = slice(2 * first, 2 * last)
    part = Moving(
        particles.position.reshape(-1)[both],
        particles.velocity.reshape(-1)[both],
        particles.inverse_mass[rows],
        particles.kinematic[rows],
        particles.force.reshape(-1)[both],
        particles.previous_position.reshape(-1)[both],
    )
    move_particles(part, dt, speed_limit)


@kernel
def move_particles(particles: Moving, dt: float, speed_limit: float) -> None:
    """Move consecutive particles. position, velocity, force and previous_position are flat here,
    (2 N,) with x and y alternating.

    The loop has no branches and no roots and runs over plain columns, so that vector instructions
    move several particles at a time. Particles that are too fast, which is rare, are moved once
    more.
    """
    position = particles.position
    velocity = particles.velocity
    force = particles.force
    before = particles.previous_position
    inverse_mass = particles.inverse_mass
    kinematic = particles.kinematic
    fastest = speed_limit * speed_limit
    beyond = 0
    for p in range(len(inverse_mass)):
        x = position[2 * p]
        y = position[2 * p + 1]
        w = inverse_mass[p]
        free = w > 0.0
        vx = velocity[2 * p] + dt * w * force[2 * p]
        vy = velocity[2 * p + 1] + dt * w * force[2 * p + 1]
        beyond |= free & (vx * vx + vy * vy > fastest)
        vx = vx if free else velocity[2 * p]
        vy = vy if free else velocity[2 * p + 1]
        moves = free | (kinematic[p] != 0)
        before[2 * p] = x
        before[2 * p + 1] = y
        velocity[2 * p] = vx
        velocity[2 * p + 1] = vy
        position[2 * p] = x + dt * vx if moves else x
        position[2 * p + 1] = y + dt * vy if moves else y
        force[2 * p] = force[2 * p + 1] = 0.0
    if beyond != 0:
        move_slower(particles, dt, speed_limit)


@kernel
def move_slower(particles: Moving, dt: float, speed_limit: float) -> None:
    """Move the free particles that have just moved faster than speed_limit again, from where they
    were, at that speed; the direction stays. Arrays are flat as in `move_particles`.
    """
    position = particles.position
    velocity = particles.velocity
    before = particles.previous_position
    for p in range(len(particles.inverse_mass)):
        vx = velocity[2 * p]
        vy = velocity[2 * p + 1]
        squared = vx * vx + vy * vy
        if particles.inverse_mass[p] > 0.0 and squared > speed_limit * speed_limit:
            kept = speed_limit / math.sqrt(squared)
            velocity[2 * p] = vx * kept
            velocity[2 * p + 1] = vy * kept
            position[2 * p] = before[2 * p] + dt * (vx * kept)
            position[2 * p + 1] = before[2 * p + 1] + dt * (vy * kept)


@entry
def limit_speeds(active: Integers2, velocity: Floats2, speed_limit: float) -> None:
    """Shorten velocities (N, 2) beyond the limit [m/s] in the spans `active` (S, 2) of awake
    rows.
    """
    for span in range(active.shape[0]):
        if not any_faster(
            velocity.reshape(-1)[2 * active[span, 0] : 2 * active[span, 1]], speed_limit
        ):
            continue
        for p in range(active[span, 0], active[span, 1]):
            squared = velocity[p, 0] * velocity[p, 0] + velocity[p, 1] * velocity[p, 1]
            if squared > speed_limit * speed_limit:
                velocity[p, 0] *= speed_limit / math.sqrt(squared)
                velocity[p, 1] *= speed_limit / math.sqrt(squared)


@kernel
def any_faster(velocity: np.ndarray, speed_limit: float) -> bool:
    """Return whether any speed exceeds the limit [m/s]. velocity: (2 N,), x and y alternating."""
    found = False
    for p in range(len(velocity) // 2):
        vx = velocity[2 * p]
        vy = velocity[2 * p + 1]
        found |= vx * vx + vy * vy > speed_limit * speed_limit
    return found


@entry
def advance_angles(active: Integers2, angular_velocity: Floats1, angle: Floats1, dt: float) -> None:
    """Advance the angles (N,) [rad] of the discs in the spans `active` (S, 2) of awake rows by
    their angular velocities (N,) [rad/s]; reduce angles beyond LARGEST_ANGLE by whole turns.
    """
    for span in range(active.shape[0]):
        first = np.uint64(active[span, 0])
        last = np.uint64(active[span, 1])
        if add_turns(angular_velocity[first:last], angle[first:last], dt):
            for p in range(first, last):
                if abs(angle[p]) > LARGEST_ANGLE:
                    angle[p] -= TURN * math.floor(angle[p] / TURN)


@kernel
def add_turns(angular_velocity: np.ndarray, angle: np.ndarray, dt: float) -> bool:
    """Advance angles (N,) [rad]; return whether any is beyond LARGEST_ANGLE. A loop of its own, so
    that it is compiled to vector instructions.
    """
    found = False
    for p in range(len(angle)):
        angle[p] += dt * angular_velocity[p]
        found |= abs(angle[p]) > LARGEST_ANGLE
    return found


@entry
def refresh_inverse_mass(
    mass: Floats1, pinned: Flags1, kinematic: Flags1, velocity: Floats2, angular_velocity: Floats1,
    inverse_mass: Floats1, body: Uint32s1, changed: Flags1,
) -> bool:  # fmt: skip
    """Write inverse_mass = 1/mass, or 0 for a particle that no force moves: pinned, kinematic, or
    without mass. Return whether any changed, and mark the bodies of those in `changed` (B,).

    A pinned particle loses its velocity, a kinematic particle keeps it.
    """
    found = False
    for p in range(mass.shape[0]):
        w = 1.0 / mass[p] if mass[p] > 0.0 and not pinned[p] and not kinematic[p] else 0.0
        if w == 0.0 and (pinned[p] or not kinematic[p]):
            velocity[p, 0] = 0.0
            velocity[p, 1] = 0.0
            angular_velocity[p] = 0.0
        if w != inverse_mass[p]:
            inverse_mass[p] = w
            changed[body[p]] = found = True
    return found
