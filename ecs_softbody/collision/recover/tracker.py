"""InterpenetrationTracker: which bodies overlap each other or walls, and the motor that parts them.

Each search for contacts calls `find`: pairs of bodies whose outlines cross, bodies that a game made
across a wall ("straddling") and damaged bodies (damage.py) are found, and their pairs are marked to
have no contacts, which would hold them together. Each substep calls `separate`: a motor drives all
of them apart. A body is given by its slot, its place in the table of Collider; slots are reused, so
entities are kept beside them.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags, Floats, Integers
from ecs_softbody.collision.detect.margins import ParticleSpans
from ecs_softbody.collision.detect.proxies import Proxies
from ecs_softbody.collision.detect.static_edges import StaticEdges
from ecs_softbody.collision.recover.damage_finder import DamageFinder
from ecs_softbody.collision.recover.depenetration import FreeParticles, find_axes, separate
from ecs_softbody.collision.recover.entanglements import AXES
from ecs_softbody.collision.recover.interpenetration import SUMS, find_interpenetrations
from ecs_softbody.collision.recover.straddling import find_axes_off_walls, find_straddling
from ecs_softbody.collision.solve.rigid_motion import RIGID_BODY
from ecs_softbody.elementary.rows import distinct_rows
from ecs_softbody.geometry.outlines import Shapes
from ecs_softbody.indices import arange, flatnonzero
from ecs_softbody.storage import Store
from ecs_softbody.storage.resource import (
    Array,
    Flag,
    Part,
    Resource,
    Whole,
    WholeArray,
    load_fields,
)
from ecs_softbody.storage.saved import Saved

NO_PAIRS = np.zeros((0, 2), np.int64)
"""No pair interpenetrates."""
NO_BODIES = np.zeros(0, np.int64)
"""Entities of no body."""
NO_MARKS = np.zeros(0, np.bool_)
"""No pair loses its contacts."""


class Separated(Resource):
    """Pairs that a motor separates: their slots (P, 2), their entities (P, 2), and their axes of
    separation (P, 5).

    An axis is a point [m], the unit direction in which the first body leaves the second, and the
    speed of the motor [m/s]; columns as in depenetration.X.
    """

    saved = (
        WholeArray("pairs", ("pairs", 2), "Slots of two bodies.", below=("bodies", "bodies")),
        WholeArray("entities", ("pairs", 2), "Their entities."),
        Array("axes", ("pairs", 5), AXES),
    )

    def __init__(self, pairs: Integers = NO_PAIRS, entities: Integers = NO_PAIRS) -> None:
        self.pairs = pairs
        self.entities = entities
        self.axes = np.zeros((len(pairs), 5))

    def load(self, saved: Saved) -> None:
        """Load the pairs of a file; without pairs, older files have arrays of other shapes."""
        pairs, *rest = self.saved
        pairs.load(self, saved)
        load_fields(self, saved, rest if len(self.pairs) else ())

    def __len__(self) -> int:
        return len(self.pairs)


class Straddling(Separated):
    """Bodies and the walls that they straddle: slots (P, 2), and the entity (P,) of the body."""

    saved = (
        WholeArray(
            "pairs", ("pairs", 2), "Slots of a body and of a wall.", below=("bodies", "walls_room")
        ),
        WholeArray("entities", "pairs", "The entity of the body."),
        *Separated.saved[2:],
    )

    def __init__(self, pairs: Integers = NO_PAIRS, entities: Integers = NO_BODIES) -> None:
        super().__init__(pairs, entities)


class InterpenetrationTracker(Resource):
    """The interpenetrating pairs of a world, and the bodies that straddle walls.

    `marks` (P,) flags which pairs of the present search have no contacts. A look is a test between
    two searches, at the start of a frame without one: it counts as a search for the turns in which
    bodies and pairs are tested.
    """

    saved = (
        Part("bodies", "Pairs of bodies that interpenetrate.", Separated),
        Part("straddling", "Bodies on both sides of a wall.", Straddling),
        Whole(
            "searches", "Searches and looks between them, by which some tests take turns.", least=0
        ),
        Flag("looked", "Whether a look has come after the last search."),
        WholeArray("seen", "seen", "Entities of the bodies that the last search knew, by slot."),
        Part("damage", "Damaged bodies.", DamageFinder, name="wounds"),
    )

    def __init__(self, colliders: Store, particles: Store, walls: StaticEdges) -> None:
        self._colliders = colliders
        self._particles = particles
        self._walls = walls
        self.bodies = Separated()
        self.straddling = Straddling()
        self._sums = np.zeros(1, SUMS)
        self._motions = np.zeros(2, RIGID_BODY)
        self.searches = 0
        self.looked = False
        self._scratch = NO_MARKS
        self.seen = np.zeros(0, np.int64)
        self.marks = NO_MARKS
        self.damage = DamageFinder(colliders, particles, walls)

    def __len__(self) -> int:
        return len(self.bodies)

    @property
    def pairs(self) -> Integers:
        """The pairs (P, 2) of bodies that interpenetrate, lower slot first."""
        return self.bodies.pairs

    @property
    def axes(self) -> Floats:
        """The axis of separation (P, 5) of each pair, see Separated."""
        return self.bodies.axes

    @property
    def is_active(self) -> bool:
        """Whether anything interpenetrates, so that its axes must be updated as it moves."""
        return bool(len(self.bodies) or len(self.straddling) or self.damage.are_any)

    def look(self, pairs: Integers, proxies: Proxies) -> bool:
        """Test at the start of a frame without a search; true if it needs one after all.

        That is so while anything overlaps, as axes follow the motion and are written by searches.
        pairs (P, 2): of the last search.
        """
        if self.is_active:
            return True
        self.searches += 1
        self.looked = True
        if len(self._scratch) < len(pairs):
            self._scratch = np.zeros(len(pairs) + len(pairs) // 4, np.bool_)
        shapes = self.damage.shapes_now(proxies)
        none_new = np.zeros(proxies.body_count, np.bool_)
        found = self._mark(pairs, proxies, shapes, none_new, NO_PAIRS, self._scratch) > 0
        return found or self.damage.look_at_walls(pairs, proxies, shapes, self.searches)

    def _mark(
        self,
        pairs: Integers,
        proxies: Proxies,
        shapes: Shapes,
        new: Flags,
        known: Integers,
        marks: Flags,
    ) -> int:
        """Write to `marks` (P,) which pairs of bodies interpenetrate, and find damaged bodies.

        new (B,): bodies that the last search did not know. known (W, 2): pairs that it found.
        Return the number of both.
        """
        return self.damage.find(new, shapes, self.searches) + find_interpenetrations(
            pairs,
            shapes,
            proxies.bounds.box,
            proxies.filters,
            self.searches,
            new,
            known,
            self._sums,
            marks,
        )

    def find(self, pairs: Integers, proxies: Proxies) -> None:
        """Find what overlaps, at the positions of this search, and the axes along which it leaves.

        pairs (P, 2): proxies that are near each other, the lower one first. The order: new bodies
        may straddle walls and are exempt from the test for particles behind walls, as are entangled
        bodies: both have axes of their own, along which they leave the wall as a whole.
        """
        entities = self._colliders["entity"]
        if not proxies.has_outlines:
            self.marks = NO_MARKS
            if not is_same_row(self.seen, entities):
                # The old array stays while it is equal: nothing has to look at it again.
                self.seen = entities.copy()
            self.damage.forget(proxies.body_count)
            if len(self.bodies) or len(self.straddling):
                self.bodies = Separated()
                self.straddling = Straddling()
            return
        self.marks = np.zeros(len(pairs), np.bool_)
        self.searches += not self.looked
        self.looked = False
        # Slots are reused: the damage noted there belongs to the body before.
        new = self._new()
        self.damage.resize(new)
        self._mark(pairs, proxies, proxies.shapes, new, self._known(), self.marks)
        # So far only pairs of bodies are marked; pairs with walls follow, but are no `found` ones.
        found = self.marks.copy()
        exempt = new
        if np.count_nonzero(new) or len(self.straddling.entities):
            self._find_straddling(pairs, new, proxies)
            exempt = new | np.isin(entities, self.straddling.entities)
        entangled = self.damage.find_entanglements(pairs, proxies, entities)
        if len(entangled):
            self._part(pairs, entangled)
            exempt = exempt | np.isin(arange(len(entities)), entangled[:, 0])
        self.damage.find_rows_behind_walls(pairs, exempt, proxies, self.searches)
        if len(entangled):
            self.damage.mark(entangled[:, 0])
        if np.count_nonzero(found):
            # Two bodies with fixed particles cannot be driven apart: they keep their contacts.
            held = flatnonzero(found)
            held = held[self.damage.are_pinned(pairs[held, 0])]
            held = held[self.damage.are_pinned(pairs[held, 1])]
            self.marks[held] = found[held] = False
            self.bodies = Separated(pairs[found], entities[pairs[found]])
        elif len(self.bodies):
            self.bodies = Separated()
        if len(self.bodies):
            find_axes(
                self.bodies.pairs, proxies.shapes, proxies.bounds.box, self._sums, self.bodies.axes
            )

    def _find_straddling(self, pairs: Integers, new: Flags, proxies: Proxies) -> None:
        """Find the bodies that straddle walls, among new bodies and bodies that did so before; mark
        the pairs of such a body and any edge of its wall.
        """
        edges = self._walls.edges
        entities = self._colliders["entity"]
        due = new | np.isin(entities, self.straddling.entities)
        found = np.zeros((len(pairs), 2), np.int64)
        count = find_straddling(
            pairs, due, proxies.shapes, edges, proxies.filters, self._sums, found
        )
        if not count:
            self.straddling = Straddling()
            return
        members = distinct_rows(found[:count])
        members = members[[not self.damage.is_pinned(body) for body in members[:, 0]]]
        self.straddling = Straddling(members, entities[members[:, 0]])
        if not len(members):
            return
        find_axes_off_walls(members, proxies.shapes, edges, self._sums, self.straddling.axes)
        self._part(pairs, members)

    def _part(self, pairs: Integers, members: Integers) -> None:
        """Mark the pairs of each body and any edge of its wall; members (T, 2): their slots."""
        no_walls = np.full(len(self._colliders["entity"]), -1, np.int64)
        wall = np.concatenate([no_walls, self._walls.edges.wall])[pairs[:, 1]]
        for body, slot in members:
            self.marks |= (pairs[:, 0] == body) & (wall == slot)

    def _new(self) -> Flags:
        """Return which bodies (B,) were not there in the last search."""
        entities = self._colliders["entity"]
        if is_same_row(self.seen, entities):
            return np.zeros(len(entities), np.bool_)
        new = np.ones(len(entities), np.bool_)
        new[: len(self.seen)] = entities[: len(self.seen)] != self.seen[: len(entities)]
        self.seen = entities.copy()
        return new

    def _known(self) -> Integers:
        """Return the pairs of the last search whose bodies have kept their slots."""
        slots = self.bodies.pairs
        entities = self._colliders["entity"]
        if not len(slots):
            return NO_PAIRS
        inside = (slots < len(entities)).all(axis=1)
        slots = slots[inside]
        then = self.bodies.entities[inside]
        known: Integers = slots[(entities[slots] == then).all(axis=1)]
        return known

    def separate(self, dt: float) -> None:
        """Add the forces of a substep that separate interpenetrating pairs, and drive bodies off
        walls.
        """
        if len(self.bodies):
            self._separate(self.bodies.pairs, self.bodies.axes, dt)
        if len(self.straddling):
            self._drive_off(self.straddling.pairs[:, 0], self.straddling.axes, dt)
        self.damage.wait(dt)
        if len(self.damage.entanglements):
            self._drive_off(
                self.damage.entanglements.pairs[:, 0], self.damage.entanglements.axes, dt
            )
        if len(self.damage.bodies_behind):
            self._drive_off(self.damage.bodies_behind, self.damage.axes, dt)

    def _drive_off(self, bodies: Integers, axes: Floats, dt: float) -> None:
        """Drive bodies (T,) off walls, along axes (T, 5): -1 stands for a wall."""
        self._separate(np.column_stack([bodies, np.full(len(bodies), -1, np.int64)]), axes, dt)

    def _separate(self, pairs: Integers, axes: Floats, dt: float) -> None:
        """Add the motor's forces on pairs (T, 2) of bodies along axes (T, 5)."""
        spans = self._colliders.group(ParticleSpans)
        particles = self._particles.group(FreeParticles)
        separate(pairs, axes, spans, particles, dt, self._motions)


def is_same_row(one: Integers, other: Integers) -> bool:
    """Return whether two rows have the same numbers."""
    return len(one) == len(other) and not np.count_nonzero(one != other)
