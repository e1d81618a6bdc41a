"""SleepingContacts: the contacts of sleeping bodies, kept while nobody solves them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision import response
from ecs_softbody.collision.contacts import ContactList, Contacts
from ecs_softbody.collision.report import describe
from ecs_softbody.kernels.compiling import lean

if TYPE_CHECKING:
    from ecs_softbody.collision.space import CollisionSpace

TOUCHING = 0.001
"""Surfaces nearer than this [m] touch, whether they carry load at the moment or not."""
NONE = -1
"""Stands for a body where there is a wall, and for a wall where there is a body."""


@dataclasses.dataclass
class KeptRows:
    """C contacts in numbers that hold while other bodies and walls come and go.

    `body` (C, 2): slots of Particles, NONE for a wall; `wall` (C,): slot of StaticCollider, or NONE. `owner` (C, 3):
    the slot that each of the three rows belongs to, of StaticCollider where `fixed` (C, 3); `local` (C, 3): the row
    counted within it. `items` and `data` are those of the ContactList.
    """

    body: NDArray[np.int64]
    wall: NDArray[np.int64]
    owner: NDArray[np.int64]
    fixed: NDArray[np.bool_]
    local: NDArray[np.int64]
    items: NDArray[np.int64]
    data: NDArray[np.float64]

    @classmethod
    def none(cls) -> KeptRows:
        """Return no contacts."""
        pairs, triples = np.zeros((0, 2), np.int64), np.zeros((0, 3), np.int64)
        single, flags = np.zeros(0, np.int64), np.zeros((0, 3), np.bool_)
        return cls(pairs, single, triples, flags, triples, pairs, np.zeros((0, response.COLUMNS)))


Kind = TypeVar("Kind", KeptRows, Contacts)


class SleepingContacts:
    """What games see of the contacts of sleeping bodies, and the impulses with which they wake."""

    def __init__(self) -> None:
        self.rows, self.waking = KeptRows.none(), KeptRows.none()
        self.contacts, self.waking_contacts = Contacts.none(), Contacts.none()

    def __len__(self) -> int:
        return len(self.contacts)

    def reported(self) -> Contacts:
        """Return what games see: what pushed or overlapped when it was last solved."""
        contacts = joined(self.contacts, self.waking_contacts)
        return chosen(contacts, (contacts.impulse > 0.0) | (contacts.gap < 0.0))

    def take_from(self, space: CollisionSpace) -> None:
        """Keep the contacts between bodies that sleep now, and take them off the list that is solved."""
        active, asleep = space.contacts, space.activity.asleep
        walls = active.items[:, 1] >= len(space.item_body)
        first = space.item_body[active.items[:, 0]]
        second = np.where(walls, first, space.item_body[np.where(walls, 0, active.items[:, 1])])
        out = asleep[first] & asleep[second]
        touching = (active.data[:, response.ACTIVE] > 0.0) & (active.data[:, response.GAP] <= TOUCHING)
        kept = np.flatnonzero(out & (touching | (active.data[:, response.FRAME_IMPULSE] > 0.0)))
        rows, walls = active.rows[kept].astype(np.int64), walls[kept]
        fixed = rows >= space.offset
        packed = np.where(fixed, rows - space.offset, rows)
        owner = np.where(
            fixed, space.walls.slot_of(np.where(fixed, packed, 0)), space.particles["body"][np.where(fixed, 0, packed)]
        )
        start = np.where(
            fixed, space.walls.first[np.where(fixed, owner, 0)], space.bodies.values["first"][np.where(fixed, 0, owner)]
        )
        body = np.column_stack((first[kept], np.where(walls, NONE, second[kept])))
        wall = np.where(walls, np.where(fixed[:, 0], owner[:, 0], owner[:, 1]), NONE)
        data, items = active.data[kept], active.items[kept]
        self.rows = joined(self.rows, KeptRows(body, wall, owner, fixed, packed - start, items, data))
        self.contacts = joined(self.contacts, describe(space, kept))
        active.keep(~out)

    def wake(self, woken: NDArray[np.bool_]) -> None:
        """Let the contacts of these bodies, by slot, be solved again."""
        theirs = woken[self.rows.body[:, 0]] | (woken[self.rows.body[:, 1]] & (self.rows.body[:, 1] != NONE))
        self.waking = joined(self.waking, chosen(self.rows, theirs))
        self.waking_contacts = joined(self.waking_contacts, chosen(self.contacts, theirs))
        self.rows, self.contacts = chosen(self.rows, ~theirs), chosen(self.contacts, ~theirs)

    def give_to(self, contacts: ContactList, space: CollisionSpace) -> None:
        """Append the contacts that wake to a list, without those whose body or wall is gone."""
        if not len(self.waking.body):
            return
        rows, seen = self.waking, self.waking_contacts
        self.waking, self.waking_contacts = KeptRows.none(), Contacts.none()
        bodies, walls = space.bodies.values.arrays["entity"], space.walls.entities
        on_wall = rows.wall != NONE
        other = np.where(on_wall, walls[np.where(on_wall, rows.wall, 0)], bodies[rows.body[:, 1]])
        rows = chosen(rows, (bodies[rows.body[:, 0]] == seen.entity_a) & (other == seen.entity_b))
        fixed, owner = rows.fixed, rows.owner
        start = np.where(
            fixed,
            space.walls.first[np.where(fixed, owner, 0)] + space.offset,
            space.bodies.values["first"][np.where(fixed, 0, owner)],
        )
        rows.items[rows.wall != NONE, 1] = NONE  # edges are numbered anew when walls come and go: rows tell them apart
        rows.data[:, response.FRAME_IMPULSE] = 0.0
        contacts.append(start + rows.local, rows.items, rows.data)

    def bodies_on(self, walls: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the bodies that touch one of the walls, given by slot."""
        bodies: NDArray[np.int64] = self.rows.body[(self.rows.wall != NONE) & walls[self.rows.wall], 0]
        return bodies

    def bodies_off(self, entity: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bodies whose wall is gone; entity: that of each slot of StaticCollider, 0 for none."""
        gone = (self.rows.wall != NONE) & (entity[self.rows.wall] != self.contacts.entity_b)
        bodies: NDArray[np.int64] = self.rows.body[gone, 0]
        return bodies


def joined(first: Kind, second: Kind) -> Kind:
    """Return the rows of both, field by field."""
    names = [field.name for field in dataclasses.fields(first)]
    return type(first)(*(np.concatenate([getattr(first, name), getattr(second, name)]) for name in names))


def chosen(rows: Kind, which: NDArray[np.bool_]) -> Kind:
    """Return some of the rows, field by field."""
    return type(rows)(*(getattr(rows, field.name)[which] for field in dataclasses.fields(rows)))


@lean
def find_touching(
    items: np.ndarray,
    data: np.ndarray,
    body: np.ndarray,
    touching: np.ndarray,
    supported: np.ndarray,
    pairs: np.ndarray,
) -> int:
    """Mark the bodies that touch anything, and those that a wall carries; write the pairs (P, 2) of bodies that touch.

    body: slot of Particles of every item that is a body; the items from its length on are walls.
    """
    count: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for c in range(items.shape[0]):
        loaded = data[c, response.FRAME_IMPULSE] > 0.0
        if not loaded and (data[c, response.ACTIVE] == 0.0 or data[c, response.GAP] > TOUCHING):
            continue
        i = body[items[c, 0]]
        touching[i] = True
        if items[c, 1] >= body.shape[0]:
            supported[i] |= loaded
        else:
            j = body[items[c, 1]]
            touching[j] = True
            pairs[count, 0], pairs[count, 1] = i, j
            count += 1
    return count


@lean
def meets_sleeper(items: np.ndarray, body: np.ndarray, asleep: np.ndarray) -> bool:
    """Tell whether there is a contact of a sleeping body and one that is awake."""
    for c in range(items.shape[0]):
        if items[c, 1] < body.shape[0] and asleep[body[items[c, 0]]] != asleep[body[items[c, 1]]]:
            return True
    return False


@lean
def find_pushed(
    items: np.ndarray, data: np.ndarray, body: np.ndarray, asleep: np.ndarray, dt: float, pushed: np.ndarray
) -> bool:
    """Mark the sleeping bodies that one that is awake reaches within the substep; tell whether there are any."""
    found = False
    for c in range(items.shape[0]):
        fixed = data[c, response.WEIGHT] == 0.0  # a sleeping body and a kinematic one
        if (data[c, response.ACTIVE] == 0.0 and not fixed) or items[c, 1] >= body.shape[0]:
            continue
        i, j = body[items[c, 0]], body[items[c, 1]]
        if asleep[i] != asleep[j] and data[c, response.APPROACH] * dt + max(data[c, response.GAP], 0.0) < 0.0:
            pushed[i if asleep[i] else j] = True
            found = True
    return found
