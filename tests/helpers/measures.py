"""What tests measure of bodies and outlines, in plain numpy."""

from __future__ import annotations

from typing import Any

import esper
import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody import Particles, Simulation


def part(sim: Simulation, entity: int, kind: type) -> Any:
    """Return a component of an entity of the simulation's world."""
    with sim:
        return esper.component_for_entity(entity, kind)


def signed_area(ring: ArrayLike) -> float:
    """Return the area in a ring (N, 2), negative when it runs clockwise [m²]."""
    x, y = np.asarray(ring, float).T
    return 0.5 * float(x @ np.roll(y, -1) - np.roll(x, -1) @ y)


def momenta(*bodies: Particles) -> np.ndarray:
    """Return momentum (x, y) [kg·m/s] and angular momentum about the origin [kg·m²/s] of all
    bodies, shape (3,).
    """
    total = np.zeros(3)
    for body in bodies:
        x = body.position
        v = body.velocity
        m = body.mass
        total += (*(m @ v), m @ (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]))
        spin = body.angular_velocity
        if spin.any():
            total[2] += body.inertia_factor * m @ (body.radius**2 * spin)
    return total
