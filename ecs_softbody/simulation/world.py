"""World: the esper world of a Simulation, and what lives in it."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import esper

from ecs_softbody.processors import Order


class World:
    """One esper world by its name. Entering it makes it the current one for a while."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise ValueError(f"Simulation.world: {name!r} is not allowed; expected a name")
        self.name = name
        self.closed = False
        self._entered: list[str] = []

    def spawn(self, *components: Any) -> int:
        """Create an entity in this simulation's world and return its number."""
        with self:
            return esper.create_entity(*components)

    def despawn(self, entity: int) -> None:
        """Delete an entity at the start of the next step; safe inside processors and event handlers."""
        self.check_entity("despawn", entity)
        with self:
            esper.delete_entity(entity)

    def add_processor(self, processor: esper.Processor, priority: int = Order.CUSTOM_FORCE) -> None:
        """Add a processor of your own to this simulation's world; `priority` places it in the order of a substep."""
        with self:
            esper.add_processor(processor, priority=priority)

    def activate(self) -> None:
        """Make this simulation's world the current esper world."""
        esper.switch_world(self.name)

    def __enter__(self) -> Self:
        """Make this simulation's world the current one until the end of the `with` block."""
        self.check_open()
        self._entered.append(esper.current_world)
        esper.switch_world(self.name)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        esper.switch_world(self._entered.pop())

    def check_entity(self, method: str, entity: int) -> None:
        """Raise ValueError when there is no such entity; `method` of Simulation was asked."""
        with self:
            if not esper.entity_exists(entity):
                raise ValueError(f"Simulation.{method}: entity {entity!r} does not exist in world {self.name!r}")

    def check_open(self) -> None:
        """Raise RuntimeError after the simulation was closed."""
        if self.closed:
            raise RuntimeError(f"this Simulation of world {self.name!r} is closed, or another one took its world over")
