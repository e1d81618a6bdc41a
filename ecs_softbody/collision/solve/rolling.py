"""Rolling resistance: a torque against the relative angular velocity of two bodies in contact, or of body and wall.

    T = clamp(-SHARE (ω_i - ω_j) / (1/I_i + 1/I_j), ± c λ r)

with the impulse λ that kept them apart during the frame, the smaller radius of gyration r of the two and the larger
coefficient c. It turns a body as a whole, in proportion to mass: its momentum stays, and the other body gets the
opposite torque. Without it a round body of springs and gas would rock and roll for minutes. It takes only a share of
the angular velocity: to take all of it would press resting points into their support, and a pile would never rest.
What has not pushed in the last two substeps has parted, and is left alone: bounces are no rolling, and took a fifth of
the energy of an elastic plate in ten seconds.

A disc that turns by itself is braked at each of its contacts, with its radius as r.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Uint32s1
from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows
from ecs_softbody.collision.solve.correct import limit_speed
from ecs_softbody.parallel.compiling import entry, inline, kernel

SHARE = 0.1
"""Most of the angular velocity that is taken in a frame."""


class RollingBodies(NamedTuple):
    """B bodies and E static edges."""

    rolls: Flags1  # (B,) whether the resistance acts on a body as a whole
    discs: Flags1  # (B,) whether it acts on its discs, see spin.py
    resistance: Floats1  # (B,) coefficient
    start: Uint32s1  # (B,) first particle
    stop: Uint32s1  # (B,) after the last particle
    wall_angular_velocity: Floats1  # (E,) [rad/s]


@entry
def resist_rolling(
    contacts: ContactArrays, bodies: RollingBodies, motion: ParticleArrays, rotations: Floats2, speed_limit: float
) -> None:
    """Slow down the relative rotation of every pair of proxies whose contacts pushed in this frame.

    The contacts of a pair follow each other. rotations: workspace (2, 8), see `find_rotation`.
    """
    proxies, records, body_count, rolls = contacts.proxies, contacts.records, bodies.rolls.shape[0], bodies.rolls
    start, stop, resistance, c = bodies.start, bodies.stop, bodies.resistance, 0
    while c < proxies.shape[0]:
        i, j = min(proxies[c, 0], proxies[c, 1]), max(proxies[c, 0], proxies[c, 1])
        impulse, touch = 0.0, False
        while c < proxies.shape[0] and joins(proxies[c, 0], proxies[c, 1], i, j):
            impulse += records[c]["frame_impulse"]
            touch |= max(records[c]["normal_impulse"], records[c]["previous_impulse"]) > 0.0
            c += 1
        if not touch or i == j or not rolls[i] or (j < body_count and not rolls[j]):
            continue
        coefficient = resistance[i] if j >= body_count else max(resistance[i], resistance[j])
        if coefficient == 0.0:
            continue
        find_rotation(start[i], stop[i], motion.position, motion.velocity, motion.inverse_mass, rotations[0])
        if j < body_count:
            find_rotation(start[j], stop[j], motion.position, motion.velocity, motion.inverse_mass, rotations[1])
        else:
            rotations[1, 0], rotations[1, 1] = bodies.wall_angular_velocity[j - body_count], 0.0
        inverse = rotations[0, 1] + rotations[1, 1]
        if inverse == 0.0:
            continue
        gyration = rotations[0, 2] if j >= body_count else min(rotations[0, 2], rotations[1, 2])
        limit = coefficient * impulse * gyration
        torque = min(max(SHARE * (rotations[1, 0] - rotations[0, 0]) / inverse, -limit), limit)
        rotate_rows(start[i], stop[i], motion, rotations[0], torque * rotations[0, 1], speed_limit)
        if j < body_count:
            rotate_rows(start[j], stop[j], motion, rotations[1], -torque * rotations[1, 1], speed_limit)


@entry
def resist_spinning(
    contacts: ContactArrays, bodies: RollingBodies, motion: ParticleArrays, rows: Rows, rotations: Floats2,
    speed_limit: float,
) -> None:  # fmt: skip
    """Slow down discs that turn against what they touch, where it pushed in this frame."""
    body_count, spin = bodies.rolls.shape[0], motion.angular_velocity
    for c in range(contacts.rows.shape[0]):
        p, a, contact = contacts.rows[c, 0], contacts.rows[c, 1], contacts.records[c]
        i, j = contacts.proxies[c, 0], contacts.proxies[c, 1]
        if contact["normal_impulse"] == 0.0 or not bodies.discs[i]:
            continue
        radius, yields, coefficient = rows.radius[p], rows.surface_yield[p], bodies.resistance[i]
        inverse, other_inverse, other_spin = yields / (radius * radius), 0.0, 0.0
        if j >= body_count:
            other_spin = bodies.wall_angular_velocity[j - body_count]
        elif bodies.discs[j]:
            other_spin, other_inverse = spin[a], rows.surface_yield[a] / (rows.radius[a] * rows.radius[a])
        elif bodies.rolls[j]:
            turning = rotations[1]
            find_rotation(
                bodies.start[j], bodies.stop[j], motion.position, motion.velocity, motion.inverse_mass, turning
            )
            other_spin, other_inverse = turning[0], turning[1]
        if j < body_count:
            coefficient = max(coefficient, bodies.resistance[j])
            radius = min(radius, rows.radius[a]) if bodies.discs[j] else radius
        if coefficient == 0.0 or inverse + other_inverse == 0.0:
            continue
        limit = coefficient * contact["frame_impulse"] * radius
        torque = min(max(SHARE * (other_spin - spin[p]) / (inverse + other_inverse), -limit), limit)
        spin[p] += torque * inverse
        if j < body_count and bodies.discs[j]:
            spin[a] -= torque * other_inverse
        elif other_inverse > 0.0:
            rotate_rows(bodies.start[j], bodies.stop[j], motion, rotations[1], -torque * other_inverse, speed_limit)


@inline
def joins(first: int, second: int, i: int, j: int) -> bool:
    """True if two proxies are i and j, the lower one first."""
    return min(first, second) == i and max(first, second) == j


@kernel
def find_rotation(
    first: int, last: int, position: np.ndarray, velocity: np.ndarray, inverse_mass: np.ndarray, found: np.ndarray
) -> None:
    """Write how free rows move as a whole (8), zeros for a held body.

    That is angular velocity, 1/inertia, radius of gyration, centre (2), 1/mass, velocity (2).
    """
    mass, x, y, vx, vy = 0.0, 0.0, 0.0, 0.0, 0.0
    found[:] = 0.0
    for p in range(first, last):
        if inverse_mass[p] == 0.0:
            return
        m = 1.0 / inverse_mass[p]
        mass += m
        x += m * position[p, 0]
        y += m * position[p, 1]
        vx += m * velocity[p, 0]
        vy += m * velocity[p, 1]
    if mass == 0.0:
        return
    x, y, vx, vy = x / mass, y / mass, vx / mass, vy / mass
    inertia, turning = 0.0, 0.0
    for p in range(first, last):
        m = 1.0 / inverse_mass[p]
        rx, ry = position[p, 0] - x, position[p, 1] - y
        inertia += m * (rx * rx + ry * ry)
        turning += m * (rx * (velocity[p, 1] - vy) - ry * (velocity[p, 0] - vx))
    found[3], found[4], found[5], found[6], found[7] = x, y, 1.0 / mass, vx, vy
    if inertia > 0.0:
        found[0], found[1], found[2] = turning / inertia, 1.0 / inertia, math.sqrt(inertia / mass)


@kernel
def rotate_rows(
    first: int, last: int, motion: ParticleArrays, body: np.ndarray, angular_velocity: float, speed_limit: float
) -> None:
    """Add an angular velocity [rad/s] about the centre of mass to the rows [first, last)."""
    position, velocity = motion.position, motion.velocity
    for p in range(first, last):
        velocity[p, 0] -= angular_velocity * (position[p, 1] - body[4])
        velocity[p, 1] += angular_velocity * (position[p, 0] - body[3])
        limit_speed(velocity, p, speed_limit)
