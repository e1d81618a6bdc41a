"""Grumps: angry jellies that roll to and fro; they hurt from the side, and burst under a hero's
weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Character, Contacts, Particles, Simulation, blueprints
from ecs_softbody.rendering import Look
from ecs_softbody_games.jelly_platformer.levels.level import Patrol

Floats = NDArray[np.float64]

RADIUS = 0.45  # m
SPEED = 1.5  # m/s
STOMP_NORMAL = 0.55  # a contact that points up more than this bursts the grump
LANDING_NORMAL = 0.25  # so does one of a hero who comes down on it
LANDING_SPEED = 3.0  # m/s
RED, DARK = (186, 44, 58), (52, 10, 26)
"""Of the body and its thick outline: much darker than a hero, for whoever does not tell red from
green.
"""


@dataclass(slots=True)
class Grump:
    """One grump: its entity, and which way it goes."""

    patrol: Patrol
    entity: int
    particles: Particles
    character: Character
    direction: float = -1.0
    alive: bool = True

    @classmethod
    def spawn(cls, sim: Simulation, patrol: Patrol) -> Grump:
        """Put a grump in the middle of its patrol."""
        middle = (0.5 * (patrol.left + patrol.right), patrol.floor + RADIUS)
        body = blueprints.blob(middle, RADIUS, particles=20, mass=0.5, pressure=70.0, friction=0.9)
        character = Character.slime(speed=SPEED)
        look = Look(fill=RED, outline=DARK, style="body", eyes=2, mood="angry")
        return cls(patrol, sim.spawn(*body, character, look), body[0], character)

    @property
    def position(self) -> Floats:
        """Middle of the body [m]."""
        return mean_of(self.particles.position)

    @property
    def velocity(self) -> Floats:
        """Velocity of the middle [m/s]."""
        return mean_of(self.particles.velocity)

    def patrol_on(self) -> None:
        """Roll on, and turn round at the ends."""
        x = self.position[0]
        if x < self.patrol.left:
            self.direction = 1.0
        elif x > self.patrol.right:
            self.direction = -1.0
        if self.character.move != self.direction:
            self.character.move = self.direction

    def met(self, contacts: Contacts, fall_speed: float) -> str:
        """Return what the contacts of a hero who falls at this speed mean: "" for no touch,
        "stomped", or "bitten".
        """
        touch = contacts.entity_b == self.entity
        if not self.alive or not np.count_nonzero(touch):
            return ""
        enough = LANDING_NORMAL if fall_speed > LANDING_SPEED else STOMP_NORMAL
        return "stomped" if contacts.normal[touch, 1].mean() > enough else "bitten"


def mean_of(rows: Floats) -> Floats:
    """Return the mean of some rows."""
    return np.asarray(np.add.reduce(rows) / len(rows))
