"""Reading: the level that a scene file holds.

A player may edit it; `PARTS` are what it may have beside bodies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ecs_softbody.scenes import Scene
from ecs_softbody_games.jelly_platformer.levels.level import (
    Bridge,
    Ferry,
    Hazard,
    Jelly,
    Ledge,
    Level,
    Patrol,
    Point,
    Sign,
    WindArea,
    point_of,
)


@dataclass(frozen=True, slots=True)
class Ground:
    """A chain of corners from left to right [m]; the ground is below them."""

    corners: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Lamp:
    """A checkpoint: the foot of its pole [m]."""

    foot: Point


@dataclass(frozen=True, slots=True)
class Coins:
    """Coins at some places [m]."""

    places: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Secret:
    """A gem that is hard to find [m]."""

    at: Point


PARTS = (Ground, Lamp, Ledge, Ferry, Bridge, Jelly, Hazard, WindArea, Patrol, Coins, Secret, Sign)
"""What the file of a level may have, beside blueprints and components."""
NEEDED = ("name", "start", "flag", "bottom", "view")


def level_of(scene: Scene) -> Level:
    """Return the level of a scene that was opened.

    Raises:
        ValueError: for a level that cannot be played.
    """
    data = scene.data
    sim = scene.sim
    for name in NEEDED:
        if name not in data:
            raise ValueError(f"{scene.path.name}: data.{name} is missing; see Level for what it is")

    def all_of(kind: type[Any]) -> tuple[Any, ...]:
        return tuple(sim.get(scene[name], kind) for name in scene if sim.has(scene[name], kind))

    left, bottom, right, top = data["view"]
    return Level(
        name=data["name"],
        start=point_of(data["start"]),
        flag=point_of(data["flag"]),
        bottom=data["bottom"],
        view=(left, bottom, right, top),
        terrain=tuple(tuple(chain.corners) for chain in all_of(Ground)),
        checkpoints=tuple(lamp.foot for lamp in all_of(Lamp)),
        ledges=all_of(Ledge),
        ferries=all_of(Ferry),
        bridges=all_of(Bridge),
        jellies=all_of(Jelly),
        hazards=all_of(Hazard),
        winds=all_of(WindArea),
        grumps=all_of(Patrol),
        coins=tuple(place for coins in all_of(Coins) for place in coins.places),
        secrets=tuple(secret.at for secret in all_of(Secret)),
        signs=all_of(Sign),
        rules=tuple(data.get("rules", ())),
        script=tuple((keys, until) for keys, until in data.get("script", ())),
    )
