"""Motion: what moves a jelly from inside; a component, and the processor that turns it into forces."""

from __future__ import annotations

from dataclasses import dataclass

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Particles

Floats = NDArray[np.float64]


@dataclass(slots=True)
class Motion:
    """How an entity drives itself; a game writes it once per frame, the processor reads it in every substep.

    Attributes:
        acceleration: (x, y) [m/s²] of all particles, on top of everything else.
        spin: angular acceleration around the middle [rad/s²].
        inner_friction: how fast wobbling dies out [1/s]; the body's own flight and rotation are left alone.
    """

    acceleration: tuple[float, float] = (0.0, 0.0)
    spin: float = 0.0
    inner_friction: float = 0.0


class MotionProcessor(esper.Processor):
    """Adds the forces of every Motion."""

    def process(self, dt: float) -> None:
        """Run in every substep, at Order.CUSTOM_FORCE."""
        for _, (motion, particles) in esper.get_components(Motion, Particles):
            arm, drift, turning = rigid_motion(particles)
            across = arm[:, ::-1] * (-1.0, 1.0)
            wobble = particles.velocity - drift - turning * across
            grip = min(motion.inner_friction, 0.5 / dt)
            force = particles.force
            force += particles.mass[:, None] * (motion.spin * across - grip * wobble + motion.acceleration)


def rigid_motion(particles: Particles) -> tuple[Floats, Floats, float]:
    """Return arms from the middle (N, 2), velocity of the middle (2,), and angular velocity [rad/s]."""
    mass, place, velocity = particles.mass, particles.position, particles.velocity
    whole = float(mass.sum())
    arm: Floats = place - mass @ place / whole
    drift: Floats = mass @ velocity / whole
    inertia = float(mass @ np.einsum("ij,ij->i", arm, arm))
    momentum = float(mass @ (arm[:, 0] * velocity[:, 1] - arm[:, 1] * velocity[:, 0]))
    return arm, drift, momentum / inertia if inertia > 0.0 else 0.0
