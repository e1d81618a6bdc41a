"""SecondChance: the charge that turns time back; and how the ghost of the best run looks."""

from __future__ import annotations

import numpy as np

from ecs_softbody.play import FRAME, Game, Ghost, Rewind
from ecs_softbody.rendering import Layer, Picture, palette

FULL = 3.0  # s of the past that a full charge takes back
LEAST = 0.3  # s of charge with which time can begin to turn
SPEED = 2  # frames back in each frame
BY_COIN = 0.25  # s of charge for a coin
BY_TIME = 0.08  # s of charge for a second of play


class SecondChance:
    """A charge, in seconds of the past.

    The clock of the run goes on while time turns, and so does the charge.
    """

    def __init__(self, game: Game) -> None:
        self.charge = FULL
        self.turning = False
        self._past = Rewind(game, seconds=FULL + 1.0, every=SPEED)

    @property
    def is_ready(self) -> bool:
        """Whether there is charge enough."""
        return self.charge >= LEAST

    def turn(self, wanted: bool) -> bool:
        """Go back a little where the player wants it, and there is charge; return whether time has
        turned.
        """
        left = self.charge - SPEED * FRAME
        may = (
            left >= 0.0
            and (self.turning or self.is_ready)
            and self._past.seconds > (SPEED + 1) * FRAME
        )
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


def draw_ghost(ghost: Ghost | None, picture: Picture, time: float) -> None:
    """Draw where the hero of the best run was at a time of its run [s]."""
    shape = None if ghost is None else ghost.at(time / FRAME)
    if ghost is None or shape is None:
        return
    ghost.draw(picture, time / FRAME, palette.TEXT, 0.28)
    picture.stroke(shape, 2.0, palette.faded(palette.TEXT, 0.5), closed=True)
    middle = shape.mean(axis=0)
    eyes = middle + np.array(((-0.17, 0.1), (0.17, 0.1)))
    picture.discs(eyes, 0.1, palette.faded(palette.EYE_PUPIL, 0.4), layer=Layer.DECOR)
