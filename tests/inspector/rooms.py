"""A small scene file, and games for the inspector to look into."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ecs_softbody import Simulation, blueprints
from ecs_softbody.inspector.model.fields import WORLD_FIELDS, Field, fields_of
from ecs_softbody.inspector.model.inspection import Inspection
from ecs_softbody.play import Game, Session

ROOM = """# A small room.
title = "Room"

[world]
gravity = [0, -9.81]   # as on Earth

[camera]
view = [-8, -1, 8, 8]

[materials.stuff]
friction = 0.7

[entities.floor.StaticCollider]
vertices = [[-8, 6], [-8, 0], [8, 0], [8, 6]]
friction = 0.8         # rough

[entities.hero]
tags = ["player"]
[entities.hero.blob]
center = [0, 2]
radius = 0.8           # large
friction = 0.5
[entities.hero.Look]
eyes = 2

[entities.crate]
at = [3, 1]
material = "stuff"
[entities.crate.box]
center = [0, 0]
size = [1.5, 1.5]

[entities.link.Springs]
pairs = [[0, 0]]
stiffness = 20.0
between = ["hero", "crate"]
"""


def room(folder: Path) -> Path:
    """Write the scene file, and return where it is."""
    path = folder / "room.toml"
    path.write_text(ROOM)
    return path


def session_of(path: Path) -> Session:
    """Return a session that plays a scene file."""
    game = type("RoomGame", (Game,), {"name": "room", "scene": path, "drag_with_mouse": True})
    session = Session(game)
    session.state = "playing"
    return session


class Small(Game):
    """A ball, and no file."""

    name = "small"

    def start(self) -> None:
        self.close()
        self.sim = Simulation(world="small")
        self.ball = self.sim.spawn(*blueprints.ball((0.0, 1.0), 0.5))


class TwoWorlds(Game):
    """A game that steps a second world of its own."""

    name = "two-worlds"

    def start(self) -> None:
        for sim in (vars(self).get("sim"), vars(self).get("below")):
            if sim is not None:
                sim.close()
        self.sim = Simulation(world="above")
        self.below = Simulation(world="below", gravity=(0.0, 0.0))
        self.ball = self.sim.spawn(*blueprints.ball((0.0, 5.0), 0.5))
        self.below.spawn(*blueprints.ball((0.0, 5.0), 0.5))
        self.below.spawn(*blueprints.ball((2.0, 5.0), 0.5))

    def after_step(self, dt: float) -> None:
        self.below.step(dt)

    def close(self) -> None:
        super().close()
        self.below.close()


def field(kind: type[Any] | None, name: str) -> Field:
    """Return a field by its name; of the world where there is no class."""
    return next(
        one for one in (WORLD_FIELDS if kind is None else fields_of(kind)) if one.name == name
    )


def value(inspection: Inspection, name: str, kind: type[Any], asked: str) -> Any:
    """Return the value of a field of an entity of the scene."""
    scene = inspection.scene
    assert scene is not None
    return inspection.reading(field(kind, asked), inspection.sim.get(scene[name], kind))[0]
