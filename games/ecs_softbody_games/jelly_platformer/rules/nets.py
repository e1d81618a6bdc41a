"""Nets: ropes and cloths that throw up what lands on them."""

from __future__ import annotations

from ecs_softbody import Particles
from ecs_softbody.rendering import palette
from ecs_softbody_games.jelly_platformer.course import Course
from ecs_softbody_games.jelly_platformer.rules.rule import Rule

THROW = 13.0  # m/s
LANDING = 2.0  # m/s that the hero comes down with at least


class Nets(Rule):
    """A net has the tag "net"."""

    def __init__(self, game: Course) -> None:
        super().__init__(game)
        assert game.loaded is not None
        self.nets = set(game.loaded.tagged("net"))
        self.pressed = 0
        """The net that the hero has landed on, 0 for none."""

    def after_step(self, dt: float) -> None:
        """Throw the hero when the net that it has pressed down comes up again."""
        hero = self.game.hero
        touched = self.nets & set(self.game.sim.contacts.of(hero.entity).entity_b.tolist())
        if touched and hero.landed > LANDING:
            self.pressed = min(touched)
        if self.pressed and hero.velocity[1] > -0.5:
            net = self.game.sim.get(self.pressed, Particles)
            self.pressed = 0
            hero.launch(THROW)
            self.game.sounds.play("bounce", pitch=1.1)
            self.game.effects.ring(tuple(net.center), colour=palette.TEAL, radius=1.2)

    def appear(self) -> None:
        """Forget what was pressed."""
        self.pressed = 0
