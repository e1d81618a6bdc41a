"""Active contacts: the contacts that the iterations of a substep work on, copied side by side.

Active are contacts that pushed lately or could touch in this substep; most of the others in a list
are only near. Preparing a batch copies them to `discs` and `edges`, arrays with just the data of an
iteration. Two discs have no edge fraction and need less arithmetic, so they are listed apart. All
other contacts are speculative: the iterations leave them out, and afterwards a test shows whether
one of them would overlap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Integers2, Uint32s1
from ecs_softbody.collision.contacts.contact import (
    ACTIVE_DISC,
    ACTIVE_EDGE,
    ActiveDiscs,
    ActiveEdges,
    Rows,
)
from ecs_softbody.collision.solve.partition import MOST_PARTITIONS
from ecs_softbody.parallel.compiling import inline

SPARE_SPEED = 5.0
"""A contact that would not touch within the substep even if it closed faster by this [m/s] is
speculative.
"""
STEADY = 1.25
"""An impulse of two discs that has grown by more than this factor since the last substep may not
come again.
"""

LARGEST_START = 60.0
"""Upper bound of the velocity change by warm starting an elastic contact [m/s]. The impulse of a
blow does not recur, and iterations hardly undo a wrong start: between a ball and a particle a seven
hundredth as heavy, an iteration takes back a thousandth. So a ball of 25 kg with restitution 0.5
that crushed a blob of 0.8 kg on the floor was thrown up with twice its energy, with restitution 1
five times; so were heavy balls on strings that hit their anchors. A resting body needs 15 at 700
times the mass of a particle; one that needs more than 60 sinks. A bound that grows with gravity and
with the length of a substep lets blows through: balls ten times as heavy gained 1.4 times at 2.
Without restitution nothing is thrown up, and a column of 40 balls fell together where gravity is
100 m/s².
"""
DISCS, EDGES, SPECULATIVE, IMPACTS, FIRM, APPROACHING = range(6)
"""Columns of `ActiveContacts.counts`: which list of a batch is counted."""


class ActiveContacts(NamedTuple):
    """Lists of C contacts in B batches, overwritten in every substep.

    A batch is a range of contacts that one thread solves. In each array it uses the same range,
    from its start on, and numbers its contacts from 0.
    """

    # (C,) ACTIVE_DISC: active contacts of two discs
    discs: ActiveDiscs
    # (C,) ACTIVE_EDGE: the other active contacts; those of firm bodies (firm.py) fill the range of
    # a batch from its end
    edges: ActiveEdges
    # (C,) numbers of the contacts that are not active
    speculative: Uint32s1
    # (C,) numbers of the contacts by which bodies bounce as wholes, see impacts/impact.py
    impacts: Uint32s1
    # (C,) numbers of the contacts that approach and reflect at once, see reflection/
    approaching: Uint32s1
    counts: Integers2
    """(B, 6): for each batch, numbers of discs, edges, speculative contacts, contacts of impacts,
    contacts of firm bodies (at the end of `edges`), and approaching contacts.
    """

    @classmethod
    def reserve(cls, capacity: int) -> ActiveContacts:
        """Return arrays for `capacity` contacts."""
        discs = np.zeros(capacity, ACTIVE_DISC)
        edges = np.zeros(capacity, ACTIVE_EDGE)
        speculative, impacts, approaching = (np.zeros(capacity, np.uint32) for _ in range(3))
        return cls(
            discs,
            edges,
            speculative,
            impacts,
            approaching,
            np.zeros((2 * MOST_PARTITIONS, 6), np.int64),
        )


@inline
def is_active(
    separation: float, approach: float, impulse: float, previous: float, dt: float
) -> bool:
    """True if a contact pushed in both of the last two substeps, overlaps, or would touch within
    the substep if it closed faster by SPARE_SPEED.

    separation [m]; approach: relative normal velocity [m/s]; impulse, previous: normal impulses of
    the last substep and the one before.
    """
    pushed = (impulse > 0.0) & (previous > 0.0)
    return pushed | (separation <= 0.0) | (approach * dt + separation < SPARE_SPEED * dt)


@inline
def list_disc(
    keys: np.ndarray,
    records: np.ndarray,
    c: int,
    rows: Rows,
    rate: float,
    discs: np.ndarray,
    k: int,
) -> None:
    """Copy contact c of two discs to discs[k], with the impulses that it starts from; rate:
    substeps per second.

    The warm start uses the last impulse, at most STEADY times the one before, and the same fraction
    of friction. With the smaller one of the last two, piles would sink.
    """
    contact = records[c]
    disc = discs[k]
    p = keys[c, 0]
    a = keys[c, 1]
    wp = rows.inverse_mass[p]
    wa = rows.inverse_mass[a]
    yp = rows.surface_yield[p]
    ya = rows.surface_yield[a]
    separation = contact["separation"]
    mass = contact["effective_mass"]
    last = contact["normal_impulse"]
    impulse = min(last, STEADY * contact["previous_impulse"])
    if contact["restitution"] > 0.0:
        impulse = min(impulse, LARGEST_START * mass)
    disc["particle"] = p
    disc["other"] = a
    disc["contact"] = c
    disc["normal_x"] = contact["normal_x"]
    disc["normal_y"] = contact["normal_y"]
    disc["closing_speed"] = max(separation, 0.0) * rate - contact["bounce_speed"]
    disc["effective_mass"] = mass
    disc["normal_impulse"] = impulse
    disc["inverse_effective_mass"] = wp + wa
    disc["inverse_mass"] = wp
    disc["inverse_mass_other"] = wa
    disc["friction"] = contact["friction"]
    disc["surface_yield"] = yp
    disc["surface_yield_other"] = ya
    arm_ratio = 0.0
    friction_mass = mass
    if yp + ya > 0.0:
        # Few contacts have a surface that turns: the others are spared two divisions.
        arm_ratio = 1.0 + separation / (rows.radius[p] + rows.radius[a])
        friction_mass = 1.0 / (wp + wa + arm_ratio * arm_ratio * (yp + ya))
    disc["arm_ratio"] = arm_ratio
    disc["friction_mass"] = friction_mass
    disc["friction_impulse"] = contact["friction_impulse"] * impulse / last if last > 0.0 else 0.0
    disc["reflected_impulse"] = contact["reflected_impulse"]


@inline
def list_edge(
    keys: np.ndarray,
    records: np.ndarray,
    c: int,
    rows: Rows,
    rate: float,
    edges: np.ndarray,
    k: int,
) -> None:
    """Copy contact c of a particle and an edge to edges[k], with the impulses that it starts from;
    rate: substeps per second.

    The warm start uses the smaller one of the last two impulses, and the same fraction of friction.
    Under load both are alike, but where saturated springs push with alternating sign the last
    impulse is a wrong guess and would feed energy in.
    """
    contact = records[c]
    edge = edges[k]
    p = keys[c, 0]
    a = keys[c, 1]
    b = keys[c, 2]
    last = contact["normal_impulse"]
    inverse_mass = rows.inverse_mass
    impulse = min(last, contact["previous_impulse"])
    if contact["restitution"] > 0.0:
        impulse = min(impulse, LARGEST_START * contact["effective_mass"])
    edge["particle"] = p
    edge["edge_a"] = a
    edge["edge_b"] = b
    edge["contact"] = c
    edge["normal_x"] = contact["normal_x"]
    edge["normal_y"] = contact["normal_y"]
    edge["closing_speed"] = max(contact["separation"], 0.0) * rate - contact["bounce_speed"]
    edge["effective_mass"] = contact["effective_mass"]
    edge["normal_impulse"] = impulse
    edge["inverse_effective_mass"] = 1.0 / contact["effective_mass"]
    edge["inverse_mass"] = inverse_mass[p]
    edge["inverse_mass_a"] = inverse_mass[a]
    edge["inverse_mass_b"] = inverse_mass[b]
    edge["edge_fraction"] = contact["edge_fraction"]
    edge["friction_impulse"] = contact["friction_impulse"] * impulse / last if last > 0.0 else 0.0
    edge["friction_mass"] = contact["friction_mass"]
    edge["friction"] = contact["friction"]
    edge["tangent_speed"] = contact["tangent_speed"]
    edge["torque_arm_x"] = contact["torque_arm_x"]
    edge["torque_arm_y"] = contact["torque_arm_y"]
    edge["surface_yield"] = rows.surface_yield[p]
    edge["reflected_impulse"] = contact["reflected_impulse"]
