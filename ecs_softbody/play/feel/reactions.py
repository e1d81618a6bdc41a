"""Reactions: automatic effects and sounds: impacts, marks of characters, and continuing effects."""

from __future__ import annotations

from ecs_softbody.play.feel.impacts import Impacts
from ecs_softbody.play.feel.marks import Marks
from ecs_softbody.play.feel.splashes import Splashes
from ecs_softbody.play.feel.surfaces import Surfaces
from ecs_softbody.play.game import Game
from ecs_softbody.play.timing.game_clock import FRAME
from ecs_softbody.rendering.palette import Colour

BEGINNING = 0.35
"""Duration of the picture's opening after a restart [s]."""

SALVOES = {0: (0.1, 0.25, 0.75, 0.9), 28: (0.16, 0.84), 56: (0.08, 0.3, 0.7, 0.92)}
"""Frames of the salvoes of confetti for a win, and their places, as fractions of the width."""


class Reactions:
    """Reacts to each frame of a game's world; purely visual and audible."""

    def __init__(self) -> None:
        self._impacts = Impacts()
        self._marks = Marks()
        self._splashes = Splashes()

    def observe(self, game: Game, colours: dict[int, Colour], *, hushed: bool = False) -> None:
        """Add the effects of the last frame and advance the visible ones; `hushed` mutes them."""
        game.sounds.play_theme(game.seen_theme.chords)
        if game.impact_effects:
            before = game.sounds.hushed
            game.sounds.hushed = hushed or game.sounds.hushed
            self._impacts.observe(game.sim, game.effects, game.sounds, game.camera, colours)
            self._splashes.observe(game.sim, game.effects, game.sounds, game.seen_theme.water)
            game.sounds.hushed = before
        self._marks.observe(game.sim, game.effects, colours, game.seen_theme.ground)
        self.go_on(game)

    @staticmethod
    def go_on(game: Game) -> None:
        """Advance the visible effects by one frame."""
        game.effects.advance(FRAME, game.sim.gravity, Surfaces(game.sim))

    @staticmethod
    def begin_again(game: Game, *, first: bool) -> None:
        """Open the picture at the start of a round; the first round shows it at once."""
        if not first:
            game.effects.wipe(game.camera.center, closing=False, seconds=BEGINNING)

    @staticmethod
    def end(game: Game) -> None:
        """Play the sound of the end of a round."""
        game.sounds.play("win" if game.outcome == "won" else "lose")

    @staticmethod
    def celebrate(game: Game, frame: int) -> int:
        """Celebrate a win with salvoes of confetti: one frame of the last screen, from 0 on; return
        the next frame.
        """
        left, bottom, right, top = game.camera.visible
        for share in SALVOES.get(frame, ()) if game.outcome == "won" else ():
            game.effects.confetti(
                (left + share * (right - left), bottom + 0.4 * (top - bottom)), count=30
            )
        return frame + 1
