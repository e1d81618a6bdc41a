"""WorldEvents: handlers of the events of one Simulation, `on` and `off`.

esper dispatches events, and knows handlers by weak references. So that lambdas live, and errors and
signals are handled, esper gets one dispatcher for each event, which calls the handlers of a game.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

import esper

from ecs_softbody.errors import FieldError, FieldTypeError, shown
from ecs_softbody.processors.handler_errors import HandlerErrors
from ecs_softbody.simulation.world import World
from ecs_softbody.storage.holding import SHIELD, whole
from ecs_softbody.validation import did_you_mean

EVENTS = {
    "contact_begin": "ContactEvent",
    "contact_stay": "ContactEvent",
    "contact_end": "ContactEvent",
    "joint_broken": "entity, component class, row, force",
    "link_removed": "entity, component class, gone entity",
    "body_cut": "entity, pieces",
    "body_torn": "entity, pieces",
    "spring_torn": "entity, row",
    "body_frozen": "entity, message",
    "jumped": "entity, speed",
    "landed": "entity, speed, ground entity",
}
"""All events, with the arguments of their handlers."""
CONTACTS = {"contact_begin", "contact_stay", "contact_end"}
"""Events that hand over one ContactEvent instead of several arguments."""

Handler = TypeVar("Handler", bound=Callable[..., Any])


class _Dispatcher:
    """Hands one event to its handlers, in the order in which they were added.

    esper has a weak reference to it, as to all that it calls: its table of worlds holds no
    simulation by its handlers.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.handlers: list[tuple[Callable[..., Any], int | None]] = []
        """(handler, entity whose events it gets; None: all)."""

    def __call__(self, *event: Any) -> None:
        errors = HandlerErrors(self.name)
        # The loop takes a copy, since handlers may add and take off handlers.
        for handler, entity in tuple(self.handlers):
            if (handler, entity) not in self.handlers:
                continue  # another handler of this event has taken it off
            arguments = event if entity is None else self._arguments_for(event, entity)
            if arguments is None:
                continue
            with errors.kept():
                SHIELD.lift(handler, *arguments)
        errors.raise_first()

    def _arguments_for(self, event: tuple[Any, ...], entity: int) -> tuple[Any, ...] | None:
        """Return the arguments for a handler of one entity, or None if the event does not concern
        it.
        """
        if self.name in CONTACTS:
            contact = event[0]
            return (contact.of(entity),) if entity in (contact.entity_a, contact.entity_b) else None
        concerned = event[0] == entity or (self.name == "link_removed" and event[2] == entity)
        return event if concerned else None


class WorldEvents:
    """Keeps the handlers that a game adds, and lets go of them when the simulation ends."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._dispatchers: dict[str, _Dispatcher] = {}

    @whole
    def on(self, name: str, handler: Handler, entity: int | None = None) -> Handler:
        """Call `handler` for each event of this name in this simulation, in the order of adding;
        return the handler.

        The simulation keeps a reference to the handler, also to a lambda or nested function. For
        contact events it gets a ContactEvent; with `entity` only events of that entity, turned so
        that it is `entity_a`.

        Args:
            name: contact_begin, contact_stay, contact_end (event); joint_broken (entity, component
                class, row, force); link_removed (entity, component class, gone entity); body_cut,
                body_torn (entity, pieces); spring_torn (entity, row); body_frozen
                (entity, message); jumped (entity, speed) and landed (entity, speed, ground entity)
                of a Character, speeds in m/s.
            handler: is called with the arguments of the event.
            entity: only events of this entity; None: all.

        Raises:
            ValueError: when there is no such event or entity.
            TypeError: when the handler cannot be called.
            RuntimeError: after `close`.
        """
        check_event("Simulation.on", name)
        check_handler("Simulation.on", name, handler)
        if entity is not None:
            self._world.check_entity("on", entity)
        dispatcher = self._dispatchers.setdefault(name, _Dispatcher(name))
        if (handler, entity) not in dispatcher.handlers:
            dispatcher.handlers.append((handler, entity))
        registry = esper.event_registry
        # The set is a new one, since esper may be going through the old one.
        registry[name] = {*registry.get(name, ()), weakref.ref(dispatcher)}
        return handler

    @whole
    def off(self, name: str, handler: Callable[..., Any], entity: int | None = None) -> None:
        """Call a handler no longer, as it was given to `on`, with the same entity.

        Raises:
            ValueError: when there is no such event, or the handler was not added.
        """
        check_event("Simulation.off", name)
        if entity is not None:
            self._world.check_own("off", entity)
        dispatcher = self._dispatchers.get(name)
        if dispatcher is None or (handler, entity) not in dispatcher.handlers:
            of_entity = "" if entity is None else f" for entity {shown(entity)}"
            raise FieldError(
                "Simulation.off",
                "handler",
                handler,
                "what `on` was given. A lambda is a new one each time: keep what `on` returns",
                hint=f": it was not added to {name!r}{of_entity}",
            )
        dispatcher.handlers.remove((handler, entity))
        if not dispatcher.handlers:
            del self._dispatchers[name]
            _take_out(name, dispatcher)


def forget_handlers() -> None:
    """Take the handlers of a simulation, which may be gone already, out of the current world."""
    for name in list(esper.event_registry):
        _take_out(name, None)


def _take_out(name: str, dispatcher: _Dispatcher | None) -> None:
    """Take a dispatcher, or all of them (None), out of the handlers of an event in the current
    world. The set of handlers is replaced, since esper may be going through the old one.
    """
    left = {one for one in esper.event_registry[name] if not _is_meant(one(), dispatcher)}
    if left:
        esper.event_registry[name] = left
    else:
        del esper.event_registry[name]


def _is_meant(called: Any, dispatcher: _Dispatcher | None) -> bool:
    """Return whether a callable of esper is this dispatcher, or any dispatcher; a dead one always
    counts.
    """
    return called is None or (
        called is dispatcher if dispatcher else isinstance(called, _Dispatcher)
    )


def check_handler(asked: str, name: str, handler: object) -> None:
    """Raise TypeError unless a handler is callable; `asked` names the function that it was given
    to.
    """
    if not callable(handler):
        raise FieldTypeError(
            asked,
            "handler",
            handler,
            f'a function, without calling it: on("{name}", on_hit), not on_hit()',
        )


def check_event(asked: str, name: str) -> None:
    """Raise ValueError unless there is such an event; `asked` names the function that it was given
    to.
    """
    if not isinstance(name, str) or name not in EVENTS:
        meant = did_you_mean(name, EVENTS)
        raise FieldError(
            asked,
            "name",
            name,
            f"{', '.join(EVENTS)}; events of your own go through esper.set_handler and "
            "esper.dispatch_event",
            wrong=f"there is no event {shown(name)}{meant}",
        )
