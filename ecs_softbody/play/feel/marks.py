"""Marks: the marks of a moving character: dust on landing, turning and running, and a trail in fast
falls. In the picture only.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Character, Particles
from ecs_softbody.play.feel.effects import DUST, Effects
from ecs_softbody.rendering.palette import Colour, faded, lighter
from ecs_softbody.simulation import Simulation

STEP = 7
"""Frames between two puffs of a running character."""
RUNNING = 0.55
"""Fraction of its speed from which a character raises dust."""
LANDING = 3.0
"""Speed [m/s] of a landing that raises dust."""
FAST_FALL, TRAIL_STEP = 9.0, 2
"""Speed of a fall [m/s] that leaves a trail, and the frames between two shades of it."""


class Marks:
    """Draws marks of the characters of each frame; purely visual."""

    def __init__(self) -> None:
        self._falling: dict[int, float] = {}
        """Speed at which each character fell in the last frame [m/s]."""

    def observe(
        self, sim: Simulation, effects: Effects, colours: dict[int, Colour], ground: Colour = DUST
    ) -> None:
        """Add the characters' marks of the last frame.

        Args:
            sim: their world.
            effects: receive the marks.
            colours: of the bodies, by entity.
            ground: colour of the ground; it tints the dust.
        """
        characters = sim.buffers.components(Character)
        if not characters:
            return
        bodies = sim.buffers.components(Particles)
        dust = (*lighter(ground, 0.55)[:3], 120)
        for entity, character in sorted(characters.items()):
            body = bodies.get(entity)
            if (
                body is None
                or body.pinned.all()
                or not np.isfinite(np.add.reduce(body.position, axis=None))
            ):
                self._falling.pop(entity, None)
                continue
            up = np.array(character.up)
            velocity = np.add.reduce(body.velocity) / len(body.velocity)
            fallen = self._falling.get(entity, 0.0)
            fall = -float(velocity @ up)
            self._falling[entity] = fall
            if character.grounded:
                self._on_ground(
                    sim.frame + entity, effects, character, body.position, velocity, fallen, dust
                )
            elif fall > FAST_FALL and sim.frame % TRAIL_STEP == 0 and character.submerged == 0.0:
                middle = body.position.mean(axis=0)
                radius = 0.45 * float(np.ptp(body.position @ (up[1], -up[0])))
                effects.trail(middle, radius, faded(colours.get(entity, (220, 224, 240)), 0.7))

    def _on_ground(
        self,
        frame: int,
        effects: Effects,
        character: Character,
        position: Floats,
        velocity: Floats,
        fallen: float,
        dust: Colour,
    ) -> None:
        """Add the dust of a character on the ground. frame: tells when a puff is due; velocity: of
        the body; fallen: at which speed it fell in the last frame [m/s].
        """
        if fallen <= LANDING and frame % STEP:
            return
        normal = np.array(character.normal)
        foot = position[(position @ normal).argmin()]
        if fallen > LANDING:
            effects.dust(foot, normal=normal, colour=dust, strength=min(fallen / 8.0, 2.0))
            return
        along = np.array((normal[1], -normal[0]))
        speed = float((velocity - character.ground_velocity) @ along)
        turning = character.move * speed < 0.0
        if abs(speed) > RUNNING * character.speed * (0.5 if turning else 1.0):
            effects.dust(
                foot, normal=normal - 0.7 * np.sign(speed) * along, colour=dust, strength=0.3
            )
