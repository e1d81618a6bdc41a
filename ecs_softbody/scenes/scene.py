"""Scene: maps the names of a scene file to the entities of a world."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ecs_softbody.scenes.model.parts import Parts
from ecs_softbody.scenes.model.specs import SceneSpec
from ecs_softbody.scenes.text.reading import Source
from ecs_softbody.simulation import Simulation
from ecs_softbody.storage.entity import check_at_home, home_of
from ecs_softbody.validation import did_you_mean

if TYPE_CHECKING:
    from ecs_softbody.rendering.camera import Camera
    from ecs_softbody.rendering.theme import Theme


class Scene:
    """A scene file that was loaded: `scene["hero"]` is the entity that the file calls so.

    Attributes:
        sim: the simulation that it was loaded into.
        path: of the file.
        files: all files that were read for it.
        names: the names of the entities, in the order of the file.
        tags: each tag with its entities, in the order of the file.
        data: the table `data` of the file: plain data for the game.
        title, tagline: of the file, or empty.
        theme: the look of sky, ground, water and weather, or None.
    """

    def __init__(self, sim: Simulation, spec: SceneSpec, numbers: list[int]) -> None:
        self.sim = sim
        self.spec = spec
        self.path = spec.tree.files[0]
        self.files: tuple[Path, ...] = tuple(spec.tree.files)
        self.names: tuple[str, ...] = tuple(entity.name for entity in spec.entities)
        self._home = home_of(sim.world)
        self._entities = dict(zip(self.names, numbers, strict=True))
        self._data = {entity.name: entity.own.get("data", {}) for entity in spec.entities}
        self.tags: dict[str, list[int]] = {}
        for entity, number in zip(spec.entities, numbers, strict=True):
            for tag in dict.fromkeys(entity.own.get("tags", ())):
                self.tags.setdefault(tag, []).append(number)
        self.data: dict[str, Any] = copy.deepcopy(spec.top.get("data", {}))
        sim.scene = self
        self.title: str = spec.top.get("title", "")
        self.tagline: str = spec.top.get("tagline", "")

    def __getitem__(self, name: str) -> int:
        """Return the entity of a name; a KeyError suggests the closest name."""
        if name not in self._entities:
            near = did_you_mean(name, self.names)
            raise KeyError(f"there is no entity {name!r} in {self.path.name}{near}")
        return self._entities[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entities

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def name_of(self, entity: int) -> str:
        """Return the name of an entity, or an empty string if the file has none for it.

        Raises:
            ValueError: when the entity is one of another simulation.
        """
        check_at_home("Scene.name_of", "entity", entity, self._home)
        return next((name for name, number in self._entities.items() if number == entity), "")

    def data_of(self, name: str) -> dict[str, Any]:
        """Return the table `data` of an entity, by default empty; KeyError for an unknown name."""
        self[name]
        return copy.deepcopy(self._data[name])

    def tagged(self, tag: str) -> list[int]:
        """Return the entities of a tag that still exist, in the order of the file; none for a tag
        that is unknown.
        """
        return [entity for entity in self.tags.get(tag, ()) if self.sim.exists(entity)]

    @functools.cached_property
    def theme(self) -> Theme | None:
        """The look of sky, ground, water and weather; None if the file has no theme."""
        from ecs_softbody.rendering.themes import ThemeChoice

        return ThemeChoice(**self.spec.theme).made() if self.spec.theme else None

    @property
    def follows(self) -> int | None:
        """The entity that the camera follows, or None."""
        name = self.spec.camera.get("follow")
        return None if name is None else self[name]

    def place_camera(self, camera: Camera) -> None:
        """Set a camera to the view of the file or, by default, to all bodies."""
        given = dict(self.spec.camera)
        view = given.pop("view", None)
        given.pop("follow", None)
        for name, value in given.items():
            setattr(camera, name, value if name != "center" else (float(value[0]), float(value[1])))
        if view is not None:
            camera.fit(view)
        elif "center" in given or self.follows is not None:
            camera.jump_to(given.get("center") or self.sim.center(self[self.spec.camera["follow"]]))
        else:
            from ecs_softbody.components import Particles

            camera.fit_bodies(
                [self.sim.get(entity, Particles) for entity in self.sim.entities(Particles)]
            )

    @property
    def main(self) -> Source:
        """The main file, without its includes."""
        return self.spec.tree.sources[0]

    @property
    def own_parts(self) -> tuple[Any, ...]:
        """The blueprints, components and dataclasses of a game's own that it was loaded with."""
        return self.spec.parts.own

    def parts_with(self, more: Iterable[Any]) -> Parts:
        """Return all parts that the scene may have, and these."""
        return Parts([*self.own_parts, *more])


def scene_of(sim: Simulation) -> Scene | None:
    """Return the scene that was loaded last into a simulation, or None."""
    scene: Scene | None = sim.scene
    return scene
