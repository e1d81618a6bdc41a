"""ContactReports: the contacts that games see, found once as long as nothing has moved."""

from __future__ import annotations

import dataclasses
from typing import Any

from numpy.typing import NDArray

from ecs_softbody.collision.contacts.sleeping import SleepingContacts, joined
from ecs_softbody.collision.contacts.view import Contacts, ContactView

FIELDS = tuple(each.name for each in dataclasses.fields(Contacts))
MOST = 1000
"""Contacts that are compared; of more, a report is found each time."""


class ContactReports:
    """Remembers the last report: rules, effects and the picture ask for it, several times a frame."""

    def __init__(self) -> None:
        self._seen: list[bytes] = []
        self._last = Contacts.none()

    def report(self, view: ContactView, sleeping: SleepingContacts) -> Contacts:
        """Return the contacts that pushed in this frame or overlap now; for sleepers, in their last frame awake."""
        if view.contacts.count + len(sleeping) > MOST:
            return _found(view, sleeping)
        seen = _content(view, sleeping)
        if seen != self._seen:
            self._seen, self._last = seen, _found(view, sleeping)
        return Contacts(*[getattr(self._last, name).copy() for name in FIELDS])


def _found(view: ContactView, sleeping: SleepingContacts) -> Contacts:
    awake, asleep = view.reported(), sleeping.reported()
    return joined(awake, asleep) if len(asleep) else awake


def _content(view: ContactView, sleeping: SleepingContacts) -> list[bytes]:
    """Return all that a report is made of."""
    contacts, rows, walls = view.contacts, view.particles.rows, view.walls
    read: list[NDArray[Any]] = [
        contacts.rows, contacts.proxies, contacts.records, rows["position"], rows["body"], view.proxies.radius,
        view.particles.values["first"], view.colliders.values["entity"], walls.vertices, walls.entities,
        walls.edges.wall,
    ]  # fmt: skip
    read += [getattr(kept, name) for kept in (sleeping.contacts, sleeping.waking_contacts) for name in FIELDS]
    return [array.tobytes() for array in read]
