"""Reactions: automatic effects and sounds: impacts, marks of characters, and continuing effects."""

from __future__ import annotations

import math

from ecs_softbody.components import Collider, Particles, Water
from ecs_softbody.play.feel.effects import Effects
from ecs_softbody.play.feel.impacts import Impacts
from ecs_softbody.play.feel.marks import Marks
from ecs_softbody.play.feel.surfaces import Surfaces
from ecs_softbody.play.game import Game
from ecs_softbody.play.sound.sounds import Sounds
from ecs_softbody.play.timing.game_clock import FRAME
from ecs_softbody.rendering.palette import Colour, lighter
from ecs_softbody.simulation import Simulation

BEGINNING = 0.35
"""Duration of the picture's opening after a restart [s]."""

SALVOES = {0: (0.1, 0.25, 0.75, 0.9), 28: (0.16, 0.84), 56: (0.08, 0.3, 0.7, 0.92)}
"""Frames of the salvoes of confetti for a win, and their places, as fractions of the width."""


LEAST_SPLASH_SPEED = 1.2
"""Minimum speed [m/s] down into the water for a splash."""
SPLASH_PAUSE = 24
"""Frames between two splashes of one body."""


class Splashes:
    """Detects bodies entering water; purely visual and audible."""

    def __init__(self) -> None:
        # Whether each entity was out of the water in the last frame, and frame of its last splash.
        self._dry: dict[int, bool] = {}
        self._last: dict[int, int] = {}

    def observe(self, sim: Simulation, effects: Effects, sounds: Sounds, colour: Colour) -> None:
        """Add the splashes of the last frame; `colour` is the water's."""
        waters = list(sim.buffers.components(Water).values())
        if not waters:
            return
        bodies = sim.buffers.components(Particles)
        for entity, collider in sorted(sim.buffers.components(Collider).items()):
            wet = bool(collider.submerged_area > 0.0)
            was_dry = self._dry.get(entity, False)
            self._dry[entity] = not wet
            body = bodies.get(entity)
            if (
                not wet
                or not was_dry
                or body is None
                or sim.frame - self._last.get(entity, -SPLASH_PAUSE) < SPLASH_PAUSE
            ):
                continue
            (x, y) = body.position.mean(axis=0).tolist()
            fall = -float(body.velocity[:, 1].mean())
            level = min((water.level for water in waters), key=lambda height: abs(height - y))
            if not math.isfinite(fall) or fall < LEAST_SPLASH_SPEED:
                continue
            self._last[entity] = sim.frame
            strength = min(fall / 5.0, 2.0)
            effects.splash((x, level), colour=lighter(colour, 0.5), strength=strength)
            effects.bubbles((x, level - 0.15), strength=strength)
            sounds.play("splash", volume=min(0.2 + 0.4 * strength, 1.0), at=(x, level))


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
