"""Packing: what has to be kept of contacts so that a world can go back to them, and go on bit for bit.

Two contacts of three in a heap are quiet: they neither push nor are about to. Nothing of their records is read before
the next substep has written it anew, but whether they are active. Of all others each number is kept that somebody reads
before; materials are found again.
"""

import math

import numpy as np

from ecs_softbody.arrays import Flags1, Floats2, Integers1, Uint8s1
from ecs_softbody.collision.contacts.contact import ContactArrays
from ecs_softbody.collision.contacts.matching import clear_record
from ecs_softbody.collision.contacts.materials import LEAST_SLOP, SELF_SLOP, Materials, friction_of
from ecs_softbody.parallel.compiling import entry, inline

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
CLOSE = 0.0025
"""A contact with less separation [m] is not quiet: characters, sleepers and events look at those that almost touch."""


@entry
def pack_contacts(
    contacts: ContactArrays, offset: int, asleep: Flags1, jointed: Flags1, every: bool, kinds: Uint8s1, usual: Floats2,
    rare: Floats2, found: Integers1,
) -> None:  # fmt: skip
    """Write the kinds (C,), and of the L contacts that are not quiet USUAL (L, 11) and RARE (L, 5).

    asleep: by proxy of a body. jointed: by particle. every: none is quiet. found (2,): L, and whether any of RARE but
    masses is not 0. What does not fit into `usual` and `rare` is not written: they are to be made larger then.
    """
    rows, proxies, bodies, live, has_rare = contacts.rows, contacts.proxies, asleep.shape[0], 0, False
    for c in range(rows.shape[0]):
        contact, p, a, b = contacts.records[c], rows[c, 0], rows[c, 1], rows[c, 2]
        active = contact["active"]
        matters = every | has_pushed(contacts.records, c) | (active & (contact["separation"] < CLOSE))
        matters |= (p < offset) & (a == b) & (a < offset)
        if bodies > 0:
            i, j = proxies[c, 0], proxies[c, 1]
            matters |= (0 <= i < bodies and asleep[i]) or (0 <= j < bodies and asleep[j])
        if jointed.shape[0] > 0:
            for row in (p, a, b):
                matters |= row < jointed.shape[0] and jointed[row]
        kind = ACTIVE if active else 0
        if matters:
            kind |= LIVE | (SLIPS if contact["friction"] == 0.0 else 0)
            if live < usual.shape[0]:
                write_usual(contacts.records, c, usual, live)
            if live < rare.shape[0]:
                rare[live, 0], rare[live, 1], rare[live, 2] = (
                    contact["effective_mass"],
                    contact["bounce_speed"],
                    contact["arrival"],
                )
                rare[live, 3], rare[live, 4] = contact["kick"], contact["impact_impulse"]
            has_rare |= is_set(contact["bounce_speed"]) | is_set(contact["arrival"])
            has_rare |= is_set(contact["kick"]) | is_set(contact["impact_impulse"])
            live += 1
        kinds[c] = kind
    found[0], found[1] = live, has_rare


@inline
def is_set(number: float) -> bool:
    """True if a number is not 0, or is -0."""
    return (number != 0.0) | (math.copysign(1.0, number) < 0.0)


@inline
def has_pushed(records: np.ndarray, c: int) -> bool:
    """True if a contact has an impulse, or remembers anything of one."""
    contact = records[c]
    return (
        (contact["normal_impulse"] != 0.0)
        | (contact["previous_impulse"] != 0.0)
        | (contact["frame_impulse"] != 0.0)
        | (contact["friction_impulse"] != 0.0)
        | (contact["approach_speed"] != 0.0)
        | (contact["impact_impulse"] != 0.0)
        | (contact["bounce_speed"] != 0.0)
    )


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
                contact["friction"] = friction_of(rows, proxies, c, materials)
            read_usual(contacts.records, c, usual, k)
            if k < rare.shape[0]:
                contact["effective_mass"], contact["bounce_speed"], contact["arrival"] = (
                    rare[k, 0],
                    rare[k, 1],
                    rare[k, 2],
                )
                contact["kick"], contact["impact_impulse"] = rare[k, 3], rare[k, 4]
            k += 1
