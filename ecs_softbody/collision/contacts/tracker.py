"""TouchTracker: follows from frame to frame which pairs of entities touch, once a game asks.

It is the source of `sim.touching` and of the events contact_begin, contact_stay and contact_end. At
the end of each frame it collects the pairs with contacts, with interpenetration and with a sensor,
and compares them with the pairs of the frame before (contact_pairs.py).
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.collision.contacts.contact_pairs import (
    PAIR,
    Owners,
    Pairs,
    TouchingPairs,
    pairs_of_contacts,
    pairs_of_entities,
    pairs_of_interpenetrations,
)
from ecs_softbody.collision.contacts.sleeping import SleepingContacts
from ecs_softbody.collision.contacts.view import ContactView
from ecs_softbody.collision.query.sensors import Sensors
from ecs_softbody.collision.recover.tracker import InterpenetrationTracker
from ecs_softbody.indices import arange
from ecs_softbody.storage import Activity, Table
from ecs_softbody.storage.resource import Flag, Part, Resource
from ecs_softbody.storage.saved import Saved


class TouchTracker(Resource):
    """Keeps the pairs that touch after each frame; until `start` it costs nothing."""

    saved = (
        Part("pairs", "The pairs that touched at the end of the last frame.", TouchingPairs),
        Flag("is_on", "Whether a game asks who touches."),
        Flag("has_contacts", "Whether contacts have been found since."),
        Part("found_by", "The bodies and walls of the last search.", Owners),
    )

    def __init__(
        self,
        view: ContactView,
        static_colliders: Table,
        activity: Activity,
        sleeping: SleepingContacts,
        interpenetrations: InterpenetrationTracker,
        sensors: Sensors,
    ) -> None:
        self._view = view
        self._static_colliders = static_colliders
        self._activity = activity
        self._sleeping = sleeping
        self._interpenetrations = interpenetrations
        self._sensors = sensors
        self.pairs = TouchingPairs()
        self.is_on = self.has_contacts = False
        # Versions of bodies, walls and edges for which `_now` holds.
        self._key = (-1, -1, -1)
        self.found_by = self._now = self._owners()

    def load(self, saved: Saved) -> None:
        """Load the state from a file; owners are needed for all proxies of the last search."""
        saved.lengths["slots"] = self._view.colliders.values.count
        super().load(saved)
        known = len(self.found_by.of_proxy)
        proxies = saved.lengths["proxies"]
        if known < (proxies if self.has_contacts else 0):
            saved.fail("found_by", f"owners of {known} proxies", f"those of {proxies}")

    def start(self) -> None:
        """Start to track touching pairs of entities; pairs that touch already cause no event."""
        if self.is_on:
            return
        self.is_on = True
        owners = self._owners()
        asleep = pairs_of_entities(self._sleeping.contacts, owners)
        self.pairs.update(np.concatenate([self._touching(owners, moved=False), asleep]), owners)

    def track(self) -> None:
        """After the last substep of a frame: find which pairs have begun to touch and which have
        parted. Pairs of sleeping bodies stay as they are.
        """
        if self.is_on:
            owners = self._owners()
            activity = self._activity
            asleep = activity.asleep[activity.bodies_of(self._view.colliders)]
            self.pairs.update(self._touching(owners, moved=True), owners, asleep)

    def note_search(self, before: ContactView, *, new_frame: bool) -> None:
        """After a search: keep the pairs of the old contacts, and note to which bodies and walls
        the proxies of the new ones belong. before: the view of the old list.
        """
        # A search within a frame drops contacts that have pushed in it: without their impulses the
        # events of a bounce would not add up to the change of momentum.
        if self.is_on and not new_frame:
            self.pairs.note_lost(pairs_of_contacts(before, self.found_by))
        self.found_by = self._owners()
        self.has_contacts = True

    def _owners(self) -> Owners:
        """Return which body or wall each proxy belongs to now; the same object until one comes or
        goes.
        """
        view = self._view
        static_colliders = self._static_colliders
        key = (view.colliders.version, static_colliders.version, view.walls.version)
        if self._key != key:
            bodies = view.colliders.values
            walls = static_colliders.values
            serial, entity = (
                np.concatenate([bodies[name], walls[name]]) for name in ("serial", "entity")
            )
            of_proxy = np.concatenate([arange(bodies.count), bodies.count + view.walls.edges.wall])
            self._key = key
            self._now = Owners(bodies.count, serial, entity, of_proxy)
        return self._now

    def _touching(self, owners: Owners, *, moved: bool) -> Pairs:
        """Return all pairs of awake bodies that touch now; moved: whether a frame has passed, after
        which sensors must look again.
        """
        found = [np.zeros(0, PAIR)]
        colliders = self._view.colliders
        deep = self._interpenetrations
        if self.has_contacts and colliders.bound and len(colliders.active_slots):
            found.append(pairs_of_contacts(self._view, self.found_by))
            if len(deep):
                found.append(pairs_of_interpenetrations(deep.pairs, deep.axes, owners))
        if len(sensed := self._sensors.find(owners, moved=moved)):
            found.append(sensed)
        return found[1] if len(found) == 2 else np.concatenate(found)
