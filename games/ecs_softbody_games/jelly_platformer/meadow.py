"""The level "Night meadow", read from meadow.toml, which a player may edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ecs_softbody_games.jelly_platformer.level import (
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
)

FILE = "meadow.toml"


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


PARTS = (Ground, Lamp, Ledge, Ferry, Bridge, Jelly, Hazard, WindArea, Patrol, Coins, Sign)
"""What the file of a level may have."""


def level_of(file: str, found: dict[str, list[Any]], data: dict[str, Any]) -> Level:
    """Return the level that a scene file holds, as `scenes.read` gives it.

    Raises:
        ValueError: for a level that cannot be played.
    """
    for name in ("name", "start", "flag", "bottom", "view"):
        if name not in data:
            raise ValueError(f"{file}: data.{name} is missing; see Level for what it is")
    every = [one for components in found.values() for one in components]

    def all_of(kind: type[Any]) -> tuple[Any, ...]:
        return tuple(one for one in every if type(one) is kind)

    return Level(
        name=data["name"],
        start=_point(data["start"]),
        flag=_point(data["flag"]),
        bottom=data["bottom"],
        view=tuple(data["view"]),
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
        signs=all_of(Sign),
    )


def _point(value: Any) -> Point:
    x, y = value
    return float(x), float(y)
