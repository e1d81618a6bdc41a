"""Player: the scripted one, who shoots with the mouse as a round's file says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ecs_softbody.play import Controls

if TYPE_CHECKING:
    from ecs_softbody_games.slingshot.game import Slingshot

LOOKS, PULLS, HOLDS = 40, 30, 12
"""For how many frames it looks, pulls back, and holds."""


class Player:
    """Plays one round.

    Args:
        solution: (angle [degrees], pull [m]) of each shot, and the frame of its flight in which it splits, if it does.
    """

    def __init__(self, solution: Sequence[Sequence[float]]) -> None:
        self.solution = solution
        self.frame = 0
        self.held: set[str] = set()

    def shot(self, number: int) -> Sequence[float]:
        """Return how to shoot; after the last one of the solution it begins anew."""
        return self.solution[number % len(self.solution)]

    def pouch(self, number: int, share: float = 1.0) -> np.ndarray:
        """Return where the pouch goes from the fork for a shot [m]."""
        angle, pull = self.shot(number)[:2]
        turn = np.radians(angle)
        return -share * pull * np.array((np.cos(turn), np.sin(turn)))

    def controls(self, game: Slingshot) -> Controls:
        """Return what it does in this frame."""
        self.frame += 1
        held: set[str] = set()
        pointer = game.sling.fork
        if game.sling.shot is None:
            shot = self.shot(game.used - 1)
            if len(shot) > 2 and game.waited == int(shot[2]):
                held = {"space"}
            self.frame = 0
        elif self.frame > LOOKS:
            held = {"mouse_left"} if self.frame < LOOKS + PULLS + HOLDS else set()
            pointer = pointer + self.pouch(game.used, min((self.frame - LOOKS) / PULLS, 1.0))
        pressed, released, self.held = held - self.held, self.held - held, held
        x, y = pointer
        return Controls(held=set(held), pressed=pressed, released=released, pointer=(float(x), float(y)))
