"""Ride: what one run over a track is: the car, the track, the best run, and how it stands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from ecs_softbody.play import FRAME, BestRun
from ecs_softbody_games.jelly_car.car import Car
from ecs_softbody_games.jelly_car.driver import Driver
from ecs_softbody_games.jelly_car.track import Track
from ecs_softbody_games.labs.lab import Lab

TRACKS = ("kerbs", "jetty", "jumps", "seesaw", "tour")
FAILURES = 2
"""After so many the game helps: signs say what to do where."""


class Ride(Lab):
    """A track from its file; `JellyCar` has the rules."""

    levels: ClassVar[Sequence[str | Path]] = tuple(
        f"tracks/{n}_{name}.toml" for n, name in enumerate(TRACKS, 1)
    )
    best_result: ClassVar[tuple[str, str]] = ("time 1", "{:.1f} s")

    def __init__(self) -> None:
        super().__init__()
        self.failures = [0] * len(self.levels)

    def build(self) -> None:
        """Make the car."""
        assert self.loaded is not None
        self.track = Track(self.loaded)
        self.car = Car(self.sim, self.track.start)
        self.driver = Driver(self.car, self.track)
        self.run = BestRun(self.saves, f"ghost {self.level_number + 1}")
        self.parked = False
        self.time = 0.0
        self.stood_for = self.lay_for = 0
        left, right = self.track.chain[[0, -1], 0]
        self.camera.limits = (left, self.track.depth - 2.2, right, 40.0)

    @property
    def is_helped(self) -> bool:
        """Whether the player has failed so often that signs say what to do where."""
        return self.failures[self.level_number] >= FAILURES

    @property
    def ghost_frame(self) -> float:
        """Frame of the best run that is as old as this one."""
        return self.time / FRAME
