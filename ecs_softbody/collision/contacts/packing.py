"""Packing: what has to be kept of contacts so that a world can go back to them, and go on bit for bit.

Two contacts of three in a heap are quiet: they neither push nor are about to. Nothing of their records is read before
the next substep has written it anew, but whether they are active. Of all others each number is kept that somebody reads
before; materials are found again.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats2, Integers1, Uint8s1, Uint32s1
from ecs_softbody.collision.contacts.contact import ContactArrays
from ecs_softbody.collision.contacts.matching import clear_record
from ecs_softbody.collision.contacts.materials import LEAST_SLOP, SELF_SLOP, Materials, friction_of
from ecs_softbody.parallel.compiling import entry, inline
from ecs_softbody.parallel.instructions import bits_of

USUAL = (
    "normal_x", "normal_y", "separation", "normal_impulse", "previous_impulse", "relative_normal_velocity",
    "frame_impulse", "edge_fraction", "friction_impulse", "approach_speed", "tangent_speed",
)  # fmt: skip
"""What is kept of a contact that is not quiet."""
RARE = "effective_mass", "bounce_speed", "arrival", "kick", "impact_impulse"
"""What is kept, too, where any of them is not 0; masses, where bodies sleep: else they are found before they are read.
"""
ACTIVE, LIVE, SLIPS = 1, 2, 4
"""Bits of the kind of a contact: it is active, it is not quiet, it is too far away for friction."""
BLOCK = 128
"""Contacts that are looked at, then written: their records (24 kB) are still near the processor."""
CLOSE = 0.0025
"""A contact with less separation [m] is not quiet: characters, sleepers and events look at those that almost touch."""


MAGNITUDE = (1 << 63) - 1
"""All bits of a float but its sign: 0 for 0 and -0 alone."""


class PackedContacts(NamedTuple):
    """What C contacts are packed into, L of which are not quiet."""

    kinds: Uint8s1
    """(C,)"""
    live: Uint32s1
    """(BLOCK + 1,) workspace: the contacts of a block that are not quiet."""
    usual: Floats2
    """(L, 11) USUAL."""
    rare: Floats2
    """(L, 5) RARE."""
    found: Integers1
    """(2,): L, and whether any of RARE but masses is not 0."""


@entry
def pack_contacts(
    contacts: ContactArrays, offset: int, asleep: Flags1, jointed: Flags1, every: bool, packed: PackedContacts
) -> None:
    """Write the kinds, and of the contacts that are not quiet USUAL and RARE.

    asleep: by proxy of a body. jointed: by particle. every: none is quiet. What does not fit into `usual` and `rare` is
    not written: they are to be made larger then. Block after block, so that a record is fetched from memory once.
    """
    records, live, seen = contacts.records, 0, 0
    for first in range(0, records.shape[0], BLOCK):
        last = min(first + BLOCK, records.shape[0])
        found = list_live(contacts, first, last, offset, asleep, jointed, every, packed)
        for k in range(found):
            c = packed.live[k]
            if records[c]["friction"] == 0.0:
                packed.kinds[c] |= SLIPS
            seen |= bits_of_rare(records, c)
            if live + k < packed.usual.shape[0]:
                write_usual(records, c, packed.usual, live + k)
            if live + k < packed.rare.shape[0]:
                write_rare(records, c, packed.rare, live + k)
        live += found
    packed.found[0], packed.found[1] = live, seen != 0


@inline
def list_live(
    contacts: ContactArrays,
    first: int,
    last: int,
    offset: int,
    asleep: np.ndarray,
    jointed: np.ndarray,
    every: bool,
    packed: PackedContacts,
) -> int:
    """Write the kinds but SLIPS of a block, and list its contacts that are not quiet; return how many.

    It has no branch for each contact: a processor could not foretell which are quiet.
    """
    rows, records, live = contacts.rows, contacts.records, 0
    for c in range(first, last):
        active, p, a, b = records[c]["active"], rows[c, 0], rows[c, 1], rows[c, 2]
        matters = every | has_pushed(records, c) | (active & (records[c]["separation"] < CLOSE))
        matters |= (p < offset) & (a == b) & (a < offset)
        if asleep.shape[0] > 0 or jointed.shape[0] > 0:
            matters |= is_held(contacts, c, asleep, jointed)
        packed.kinds[c] = ACTIVE * active + LIVE * matters
        packed.live[live] = c
        live += matters
    return live


@inline
def is_held(contacts: ContactArrays, c: int, asleep: np.ndarray, jointed: np.ndarray) -> bool:
    """True if a contact is one of a body that sleeps, or of a particle with a joint."""
    bodies, i, j, held = asleep.shape[0], contacts.proxies[c, 0], contacts.proxies[c, 1], False
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
def bits_of_rare(records: np.ndarray, c: int) -> int:
    """Return bits that are 0 where all of RARE but the mass is 0."""
    contact = records[c]
    bits = bits_of(contact["bounce_speed"]) | bits_of(contact["arrival"])
    return bits | bits_of(contact["kick"]) | bits_of(contact["impact_impulse"])


@inline
def write_usual(records: np.ndarray, c: int, usual: np.ndarray, k: int) -> None:
    """Write USUAL of a contact to row k."""
    contact = records[c]
    usual[k, 0], usual[k, 1], usual[k, 2] = contact["normal_x"], contact["normal_y"], contact["separation"]
    usual[k, 3], usual[k, 4] = contact["normal_impulse"], contact["previous_impulse"]
    usual[k, 5], usual[k, 6] = contact["relative_normal_velocity"], contact["frame_impulse"]
    usual[k, 7], usual[k, 8] = contact["edge_fraction"], contact["friction_impulse"]
    usual[k, 9], usual[k, 10] = contact["approach_speed"], contact["tangent_speed"]


@inline
def write_rare(records: np.ndarray, c: int, rare: np.ndarray, k: int) -> None:
    """Write RARE of a contact to row k."""
    contact = records[c]
    rare[k, 0], rare[k, 1], rare[k, 2] = contact["effective_mass"], contact["bounce_speed"], contact["arrival"]
    rare[k, 3], rare[k, 4] = contact["kick"], contact["impact_impulse"]


@inline
def read_usual(records: np.ndarray, c: int, usual: np.ndarray, k: int) -> None:
    """Write row k to USUAL of a contact."""
    contact = records[c]
    contact["normal_x"], contact["normal_y"], contact["separation"] = usual[k, 0], usual[k, 1], usual[k, 2]
    contact["normal_impulse"], contact["previous_impulse"] = usual[k, 3], usual[k, 4]
    contact["relative_normal_velocity"], contact["frame_impulse"] = usual[k, 5], usual[k, 6]
    contact["edge_fraction"], contact["friction_impulse"] = usual[k, 7], usual[k, 8]
    contact["approach_speed"], contact["tangent_speed"] = usual[k, 9], usual[k, 10]


@entry
def unpack_contacts(
    contacts: ContactArrays, kinds: Uint8s1, usual: Floats2, rare: Floats2, materials: Materials
) -> None:
    """Write the records of all contacts, as far as they are read; `rare` may be empty.

    A quiet contact has no friction until the next frame begins.
    """
    rows, proxies, radius, k = contacts.rows, contacts.proxies, materials.radius, 0
    for c in range(rows.shape[0]):
        i, j, contact = proxies[c, 0], proxies[c, 1], contacts.records[c]
        clear_record(contacts.records, c)
        contact["active"] = (kinds[c] & ACTIVE) != 0
        contact["separation"], contact["effective_mass"] = math.inf, 1.0
        contact["restitution"], contact["slop"] = max(materials.restitution[i], materials.restitution[j]), LEAST_SLOP
        if i == j:
            contact["slop"] = max(SELF_SLOP * (radius[rows[c, 0]] + radius[rows[c, 1]]), LEAST_SLOP)
        if (kinds[c] & LIVE) != 0:
            if (kinds[c] & SLIPS) == 0:
                contact["friction"] = friction_of(rows, proxies, c, materials.friction, materials.body_count)
            read_usual(contacts.records, c, usual, k)
            if k < rare.shape[0]:
                contact["effective_mass"], contact["bounce_speed"], contact["arrival"] = (
                    rare[k, 0],
                    rare[k, 1],
                    rare[k, 2],
                )
                contact["kick"], contact["impact_impulse"] = rare[k, 3], rare[k, 4]
            k += 1
