"""Entities: the tree of a world's entities and components, and the names of entities."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ecs_softbody.scenes.comparing import components_of
from ecs_softbody.scenes.scene import Scene, scene_of
from ecs_softbody.simulation import Simulation

SHOWN_LAST = ("Look", "Skin")
"""Components that tell little about an entity: they come last in its summary."""


class Row(NamedTuple):
    """One line of the tree: an entity, or one of its components."""

    entity: int
    kind: type[Any] | None = None


class Names:
    """The names of entities, from scene files or given by the inspector."""

    def __init__(self) -> None:
        self._of_scene: WeakKeyDictionary[Scene, dict[int, str]] = WeakKeyDictionary()
        self.given: dict[int, str] = {}
        """Names of entities of the current world that the inspector has spawned."""

    def of(self, sim: Simulation, entity: int) -> str:
        """Return the name that a scene file knows an entity by, or an empty string."""
        scene = scene_of(sim)
        if scene is None:
            return ""
        if scene not in self._of_scene:
            self._of_scene[scene] = {int(scene[name]): name for name in scene}
        return self._of_scene[scene].get(int(entity), "") or self.given.get(int(entity), "")

    def entity(self, sim: Simulation, name: str) -> int | None:
        """Return the entity of a name, None if it does not exist now."""
        scene = scene_of(sim)
        number = next((number for number, given in self.given.items() if given == name), None)
        if scene is not None and name in scene:
            number = scene[name]
        return number if number is not None and sim.exists(number) else None

    def label(self, sim: Simulation, entity: int) -> str:
        """Return the label of an entity in the tree."""
        return self.of(sim, entity) or f"entity {int(entity)}"


class Tree:
    """The lines of the tree.

    It is rebuilt a few times a second; only visible lines read more data.
    """

    def __init__(self, names: Names) -> None:
        self.opened: set[int] = set()
        self.text = ""
        """Only entities whose name or component has this in it are shown."""
        self.rows: list[Row] = []
        self._summaries: dict[int, str] = {}
        self.count = 0
        """Total number of entities."""
        self._names = names

    def refresh(self, sim: Simulation) -> None:
        """Rebuild the lines from the current entities."""
        entities = sim.entities()
        self._summaries.clear()
        self.count = len(entities)
        self.opened.intersection_update(entities)
        if self.text:
            entities = [entity for entity in entities if self._fits(sim, entity)]
        self.rows = []
        for entity in entities:
            self.rows.append(Row(entity))
            if entity in self.opened:
                self.rows += [Row(entity, type(one)) for one in components_of(sim, entity)]

    def _fits(self, sim: Simulation, entity: int) -> bool:
        words = [
            self._names.label(sim, entity),
            *(type(one).__name__ for one in components_of(sim, entity)),
        ]
        return any(self.text.lower() in word.lower() for word in words)

    def summary(self, sim: Simulation, entity: int) -> str:
        """Return the components of an entity in a few words, as they were at the last look; empty
        when it is gone.
        """
        if entity not in self._summaries:
            names = (
                [type(one).__name__ for one in components_of(sim, entity)]
                if sim.exists(entity)
                else []
            )
            self._summaries[entity] = ", ".join(sorted(names, key=lambda name: name in SHOWN_LAST))
        return self._summaries[entity]
