"""Rolling resistance: an angular impulse against the relative angular velocity of two bodies in
contact, or of body and wall, at the end of a frame.

    T = clamp(-SHARE (ω_i - ω_j) / (1/I_i + 1/I_j), ± c λ r)    [N·m·s]

with the sum λ of the normal impulses between them in the frame, the smaller radius of gyration r of
the two and the larger coefficient c (`Collider.rolling_resistance`). It turns a body as a whole, in
proportion to mass: its momentum stays, and the other body gets the opposite torque. Without it a
round body of springs and gas would rock and roll for minutes. It takes only a share of the angular
velocity: to take all of it would press resting points into their support, and a pile would never
rest. Outlines that have not pushed in the last two substeps have parted, and are left alone:
bounces are no rolling, and took a fifth of the energy of an elastic plate in ten seconds.

A disc that turns by itself is braked at each of its contacts, with its radius as r.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Uint32s1
from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows
from ecs_softbody.collision.solve.correct import limit_speed
from ecs_softbody.collision.solve.rigid_motion import RigidBodies, find_rigid_body
from ecs_softbody.parallel.compiling import entry, inline, kernel

SHARE = 0.1
"""Largest share of the relative angular velocity that is taken in a frame. With 1, resting points
would be pressed into their support, and a pile would never rest.
"""


class RollingBodies(NamedTuple):
    """B bodies and E static edges, as rolling resistance sees them."""

    rolls: Flags1  # (B,) whether the resistance acts on a body as a whole
    discs: Flags1  # (B,) whether it acts on its discs, see spin.py
    resistance: Floats1  # (B,) coefficient
    start: Uint32s1  # (B,) first particle
    stop: Uint32s1  # (B,) after the last particle
    wall_angular_velocity: Floats1  # (E,) [rad/s]


@entry
def resist_rolling(
    contacts: ContactArrays,
    bodies: RollingBodies,
    motion: ParticleArrays,
    pair: RigidBodies,
    speed_limit: float,
) -> None:
    """Slow down the relative rotation of every ring and the body or static edge that it rolls on.

    The contacts of two proxies follow one another in the list, so their impulses are summed on the
    way. pair: workspace for two bodies.
    """
    proxies = contacts.proxies
    records = contacts.records
    body_count = bodies.rolls.shape[0]
    rolls = bodies.rolls
    start = bodies.start
    stop = bodies.stop
    resistance = bodies.resistance
    c = 0
    one = pair[0]
    other = pair[1]
    while c < proxies.shape[0]:
        i = min(proxies[c, 0], proxies[c, 1])
        j = max(proxies[c, 0], proxies[c, 1])
        impulse = 0.0
        touch = False
        while c < proxies.shape[0] and joins(proxies[c, 0], proxies[c, 1], i, j):
            impulse += records[c]["frame_impulse"]
            touch |= max(records[c]["normal_impulse"], records[c]["previous_impulse"]) > 0.0
            c += 1
        if not touch or i == j or not rolls[i] or (j < body_count and not rolls[j]):
            continue
        coefficient = resistance[i] if j >= body_count else max(resistance[i], resistance[j])
        if coefficient == 0.0:
            continue
        find_rigid_body(
            start[i], stop[i], motion.position, motion.velocity, motion.inverse_mass, one
        )
        if j < body_count:
            find_rigid_body(
                start[j], stop[j], motion.position, motion.velocity, motion.inverse_mass, other
            )
        else:
            other["angular_velocity"] = bodies.wall_angular_velocity[j - body_count]
            other["inverse_inertia"] = 0.0
        inverse = one["inverse_inertia"] + other["inverse_inertia"]
        if inverse == 0.0:
            continue
        radius = one["radius_of_gyration"]
        if j < body_count:
            radius = min(radius, other["radius_of_gyration"])
        limit = coefficient * impulse * radius
        torque = SHARE * (other["angular_velocity"] - one["angular_velocity"]) / inverse
        torque = min(max(torque, -limit), limit)
        rotate_rows(start[i], stop[i], motion, one, torque * one["inverse_inertia"], speed_limit)
        if j < body_count:
            rotate_rows(
                start[j], stop[j], motion, other, -torque * other["inverse_inertia"], speed_limit
            )


@entry
def resist_spinning(
    contacts: ContactArrays,
    bodies: RollingBodies,
    motion: ParticleArrays,
    rows: Rows,
    pair: RigidBodies,
    speed_limit: float,
) -> None:
    """Slow down discs that turn relative to the bodies and walls that pushed them in this frame.

    Each contact brakes by itself, with I of a disc from its surface yield r²/I. pair: workspace.
    """
    body_count = bodies.rolls.shape[0]
    spin = motion.angular_velocity
    other = pair[1]
    for c in range(contacts.rows.shape[0]):
        p = contacts.rows[c, 0]
        a = contacts.rows[c, 1]
        contact = contacts.records[c]
        i = contacts.proxies[c, 0]
        j = contacts.proxies[c, 1]
        if contact["frame_impulse"] == 0.0 or not bodies.discs[i]:
            continue
        radius = rows.radius[p]
        yields = rows.surface_yield[p]
        coefficient = bodies.resistance[i]
        inverse = yields / (radius * radius)
        other_inverse = 0.0
        other_spin = 0.0
        if j >= body_count:
            other_spin = bodies.wall_angular_velocity[j - body_count]
        elif bodies.discs[j]:
            other_spin = spin[a]
            other_inverse = rows.surface_yield[a] / (rows.radius[a] * rows.radius[a])
        elif bodies.rolls[j]:
            find_rigid_body(
                bodies.start[j],
                bodies.stop[j],
                motion.position,
                motion.velocity,
                motion.inverse_mass,
                other,
            )
            other_spin = other["angular_velocity"]
            other_inverse = other["inverse_inertia"]
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
            rotate_rows(
                bodies.start[j], bodies.stop[j], motion, other, -torque * other_inverse, speed_limit
            )


@inline
def joins(first: int, second: int, i: int, j: int) -> bool:
    """True if two proxies are i and j in any order, where i is the lower one."""
    return min(first, second) == i and max(first, second) == j


@kernel
def rotate_rows(
    first: int,
    last: int,
    motion: ParticleArrays,
    body: np.ndarray,
    angular_velocity: float,
    speed_limit: float,
) -> None:
    """Add an angular velocity [rad/s] about the centre of `body` to the particles [first, last)."""
    position = motion.position
    velocity = motion.velocity
    for p in range(first, last):
        velocity[p, 0] -= angular_velocity * (position[p, 1] - body["centre_y"])
        velocity[p, 1] += angular_velocity * (position[p, 0] - body["centre_x"])
        limit_speed(velocity, p, speed_limit)
