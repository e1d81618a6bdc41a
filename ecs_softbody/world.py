"""World: the esper world of a Simulation, and what lives in it."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import esper

from ecs_softbody.processors import Order


def run_processors(dt: float) -> None:
    """Do what `esper.process` does; it takes any arguments, and packs and unpacks them for each processor."""
    esper.clear_dead_entities()
    for processor in esper._processors:
        processor.process(dt)


class World:
    """One esper world by its name. Entering it (`with sim:`) makes it the current one for a while."""

    def __init__(self, world: str) -> None:
        if not isinstance(world, str) or not world:
            raise ValueError(f"Simulation.world: {world!r} is not allowed; expected a name")
        self.world = world
        self.closed = False
        self._entered: list[str] = []

    def spawn(self, *components: Any) -> int:
        """Create an entity in this simulation's world and return its number."""
        with self:
            return esper.create_entity(*components)

    def despawn(self, entity: int) -> None:
        """Delete an entity at the start of the next step; safe inside processors and event handlers.

        Raises:
            ValueError: when there is no such entity.
        """
        self._check_entity("despawn", entity)
        with self:
            esper.delete_entity(entity)

    def add_processor(self, processor: esper.Processor, priority: int = Order.CUSTOM_FORCE) -> None:
        """Add a processor of your own to this simulation's world; `priority` places it in the order of a substep."""
        with self:
            esper.add_processor(processor, priority=priority)

    def activate(self) -> None:
        """Make this simulation's world the current esper world."""
        esper.switch_world(self.world)

    def __enter__(self) -> Self:
        """Make this simulation's world the current one until the end of the `with` block."""
        self._check_open()
        self._entered.append(esper.current_world)
        esper.switch_world(self.world)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        esper.switch_world(self._entered.pop())

    def _check_entity(self, method: str, entity: int) -> None:
        with self:
            if not esper.entity_exists(entity):
                raise ValueError(f"Simulation.{method}: entity {entity!r} does not exist in world {self.world!r}")

    def _check_open(self) -> None:
        if self.closed:
            raise RuntimeError(f"this Simulation of world {self.world!r} is closed, or another one took its world over")
