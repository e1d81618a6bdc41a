"""Level: what a level is made of, as data; nothing here moves or draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody import FieldError
from ecs_softbody.rendering import Tiles

Point = tuple[float, float]
Chain = tuple[Point, ...]
DEPTH = 0.5  # m below a hazard where it still hurts


def point_of(value: Iterable[float]) -> Point:
    """Return a point of numbers as a file has them."""
    x, y = value
    return float(x), float(y)


def is_within(first: Sequence[float], second: Sequence[float], reach: float) -> bool:
    """Return whether two points [m] are nearer than this."""
    x = first[0] - second[0]
    y = first[1] - second[1]
    return x * x + y * y < reach * reach


@dataclass(frozen=True, slots=True)
class Ledge:
    """A plank that can be jumped through from below: left end and width [m]."""

    left: Point
    width: float


@dataclass(frozen=True, slots=True)
class Ferry:
    """A platform that goes to and fro: its left end travels from `start` to `end` [m] at a speed
    [m/s].
    """

    start: Point
    end: Point
    width: float
    speed: float


@dataclass(frozen=True, slots=True)
class Bridge:
    """A rope between two pins [m]; `slack` makes it sag."""

    start: Point
    end: Point
    slack: float = 0.03


@dataclass(frozen=True, slots=True)
class Jelly:
    """Something soft. `crate` and `ball` can be pushed; `pillar` stands fixed; `pad` throws up what
    lands on it.

    `foot` is the middle of its lower side [m]; size is (width, height) [m].
    """

    kind: Literal["crate", "ball", "pillar", "pad"]
    foot: Point
    size: Point


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle: its lower left and upper right corner [m]."""

    low: Point
    high: Point

    def spans(self, x: float) -> bool:
        """Return whether x [m] lies between its sides."""
        return self.low[0] <= x <= self.high[0]

    def contains(self, point: ArrayLike) -> bool:
        """Return whether a point (x, y) [m] lies inside."""
        return bool(((self.low <= np.asarray(point)) & (point <= np.asarray(self.high))).all())


@dataclass(frozen=True, slots=True)
class Hazard(Area):
    """A rectangle that hurts: `spikes`, or a pool of `acid`."""

    kind: Literal["spikes", "acid"]

    def is_near(self, low: Sequence[float], high: Sequence[float]) -> bool:
        """Return whether a box with these corners [m] is near it."""
        across = low[0] < self.high[0] and self.low[0] < high[0]
        return across and low[1] < self.high[1] and self.low[1] - DEPTH < high[1]

    def hurts(self, points: NDArray[np.float64]) -> bool:
        """Return whether one of the points (N, 2) [m] is in it; spikes are thin at their tips and
        sides.
        """
        inset = 0.12 if self.kind == "spikes" else 0.0
        low = np.add(self.low, (inset, -DEPTH))
        high = np.subtract(self.high, (inset, inset))
        return bool(((points > low) & (points < high)).all(axis=1).any())


@dataclass(frozen=True, slots=True)
class WindArea(Area):
    """A rectangle of wind and its velocity [m/s]."""

    velocity: Point


@dataclass(frozen=True, slots=True)
class Patrol:
    """Where a grump goes to and fro: between left and right, on a floor of this height [m]."""

    left: float
    right: float
    floor: float


@dataclass(frozen=True, slots=True)
class Sign:
    """A hint that is written into the world; `at` is the middle of the line [m]."""

    at: Point
    text: str


@dataclass(frozen=True, slots=True)
class Level:
    """A whole level.

    Attributes:
        name: shown when it begins.
        start: where the hero appears [m].
        flag: foot of the goal's pole [m].
        bottom: below this height [m] the hero is lost.
        view: left, bottom, right, top [m] that the camera stays inside of.
        terrain: chains of corners from left to right [m]; the ground is below them.
        checkpoints: feet of the lamps [m], from left to right.
        secrets: gems that are hard to find [m].
        rules: what the level has of its own, by their names in `rules`.
        script: what the scripted player does where running and jumping is not enough; see `Script`.
        tiles: pictures of the ground; without them it has the theme's.
    """

    name: str
    start: Point
    flag: Point
    bottom: float
    view: tuple[float, float, float, float]
    terrain: tuple[Chain, ...]
    checkpoints: tuple[Point, ...] = ()
    ledges: tuple[Ledge, ...] = ()
    ferries: tuple[Ferry, ...] = ()
    bridges: tuple[Bridge, ...] = ()
    jellies: tuple[Jelly, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    winds: tuple[WindArea, ...] = ()
    grumps: tuple[Patrol, ...] = ()
    coins: tuple[Point, ...] = ()
    signs: tuple[Sign, ...] = ()
    tiles: tuple[Tiles, ...] = ()
    secrets: tuple[Point, ...] = ()
    rules: tuple[str, ...] = ()
    script: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Check what would make a level unplayable.

        Raises:
            ValueError: naming the field, the value and what is allowed.
        """
        left, _, right, _ = self.view
        for number, chain in enumerate(self.terrain):
            if len(chain) < 2 or any(b[0] < a[0] for a, b in pairwise(chain)):
                raise FieldError("Level", f"terrain[{number}]", chain, "corners from left to right")
        for name, positions in (
            ("start", (self.start,)),
            ("flag", (self.flag,)),
            ("checkpoints", self.checkpoints),
            ("coins", self.coins),
            ("secrets", self.secrets),
        ):
            for x, y in positions:
                if not (left < x < right and y > self.bottom):
                    raise FieldError("Level", name, (x, y), "a place inside the view")
        areas: tuple[Area, ...] = (*self.hazards, *self.winds)
        for area in areas:
            if not (area.low[0] < area.high[0] and area.low[1] < area.high[1]):
                raise FieldError("Level", "", area, "low below and left of high")
        for ferry in self.ferries:
            if not (ferry.speed > 0.0 and ferry.width > 0.0 and ferry.start != ferry.end):
                raise FieldError("Level", "ferries", ferry, "a way, a width and a speed > 0")

    def ground_height(self, x: float) -> float | None:
        """Return the height of the terrain at x [m], the upper one at a cliff; None over a gap."""
        found = None
        for chain in self.terrain:
            for (x0, y0), (x1, y1) in pairwise(chain):
                if x0 <= x <= x1 and max(y0, y1) > self.bottom:
                    y = max(y0, y1) if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
                    found = y if found is None else max(found, y)
        return found
