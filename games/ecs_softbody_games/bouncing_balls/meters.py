"""Meters: the numbers on the screen, measured from the particles."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from ecs_softbody.indices import reduceat
from ecs_softbody_games.bouncing_balls.crowd import Crowd

HISTORY = 240
"""Frames of energy that are kept for the graph."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One set of numbers.

    Attributes:
        kinetic: energy of motion [J].
        potential: energy of height above the wall that gravity points to [J].
        momentum: (x, y) [kg·m/s].
        fastest: speed of the fastest body [m/s].
        contacts: pairs that touched in the last frame.
    """

    kinetic: float = 0.0
    potential: float = 0.0
    momentum: tuple[float, float] = (0.0, 0.0)
    fastest: float = 0.0
    contacts: int = 0

    @property
    def total(self) -> float:
        """Kinetic and potential energy [J]."""
        return self.kinetic + self.potential


def measure(crowd: Crowd, contacts: int = 0) -> Reading:
    """Measure all bodies; a blob's particles count one by one, so its wobble is energy too; balls
    turn.
    """
    if not crowd.bodies:
        return Reading(contacts=contacts)
    position = np.concatenate([body.particles.position for body in crowd.bodies])
    velocity = np.concatenate([body.particles.velocity for body in crowd.bodies])
    mass = np.concatenate([body.particles.mass for body in crowd.bodies])
    surface = np.concatenate(
        [body.particles.radius * body.particles.angular_velocity for body in crowd.bodies]
    )
    starts = np.cumsum(
        [0] + [body.particles.row_count for body in crowd.bodies[:-1]], dtype=np.int64
    )
    carried = mass[:, None] * velocity
    speeds = np.linalg.norm(
        reduceat(np.add, carried, starts) / reduceat(np.add, mass, starts)[:, None], axis=1
    )
    gravity = np.array(crowd.settings.gravity)
    left, bottom, right, top = crowd.bounds
    lowest = np.where(gravity > 0.0, (right, top), (left, bottom))
    momentum = carried.sum(axis=0)
    return Reading(
        kinetic=float(0.5 * (carried * velocity).sum() + 0.25 * (mass * surface**2).sum()),
        potential=float((mass[:, None] * (lowest - position) * gravity).sum()) + 0.0,
        momentum=(float(momentum[0]), float(momentum[1])),
        fastest=float(speeds.max()),
        contacts=contacts,
    )


class Meters:
    """The latest reading, a calm one for the eye, and the energies of the last seconds."""

    def __init__(self) -> None:
        self.now = Reading()
        self.shown = Reading()
        """Renewed ten times a second, so that the digits can be read."""
        self.kinetic: deque[float] = deque(maxlen=HISTORY)
        self.potential: deque[float] = deque(maxlen=HISTORY)
        self._frame = 0

    def update(self, crowd: Crowd, contacts: int) -> None:
        """Measure once per frame."""
        self.now = measure(crowd, contacts)
        self.kinetic.append(self.now.kinetic)
        self.potential.append(self.now.potential)
        if self._frame % 6 == 0:
            self.shown = self.now
        self._frame += 1
