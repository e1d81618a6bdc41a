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
            mass = particles.mass
            arm, drift, turning = rigid_motion(particles)
            across = np.column_stack((-arm[:, 1], arm[:, 0]))
            wobble = particles.velocity - drift - turning * across
            grip = min(motion.inner_friction, 0.5 / dt)
            particles.force += mass[:, None] * (motion.acceleration + motion.spin * across - grip * wobble)


def rigid_motion(particles: Particles) -> tuple[Floats, Floats, float]:
    """Return arms from the middle (N, 2), velocity of the middle (2,), and angular velocity [rad/s]."""
    mass = particles.mass
    share = mass / mass.sum()
    arm: Floats = particles.position - share @ particles.position
    drift: Floats = share @ particles.velocity
    along = particles.velocity - drift
    inertia = float(mass @ (arm * arm).sum(axis=1))
    momentum = float(mass @ (arm[:, 0] * along[:, 1] - arm[:, 1] * along[:, 0]))
    return arm, drift, momentum / inertia if inertia > 0.0 else 0.0
