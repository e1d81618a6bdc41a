"""SleepingContacts: the contacts of sleeping bodies, kept while they are not solved.

When bodies fall asleep, their contacts leave the list; when bodies wake, the contacts come back
with their impulses, so that a heap does not sink at its warm start. Meanwhile games see them as
before. Kernels here also tell which bodies touch, for islands of sleep, and which sleepers are run
into.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Flags1, Floats1, Integers1, Integers2
from ecs_softbody.collision.contacts.contact import CONTACT, ContactArrays, ParticleArrays
from ecs_softbody.collision.contacts.view import Contacts, ContactView
from ecs_softbody.indices import flatnonzero
from ecs_softbody.parallel.compiling import entry, inline, kernel
from ecs_softbody.storage import Table
from ecs_softbody.storage.resource import Array, FlagArray, Part, Resource, WholeArray, load_record
from ecs_softbody.storage.saved import Saved

TOUCHING = 0.001
"""Surfaces nearer than this [m] touch, whether they carry load at the moment or not."""
NONE = -1
"""Stands for a body where there is a wall, and for a wall where there is a body."""


@dataclasses.dataclass
class SleepingRows:
    """C contacts in numbers that hold while other bodies and walls come and go.

    A slot is a place in the table of a component. `body` (C, 2): slots of Particles, NONE for a
    wall; `wall` (C,): slot of StaticCollider, or NONE. The three rows of a contact are its point
    and both ends of its edge: `owner` (C, 3) is the slot that each belongs to, of StaticCollider
    where `fixed` (C, 3), else of Particles; `local` (C, 3) is the row counted within its owner.
    `proxies` and `records` are as in ContactList.
    """

    body: NDArray[np.int64]
    wall: NDArray[np.int64]
    owner: NDArray[np.int64]
    fixed: NDArray[np.bool_]
    local: NDArray[np.int64]
    proxies: NDArray[np.int64]
    records: NDArray[np.void]

    saved = (
        WholeArray(
            "body",
            ("contacts", 2),
            "Slots of both bodies, -1 for a wall.",
            least=NONE,
            below="bodies_room",
        ),
        WholeArray(
            "wall", "contacts", "Slot of the wall, -1 for none.", least=NONE, below="walls_room"
        ),
        WholeArray("owner", ("contacts", 3), "Slots that particle and ends of the edge belong to."),
        FlagArray("fixed", ("contacts", 3), "Whether that is a slot of StaticCollider."),
        WholeArray("local", ("contacts", 3), "The row, counted within its owner."),
        WholeArray("proxies", ("contacts", 2), "Both proxies of the last search."),
        Array("records", "contacts", "The contact as the solver left it.", dtype=CONTACT),
    )

    @classmethod
    def load(cls, saved: Saved, seen: Contacts, view: ContactView) -> SleepingRows:
        """Return the rows of a file; `seen` are its contacts as reported to games.

        Contacts of bodies and walls that no longer exist have rows 0.
        """
        bodies = view.particles.values
        walls = view.walls
        saved.lengths.update(
            contacts=len(seen), bodies_room=bodies.capacity, walls_room=walls.wall_capacity
        )
        rows = load_record(cls, saved, cls.saved)
        body = rows.body
        wall = rows.wall
        owner = rows.owner
        fixed = rows.fixed
        local = rows.local
        for column, entity in ((0, seen.entity_a), (1, seen.entity_b)):
            _forget_others(rows.proxies[:, column], entity, view.colliders.values.arrays["entity"])
        if (body[:, 0] < 0).any() or ((body[:, 1] == NONE) != (wall != NONE)).any():
            saved.fail("body", "a contact", "a body, and another one or a wall")
        there = rows.exist(seen, view)
        owner[~there] = 0
        fixed[~there] = False
        local[~there] = 0
        most = np.where(fixed, walls.wall_capacity, bodies.capacity)
        if ((owner < 0) | (owner >= most)).any():
            saved.fail("owner", "a contact", "slots of bodies and walls")
        length = np.where(
            fixed,
            walls.lengths[np.where(fixed, owner, 0)],
            _lengths(view.particles)[np.where(fixed, 0, owner)],
        )
        if ((local < 0) | (local >= np.maximum(length, 1)))[there].any():
            saved.fail("local", "a contact", "rows of its bodies and walls")
        return rows

    def exist(self, seen: Contacts, view: ContactView) -> NDArray[np.bool_]:
        """Return which contacts (C,) have bodies and walls that are still there: slots are reused,
        so their entities must still be in the slots, as in `seen`, the same contacts as reported to
        games.
        """
        bodies = view.particles.values.arrays["entity"]
        walls = view.walls.entities
        on_wall = self.wall != NONE
        other = np.where(on_wall, walls[np.where(on_wall, self.wall, 0)], bodies[self.body[:, 1]])
        found: NDArray[np.bool_] = (bodies[self.body[:, 0]] == seen.entity_a) & (
            other == seen.entity_b
        )
        return found

    @classmethod
    def none(cls) -> SleepingRows:
        """Return no contacts."""
        pairs = np.zeros((0, 2), np.int64)
        triples = np.zeros((0, 3), np.int64)
        single = np.zeros(0, np.int64)
        flags = np.zeros((0, 3), np.bool_)
        return cls(pairs, single, triples, flags, triples, pairs, np.zeros(0, CONTACT))


Kind = TypeVar("Kind", SleepingRows, Contacts)


class SleepingContacts(Resource):
    """The contacts of sleeping bodies as games see them, and the impulses with which they wake."""

    saved = (
        Part("contacts", "Contacts of sleeping bodies, as games see them.", Contacts),
        Part("rows", "The same, as the solver has them.", SleepingRows),
        Part(
            "waking_contacts",
            "Contacts of bodies that wake in the next frame, as games see them.",
            Contacts,
        ),
        Part("waking", "The same, as the solver has them.", SleepingRows),
    )

    def __init__(self) -> None:
        self.rows = SleepingRows.none()
        self.waking = SleepingRows.none()
        self.contacts = Contacts.none()
        self.waking_contacts = Contacts.none()

    def load(self, saved: Saved, view: ContactView | None = None) -> None:
        """Load the contacts of a file."""
        assert view is not None
        for seen, rows in ("contacts", "rows"), ("waking_contacts", "waking"):
            contacts = load_record(Contacts, saved.part(seen), Contacts.saved)
            setattr(self, seen, contacts)
            setattr(self, rows, SleepingRows.load(saved.part(rows), contacts, view))

    def __len__(self) -> int:
        return len(self.contacts)

    def reported(self) -> Contacts:
        """Return the contacts for games: with an impulse or overlap when they were last solved."""
        contacts = (
            joined(self.contacts, self.waking_contacts)
            if len(self.waking_contacts)
            else self.contacts
        )
        return (
            chosen(contacts, (contacts.impulse > 0.0) | (contacts.separation < 0.0))
            if len(contacts)
            else contacts
        )

    def take_from(self, view: ContactView, asleep: NDArray[np.bool_]) -> None:
        """Keep the contacts between bodies that sleep now, and take them off the list that is
        solved; asleep (P,): by slot of Particles.
        """
        active = view.contacts
        walls = view.walls
        body_of = view.proxies.body
        on_wall = active.proxies[:, 1] >= len(body_of)
        first = body_of[active.proxies[:, 0]]
        second = np.where(on_wall, first, body_of[np.where(on_wall, 0, active.proxies[:, 1])])
        out = asleep[first] & asleep[second]
        touching = active.records["active"] & (active.records["separation"] <= TOUCHING)
        kept = flatnonzero(out & (touching | (active.records["frame_impulse"] > 0.0)))
        rows = active.rows[kept].astype(np.int64)
        on_wall = on_wall[kept]
        fixed = rows >= view.offset
        packed = np.where(fixed, rows - view.offset, rows)
        of_vertex = walls.slot_of(np.where(fixed, packed, 0))
        of_particle = view.particles.rows["body"]
        owner = np.where(fixed, of_vertex, of_particle[np.where(fixed, 0, packed)])
        start = _first_rows(view, fixed, owner)
        body = np.column_stack((first[kept], np.where(on_wall, NONE, second[kept])))
        wall = np.where(on_wall, np.where(fixed[:, 0], owner[:, 0], owner[:, 1]), NONE)
        records = active.records[kept]
        proxies = active.proxies[kept]
        self.rows = joined(
            self.rows, SleepingRows(body, wall, owner, fixed, packed - start, proxies, records)
        )
        self.contacts = joined(self.contacts, view.describe(kept))
        active.keep(~out)

    def wake(self, woken: NDArray[np.bool_]) -> None:
        """Let the contacts of these bodies be solved again, from the next search on.

        woken (P,): by slot of Particles.
        """
        theirs = woken[self.rows.body[:, 0]] | (
            woken[self.rows.body[:, 1]] & (self.rows.body[:, 1] != NONE)
        )
        self.waking = joined(self.waking, chosen(self.rows, theirs))
        self.waking_contacts = joined(self.waking_contacts, chosen(self.contacts, theirs))
        self.rows, self.contacts = chosen(self.rows, ~theirs), chosen(self.contacts, ~theirs)

    def give_to(self, view: ContactView) -> None:
        """Append the waking contacts to the old list, from which the search that follows takes
        their impulses over; contacts whose body or wall is gone are left out.
        """
        if not len(self.waking.body):
            return
        rows = self.waking
        seen = self.waking_contacts
        self.waking = SleepingRows.none()
        self.waking_contacts = Contacts.none()
        rows = chosen(rows, rows.exist(seen, view))
        start = _first_rows(view, rows.fixed, rows.owner) + np.where(rows.fixed, view.offset, 0)
        # Static edges are renumbered when walls come and go: rows tell them apart.
        rows.proxies[rows.wall != NONE, 1] = NONE
        rows.records["frame_impulse"] = rows.records["approach_speed"] = 0.0
        view.contacts.append(
            ContactArrays((start + rows.local).astype(np.uint32), rows.proxies, rows.records)
        )

    def bodies_on(self, walls: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the sleeping bodies, slots of Particles, that touch one of the walls (S,)."""
        bodies: NDArray[np.int64] = self.rows.body[
            (self.rows.wall != NONE) & walls[self.rows.wall], 0
        ]
        return bodies

    def bodies_off(self, entity: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sleeping bodies, slots of Particles, whose wall is gone.

        entity (S,): entities of the slots of StaticCollider, 0 for none.
        """
        gone = (self.rows.wall != NONE) & (entity[self.rows.wall] != self.contacts.entity_b)
        bodies: NDArray[np.int64] = self.rows.body[gone, 0]
        return bodies


def _forget_others(
    proxies: NDArray[np.int64], wanted: NDArray[np.int64], entities: NDArray[np.int64]
) -> None:
    """Write 0 to `proxies` (C,) that are no body of the wanted entity (C,).

    That is so for walls, whose rows tell them apart, and for bodies that are gone. entities (B,):
    of the slots of bodies.
    """
    proxies[(proxies < 0) | (proxies >= len(entities))] = 0
    proxies[entities[proxies] != wanted] = 0


def _lengths(table: Table) -> NDArray[np.int64]:
    """Return the number of rows of each slot of a table, unused slots included."""
    values = table.values.arrays
    return values["last"].astype(np.int64) - values["first"]


def _first_rows(
    view: ContactView, fixed: NDArray[np.bool_], owner: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the first vertex of each owner that is a wall (`fixed`), and the first particle of
    each owner that is a body.
    """
    walls = view.walls.first
    bodies = view.particles.values["first"]
    return np.where(fixed, walls[np.where(fixed, owner, 0)], bodies[np.where(fixed, 0, owner)])


def joined(first: Kind, second: Kind) -> Kind:
    """Return the rows of both, field by field.

    Types are named: numpy would lay records out as the machine's C does.
    """
    pairs = [(getattr(first, each.name), getattr(second, each.name)) for each in first.saved]
    columns: list[Any] = [np.concatenate(pair, dtype=pair[0].dtype) for pair in pairs]
    return type(first)(*columns)


def chosen(rows: Kind, which: NDArray[np.bool_]) -> Kind:
    """Return some of the rows, field by field."""
    return type(rows)(*(getattr(rows, each.name)[which] for each in rows.saved))


@entry
def find_touching(
    contacts: ContactArrays, body: Integers1, touching: Flags1, supported: Flags1, pairs: Integers2
) -> int:
    """Mark the bodies that touch anything and the bodies that a wall pushes, and write the pairs
    (P, 2) of touching bodies, of which islands are made; return their number.

    touching, supported: by slot of Particles. body (B,): that slot for every proxy that is a body;
    the proxies from B on are edges of walls.
    """
    proxies = contacts.proxies
    count: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for c in range(proxies.shape[0]):
        contact = contacts.records[c]
        loaded = contact["frame_impulse"] > 0.0
        if not loaded and (not contact["active"] or contact["separation"] > TOUCHING):
            continue
        i = body[proxies[c, 0]]
        touching[i] = True
        if proxies[c, 1] >= body.shape[0]:
            supported[i] |= loaded
        else:
            j = body[proxies[c, 1]]
            touching[j] = True
            pairs[count, 0] = i
            pairs[count, 1] = j
            count += 1
    return count


@entry
def find_pushed(
    contacts: ContactArrays,
    body: Integers1,
    asleep: Flags1,
    motion: ParticleArrays,
    radius: Floats1,
    dt: float,
    pushed: Flags1,
) -> bool:
    """Mark the sleeping bodies that an awake body reaches within the substep; true if there are
    any.

    asleep, pushed: by slot of Particles. body (B,): see `find_touching`. radius (R,) [m].
    """
    found = False
    proxies = contacts.proxies
    for c in range(proxies.shape[0]):
        if proxies[c, 1] >= body.shape[0]:
            continue
        i = body[proxies[c, 0]]
        j = body[proxies[c, 1]]
        if asleep[i] != asleep[j] and gap_ahead(contacts, c, motion, radius, dt) < 0.0:
            pushed[i if asleep[i] else j] = True
            found = True
    return found


@kernel
def gap_ahead(
    contacts: ContactArrays, c: int, motion: ParticleArrays, radius: np.ndarray, dt: float
) -> float:
    """Return the gap [m] that contact c of two bodies will have after the substep, negative if they
    meet, as the forces so far move them. An overlap now counts as a gap of 0.

    Few contacts have a sleeper: to prepare all of them for these took longer than to solve them.
    """
    position = motion.position
    contact = contacts.records[c]
    p = contacts.rows[c, 0]
    a = contacts.rows[c, 1]
    b = contacts.rows[c, 2]
    ex = position[b, 0] - position[a, 0]
    ey = position[b, 1] - position[a, 1]
    dx = position[p, 0] - position[a, 0]
    dy = position[p, 1] - position[a, 1]
    squared = ex * ex + ey * ey
    t = min(max((dx * ex + dy * ey) / squared, 0.0), 1.0) if squared > 0.0 else 0.0
    dx -= t * ex
    dy -= t * ey
    distance = math.sqrt(dx * dx + dy * dy)
    nx = contact["normal_x"]
    ny = contact["normal_y"]
    if distance > 1e-9:
        nx = dx / distance
        ny = dy / distance
    gap = distance - radius[p] - (1.0 - t) * radius[a] - t * radius[b]
    approach = speed_ahead(motion, p, nx, ny, dt)
    approach -= (1.0 - t) * speed_ahead(motion, a, nx, ny, dt) + t * speed_ahead(
        motion, b, nx, ny, dt
    )
    return max(gap, 0.0) + approach * dt


@inline
def speed_ahead(motion: ParticleArrays, row: int, nx: float, ny: float, dt: float) -> float:
    """Return how fast a particle moves along n once the forces so far have acted on it [m/s]."""
    share = dt * motion.inverse_mass[row]
    vx = motion.velocity[row, 0] + share * motion.force[row, 0]
    vy = motion.velocity[row, 1] + share * motion.force[row, 1]
    return vx * nx + vy * ny
