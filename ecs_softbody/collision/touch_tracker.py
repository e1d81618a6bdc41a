"""TouchTracker: follows from frame to frame which pairs of entities touch, once somebody wants to know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecs_softbody.collision.contacts import ContactList
from ecs_softbody.collision.touching import (
    PAIR,
    Owners,
    Pairs,
    TouchingPairs,
    pairs_of_contacts,
    pairs_of_entities,
    pairs_of_tangles,
)

if TYPE_CHECKING:
    from ecs_softbody.collision.space import CollisionSpace


class TouchTracker:
    """Tells `pairs` what touches after each frame; until `start` it costs nothing."""

    def __init__(self, space: CollisionSpace) -> None:
        self._space = space
        self.pairs = TouchingPairs()
        self._is_on = False
        self._key = (-1, -1, -1)
        self._found_by = self._now = self._owners()

    def start(self) -> None:
        """From now on follow which pairs of entities touch; nobody is told of those that touch already."""
        if self._is_on:
            return
        self._is_on = True
        owners = self._owners()
        asleep = pairs_of_entities(self._space.sleeping.contacts, owners)
        self.pairs.update(np.concatenate([self._touching(owners), asleep]), owners)

    def track(self) -> None:
        """After the last substep of a frame: find out which pairs of entities began and ended to touch."""
        if self._is_on:
            owners, activity = self._owners(), self._space.activity
            asleep = activity.asleep[activity.bodies_of(self._space.colliders)]
            self.pairs.update(self._touching(owners), owners, asleep)

    def note_search(self, old: ContactList, *, new_frame: bool) -> None:
        """Note what is left of the old contacts after a search, and whose the new ones are."""
        if self._is_on and not new_frame:
            self.pairs.note_lost(self._pairs_of(old))
        self._found_by = self._owners()

    def _owners(self) -> Owners:
        """Return who owns the items now; the same object until colliders come or go."""
        space = self._space
        key = (space.colliders.version, space.static_colliders.version, space.walls.version)
        if self._key != key:
            bodies, walls = space.colliders.values, space.static_colliders.values
            self._key, self._now = (
                key,
                Owners(
                    bodies.count,
                    np.concatenate([bodies["serial"], walls["serial"]]),
                    np.concatenate([bodies["entity"], walls["entity"]]),
                    np.concatenate([np.arange(bodies.count), bodies.count + space.walls.slot]),
                ),
            )
        return self._now

    def _pairs_of(self, contacts: ContactList) -> Pairs:
        space = self._space
        place = space.particles["position"]
        return pairs_of_contacts(contacts, self._found_by, place, space.walls.vertices, space.reach, space.offset)

    def _touching(self, owners: Owners) -> Pairs:
        space, found = self._space, [np.zeros(0, PAIR)]
        if space.has_searched and not space.is_empty:
            found.append(self._pairs_of(space.contacts))
            if len(space.tangles):
                found.append(pairs_of_tangles(space.tangles.pairs, space.tangles.ways, owners))
        if len(sensed := space.sensors.find(owners)):
            found.append(sensed)
        return found[1] if len(found) == 2 else np.concatenate(found)
