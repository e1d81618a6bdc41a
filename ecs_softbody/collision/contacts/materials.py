"""Materials: friction, restitution and slop of contacts, by the settings of both sides.

The friction is the geometric mean, sqrt(μ_i μ_j), so that a side without friction slips on all; the
restitution is the larger one. A search writes them to new contacts (`set_materials`); at the start
of a frame without a search `begin_frame` resets what counts for one frame.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1
from ecs_softbody.collision.contacts.contact import ContactArrays
from ecs_softbody.collision.reflection.approaching import can_reflect
from ecs_softbody.parallel.compiling import entry, inline, kernel

LEAST_SLOP = 0.0005
"""Slop of a contact of two bodies: overlap [m] that is not corrected."""
SELF_SLOP = 0.5
"""Within one body, overlap up to this fraction of the thickness stays: a tight fold cannot avoid
it, and pressed piles come to rest.
"""


class Materials(NamedTuple):
    """The materials of P proxies (bodies, then static edges) and of R rows (particles, then
    vertices).
    """

    friction: Floats1  # (P,)
    restitution: Floats1  # (P,)
    radius: Floats1  # (R,) [m]
    spins: Flags1  # (bodies,) discs that turn by themselves
    reflects: Flags1  # (bodies,) discs that bounce by themselves
    inverse_mass: Floats1  # (N,) of the particles [1/kg]


@kernel
def friction_of(
    rows: np.ndarray, proxies: np.ndarray, c: int, friction: np.ndarray, spins: np.ndarray
) -> float:
    """Return the coefficient of friction of contact c.

    Two discs have none unless both turn by themselves: nothing else could take the torque of
    friction at their surfaces, see spin.py. rows (C, 3), proxies (C, 2): keys of the contacts.
    """
    i = proxies[c, 0]
    j = proxies[c, 1]
    if rows[c, 1] == rows[c, 2] and j < spins.shape[0] and not (spins[i] and spins[j]):
        return 0.0
    return math.sqrt(friction[i] * friction[j])


@kernel
def set_materials(contacts: ContactArrays, materials: Materials, begins_frame: bool) -> None:
    """Write friction, restitution and slop of every contact, after a search.

    begins_frame: whether it is the first search of a frame, which has no impulses yet.
    """
    rows = contacts.rows
    proxies = contacts.proxies
    radius = materials.radius
    for c in range(rows.shape[0]):
        i = proxies[c, 0]
        j = proxies[c, 1]
        contact = contacts.records[c]
        contact["friction"] = friction_of(rows, proxies, c, materials.friction, materials.spins)
        contact["restitution"] = max(materials.restitution[i], materials.restitution[j])
        contact["slop"] = LEAST_SLOP
        contact["tangent_speed"] = 0.0
        contact["reflects"] = can_reflect(
            materials.reflects, materials.inverse_mass, rows, proxies, c
        )
        forget_bounces(contact)
        if begins_frame:
            contact["frame_impulse"] = contact["approach_speed"] = 0.0
        if i == j:
            contact["slop"] = max(SELF_SLOP * (radius[rows[c, 0]] + radius[rows[c, 1]]), LEAST_SLOP)


@entry
def begin_frame(
    contacts: ContactArrays,
    friction: Floats1,
    spins: Flags1,
    reflects: Flags1,
    inverse_mass: Floats1,
) -> bool:
    """Reset the impulses and speeds of a frame that keeps the contacts of the last one.

    The arrays are as in Materials. A point that was too far away gets its friction back: it may
    have come nearer. Return whether a contact reflects that did not, or the other way round: a game
    may have pinned a particle, or the world has gone back to before that.
    """
    changed = False
    for c in range(contacts.rows.shape[0]):
        contact = contacts.records[c]
        contact["frame_impulse"] = contact["approach_speed"] = 0.0
        if contact["friction"] == 0.0:
            contact["friction"] = friction_of(contacts.rows, contacts.proxies, c, friction, spins)
        does_reflect = can_reflect(reflects, inverse_mass, contacts.rows, contacts.proxies, c)
        changed |= does_reflect != contact["reflects"]
        contact["reflects"] = does_reflect
        forget_bounces(contact)
    return changed


@inline
def forget_bounces(contact: np.ndarray) -> None:
    """Clear the last bounce of a contact that no longer bounces or reflects, by a change of a game.

    Nothing else resets these values: the contact would bounce, or have friction, by its last bounce
    for ever.
    """
    if contact["restitution"] == 0.0:
        contact["bounce_speed"] = contact["arrival"] = contact["kick"] = 0.0
    if contact["restitution"] == 0.0 or not contact["reflects"]:
        contact["reflected_impulse"] = 0.0
        contact["speed_left"] = 1.0
