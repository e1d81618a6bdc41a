"""Splashes: bodies that fall into water splash, with a sound."""

from __future__ import annotations

import math

from ecs_softbody.components import Collider, Particles, Water
from ecs_softbody.play.feel.effects import Effects
from ecs_softbody.play.sound.sounds import Sounds
from ecs_softbody.rendering.palette import Colour, lighter
from ecs_softbody.simulation import Simulation

LEAST_SPEED = 1.2
"""Minimum speed [m/s] down into the water for a splash."""
PAUSE = 24
"""Frames between two splashes of one body."""


class Splashes:
    """Detects bodies entering water; purely visual and audible."""

    def __init__(self) -> None:
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
                or sim.frame - self._last.get(entity, -PAUSE) < PAUSE
            ):
                continue
            (x, y) = body.position.mean(axis=0).tolist()
            fall = -float(body.velocity[:, 1].mean())
            level = min((water.level for water in waters), key=lambda height: abs(height - y))
            if not math.isfinite(fall) or fall < LEAST_SPEED:
                continue
            self._last[entity] = sim.frame
            strength = min(fall / 5.0, 2.0)
            effects.splash((x, level), colour=lighter(colour, 0.5), strength=strength)
            effects.bubbles((x, level - 0.15), strength=strength)
            sounds.play("splash", volume=min(0.2 + 0.4 * strength, 1.0), at=(x, level))
