"""Crowd: the walls of the room and the bodies in it; comes,
goes and changes while the game runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody import Collider, Drag, Particles, Simulation, StaticCollider
from ecs_softbody.blueprints import ball, blob, radius_of
from ecs_softbody.elementary import power_of
from ecs_softbody.indices import reduceat
from ecs_softbody.rendering import Look, palette
from ecs_softbody_games.bouncing_balls.settings import EARTH, Settings

Floats = NDArray[np.float64]

DENSITY = 4.0
"""Of every body [kg/m²], so that mass alone decides the radius."""
LIGHTEST, HEAVIEST = 0.2, 3.0
"""Masses that are drawn for new bodies [kg]."""
LIGHTEST_BLOB = 1.2
BLOB_SHARE = 5
"""Every fifth body is a blob."""
BLOB_PARTICLES = 16
FIRMNESS = 40.0
"""Pressure of a blob over density × gravity × radius: firm enough to carry balls that lie on it."""
MOST = 200
TRIES = 40
MASS_COLOURS = (
    palette.VIOLET,
    palette.BLUE,
    palette.TEAL,
    palette.GREEN,
    palette.AMBER,
    palette.CORAL,
)
"""From light to heavy."""


def mass_colour(mass: float) -> palette.Colour:
    """Return the colour of a mass [kg]: violet is light, red is heavy."""
    share = math.log(mass / LIGHTEST) / math.log(HEAVIEST / LIGHTEST)
    scaled = min(max(share, 0.0), 1.0) * (len(MASS_COLOURS) - 1)
    first = min(int(scaled), len(MASS_COLOURS) - 2)
    return palette.mixed(MASS_COLOURS[first], MASS_COLOURS[first + 1], scaled - first)


@dataclass(slots=True)
class Body:
    """One body and the components that the switches change."""

    entity: int
    soft: bool
    mass: float
    radius: float
    particles: Particles
    collider: Collider
    drag: Drag
    look: Look

    @property
    def place(self) -> Floats:
        """Centre of mass [m]; all particles of a body weigh the same."""
        return np.asarray(self.particles.position.mean(axis=0))

    @property
    def velocity(self) -> Floats:
        """Of the centre of mass [m/s]."""
        return np.asarray(self.particles.velocity.mean(axis=0))


class Crowd:
    """All bodies of a simulation, oldest first, and the walls around them.

    Args:
        sim: where they live.
        settings: the switches that new bodies start with.
        room: the entity of the walls.

    Attributes:
        bounds: left, bottom, right, top of the room's inside [m].
    """

    def __init__(self, sim: Simulation, settings: Settings, room: int) -> None:
        self.sim = sim
        self.settings = settings
        self.bodies: list[Body] = []
        self._random = np.random.default_rng(20)
        self._made = 0
        self.walls = sim.get(room, StaticCollider)
        x, y = self.walls.vertices.T.tolist()
        self.bounds = (min(x), min(y), max(x), max(y))
        self.apply_settings()

    def __len__(self) -> int:
        return len(self.bodies)

    def add_random(self) -> Body | None:
        """Add a ball, or now and then a blob, where there is room for it; None when the room is
        full.
        """
        if len(self) >= MOST:
            return None
        soft = self._made % BLOB_SHARE == BLOB_SHARE - 1
        share = power_of(self._random.uniform(), 1.3)
        lightest = LIGHTEST_BLOB if soft else LIGHTEST
        mass = lightest * power_of(HEAVIEST / lightest, share)
        position = self._free_place(radius_of(mass, DENSITY))
        if position is None:
            return None
        return self.add(position, mass, velocity=self._random.uniform(-2.5, 2.5, 2), soft=soft)

    def add(
        self,
        position: ArrayLike,
        mass: float,
        *,
        velocity: ArrayLike = (0.0, 0.0),
        soft: bool = False,
    ) -> Body:
        """Add a body of a mass [kg] at a place [m]."""
        radius = radius_of(mass, DENSITY)
        look = Look(fill=mass_colour(mass), eyes=2 if soft else 0)
        build: Any = blob if soft else ball
        extra = (
            {"particles": BLOB_PARTICLES, "pressure": FIRMNESS * DENSITY * EARTH * radius}
            if soft
            else {}
        )
        components = build(position, radius, mass=mass, velocity=velocity, **extra)
        drag = Drag()
        collider = components[-1]
        entity = self.sim.spawn(*components, drag, look)
        body = Body(entity, soft, mass, radius, components[0], collider, drag, look)
        self.bodies.append(body)
        self._made += 1
        self._apply_to(body)
        return body

    def remove_last(self) -> Body | None:
        """Take the newest body away."""
        if not self.bodies:
            return None
        body = self.bodies.pop()
        self.sim.despawn(body.entity)
        return body

    def clear(self) -> None:
        """Take all bodies away."""
        while self.remove_last():
            pass

    def apply_settings(self) -> None:
        """Give the switches to the simulation and to everything in it."""
        self.sim.gravity = self.settings.gravity
        self.walls.restitution = self.settings.restitution
        self.walls.friction = self.settings.friction
        for body in self.bodies:
            self._apply_to(body)

    def _apply_to(self, body: Body) -> None:
        fluid = self.settings.fluid
        count = body.particles.row_count
        body.drag.quadratic = fluid.quadratic(body.radius) / count
        body.drag.linear = fluid.linear(body.radius) / count
        body.collider.restitution = self.settings.restitution
        body.collider.friction = self.settings.friction

    def kick(self) -> None:
        """Throw everything up: against the gravity, or to all sides without any."""
        away = -np.sign(self.settings.gravity)
        drawn = self._random.random((len(self.bodies), 3))
        pushes = (-3.0 + 6.0 * drawn[:, :2]) + away * (6.0 + 3.0 * drawn[:, 2:])
        if not away.any():
            pushes *= 2.0
        for body, push in zip(self.bodies, pushes, strict=True):
            velocity = body.particles.velocity
            velocity += push

    def places(self) -> Floats:
        """Return the centres of all bodies, shape (B, 2) [m]."""
        return self._means([body.particles.position for body in self.bodies])

    def velocities(self) -> Floats:
        """Return the velocities of their centres, shape (B, 2) [m/s]."""
        return self._means([body.particles.velocity for body in self.bodies])

    @staticmethod
    def _means(arrays: list[Floats]) -> Floats:
        """Return the mean of each array (N, 2), shape (B, 2)."""
        if not arrays:
            return np.zeros((0, 2))
        counts = np.array([len(array) for array in arrays], np.int64)
        sums = reduceat(np.add, np.concatenate(arrays), np.cumsum(counts, dtype=np.int64) - counts)
        return np.asarray(sums / counts[:, None])

    def _free_place(self, radius: float) -> Floats | None:
        left, bottom, right, top = self.bounds
        needed = radius + 0.03
        positions = self.places()
        radii = np.array([body.radius for body in self.bodies])
        for _ in range(TRIES):
            position = self._random.uniform(
                (left + needed, bottom + needed), (right - needed, top - needed)
            )
            if (
                not len(positions)
                or (np.linalg.norm(positions - position, axis=1) > radii + needed).all()
            ):
                return np.asarray(position)
        return None
