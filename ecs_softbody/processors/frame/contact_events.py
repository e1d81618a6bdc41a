"""ContactEvents: tells a game which pairs of entities begin, continue or end touching.

At the end of a frame the simulation calls `collect`, when the pairs are known, and `deliver` as the
very last step, when handlers may change the world. A game sets handlers with `sim.on`, under the
names below; each gets one ContactEvent.
"""

from __future__ import annotations

from collections import deque

import esper

from ecs_softbody.collision.contacts.contact_pairs import ContactEvent, TouchingPairs, events_of
from ecs_softbody.processors.handler_errors import HandlerErrors
from ecs_softbody.storage.entity import home_of

BEGIN = "contact_begin"
"""Event: a pair touches that did not touch in the frame before."""
STAY = "contact_stay"
"""Event of each frame in which a pair goes on touching."""
END = "contact_end"
"""Event: a pair touches no longer."""


class ContactEvents:
    """Dispatches the events of a frame: first ended, then begun, then continued pairs.

    Ends come first so that a game with a set of touching entities stays correct when esper gives
    the number of a deleted entity to a new one.
    """

    def __init__(self, touching: TouchingPairs) -> None:
        self._touching = touching
        self._waiting: deque[tuple[str, int, ContactEvent]] = deque()
        """Queue of (name of the event, key of the pair in TouchingPairs, event)."""

    @property
    def are_heard(self) -> bool:
        """Whether there is any handler."""
        heard = esper.event_registry
        return bool(heard.get(BEGIN) or heard.get(STAY) or heard.get(END))

    def collect(self) -> None:
        """Queue the events of this frame that have handlers; the current world must be the world of
        the pairs.
        """
        touching = self._touching
        home = home_of(esper.current_world)
        for name, pairs in (
            (END, touching.ended),
            (BEGIN, touching.begun),
            (STAY, touching.stayed),
        ):
            # Events without a handler cost nothing.
            if len(pairs) and name in esper.event_registry:
                self._waiting += [(name, key, event) for key, event in events_of(pairs, home)]

    def deliver(self) -> None:
        """Dispatch the queued events, each once.

        Where a member was deleted before its turn, a begin is dropped with the pair, so that no end
        follows; a stay is dropped; an end is dispatched. When a handler raises, the others still
        get their events; then the first exception is raised, with a note about each further one.
        """
        if not self._waiting:
            return
        errors = HandlerErrors("contact events")
        world = esper.current_world
        while self._waiting:
            if esper.current_world != world:
                esper.switch_world(world)  # a handler has entered another one
            name, key, event = self._waiting.popleft()
            if name != END and not (
                esper.entity_exists(event.entity_a) and esper.entity_exists(event.entity_b)
            ):
                if name == BEGIN:
                    self._touching.forget(key)
                continue
            with errors.kept():
                esper.dispatch_event(name, event)
        errors.raise_first()

    def forget(self) -> None:
        """Drop the queued events."""
        self._waiting.clear()
