"""Track: what the file of a track says: the start, the flag, the medals, signs, and how it is
driven.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Particles, StaticCollider
from ecs_softbody.scenes import Scene

MEDALS = ("gold", "silver", "bronze")
PARKING = 3.4
"""How far behind the flag a car may stand that has to stop there [m]."""
DEPTH = -1.0
"""Below this a car is lost [m], where a track says nothing else."""

Hint = Literal["hop", "brake", "lean_left", "lean_right"]


@dataclass(frozen=True, slots=True)
class Sign:
    """Where to do what.

    Attributes:
        x: where along the track [m].
        hint: what is to be done there.
        helps: whether it is shown only to a player who has failed.
    """

    x: float
    hint: Hint
    helps: bool


class Track:
    """A track from its file.

    Attributes:
        start: where the car begins [m].
        flag: where the flag stands [m].
        stops: whether the car has to stand still behind the flag.
        depth: below this a car is lost [m].
        medals: times for gold, silver and bronze [s].
        signs: where to do what.
        limits: [from, to, speed]: how fast the scripted driver goes between two places [m], [m/s].
        hops: where the scripted driver hops [m].
        leans: [from, to, angle]: what the scripted driver turns the car to in the air [m],
            [degrees].
    """

    def __init__(self, scene: Scene) -> None:
        self.sim = scene.sim
        self.ground = scene["ground"]
        data = scene.data
        x, y = data.get("start", (0.0, 1.3))
        self.start = (float(x), float(y))
        self.flag: float = data["flag"]
        self.depth: float = data.get("depth", DEPTH)
        self.stops: bool = data.get("stop", False)
        self.medals: list[float] = data["medals"]
        self.signs = [Sign(x, hint, False) for x, hint in data.get("signs", [])]
        self.signs += [Sign(x, hint, True) for x, hint in data.get("help", [])]
        driver = data["driver"]
        self.limits: list[list[float]] = driver.get("limits", [])
        self.hops: list[float] = driver.get("hops", [])
        self.leans: list[list[float]] = driver.get("leans", [])
        self.board = scene["seesaw"] if "seesaw" in scene.names else None

    @property
    def chain(self) -> NDArray[np.float64]:
        """The ground, from left to right (N, 2) [m]."""
        return np.asarray(self.sim.get(self.ground, StaticCollider).vertices)

    def height(self, x: float) -> float:
        """Return how high the ground is at a place [m]."""
        return float(np.interp(x, *self.chain[1:-1].T))

    def slope(self, x: float, around: float = 0.8) -> float:
        """Return how steep the ground is about a place [rad]."""
        return float(np.arctan2(self.height(x + around) - self.height(x - around), 2.0 * around))

    def board_ends(self) -> NDArray[np.float64]:
        """Return both ends of the lower row of the see-saw's board, from left to right (2,
        2) [m].
        """
        assert self.board is not None
        return np.asarray(self.sim.get(self.board, Particles).position[[0, 14]])

    def medal_of(self, time: float) -> str:
        """Return the medal for a time [s], "" for none."""
        return next(
            (medal for medal, most in zip(MEDALS, self.medals, strict=True) if time <= most), ""
        )
