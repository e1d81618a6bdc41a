"""Matching: after a search, new contacts take over the records of the old ones (warm start).

The old contacts of every point are linked to a list; a new contact looks in the list of its point
for the same edge, or another edge of the same body, as its point may have slid on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Integers1
from ecs_softbody.collision.contacts.contact import ContactArrays
from ecs_softbody.parallel.compiling import inline, kernel

NONE = -1
"""Instead of a contact: there is none."""


class Chains(NamedTuple):
    """The old contacts of every point, as linked lists: C contacts, R rows."""

    head: Integers1  # (R,) the last old contact of every row, or NONE
    following: Integers1  # (C,) the next contact in the list, an earlier one, or NONE


@kernel
def link_contacts(old: ContactArrays, chains: Chains) -> None:
    """List the old contacts of every point.

    Contacts without impulses and overlap are skipped: they have nothing to hand on.
    """
    head = chains.head
    following = chains.following
    rows = old.rows
    head[:] = NONE
    for c in range(rows.shape[0]):
        contact = old.records[c]
        pushed = (  # without branches, which would be predicted badly
            (contact["normal_impulse"] != 0.0)
            | (contact["previous_impulse"] != 0.0)
            | (contact["frame_impulse"] != 0.0)
        )
        if pushed | (contact["separation"] < 0.0):
            following[c] = head[rows[c, 0]]
            head[rows[c, 0]] = c


@kernel
def match_contacts(old: ContactArrays, new: ContactArrays, offset: int, chains: Chains) -> None:
    """Give new contacts the records of the old ones: same point and edge, or same point and body.

    offset: row of the first vertex of a wall; only the edges of bodies slide. Proxies of static
    edges are numbered after the bodies, so they shift when a body comes or goes: rows tell edges
    apart. The frame impulse moves to the new contact; frame impulses left in old contacts belong to
    contacts that ended.
    """
    head = chains.head
    following = chains.following
    rows = new.rows
    old_rows = old.rows
    for c in range(rows.shape[0]):
        k = head[rows[c, 0]]
        found = False
        total = 0.0
        fastest = 0.0
        may_slide = rows[c, 1] != rows[c, 2] and rows[c, 1] < offset
        while k >= 0:
            # The same edge ends the search; another edge of the body counts until it is found.
            same_edge = old_rows[k, 1] == rows[c, 1] and old_rows[k, 2] == rows[c, 2]
            if same_edge or (may_slide and not found and slid_on(old, k, new, c, offset)):
                total += old.records[k]["frame_impulse"]
                fastest = max(fastest, old.records[k]["approach_speed"])
                new.records[c] = old.records[k]
                new.records[c]["frame_impulse"] = total
                new.records[c]["approach_speed"] = fastest
                old.records[k]["frame_impulse"] = 0.0
                old.records[k]["active"] = False
                found = True
            k = NONE if same_edge else following[k]
        if not found:
            clear_record(new.records, c)


@inline
def clear_record(records: np.ndarray, c: int) -> None:
    """Write zeros to contact c, which is new: all of its record but `speed_left`, which is 1."""
    contact = records[c]
    contact["normal_x"] = 0.0
    contact["normal_y"] = 0.0
    contact["separation"] = 0.0
    contact["effective_mass"] = 0.0
    contact["normal_impulse"] = 0.0
    contact["previous_impulse"] = 0.0
    contact["relative_normal_velocity"] = 0.0
    contact["restitution"] = 0.0
    contact["frame_impulse"] = 0.0
    contact["slop"] = 0.0
    contact["edge_fraction"] = 0.0
    contact["friction_impulse"] = 0.0
    contact["friction"] = 0.0
    contact["tangent_speed"] = 0.0
    contact["friction_mass"] = 0.0
    contact["torque_arm_x"] = contact["torque_arm_y"] = 0.0
    contact["bounce_speed"] = contact["arrival"] = contact["kick"] = contact["approach_speed"] = 0.0
    contact["impact_impulse"] = contact["reflected_impulse"] = 0.0
    contact["speed_left"] = 1.0
    contact["active"] = contact["reflects"] = False


@kernel
def slid_on(old: ContactArrays, k: int, new: ContactArrays, c: int, offset: int) -> bool:
    """True if new contact c is old contact k on another edge: the point and the bodies are the
    same.

    Within one body only the next edge counts, as a fold may touch far edges, too. If the point is
    the corner of a wall, its body is enough: walls change their numbers.
    """
    if new.rows[c, 0] >= offset:
        return bool(old.proxies[k, 0] == new.proxies[c, 0])
    if old.proxies[k, 0] != new.proxies[c, 0] or old.proxies[k, 1] != new.proxies[c, 1]:
        return False
    is_next = old.rows[k, 1] == new.rows[c, 2] or old.rows[k, 2] == new.rows[c, 1]
    return bool(new.proxies[c, 0] != new.proxies[c, 1] or is_next)
