"""SecondChance: the charge that turns time back, and BestRun: the ghost of the best run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ecs_softbody import Simulation, SnapshotError
from ecs_softbody.play import FRAME, Game, Ghost, Rewind
from ecs_softbody.rendering import Layer, Picture, palette

FULL = 3.0  # s of the past that a full charge takes back
LEAST = 0.3  # s of charge with which time can begin to turn
SPEED = 2  # frames back in each frame
BY_COIN = 0.25  # s of charge for a coin
BY_TIME = 0.08  # s of charge for a second of play


class SecondChance:
    """A charge, in seconds of the past. The clock of the run goes on while time turns, and so does the charge."""

    def __init__(self, game: Game) -> None:
        self.charge = FULL
        self.turning = False
        self._past = Rewind(game, seconds=FULL + 1.0, every=SPEED)

    @property
    def is_ready(self) -> bool:
        """Whether there is charge enough."""
        return self.charge >= LEAST

    def turn(self, wanted: bool) -> bool:
        """Go back a little where the player wants it, and there is charge; return whether time has turned."""
        left = self.charge - SPEED * FRAME
        may = left >= 0.0 and (self.turning or self.is_ready) and self._past.seconds > (SPEED + 1) * FRAME
        turns = wanted and may and self._past.back(SPEED)
        if turns:
            self.charge = left  # going back took what it was then
        self.turning = turns
        return turns

    def note(self) -> None:
        """Keep the moment after this frame."""
        self._past.note()

    def add(self, seconds: float) -> None:
        """Charge it."""
        self.charge = min(self.charge + seconds, FULL)


class BestRun:
    """The fastest run through a level as a ghost, and the run that goes on, which may become it.

    Args:
        path: its file, None to keep nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._run = Ghost()
        self.ghost = None if path is None else _read(path)

    @property
    def time(self) -> float | None:
        """How long it took [s], None without one."""
        return None if self.ghost is None else self.ghost.result

    def note(self, sim: Simulation, hero: int, time: float) -> None:
        """Keep where the hero is after a frame in which the clock of the run [s] went on."""
        if round(time / FRAME) > self._run.frames:
            self._run.note(sim, hero)

    def finish(self, time: float) -> None:
        """Keep the run that has ended where it is the fastest; nothing where it cannot be written."""
        if self._path is None or (self.time is not None and self.time <= time):
            return
        self._run.finish(time)
        try:
            self._run.save(self._path)
        except OSError:
            return  # the saves have told the player

    def draw(self, picture: Picture, time: float) -> None:
        """Draw where it was at a time of its run [s]."""
        shape = None if self.ghost is None else self.ghost.at(time / FRAME)
        if self.ghost is None or shape is None:
            return
        self.ghost.draw(picture, time / FRAME, palette.TEXT, 0.28)
        picture.stroke(shape, 2.0, palette.faded(palette.TEXT, 0.5), closed=True)
        middle = shape.mean(axis=0)
        eyes = middle + np.array(((-0.17, 0.1), (0.17, 0.1)))
        picture.discs(eyes, 0.1, palette.faded(palette.EYE_PUPIL, 0.4), layer=Layer.DECOR)


def _read(path: Path) -> Ghost | None:
    try:
        ghost = Ghost.load(path)
    except (OSError, SnapshotError):
        return None  # none yet, or a damaged one, which the next best run replaces
    return ghost if ghost.result is not None else None
