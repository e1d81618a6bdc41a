"""Car: a jelly chassis on two legs of springs, each with a wheel and a motor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Motor, Muscles, Particles, Simulation, Springs, blueprints
from ecs_softbody.indices import arange
from ecs_softbody.rendering import Look, palette

Floats = NDArray[np.float64]

LENGTH = 2.1
HEIGHT = 0.62
CHASSIS_MASS = 3.0
WHEEL_MASS = 2.2
RADIUS = 0.42
TRACK = 0.8
"""Half of the distance between both hubs [m]."""
HANG = 0.5
"""How far the hubs are below the middle of the chassis [m]."""
TIE = 1.0
"""How far inwards a leg's tie reaches [m]."""
COLUMNS = 8
ROWS = 3
FIRMNESS, SHAPE = 11.0, 110.0
"""How stiff the chassis is [Hz], and how hard it goes back to its shape [N/m]: it bends over every
bump.
"""
TYRE = 40.0
"""How stiff a wheel is [Hz]."""
LEG_FREQUENCY, LEG_DAMPING = 3.2, 0.35
"""How fast the chassis swings on its legs [Hz], and the share of critical damping."""
TORQUE, BRAKE_TORQUE = 9.0, 9.0
"""The largest of each motor [N·m], driving and braking."""
TOP_SPEED = 17.0
"""Of the wheels [rad/s]."""
LEAN = 16.0
"""How fast leaning turns the chassis faster [rad/s²]."""
HOP = 2.0
"""Length of the legs at the push of a hop, over that at rest."""
ROOF = 1.9
"""Turned by more than this [rad] it is upside down."""
BODY = 1
"""Categories of colliders: a wheel touches all but its own car."""
CAR = 4


@dataclass(slots=True)
class Wheel:
    """One wheel with all that holds and drives it."""

    entity: int
    particles: Particles
    """Row 0 is the hub, the others are the tyre."""
    motor: Motor
    muscles: Muscles
    rows: NDArray[np.int64]
    """Rows of the chassis that the leg holds on to."""


class Car:
    """A soft car.

    Args:
        sim: where it drives.
        place: middle of the chassis [m].
    """

    def __init__(self, sim: Simulation, position: tuple[float, float]) -> None:
        self.sim = sim
        body, springs, shape, collider = blueprints.box(
            position,
            (LENGTH, HEIGHT),
            rows=ROWS,
            columns=COLUMNS,
            mass=CHASSIS_MASS,
            frequency=FIRMNESS,
            damping_ratio=0.1,
            shape_stiffness=SHAPE,
            friction=0.4,
            category=CAR,
            mask=BODY,
        )
        self.body = body
        round_nose(body)
        self.rest_position: Floats = body.position - body.position.mean(axis=0)
        self.chassis = sim.spawn(
            body, springs, shape, collider, Look(fill=palette.CORAL, eyes=2, eye_size=0.3)
        )
        self.wheels = [self._add_wheel(np.add(position, (x, -HANG))) for x in (-TRACK, TRACK)]
        self.hop_frames = 0

    def _add_wheel(self, center: Floats) -> Wheel:
        particles, *rest = blueprints.wheel(
            center,
            RADIUS,
            particles=20,
            mass=WHEEL_MASS,
            frequency=TYRE,
            friction=1.6,
            category=CAR,
            mask=BODY,
        )
        entity = self.sim.spawn(particles, *rest, Look(style="none"))
        motor = Motor((self.chassis, entity), speed=0.0, max_torque=0.0)
        self.sim.spawn(motor)
        return Wheel(entity, particles, motor, *self._add_leg(entity, center))

    def _add_leg(self, wheel: int, center: Floats) -> tuple[Muscles, NDArray[np.int64]]:
        """Hold the hub of a wheel to the chassis: a shock straight up, two arms to the sides, and a
        tie to the middle.

        Without the tie a kerb can push the hub past an arm, where the other springs hold it as
        well.
        """
        inwards = -np.sign(center[0] - self.position[0])
        places = ((0.0, 1.0), (-0.45, 0.25), (0.45, 0.25), (inwards * TIE, 0.5))
        rows = np.array([self._row_near(center + place) for place in places])
        half = 0.5 * CHASSIS_MASS
        stiffness = half * (2.0 * np.pi * LEG_FREQUENCY) ** 2 * np.array((1.0, 0.8, 0.8, 1.6))
        damping = (
            2.0 * LEG_DAMPING * half * 2.0 * np.pi * LEG_FREQUENCY * np.array((1.0, 0.5, 0.5, 0.5))
        )
        pairs = np.column_stack((rows, np.zeros(len(rows), np.int64)))
        muscles = Muscles(arange(3), rate=np.inf)  # a hop stretches all but the tie
        leg = Springs(pairs, stiffness=stiffness, damping=damping, between=(self.chassis, wheel))
        self.sim.spawn(leg, muscles, Look(style="none"))
        return muscles, rows

    def _row_near(self, position: Floats) -> int:
        return int(np.hypot(*(self.body.position - position).T).argmin())

    @property
    def position(self) -> Floats:
        """Middle of the chassis [m]."""
        return np.asarray(self.body.position.mean(axis=0))

    @property
    def velocity(self) -> Floats:
        """Of the chassis [m/s]."""
        return np.asarray(self.body.velocity.mean(axis=0))

    @property
    def angle(self) -> float:
        """By how much the chassis is turned, counter-clockwise [rad]."""
        return self.body.pose().angle

    @property
    def torque(self) -> float:
        """Sum over both motors, on the wheels [N·m]."""
        return float(sum(wheel.motor.torque for wheel in self.wheels))

    def is_grounded(self) -> bool:
        """Return whether a wheel touches something."""
        return any(len(self.sim.contacts.of(wheel.entity).normal) > 0 for wheel in self.wheels)

    def is_on_its_roof(self) -> bool:
        """Return whether the chassis lies on something, upside down."""
        return abs(self.angle) > ROOF and len(self.sim.contacts.of(self.chassis).normal) > 0

    def drive(self, way: float) -> None:
        """Turn the wheels: 1 forwards, to the right; -1 backwards; 0 lets them roll."""
        for wheel in self.wheels:
            wheel.motor.speed = -way * TOP_SPEED
            wheel.motor.max_torque = TORQUE if way else 0.0

    def brake(self) -> None:
        """Hold the wheels."""
        for wheel in self.wheels:
            wheel.motor.speed = 0.0
            wheel.motor.max_torque = BRAKE_TORQUE

    def lean(self, way: float, dt: float) -> None:
        """Turn the whole car by its chassis; 1 is counter-clockwise."""
        position = self.body.position - self.position
        self.body.velocity += LEAN * way * dt * np.column_stack((-position[:, 1], position[:, 0]))

    def hop(self) -> None:
        """Push with both legs."""
        self.hop_frames = 7
        for wheel in self.wheels:
            wheel.muscles.rate = np.inf
            wheel.muscles.target = HOP

    def update(self) -> None:
        """Let the legs come back after a hop."""
        self.hop_frames = max(self.hop_frames - 1, 0)
        if self.hop_frames == 0:
            for wheel in self.wheels:
                if (wheel.muscles.target != 1.0).any():
                    wheel.muscles.rate = 6.0
                    wheel.muscles.target = 1.0


def round_nose(body: Particles) -> None:
    """Give the box the outline of a car: the upper corners drawn in,
    the nose lower than the rear.
    """
    position = body.position - body.position.mean(axis=0)
    x = position[:, 0] / (0.5 * LENGTH)
    y = position[:, 1] / (0.5 * HEIGHT)
    top = np.clip(y, 0.0, 1.0)
    body.position[:, 0] -= 0.16 * top * np.sign(x) * np.abs(x * x * x)
    body.position[:, 1] -= 0.16 * top * np.clip(x, 0.0, 1.0) ** 2
