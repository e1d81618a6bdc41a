"""TangledPairs: which pairs of bodies are tangled now, remembered from search to search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.astride import find_astride, find_ways_off
from ecs_softbody.collision.items import Items
from ecs_softbody.collision.static_edges import StaticEdges
from ecs_softbody.collision.tangles import find_knots, find_tangles
from ecs_softbody.collision.untangling import drive_apart, find_ways_out
from ecs_softbody.storage import Store

NO_PAIRS = np.zeros((0, 2), np.int64)
NO_MARKS = np.zeros(0, np.bool_)


class TangledPairs:
    """The tangled pairs of a world, and the bodies astride walls; `marks` (P,) flags pairs of the last search."""

    def __init__(self, colliders: Store, particles: Store, walls: StaticEdges) -> None:
        self._colliders, self._particles, self._walls = colliders, particles, walls
        self._astride = NO_PAIRS
        self._astride_entities = np.zeros(0, np.int64)
        self._ways_off = np.zeros((0, 5))
        self._entities = NO_PAIRS
        self._pairs = NO_PAIRS
        self._ways = np.zeros((0, 5))
        self._sums, self._motions = np.zeros(10), np.zeros((2, 7))
        self._searches, self._looked = 0, False
        self._room = self._nobody = NO_MARKS
        self._seen = np.zeros(0, np.int64)
        self.marks = np.zeros(0, np.bool_)
        self.knotted = np.zeros(0, np.bool_)
        """Bodies (B,) that cross themselves."""

    def __len__(self) -> int:
        return len(self._pairs)

    @property
    def pairs(self) -> NDArray[np.int64]:
        """The pairs (P, 2) of bodies that are tangled, lower slot first."""
        return self._pairs

    @property
    def ways(self) -> NDArray[np.float64]:
        """The way out (P, 5) of each pair: a point, the normal from the second body to the first one, a speed."""
        return self._ways

    @property
    def is_busy(self) -> bool:
        """Whether anything is tangled, so that its way out has to be found anew as it goes."""
        return bool(len(self._pairs) or len(self._astride) or self.knotted.any())

    def look(self, pairs: NDArray[np.int64], items: Items) -> bool:
        """Look between two searches at those whose turn it is; tell whether any of them is tangled."""
        if not items.has_outlines:
            return False
        self._searches += 1
        self._looked = True
        if len(self._room) < len(pairs):
            self._room = np.zeros(len(pairs) + len(pairs) // 4, np.bool_)
        if len(self._nobody) != items.body_count:
            self._nobody = np.zeros(items.body_count, np.bool_)
        return self._find_marks(pairs, items, self._nobody, NO_PAIRS, self._particles["position"], self._room) > 0

    def _find_marks(
        self,
        pairs: NDArray[np.int64],
        items: Items,
        fresh: NDArray[np.bool_],
        known: NDArray[np.int64],
        place: NDArray[np.float64],
        marks: NDArray[np.bool_],
    ) -> int:
        """Mark the pairs of bodies that are tangled now, and the knotted bodies; return how many pairs and bodies."""
        knots = find_knots(
            self._colliders["self_collision"], self._searches, fresh, place, items.points, items.first, items.last,
            items.ringed, items.closed, self.knotted,
        )  # fmt: skip
        return knots + find_tangles(
            pairs, items.body_count, self._searches, fresh, known, place, items.points, items.first, items.last,
            items.ringed, items.closed, items.box, items.category, items.mask, self._sums, marks,
        )  # fmt: skip

    def find(self, pairs: NDArray[np.int64], items: Items) -> None:
        """Look which of the pairs (body, other item), lower first, are tangled, and which way they come apart."""
        if not items.has_outlines:
            self.marks, self._seen = NO_MARKS, self._colliders["entity"].copy()
            self.knotted = np.zeros(items.body_count, np.bool_)
            self._pairs = self._entities = NO_PAIRS
            self._astride, self._astride_entities = NO_PAIRS, NO_PAIRS[:, 0]
            return
        self.marks = np.zeros(len(pairs), np.bool_)
        self._searches += not self._looked
        self._looked = False
        fresh = self._fresh()
        self.knotted = np.resize(self.knotted, len(fresh)) & ~fresh if len(self.knotted) else np.zeros_like(fresh)
        self._find_marks(pairs, items, fresh, self._known(), items.place, self.marks)
        points, first, last, ringed, closed = items.points, items.first, items.last, items.ringed, items.closed
        tangled = self.marks.copy()
        if fresh.any() or len(self._astride_entities):
            self._find_astride(
                pairs, fresh, items.place, points, first, last, ringed, closed, items.category, items.mask
            )
        for k in np.flatnonzero(tangled):
            self.marks[k] = tangled[k] = not (self._is_held(pairs[k, 0]) and self._is_held(pairs[k, 1]))
        self._pairs = pairs[tangled]
        self._entities = self._colliders["entity"][self._pairs]
        self._ways = np.zeros((len(self._pairs), 5))
        if len(self._pairs):
            find_ways_out(
                self._pairs, items.place, points, first, last, ringed, closed, items.box, self._sums, self._ways
            )

    def _find_astride(
        self,
        pairs: NDArray[np.int64],
        fresh: NDArray[np.bool_],
        place: NDArray[np.float64],
        points: NDArray[np.uint32],
        first: NDArray[np.int64],
        last: NDArray[np.int64],
        ringed: NDArray[np.bool_],
        closed: NDArray[np.bool_],
        category: NDArray[np.uint32],
        mask: NDArray[np.uint32],
    ) -> None:
        """Find the new bodies that are astride walls, and those that still are; mark all pairs of both."""
        walls, entities = self._walls, self._colliders["entity"]
        due = fresh | np.isin(entities, self._astride_entities)
        found = np.zeros((len(pairs), 2), np.int64)
        count = find_astride(
            pairs, len(entities), due, walls.slot, walls.edges, place, points, first, last, ringed, closed,
            category, mask, self._sums, found,
        )  # fmt: skip
        members = np.unique(found[:count], axis=0)
        self._astride = members[[not self._is_held(body) for body in members[:, 0]]]
        self._astride_entities = entities[self._astride[:, 0]]
        self._ways_off = np.zeros((len(self._astride), 5))
        if not len(self._astride):
            return
        find_ways_off(
            self._astride, walls.chain, walls.edges, walls.outward, place, points, first, last, closed, self._sums,
            self._ways_off,
        )  # fmt: skip
        wall = np.concatenate([np.full(len(entities), -1), walls.slot])[pairs[:, 1]]
        for body, slot in self._astride:
            self.marks |= (pairs[:, 0] == body) & (wall == slot)

    def _is_held(self, body: int) -> bool:
        """Tell whether a particle of a body is fixed, so that no motor could drive it away for good."""
        bodies = self._colliders
        rows = slice(int(bodies["particle_first"][body]), int(bodies["particle_last"][body]))
        return not self._particles["inverse_mass"][rows].all()

    def _fresh(self) -> NDArray[np.bool_]:
        """Tell which bodies were not there in the last search."""
        entities = self._colliders["entity"]
        fresh = np.ones(len(entities), np.bool_)
        fresh[: len(self._seen)] = entities[: len(self._seen)] != self._seen[: len(entities)]
        self._seen = entities.copy()
        return fresh

    def _known(self) -> NDArray[np.int64]:
        """Return the pairs of the last search whose bodies are still where they were."""
        slots, entities = self._pairs, self._colliders["entity"]
        if not len(slots):
            return NO_PAIRS
        inside = (slots < len(entities)).all(axis=1)
        slots, then = slots[inside], self._entities[inside]
        known: NDArray[np.int64] = slots[(entities[slots] == then).all(axis=1)]
        return known

    def drive_apart(self, dt: float) -> None:
        """Add the forces that drive tangled pairs apart, and bodies off walls, in a substep."""
        if len(self._pairs):
            self._drive(self._pairs, self._ways, dt)
        if len(self._astride):
            self._drive(np.column_stack([self._astride[:, 0], np.full(len(self._astride), -1)]), self._ways_off, dt)

    def _drive(self, pairs: NDArray[np.int64], ways: NDArray[np.float64], dt: float) -> None:
        particles, bodies = self._particles, self._colliders
        drive_apart(
            pairs, ways, bodies["particle_first"], bodies["particle_last"], particles["position"],
            particles["velocity"], particles["inverse_mass"], dt, self._motions, particles["force"],
        )  # fmt: skip
