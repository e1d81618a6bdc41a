"""Player: the scripted one, who shoots with the mouse as a round's file says."""

from __future__ import annotations

from ecs_softbody.play import Controls
from ecs_softbody_games.slingshot.round import Round

LOOKS, PULLS, HOLDS = 40, 30, 12
"""For how many frames it looks, pulls back, and holds."""


class Player:
    """Plays one round."""

    def __init__(self) -> None:
        self.frame = 0
        self.held: set[str] = set()

    def controls(self, game: Round) -> Controls:
        """Return what it does in this frame."""
        self.frame += 1
        held: set[str] = set()
        pointer = game.sling.fork
        if game.sling.shot is None:
            shot = game.solution_of(game.used - 1)
            if len(shot) > 2 and game.waited == int(shot[2]):
                held = {"space"}
            self.frame = 0
        elif self.frame > LOOKS:
            held = {"mouse_left"} if self.frame < LOOKS + PULLS + HOLDS else set()
            pointer = pointer + game.pouch_of(game.used, min((self.frame - LOOKS) / PULLS, 1.0))
        pressed = held - self.held
        released = self.held - held
        self.held = held
        x, y = pointer
        return Controls(
            held=set(held), pressed=pressed, released=released, pointer=(float(x), float(y))
        )
