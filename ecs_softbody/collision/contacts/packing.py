"""Packing: what has to be kept of contacts so that a world can go back to them, and go on bit for bit.

Two contacts of three in a heap are quiet: they neither push nor are about to. Nothing of their records is read before
the next substep has written it anew, but whether they are active. Of all others each number is kept that somebody reads
before; materials are found again.
"""

import math

import numpy as np

from ecs_softbody.arrays import Flags1, Floats2, Uint8s1
from ecs_softbody.collision.contacts.contact import ContactArrays
from ecs_softbody.collision.contacts.matching import clear_record
from ecs_softbody.collision.contacts.materials import LEAST_SLOP, SELF_SLOP, Materials, friction_of
from ecs_softbody.parallel.compiling import entry, inline

FIELDS = (
    "normal_x", "normal_y", "separation", "normal_impulse", "previous_impulse", "relative_normal_velocity",
    "frame_impulse", "edge_fraction", "friction_impulse", "approach_speed", "tangent_speed", "effective_mass",
    "bounce_speed", "arrival", "kick", "impact_impulse",
)  # fmt: skip
"""What is kept of a contact that is not quiet."""
ACTIVE, LIVE, SLIPS = 1, 2, 4
"""Bits of the kind of a contact: it is active, it is not quiet, it is too far away for friction."""
CLOSE = 0.0025
"""A contact with less separation [m] is not quiet: characters, sleepers and events look at those that almost touch."""
MASS = FIELDS.index("effective_mass")
"""Who asks for it before it is found again asks who is asleep."""


@entry
def pack_contacts(
    contacts: ContactArrays, offset: int, asleep: Flags1, jointed: Flags1, every: bool, kinds: Uint8s1,
    columns: Floats2,
) -> int:  # fmt: skip
    """Write the kinds (C,) and, side by side, the FIELDS of the contacts that are not quiet; return their number.

    asleep: by proxy of a body. jointed: by particle. every: none is quiet. columns (FIELDS, C) are workspace.
    """
    rows, proxies, bodies, live = contacts.rows, contacts.proxies, asleep.shape[0], 0
    for c in range(rows.shape[0]):
        contact, p, a, b = contacts.records[c], rows[c, 0], rows[c, 1], rows[c, 2]
        i, j = proxies[c, 0], proxies[c, 1]
        matters = every or has_pushed(contacts.records, c) or (contact["active"] and contact["separation"] < CLOSE)
        matters |= (p < offset and a == b and a < offset) or (0 <= i < bodies and asleep[i])
        matters |= 0 <= j < bodies and asleep[j]
        if jointed.shape[0] > 0 and not matters:
            for row in (p, a, b):
                matters |= row < jointed.shape[0] and jointed[row]
        kind = (ACTIVE if contact["active"] else 0) | (SLIPS if contact["friction"] == 0.0 else 0)
        if matters:
            write_columns(contacts.records, c, columns, live)
            live += 1
            kind |= LIVE
        kinds[c] = kind
    return live


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
def write_columns(records: np.ndarray, c: int, columns: np.ndarray, k: int) -> None:
    """Write the FIELDS of a contact to column k."""
    contact = records[c]
    columns[0, k], columns[1, k], columns[2, k] = contact["normal_x"], contact["normal_y"], contact["separation"]
    columns[3, k], columns[4, k] = contact["normal_impulse"], contact["previous_impulse"]
    columns[5, k], columns[6, k] = contact["relative_normal_velocity"], contact["frame_impulse"]
    columns[7, k], columns[8, k] = contact["edge_fraction"], contact["friction_impulse"]
    columns[9, k], columns[10, k] = contact["approach_speed"], contact["tangent_speed"]
    columns[11, k], columns[12, k] = contact["effective_mass"], contact["bounce_speed"]
    columns[13, k], columns[14, k], columns[15, k] = contact["arrival"], contact["kick"], contact["impact_impulse"]


@inline
def read_columns(records: np.ndarray, c: int, columns: np.ndarray, k: int) -> None:
    """Write column k to the FIELDS of a contact."""
    contact = records[c]
    contact["normal_x"], contact["normal_y"], contact["separation"] = columns[0, k], columns[1, k], columns[2, k]
    contact["normal_impulse"], contact["previous_impulse"] = columns[3, k], columns[4, k]
    contact["relative_normal_velocity"], contact["frame_impulse"] = columns[5, k], columns[6, k]
    contact["edge_fraction"], contact["friction_impulse"] = columns[7, k], columns[8, k]
    contact["approach_speed"], contact["tangent_speed"] = columns[9, k], columns[10, k]
    contact["effective_mass"], contact["bounce_speed"] = columns[11, k], columns[12, k]
    contact["arrival"], contact["kick"], contact["impact_impulse"] = columns[13, k], columns[14, k], columns[15, k]


@entry
def unpack_contacts(contacts: ContactArrays, kinds: Uint8s1, columns: Floats2, materials: Materials) -> None:
    """Write the records of all contacts, as far as they are read: `columns` (FIELDS, L) of those that are not quiet.

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
            read_columns(contacts.records, c, columns, k)
            k += 1
            if (kinds[c] & SLIPS) == 0:
                contact["friction"] = friction_of(rows, proxies, c, materials)
