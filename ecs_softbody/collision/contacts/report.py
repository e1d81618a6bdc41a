"""ContactReports: the contacts that games see as `sim.contacts`, found once as long as nothing has
moved.

A report has the contacts of the list that pushed in this frame or overlap, contacts that pushed and
are no longer on the list, and the contacts of sleeping bodies.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ecs_softbody.collision.contacts.sleeping import SleepingContacts, joined
from ecs_softbody.collision.contacts.view import Contacts, ContactView
from ecs_softbody.indices import flatnonzero
from ecs_softbody.storage.resource import Part, Resource

FIELDS = tuple(each.name for each in Contacts.saved)
"""Names of all arrays of a report."""
MOST = 1000
"""With more contacts, a report is found each time: to see whether anything has changed, all arrays
that it is made of are compared.
"""


class ContactReports(Resource):
    """Remembers the last report: rules, effects and the picture ask for it, several times a frame.

    A contact that pushed may be on no list any more at the end of the frame, since a disc that
    bounces fast leaves its margin: it is described when a search within the frame has let it go.
    """

    saved = (Part("ended", "Contacts that pushed in this frame and are gone again.", Contacts),)

    def __init__(self) -> None:
        self.ended = Contacts.none()
        self._last: tuple[list[bytes], Contacts] = [], Contacts.none()
        """The content of all arrays that the last report was made of, and the report."""

    def begin_frame(self) -> None:
        """Forget the contacts that ended in the frame before."""
        if len(self.ended):
            self.ended = Contacts.none()

    def note_ended(self, before: ContactView) -> None:
        """After a search, keep the old contacts that pushed in this frame and have no successor.

        before: the view of the old list, in which matching has set the `frame_impulse` of all
        others to 0.
        """
        ended = flatnonzero(before.contacts.records["frame_impulse"] > 0.0)
        if len(ended):
            self.ended = joined(self.ended, before.describe(ended))

    def report(self, view: ContactView, sleeping: SleepingContacts) -> Contacts:
        """Return the contacts that pushed in this frame or overlap now; for sleepers, in their last
        frame awake.
        """
        if view.contacts.count + len(sleeping) > MOST:
            return _found(view, sleeping, self.ended)
        seen = _content(view, sleeping, self.ended)
        if seen != self._last[0]:
            self._last = seen, _found(view, sleeping, self.ended)
        return Contacts(*[getattr(self._last[1], name).copy() for name in FIELDS])


def _found(view: ContactView, sleeping: SleepingContacts, ended: Contacts) -> Contacts:
    """Return a new report."""
    found = view.reported()
    for others in (ended, sleeping.reported()):
        if len(others):
            found = joined(found, others)
    return found


def _content(view: ContactView, sleeping: SleepingContacts, ended: Contacts) -> list[bytes]:
    """Return the bytes of all arrays that a report is made of: while they are equal, so is it."""
    contacts = view.contacts
    rows = view.particles.rows
    walls = view.walls
    read: list[NDArray[Any]] = [
        contacts.rows, contacts.proxies, contacts.records, rows["position"], rows["body"],
        view.proxies.radius, view.particles.values["first"], view.colliders.values["entity"],
        walls.vertices, walls.entities, walls.edges.wall,
    ]  # fmt: skip
    others = sleeping.contacts, sleeping.waking_contacts, ended
    read += [getattr(kept, name) for kept in others if len(kept) for name in FIELDS]
    return [bytes(map(bool, map(len, others))), *[array.tobytes() for array in read]]
