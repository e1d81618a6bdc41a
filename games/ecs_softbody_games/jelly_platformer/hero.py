"""Hero: a blob of jelly with a Character, and what this game has to know about it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Character, Particles, Simulation, blueprints
from ecs_softbody.elementary import atan2
from ecs_softbody.rendering import Look, palette

Floats = NDArray[np.float64]

GRAVITY = 22.0  # m/s²; heavier than on Earth: a jump is over in less than a second
RADIUS = 0.55  # m
RUN_SPEED = 6.6  # m/s
JUMP_HEIGHT = 2.65  # m
# A jump still counts this long [s] after leaving the ground, or before touching it.
COYOTE_TIME = 0.1
BUFFER_TIME = 0.12
FALL_PULL = 13.0  # m/s², extra gravity when falling
FALL_GRAVITY = 1.0 + FALL_PULL / GRAVITY
GROUND_NORMAL = 0.5  # contacts whose normal points up more than this are ground
SLOPE_LIMIT = atan2(math.sqrt(1.0 - GROUND_NORMAL * GROUND_NORMAL), GROUND_NORMAL)
HARD_LANDING = 3.5  # m/s
COLOUR = palette.GREEN  # of its body, and of all drops and rings that are its own


@dataclass(slots=True)
class Wish:
    """What the player wants in this frame."""

    run: float = 0.0
    jump: bool = False
    hold: bool = False


@dataclass(slots=True)
class Hero:
    """The jelly's entity, its components, and what has happened to it in this frame."""

    sim: Simulation
    entity: int
    particles: Particles
    character: Character
    look: Look
    shape: Floats
    boosted: bool = False
    landed: float = 0.0
    jumped: bool = False
    others: list[int] = field(default_factory=list)
    """Parts of it that a blade has cut off; they do what it does."""

    @classmethod
    def spawn(cls, sim: Simulation, position: tuple[float, float]) -> Hero:
        """Make a hero whose middle is at a place [m]."""
        parts = cls.body(position)
        particles = parts[0]
        character = parts[-2]
        look = parts[-1]
        shape = particles.position - np.array(position)
        hero = cls(sim, sim.spawn(*parts), particles, character, look, shape)
        sim.on("jumped", hero._on_jumped)
        sim.on("landed", hero._on_landed)
        return hero

    @staticmethod
    def body(position: tuple[float, float]) -> tuple[Any, ...]:
        """Return the components of a hero at a place [m]; Particles come first, Character and Look
        last.
        """
        parts = blueprints.blob(
            position,
            RADIUS,
            particles=26,
            mass=1.2,
            pressure=170.0,
            frequency=60.0,
            damping_ratio=0.1,
        )
        character = Character.slime(
            speed=RUN_SPEED,
            acceleration=34.0,
            braking=22.0,
            air_braking=5.0,
            jump_height=JUMP_HEIGHT,
            short_jump=0.46,
            fall_gravity=FALL_GRAVITY,
            fall_speed=16.0,
            coyote_time=COYOTE_TIME,
            buffer_time=BUFFER_TIME,
            slope_limit=SLOPE_LIMIT,
            stretch=0.4,
        )
        return (*parts, character, Look(fill=COLOUR, style="body", eyes=2))

    def become(self, entity: int) -> None:
        """Go on as another body: a part of it, or all of it again."""
        sim = self.sim
        self.entity = entity
        self.particles = sim.get(entity, Particles)
        self.character = sim.get(entity, Character)
        self.look = sim.get(entity, Look)

    def _on_jumped(self, entity: int, speed: float) -> None:
        if entity == self.entity:
            self.jumped = not self.boosted

    def _on_landed(self, entity: int, speed: float, ground: int) -> None:
        if entity == self.entity:
            self.landed = speed

    @property
    def parts(self) -> list[Particles]:
        """All of its parts, itself first."""
        return [self.sim.get(entity, Particles) for entity in (self.entity, *self.others)]

    @property
    def position(self) -> Floats:
        """Middle of the body [m]."""
        return self.particles.center

    @property
    def velocity(self) -> Floats:
        """Velocity of the middle [m/s]."""
        velocity = self.particles.velocity
        mean: Floats = np.add.reduce(velocity) / len(velocity)
        return mean

    @property
    def fall_speed(self) -> float:
        """How fast it falls [m/s]."""
        return max(0.0, -float(self.velocity[1]))

    @property
    def grounded(self) -> bool:
        """Whether it stood on something in the last frame."""
        return bool(self.character.grounded)

    @property
    def may_jump(self) -> bool:
        """Whether it stands, or has just rolled off an edge."""
        character = self.character
        return bool(character.airtime <= COYOTE_TIME and character.since_jump > character.airtime)

    @property
    def ground_entities(self) -> frozenset[int]:
        """What carries it."""
        contacts = self.sim.contacts.of(self.entity)
        return frozenset(contacts.entity_b[contacts.normal[:, 1] > GROUND_NORMAL].tolist())

    def control(self, wish: Wish) -> None:
        """Hand the player's wish on."""
        if self.grounded and self.character.launch == 0.0:
            self.boosted = False
        self.character.move = wish.run
        self.character.jump = wish.jump or wish.hold
        for other in self.others:
            part = self.sim.get(other, Character)
            part.move = wish.run
            part.jump = wish.jump or wish.hold

    def launch(self, speed: float) -> None:
        """Leave the ground upwards at a speed [m/s], as high whether or not a key is held."""
        self.character.launch = speed
        self.boosted = True

    def drift(self, *, floating: bool) -> None:
        """Fall as a leaf does, in a wind, or as ever."""
        wanted = 1.0 if floating else FALL_GRAVITY
        if self.character.fall_gravity != wanted:
            self.character.fall_gravity = wanted

    def appear(self, position: tuple[float, float]) -> None:
        """Be round and still at a place [m]."""
        self.particles.position[:] = self.shape + position
        self.particles.velocity[:] = 0.0
        self.particles.pinned[:] = False

    def rest(self) -> None:
        """Stop driving; the body goes on by itself."""
        self.character.move = 0.0
        self.character.jump = False
        self.character.launch = 0.0

    def freeze(self) -> None:
        """Stay where it is until it appears again."""
        self.particles.velocity[:] = 0.0
        self.particles.pinned[:] = True
        self.rest()
