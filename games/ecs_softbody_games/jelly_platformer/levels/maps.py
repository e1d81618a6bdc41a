"""Maps: levels that were drawn with the editor Tiled, like hollow.tmj, which a player may edit.

Its ground is what the tiles' collision shapes say; objects are what their class says: points
`start`, `flag`, `lamp`, `coin` and `sign` (`text`), rectangles `spikes`, `acid`, `wind` (`up`),
`ferry` (`to`, `speed`), `grump`, `ledge`, `pad`, `crate` and `pillar`; points `secret`.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from ecs_softbody import FieldError, StaticCollider, imports
from ecs_softbody.indices import flatnonzero
from ecs_softbody.rendering import Tiles
from ecs_softbody_games.jelly_platformer.levels.level import (
    Chain,
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

LOST_BELOW = 1.0
"""Gaps in the ground reach below this height [m]: a hero there is lost."""
SKY = 3.0
"""What is to be seen above the map [m]."""
KNOWN = (
    "start", "flag", "lamp", "coin", "sign", "spikes", "acid", "wind", "ferry", "grump", "ledge",
    "pad", "crate", "pillar", "secret",
)  # fmt: skip


def can_be_read() -> bool:
    """Return whether the packages are installed that read maps."""
    return all(find_spec(name) is not None for name in ("shapely",))


def level_of_map(file: str, found: dict[str, list[Any]], data: dict[str, Any]) -> Level:
    """Return the level that a map holds, as `scenes.read` gives it.

    Raises:
        ValueError: for a level that cannot be played.
    """
    places = [
        imports.Place(**{**place, "position": point_of(place["position"])})
        for place in data.get("places", ())
    ]
    for place in places:
        if place.kind not in KNOWN:
            raise FieldError(
                file,
                "",
                place.kind,
                f"one of {', '.join(KNOWN)}",
                in_words=f"an object of class {place.kind!r}",
            )
    one = _Objects(file, places)
    _, _, right, top = data["bounds"]
    every = [component for components in found.values() for component in components]
    return Level(
        name="Hollow",
        start=one.only("start"),
        flag=one.only("flag"),
        bottom=LOST_BELOW,
        view=(0.0, LOST_BELOW, right, top + SKY),
        terrain=tuple(
            sorted(
                chain
                for part in every
                if isinstance(part, StaticCollider) and not part.sensor
                for chain in _chains(part)
            )
        ),
        checkpoints=tuple(sorted(place.position for place in one.of("lamp"))),
        ledges=tuple(
            Ledge((low[0], high[1]), high[0] - low[0]) for low, high, _ in one.boxes("ledge")
        ),
        ferries=tuple(_ferry(file, low, high, given) for low, high, given in one.boxes("ferry")),
        jellies=tuple(
            Jelly(kind, (0.5 * (low[0] + high[0]), low[1]), (high[0] - low[0], high[1] - low[1]))
            for kind in JELLIES
            for low, high, _ in one.boxes(kind)
        ),
        hazards=tuple(
            Hazard(low, high, kind) for kind in HAZARDS for low, high, _ in one.boxes(kind)
        ),
        winds=tuple(_wind(file, low, high, given) for low, high, given in one.boxes("wind")),
        grumps=tuple(Patrol(low[0], high[0], low[1]) for low, high, _ in one.boxes("grump")),
        coins=tuple(place.position for place in one.of("coin")),
        secrets=tuple(place.position for place in one.of("secret")),
        signs=tuple(
            Sign(place.position, str(place.properties.get("text", ""))) for place in one.of("sign")
        ),
        tiles=tuple(part for part in every if isinstance(part, Tiles)),
    )


JELLIES: tuple[Literal["pad", "crate", "pillar"], ...] = ("pad", "crate", "pillar")
HAZARDS: tuple[Literal["spikes", "acid"], ...] = ("spikes", "acid")


class _Objects:
    """The objects of a map by their class."""

    def __init__(self, file: str, places: list[Any]) -> None:
        self.file = file
        self.places = places

    def of(self, kind: str) -> list[Any]:
        return [place for place in self.places if place.kind == kind]

    def only(self, kind: str) -> Point:
        found = self.of(kind)
        if len(found) != 1:
            raise FieldError(
                self.file, "", len(found), "one", in_words=f"{len(found)} objects of class {kind}"
            )
        return point_of(found[0].position)

    def boxes(self, kind: str) -> list[tuple[Point, Point, dict[str, Any]]]:
        """Return lower left and upper right corners of rectangles [m], and their properties, from
        left to right.
        """
        found = []
        for place in self.of(kind):
            (x, y) = place.position
            (width, height) = place.size
            if not (width > 0.0 and height > 0.0):
                raise FieldError(
                    self.file, "", kind, "a rectangle", in_words=f"a {kind} that is a point"
                )
            low = (x - 0.5 * width, y - 0.5 * height)
            high = (x + 0.5 * width, y + 0.5 * height)
            found.append((low, high, place.properties))
        return sorted(found, key=lambda one: one[0])


def _number(file: str, kind: str, given: dict[str, Any], name: str) -> float:
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{file}: {kind}.{name} is {value!r}; expected a number")
    return float(value)


def _wind(file: str, low: Point, high: Point, given: dict[str, Any]) -> WindArea:
    """Return a wind that blows `up` [m/s]."""
    return WindArea(low, high, (0.0, _number(file, "wind", given, "up")))


def _ferry(file: str, low: Point, high: Point, given: dict[str, Any]) -> Ferry:
    """Return a ferry that goes `to` metres to the right of where its rectangle is."""
    end = (low[0] + _number(file, "ferry", given, "to"), high[1])
    return Ferry((low[0], high[1]), end, high[0] - low[0], _number(file, "ferry", given, "speed"))


def _chains(wall: StaticCollider) -> list[Chain]:
    """Return the upper side of a piece of ground that reaches the lower edge of the map, from left
    to right.
    """
    corners = np.round(wall.vertices, 6)
    x, y = corners.T
    if 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) > 0.0:
        corners = corners[::-1]  # clockwise: over the top from left to right
    low = corners[:, 1] <= 0.0
    if not low.any():
        return []
    first = min(flatnonzero(low).tolist(), key=lambda row: corners[row, 0])
    ring = np.roll(corners, -first, axis=0)
    last = int(flatnonzero(ring[:, 1] <= 0.0)[ring[ring[:, 1] <= 0.0, 0].argmax()])
    return [tuple((float(x), float(y)) for x, y in ring[: last + 1])]
