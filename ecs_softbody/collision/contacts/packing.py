"""Packing: the contact data of a snapshot, as little as is needed to continue bit for bit.

Two thirds of the contacts in a heap are idle: they neither push nor are about to. Of their records
only `active` is read before the next substep rewrites them. Of all others, the live contacts, each
field is kept that is read before it is written; materials are looked up again. The start of a frame
needs one more bit of an idle contact: whether its separation is at most the sum of both radii,
since points are followed along outlines only within that distance (edge_following.py).
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Uint8s1, Uint16s2
from ecs_softbody.collision.contacts.contact import ContactArrays
from ecs_softbody.collision.contacts.materials import LEAST_SLOP, SELF_SLOP, Materials, friction_of
from ecs_softbody.collision.reflection.approaching import can_reflect
from ecs_softbody.parallel.compiling import entry, inline
from ecs_softbody.parallel.instructions import bits_of, float_of

LIVE_FIELDS = (
    "normal_x", "normal_y", "separation", "normal_impulse", "previous_impulse",
    "relative_normal_velocity", "frame_impulse", "edge_fraction", "friction_impulse",
    "approach_speed", "tangent_speed",
)  # fmt: skip
"""Fields of CONTACT that are kept of each live contact."""
OPTIONAL_FIELDS = "effective_mass", "bounce_speed", "arrival", "kick", "impact_impulse"
"""Further fields, kept if any of them is not 0; masses are kept if bodies sleep, otherwise they are
computed before they are read.
"""
ACTIVE = 1
"""Bit of the kind of a contact: it is active."""
LIVE = 2
"""Bit of the kind of a contact: it is live."""
SLIPS = 4
"""Bit of the kind of a contact: it is too far away for friction."""
NEAR = 8
"""Bit of the kind of a contact: it is idle, and its separation is at most the sum of both radii.
The next search and the next frame look at the separation of such contacts.
"""
HALF = 0xFFFF
"""The low half of a row or a proxy."""
BITS = 16
"""Bits of a half."""
CLOSE = 0.0025
"""A contact with less separation [m] is live: characters, sleeping and contact events look at
contacts that almost touch, and a search hands on overlapping contacts even if neither side can move
(matching.py).
"""


MAGNITUDE = (1 << 63) - 1
"""All bits of a float but its sign: 0 for 0 and -0 alone."""


class Keys(NamedTuple):
    """The rows (3) and proxies (2) of C contacts, split into halves of 16 bits: the high ones are
    0 in worlds with fewer than 65,536 rows and proxies, and left out.
    """

    low: Uint16s2
    """(C, 5)"""
    high: Uint16s2
    """(C, 5), or nothing where all are 0."""


class PackedContacts(NamedTuple):
    """Packed data of C contacts, L of which are live.

    The last of the R rows is scratch, for contacts that are not kept.
    """

    keys: Keys
    kinds: Uint8s1
    """(C,) sum of ACTIVE, LIVE, SLIPS, NEAR."""
    live_fields: Floats2
    """(R, 11) LIVE_FIELDS; the first L rows are in use, at most R - 1."""
    optional_fields: Floats2
    """(R, 5) OPTIONAL_FIELDS, or (0, 5) if they are left out."""


@entry
def pack_contacts(
    contacts: ContactArrays,
    offset: int,
    asleep: Flags1,
    jointed: Flags1,
    radius: Floats1,
    every: bool,
    packed: PackedContacts,
    found: Integers1,
) -> None:
    """Write the keys and kinds, and LIVE_FIELDS and OPTIONAL_FIELDS of live contacts.

    asleep (B,): of bodies, or empty if none sleeps. jointed (N,): of particles, or empty. radius
    (R,) [m]: by row. every: treat all as live. offset: row of the first vertex of a wall. found
    (2,), written: L, and whether any of OPTIONAL_FIELDS but masses is not 0. Contacts beyond the
    last row are not kept: the caller then needs more rows. Idle contacts are written, too, and
    overwritten by the next one, which avoids an unpredictable branch.
    """
    rows = contacts.rows
    records = contacts.records
    (keys, kinds, live_fields, optional_fields) = packed
    are_held = asleep.shape[0] > 0 or jointed.shape[0] > 0
    has_optional = optional_fields.shape[0] > 0
    spare = live_fields.shape[0] - 1
    live = 0
    seen = 0
    for c in range(records.shape[0]):
        active = records[c]["active"]
        p = rows[c, 0]
        a = rows[c, 1]
        b = rows[c, 2]
        is_near = not (records[c]["separation"] > radius[p] + radius[a])
        matters = every | has_pushed(records, c) | (records[c]["separation"] < CLOSE)
        matters |= (p < offset) & (a == b) & (a < offset)
        if are_held:
            matters |= is_held(contacts, c, asleep, jointed)
        kinds[c] = (
            ACTIVE * active + LIVE * matters + SLIPS * (matters & (records[c]["friction"] == 0.0))
        )
        kinds[c] += NEAR * (is_near & (not matters))
        row = min(live, spare)
        write_keys(contacts, c, keys)
        write_live_fields(records, c, live_fields, row)
        if has_optional:
            write_optional_fields(records, c, optional_fields, row)
        seen |= bits_of_optional_fields(records, c) * matters
        live += matters
    found[0] = live
    found[1] = seen != 0


@inline
def is_held(contacts: ContactArrays, c: int, asleep: np.ndarray, jointed: np.ndarray) -> bool:
    """True if a body of contact c sleeps, or one of its particles has a joint: it is live."""
    bodies = asleep.shape[0]
    i = contacts.proxies[c, 0]
    j = contacts.proxies[c, 1]
    held = False
    if bodies > 0:
        held = (0 <= i < bodies and asleep[i]) or (0 <= j < bodies and asleep[j])
    for k in range(3):
        row = contacts.rows[c, k]
        held |= row < jointed.shape[0] and jointed[row]
    return held


@inline
def has_pushed(records: np.ndarray, c: int) -> bool:
    """True if a contact has an impulse, or remembers anything of one."""
    contact = records[c]
    bits = bits_of(contact["normal_impulse"]) | bits_of(contact["previous_impulse"])
    bits |= bits_of(contact["frame_impulse"]) | bits_of(contact["friction_impulse"])
    bits |= bits_of(contact["approach_speed"]) | bits_of(contact["impact_impulse"])
    bits |= bits_of(contact["bounce_speed"])
    return (bits & MAGNITUDE) != 0


@inline
def bits_of_optional_fields(records: np.ndarray, c: int) -> int:
    """Return bits that are 0 where all of OPTIONAL_FIELDS but the mass is 0."""
    contact = records[c]
    bits = bits_of(contact["bounce_speed"]) | bits_of(contact["arrival"])
    return bits | bits_of(contact["kick"]) | bits_of(contact["impact_impulse"])


@inline
def write_keys(contacts: ContactArrays, c: int, keys: Keys) -> None:
    """Write the rows and proxies of a contact."""
    for k in range(5):
        key = np.int64(contacts.rows[c, k]) if k < 3 else contacts.proxies[c, k - 3]
        keys.low[c, k] = key & HALF
        if keys.high.shape[0] > 0:
            keys.high[c, k] = key >> BITS


@inline
def read_keys(contacts: ContactArrays, c: int, keys: Keys) -> None:
    """Give a contact its rows and proxies."""
    for k in range(5):
        key = np.int64(keys.low[c, k])
        if keys.high.shape[0] > 0:
            key |= np.int64(keys.high[c, k]) << BITS
        if k < 3:
            contacts.rows[c, k] = key
        else:
            contacts.proxies[c, k - 3] = key


@inline
def write_live_fields(records: np.ndarray, c: int, live_fields: np.ndarray, k: int) -> None:
    """Write LIVE_FIELDS of a contact to row k."""
    contact = records[c]
    live_fields[k, 0] = contact["normal_x"]
    live_fields[k, 1] = contact["normal_y"]
    live_fields[k, 2] = contact["separation"]
    live_fields[k, 3] = contact["normal_impulse"]
    live_fields[k, 4] = contact["previous_impulse"]
    live_fields[k, 5] = contact["relative_normal_velocity"]
    live_fields[k, 6] = contact["frame_impulse"]
    live_fields[k, 7] = contact["edge_fraction"]
    live_fields[k, 8] = contact["friction_impulse"]
    live_fields[k, 9] = contact["approach_speed"]
    live_fields[k, 10] = contact["tangent_speed"]


@inline
def write_optional_fields(records: np.ndarray, c: int, optional_fields: np.ndarray, k: int) -> None:
    """Write OPTIONAL_FIELDS of a contact to row k."""
    contact = records[c]
    optional_fields[k, 0] = contact["effective_mass"]
    optional_fields[k, 1] = contact["bounce_speed"]
    optional_fields[k, 2] = contact["arrival"]
    optional_fields[k, 3] = contact["kick"]
    optional_fields[k, 4] = contact["impact_impulse"]


@entry
def unpack_contacts(contacts: ContactArrays, packed: PackedContacts, materials: Materials) -> None:
    """Write rows and proxies of all contacts, and their records as far as they are read before the
    next substep rewrites them. `live_fields` has a row at least.

    An idle contact has no friction until the next frame begins; its separation becomes the sum of
    both radii if it is NEAR, else infinite. It, too, is filled from a row of `live_fields`, masked
    to zeros, which avoids an unpredictable branch.
    """
    rows = contacts.rows
    proxies = contacts.proxies
    radius = materials.radius
    restitution = materials.restitution
    keys, kinds, live_fields, optional_fields = packed
    live = 0
    last = live_fields.shape[0] - 1
    has_optional = optional_fields.shape[0] > 0
    for c in range(rows.shape[0]):
        read_keys(contacts, c, keys)
        i = proxies[c, 0]
        j = proxies[c, 1]
        contact = contacts.records[c]
        row = min(live, last)
        matters = (kinds[c] & LIVE) != 0
        slips = (kinds[c] & SLIPS) != 0
        mask = -int(matters)
        read_live_fields(contacts.records, c, live_fields, row, mask)
        if has_optional:
            read_optional_fields(contacts.records, c, optional_fields, row, mask)
        else:
            contact["bounce_speed"] = 0.0
            contact["arrival"] = 0.0
            contact["kick"] = 0.0
            contact["impact_impulse"] = 0.0
        if not (matters and has_optional):
            contact["effective_mass"] = 1.0
        if not matters:
            is_near = (kinds[c] & NEAR) != 0
            contact["separation"] = radius[rows[c, 0]] + radius[rows[c, 1]] if is_near else math.inf
        friction = friction_of(rows, proxies, c, materials.friction, materials.spins)
        contact["friction"] = masked(friction, mask & -int(not slips))
        contact["friction_mass"] = contact["torque_arm_x"] = contact["torque_arm_y"] = 0.0
        contact["restitution"] = max(restitution[i], restitution[j])
        contact["slop"] = LEAST_SLOP
        if i == j:
            contact["slop"] = max(SELF_SLOP * (radius[rows[c, 0]] + radius[rows[c, 1]]), LEAST_SLOP)
        contact["active"] = (kinds[c] & ACTIVE) != 0
        contact["reflected_impulse"] = 0.0
        contact["speed_left"] = 1.0
        contact["reflects"] = can_reflect(
            materials.reflects, materials.inverse_mass, rows, proxies, c
        )
        live += matters


@inline
def masked(number: float, mask: int) -> float:
    """Return the number where all bits of the mask are set (-1), and 0 where none is (0)."""
    return float_of(bits_of(number) & mask)


@inline
def read_live_fields(
    records: np.ndarray, c: int, live_fields: np.ndarray, k: int, mask: int
) -> None:
    """Write row k to LIVE_FIELDS of contact c, or zeros where the mask is 0."""
    contact = records[c]
    contact["normal_x"] = masked(live_fields[k, 0], mask)
    contact["normal_y"] = masked(live_fields[k, 1], mask)
    contact["separation"] = masked(live_fields[k, 2], mask)
    contact["normal_impulse"] = masked(live_fields[k, 3], mask)
    contact["previous_impulse"] = masked(live_fields[k, 4], mask)
    contact["relative_normal_velocity"] = masked(live_fields[k, 5], mask)
    contact["frame_impulse"] = masked(live_fields[k, 6], mask)
    contact["edge_fraction"] = masked(live_fields[k, 7], mask)
    contact["friction_impulse"] = masked(live_fields[k, 8], mask)
    contact["approach_speed"] = masked(live_fields[k, 9], mask)
    contact["tangent_speed"] = masked(live_fields[k, 10], mask)


@inline
def read_optional_fields(
    records: np.ndarray, c: int, optional_fields: np.ndarray, k: int, mask: int
) -> None:
    """Write row k to OPTIONAL_FIELDS of contact c, or zeros where the mask is 0."""
    contact = records[c]
    contact["effective_mass"] = masked(optional_fields[k, 0], mask)
    contact["bounce_speed"] = masked(optional_fields[k, 1], mask)
    contact["arrival"] = masked(optional_fields[k, 2], mask)
    contact["kick"] = masked(optional_fields[k, 3], mask)
    contact["impact_impulse"] = masked(optional_fields[k, 4], mask)
