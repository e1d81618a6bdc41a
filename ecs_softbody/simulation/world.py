"""World: the esper world of a Simulation, `spawn` and `despawn`, and the end of a simulation.

esper keeps its worlds by name, in one process. A World here is the name together with checks: that
it is still open, and that a number is one of its entities. `Ending` closes a simulation, also one
that was dropped without `close`, or whose world another one takes over.
"""

from __future__ import annotations

import gc
import math
import os
import sys
import weakref
from collections.abc import Callable, Iterable
from numbers import Real
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType, TracebackType
from typing import Any, Self

import esper

from ecs_softbody.errors import FieldError, FieldTypeError
from ecs_softbody.processors import Order
from ecs_softbody.storage import Component, world_that_holds
from ecs_softbody.storage.entity import ERAS, Entity, Home, check_at_home
from ecs_softbody.storage.holding import OWNER, Stays, entrance, inside, whole
from ecs_softbody.validation import check_entities

PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"
"""Start of the paths of this package's sources: the first caller elsewhere is the game's line."""
DEFAULT = "default"
"""The world that esper always has: it may hold entities of other code."""
TAKEN_OVER = (
    "another Simulation took the world over; give each a name of its own, "
    "Simulation(world=...), or close the old one "
    "first"
)
"""Reason in errors of a simulation whose world was given to another one."""
DROPPED = "nobody had it any longer"
"""Reason in errors of a simulation to which nothing referred any longer."""
NO_COMPONENTS = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    dict,
    set,
    FunctionType,
    BuiltinFunctionType,
    MethodType,
    ModuleType,
)
"""Types that esper would take as components, and that are always mistakes in `spawn`."""


class World:
    """One esper world by its name. Entering it makes it the current one for a while."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise FieldError("Simulation", "world", name, "a name")
        self.name = name
        self.ended = ""
        """Why it can be used no longer, or an empty string."""
        self.era = ERAS.get(name, 0)
        """How often its entities were cleared before: their numbers are used again."""
        self._stays = Stays()
        """The `with` blocks of it that are running."""

    @property
    def _world(self) -> World:
        """Itself: the world that its own methods run in."""
        return self

    @property
    def closed(self) -> bool:
        """Whether it can be used no longer."""
        return bool(self.ended)

    def end(self, why: str) -> None:
        """Mark it as closed, with the reason and the line of user code."""
        self.ended = why + _line_of_caller()

    def note_cleared(self) -> None:
        """Note that all entities are gone: their ids will be reused by others."""
        ERAS[self.name] = self.era + 1

    @whole
    def spawn(self, *components: Any) -> int:
        """Create an entity in this simulation's world and return its number.

        Args:
            components: instances, one of each class: `sim.spawn(*blueprints.blob((0, 3), 0.5),
                Look(eyes=2))`, with the star before a blueprint. Any object of a class of your own
                is a component, too.

        Raises:
            TypeError: for anything that is not a component: a tuple without its star, a class, a
                number.
            ValueError: for two components of one class, or a component that another entity has
                already.
        """
        _check_components(components)
        entity = esper.create_entity(*components)
        for component in components:
            if isinstance(component, Component):
                component.holder = self.name, entity
        return self.entity(entity)

    @whole
    def despawn(self, entity: int) -> None:
        """Delete an entity at the start of the next step; safe inside processors and event
        handlers.
        """
        self.check_entity("despawn", entity)
        esper.delete_entity(entity)

    @whole
    def add_processor(self, processor: esper.Processor, priority: int = Order.CUSTOM_FORCE) -> None:
        """Add a processor of your own to this simulation's world; `priority` places it in the order
        of a substep.
        """
        if isinstance(processor, type) or not isinstance(processor, esper.Processor):
            raise FieldTypeError(
                "Simulation.add_processor", "", processor, "an instance of an esper.Processor"
            )
        # The priority is checked before esper takes it: an unsortable one would stay in its list,
        # and every later processor would fail.
        if not (isinstance(priority, Real) and math.isfinite(priority)):
            raise FieldError(
                "Simulation.add_processor",
                "priority",
                priority,
                "a finite number, such as Order.CUSTOM_FORCE",
            )
        esper.add_processor(processor, priority=priority)

    def activate(self) -> None:
        """Make this simulation's world the current esper world."""
        OWNER.check()
        esper.switch_world(self.name)

    @entrance
    def __enter__(self) -> Self:
        """Make this simulation's world the current one until the end of the `with` block."""
        self._stays.enter(self)
        return self

    @entrance
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stays.leave()

    @property
    def home(self) -> Home:
        """Where its entities are from."""
        return Home(self.name, self.era)

    def entity(self, number: int) -> Entity:
        """Return the number of an entity together with its world."""
        return Entity(number, self.name, self.era)

    @inside
    def check_entity(self, method: str, entity: int) -> None:
        """Raise ValueError if there is no such entity; `method` is the called method of
        Simulation.
        """
        self.check_own(method, entity)
        self.check_exists(method, entity)

    def check_exists(self, method: str, entity: int) -> None:
        """Raise ValueError if the current world, which must be this one, has no such entity."""
        if not esper.entity_exists(entity):
            allowed = f"an entity that exists in world {self.name!r}"
            raise FieldError(f"Simulation.{method}", "entity", entity, allowed)

    def check_own(self, method: str, entity: int) -> None:
        """Raise ValueError for the number of an entity of another world, or of this one before it
        was closed.
        """
        check_at_home(f"Simulation.{method}", "", entity, self.home)

    def own_entities(self, asked: str, field: str, given: int | Iterable[int]) -> tuple[int, ...]:
        """Return one entity or several of this world as plain numbers; they need not exist.

        asked: the function that they are an argument of.
        """
        entities = check_entities(asked, field, given)
        for entity in entities:
            check_at_home(asked, field, entity, self.home)
        return tuple(map(int, entities))

    def check_open(self) -> None:
        """Raise RuntimeError after the simulation was closed."""
        if self.ended:
            raise RuntimeError(f"this Simulation of world {self.name!r} is closed: {self.ended}")


class Life(weakref.ref[Any]):
    """A weak reference to a simulation. When Python collects the simulation, it comes into
    `_dropped`, and `end_dropped` calls its Ending.
    """

    __slots__ = ("ending",)
    ending: Ending


class Ending:
    """Ends one simulation, once, also where it was dropped without `close`.

    It holds no reference to the simulation, so that Python can collect an unused one.

    Attributes:
        undo: functions that remove the parts of the simulation from its world, called with that
            world current.
        free: releases everything else.
    """

    def __init__(self, simulation: object, world: World) -> None:
        self.world = self._world = world
        self.undo: list[Callable[[], object]] = []
        self.free: list[Callable[[], object]] = []
        # This is a built-in function: Python would drop an exception that a signal handler raises
        # inside a Python function.
        self._life: Life | None = Life(simulation, _dropped.append)
        self._life.ending = self
        take_over(self)

    @whole
    def end(self, why: str, *, clear: bool = False) -> None:
        """Release the resources of the simulation.

        clear: also delete the world with its entities; the default one is only emptied.
        """
        for undo in self.undo:
            undo()
        self._free(why)
        if clear:
            self.world.note_cleared()
            esper.clear_database()
            if self.world.name != DEFAULT:
                elsewhere = (other for other in esper.list_worlds() if other != self.world.name)
                esper.switch_world(next(elsewhere, DEFAULT))
                esper.delete_world(self.world.name)

    def _free(self, why: str) -> None:
        """Release what belongs to the simulation, and mark its world as closed."""
        for free in self.free:
            free()
        self.undo.clear()
        self.free.clear()
        self._life = None
        self.world.end(why)
        if _of_world.get(self.world.name) is self:
            del _of_world[self.world.name]


_of_world: dict[str, Ending] = {}
"""The end of the simulation that each world has."""
_dropped: list[Life] = []
"""Life objects of simulations that were garbage collected.

Python may find one at any moment; it ends with the next step of any other.
"""


def take_over(ending: Ending) -> None:
    """Assign a world to the simulation of `ending`; the previous simulation ends, and its bodies
    stay.

    An unused simulation counts as gone, whether or not Python has collected it yet: later results
    do not depend on that.
    """
    name = ending.world.name
    if name in _of_world and name != DEFAULT:
        gc.collect()
    end_dropped()
    if (previous := _of_world.get(name)) is not None:
        previous.end(TAKEN_OVER)
    _of_world[name] = ending
    ending.world.era = ERAS.get(name, 0)


def end_dropped() -> None:
    """End the simulations that are gone; bodies in the default world stay, for the next
    one there.
    """
    while _dropped:
        life = _dropped[0]
        if not life.ending.world.closed:
            life.ending.end(DROPPED, clear=life.ending.world.name != DEFAULT)
        _dropped.remove(life)  # last: an interrupt may have come


def _line_of_caller() -> str:
    """Return the line outside of this package that is running, as " (stars.py, line 41)"."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back  # type: ignore[assignment]
    return (
        "" if frame is None else f" ({Path(frame.f_code.co_filename).name}, line {frame.f_lineno})"
    )


def _check_components(components: tuple[Any, ...]) -> None:
    """Raise TypeError for anything that is not a component, and ValueError for two of a class or
    one of another entity.
    """
    kinds = set()
    for component in components:
        kind = type(component)
        if kind in kinds:
            raise FieldError(
                "Simulation.spawn",
                "",
                component,
                "one of each class. What a blueprint has made can be changed: write its fields; "
                "a second body is a second entity",
                in_words=f"{kind.__name__} twice",
            )
        kinds.add(kind)
        if isinstance(component, Component):
            _check_free(component)
        elif (allowed := misfit(component)) is not None:
            raise FieldTypeError(
                "Simulation.spawn", "", component, allowed, in_words=described(component)
            )


def _check_free(component: Component) -> None:
    """Raise ValueError for a component that belongs to an entity that is not deleted."""
    world = world_that_holds(component)
    if world not in (None, esper.current_world):
        # An unused simulation holds nothing, whether or not Python has collected it yet.
        gc.collect()
        end_dropped()
        world = world_that_holds(component)
    if world is not None:
        where = "" if world == esper.current_world else f" of world {world!r}"
        raise FieldError(
            "Simulation.spawn",
            "",
            component,
            "one for each entity, or a copy: copy.copy(component)",
            in_words=f"a {type(component).__name__} that belongs to another entity{where} already",
        )


def misfit(component: Any) -> str | None:
    """Return the words for an object that is no component: the expected one; None if it may be
    one.
    """
    if isinstance(component, type):
        return f"an instance: {component.__name__}(...)"
    if isinstance(component, tuple) and hasattr(component, "_fields"):
        return None  # a user-defined NamedTuple
    if isinstance(component, tuple | list):
        return (
            "components one by one; put a star before what a blueprint returns: "
            "sim.spawn(*blueprints.blob(...))"
        )
    if isinstance(component, esper.Processor):
        return "components; a processor is added with sim.add_processor(processor)"
    if (
        component is None
        or isinstance(component, NO_COMPONENTS)
        or type(component).__module__ == "numpy"
    ):
        return "components: objects such as Particles, Look, or of a class of your own"
    return None


def described(component: Any) -> str:
    """Describe an object that is no component in a few words."""
    if isinstance(component, type):
        return f"the class {component.__name__}"
    if isinstance(component, tuple | list):
        return f"a {type(component).__name__} of {len(component)} things"
    said = repr(component)
    return said if len(said) < 60 else f"{said[:57]}..."
