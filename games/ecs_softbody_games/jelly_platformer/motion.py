"""Motion: what moves a jelly from inside; a component, and the processor that turns it into forces."""

from __future__ import annotations

from dataclasses import dataclass

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Particles

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]


@dataclass(slots=True)
class Motion:
    """How an entity drives itself; a game writes it once per frame, the processor reads it in every substep.

    Attributes:
        acceleration: (x, y) [m/s²] of all particles, on top of everything else.
        angular_acceleration: around the middle [rad/s²].
        inner_friction: how fast wobbling dies out [1/s]; the body's own flight and rotation are left alone.
    """

    acceleration: tuple[float, float] = (0.0, 0.0)
    angular_acceleration: float = 0.0
    inner_friction: float = 0.0


class MotionProcessor(esper.Processor):
    """Adds the forces of every Motion."""

    def process(self, dt: float) -> None:
        """Run in every substep, at Order.CUSTOM_FORCE."""
        for _, (motion, particles) in esper.get_components(Motion, Particles):
            arm, drift, turning = _rigid_motion(particles)
            wobble = _complex(particles.velocity) - drift - 1j * turning * arm
            grip = min(motion.inner_friction, 0.5 / dt)
            push = particles.mass * (
                1j * motion.angular_acceleration * arm - grip * wobble + complex(*motion.acceleration)
            )
            force = particles.force
            force += push.view(np.float64).reshape(-1, 2)


def rigid_motion(particles: Particles) -> tuple[Floats, Floats, float]:
    """Return arms from the middle (N, 2), velocity of the middle (2,), and angular velocity [rad/s]."""
    arm, drift, turning = _rigid_motion(particles)
    return arm.view(np.float64).reshape(-1, 2), np.array((drift.real, drift.imag)), turning


def _rigid_motion(particles: Particles) -> tuple[Complexes, complex, float]:
    """Return the same with x + iy for each (x, y): half as many numbers to handle, in every substep."""
    mass, position, velocity = particles.mass, _complex(particles.position), _complex(particles.velocity)
    whole = float(mass.sum())
    arm = position - (mass @ position) / whole
    weighted = mass * arm
    inertia = float(np.vdot(arm, weighted).real)
    turning = float(np.vdot(weighted, velocity).imag) / inertia if inertia > 0.0 else 0.0
    return arm, complex(mass @ velocity) / whole, turning


def _complex(points: Floats) -> Complexes:
    """Return points (N, 2) as complex numbers (N,)."""
    return np.ascontiguousarray(points).view(np.complex128)[:, 0]
