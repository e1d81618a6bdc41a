"""Grumps: angry jellies that roll to and fro; they hurt from the side, and burst under a hero's weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ecs_softbody import Contacts, Particles, Simulation, blueprints
from ecs_softbody.rendering import Look, palette
from ecs_softbody_games.jelly_platformer.level import Patrol
from ecs_softbody_games.jelly_platformer.motion import Floats, Motion

RADIUS = 0.45  # m
SPEED = 1.5  # m/s
RESPONSE = 6.0  # 1/s
STOMP_NORMAL = 0.55  # a contact that points up more than this bursts the grump
LANDING_NORMAL = 0.25  # so does one of a hero who comes down on it
LANDING_SPEED = 3.0  # m/s


@dataclass(slots=True)
class Grump:
    """One grump: its entity, and which way it goes."""

    patrol: Patrol
    entity: int
    particles: Particles
    motion: Motion
    direction: float = -1.0
    alive: bool = True

    @classmethod
    def spawn(cls, sim: Simulation, patrol: Patrol) -> Grump:
        """Put a grump in the middle of its patrol."""
        middle = (0.5 * (patrol.left + patrol.right), patrol.floor + RADIUS)
        body = blueprints.blob(middle, RADIUS, particles=20, mass=0.5, pressure=70.0, friction=0.9)
        motion = Motion(inner_friction=8.0)
        look = Look(fill=palette.CORAL, style="body", eyes=2, mood="angry")
        return cls(patrol, sim.spawn(*body, motion, look), body[0], motion)

    @property
    def position(self) -> Floats:
        """Middle of the body [m]."""
        return np.asarray(self.particles.position.mean(axis=0))

    @property
    def velocity(self) -> Floats:
        """Velocity of the middle [m/s]."""
        return np.asarray(self.particles.velocity.mean(axis=0))

    def patrol_on(self) -> None:
        """Roll on, and turn round at the ends."""
        x = self.position[0]
        if x < self.patrol.left:
            self.direction = 1.0
        elif x > self.patrol.right:
            self.direction = -1.0
        lag = self.direction * SPEED - self.velocity[0]
        self.motion.acceleration = (float(np.clip(RESPONSE * lag, -20.0, 20.0)), 0.0)

    def met(self, contacts: Contacts, fall_speed: float) -> str:
        """Return what the contacts of a hero who falls at this speed mean: "" for no touch, "stomped", or "bitten"."""
        touch = contacts.entity_b == self.entity
        if not self.alive or not touch.any():
            return ""
        enough = LANDING_NORMAL if fall_speed > LANDING_SPEED else STOMP_NORMAL
        return "stomped" if contacts.normal[touch, 1].mean() > enough else "bitten"
