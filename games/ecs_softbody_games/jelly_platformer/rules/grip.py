"""Grip: while a key is held the hero holds on to walls and ceilings, and to ropes, on which it
swings.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ecs_softbody import Attachment, Particles
from ecs_softbody.indices import argsort
from ecs_softbody.play import Controls
from ecs_softbody.rendering import Picture, palette
from ecs_softbody_games.jelly_platformer.course import Course
from ecs_softbody_games.jelly_platformer.hero import RADIUS
from ecs_softbody_games.jelly_platformer.rules.rule import Rule
from ecs_softbody_games.jelly_platformer.seen import is_seen

REACH = RADIUS + 0.5  # m
BREAK = 900.0  # N
PAUSE = 0.4  # s after letting go in which no rope is caught
SWING = 9.0  # m/s², with which the hero swings itself


class Grip(Rule):
    """Ropes that can be held have the tag "rope" in the level's file."""

    keys: ClassVar[tuple[tuple[str, str], ...]] = (("soft", "hold tight"),)

    def __init__(self, game: Course) -> None:
        super().__init__(game)
        assert game.loaded is not None
        self.ropes = game.loaded.tagged("rope")
        self.hand = 0
        """The entity that holds the hero to a rope, 0 for none."""
        self.rope = 0
        self.row = 0
        self.rest = 0.0

    def update(self, controls: Controls, dt: float) -> None:
        """Hold on, swing, let go."""
        hero = self.game.hero
        wanted = controls.is_pressed("soft")
        hero.character.stick = wanted
        self.rest = max(0.0, self.rest - dt)
        if self.hand and not self.game.sim.exists(self.hand):
            self.hand = 0  # it broke
        if self.hand and not wanted:
            self.let_go()
        elif self.hand:
            hero.particles.velocity[:, 0] += SWING * dt * controls.axis("move")
        elif wanted and self.rest == 0.0 and not hero.grounded:
            self.catch()

    def catch(self) -> None:
        """Hold the nearest place of a rope, where one is near enough."""
        sim = self.game.sim
        middle = self.game.hero.position
        for rope in self.ropes:
            places = sim.get(rope, Particles).position
            far = np.hypot(*(places - middle).T)
            row = int(far.argmin())
            if far[row] > REACH or row < 0.6 * len(places):
                continue
            toward = argsort(np.hypot(*(self.game.hero.particles.position - places[row]).T))[:5]
            rows = (toward.tolist(), [row])
            self.hand = sim.spawn(
                Attachment((self.game.hero.entity, rope), rows=rows, break_force=BREAK)
            )
            self.rope = rope
            self.row = row
            self.game.sounds.play("squish", pitch=1.3)
            self.game.effects.ring(tuple(places[row]), colour=palette.TEAL, radius=0.5)
            return

    def let_go(self) -> None:
        """Fly on."""
        if self.hand and self.game.sim.exists(self.hand):
            self.game.sim.despawn(self.hand)
            self.game.sounds.play("hop", pitch=1.2)
        self.hand = 0
        self.rest = PAUSE

    def appear(self) -> None:
        """Hold nothing."""
        self.let_go()
        self.rest = 0.0

    def draw(self, picture: Picture, time: float) -> None:
        """Show which end of each rope can be held."""
        for rope in self.ropes:
            end = self.game.sim.get(rope, Particles).position[-1]
            if not is_seen(picture, end[0], end[0]):
                continue
            held = bool(self.hand) and rope == self.rope
            picture.disc(
                tuple(end),
                0.2,
                palette.TEAL if held else palette.GOLD,
                outline=palette.darker(palette.GOLD),
                outline_width=3.0,
            )
