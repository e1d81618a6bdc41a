"""Breathe: the hero swells, which wind and water carry, or goes limp, which fits through gaps."""

from __future__ import annotations

from typing import ClassVar

import esper
import numpy as np

from ecs_softbody import Inflation, Springs
from ecs_softbody.play import Controls
from ecs_softbody_games.jelly_platformer.course import Course
from ecs_softbody_games.jelly_platformer.rules.rule import Rule

LIMP, LARGE = 0.62, 1.55
"""Of the usual size."""
BREATH = 4.5
"""How much the size changes in a second at most [1/s]."""


class Breathe(Rule):
    """Holding a key changes the size of the skin, and the gas in it with its area."""

    keys: ClassVar[tuple[tuple[str, str], ...]] = (("swell", "swell"), ("soft", "go limp"))

    def __init__(self, game: Course) -> None:
        super().__init__(game)
        hero = game.hero.entity
        self.springs = game.sim.get(hero, Springs)
        self.rest_length = np.array(self.springs.rest_length)
        self.size = 1.0
        self.gas = Inflation()
        with game.sim:
            esper.add_component(hero, self.gas)

    def update(self, controls: Controls, dt: float) -> None:
        """Breathe."""
        wanted = (
            LARGE if controls.is_pressed("swell") else LIMP if controls.is_pressed("soft") else 1.0
        )
        step = BREATH * dt
        before = self.size
        self.size = min(max(wanted, self.size - step), self.size + step)
        self.set_size()
        if abs(wanted - before) > 0.2 and controls.was_pressed("swell", "soft"):
            self.game.sounds.play("squish", pitch=1.5 if wanted > 1.0 else 0.8, volume=0.6)

    def set_size(self) -> None:
        """Stretch the skin, and let the gas follow."""
        self.springs.rest_length[:] = self.size * self.rest_length
        self.gas.target = self.size**2

    def appear(self) -> None:
        """Be as large as ever."""
        self.size = 1.0
        self.set_size()
