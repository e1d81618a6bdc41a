"""Bubble: help for who has failed twice since the last lamp: the hero falls slowly, and may jump in
the air.
"""

from __future__ import annotations

import math

from ecs_softbody.rendering import Layer, Picture, palette
from ecs_softbody_games.jelly_platformer.hero import RADIUS, Hero

FAILURES = 2
"""After so many since the last lamp there is a bubble."""
SINKING = 0.45
"""What gravity counts in it while the hero falls."""
LIFT = 8.5  # m/s
LIFTS = 2
"""Jumps in the air before the ground is touched again."""


class Bubble:
    """It comes by itself, and bursts at the next lamp."""

    def __init__(self) -> None:
        self.failures = 0
        self.lifts = 0

    @property
    def is_there(self) -> bool:
        """Whether the hero has help."""
        return self.failures >= FAILURES

    def fail(self) -> bool:
        """Count a misfortune; return whether a bubble comes of it."""
        self.failures += 1
        return self.failures == FAILURES

    def burst(self) -> bool:
        """Forget what was: a lamp was reached; return whether there was a bubble."""
        was = self.is_there
        self.failures = 0
        return was

    def carry(self, hero: Hero, *, jump: bool) -> bool:
        """Let the hero fall slowly, and jump in the air; return whether it has jumped."""
        if not self.is_there:
            return False
        if hero.grounded or hero.character.sticking:
            self.lifts = 0
            return False
        if hero.velocity[1] < 0.0:
            hero.character.fall_gravity = SINKING
        if not jump or hero.may_jump or self.lifts >= LIFTS:
            return False
        self.lifts += 1
        hero.launch(LIFT)
        return True

    def draw(self, picture: Picture, hero: Hero, time: float) -> None:
        """Draw it around the hero."""
        if not self.is_there:
            return
        x, y = (float(value) for value in hero.position)
        wide = RADIUS * (1.55 + 0.05 * math.sin(4.0 * time))
        picture.disc(
            (x, y),
            wide,
            palette.faded(palette.TEAL, 0.16),
            outline=palette.faded(palette.TEXT, 0.7),
            outline_width=2.0,
            layer=Layer.BODIES + 1,
        )
        shine = (x - 0.5 * wide, y + 0.55 * wide)
        picture.ellipse(
            shine, (0.16, 0.1), palette.faded(palette.TEXT, 0.7), layer=Layer.BODIES + 1
        )
