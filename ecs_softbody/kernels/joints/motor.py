"""Motor: the torque that brings the relative angular velocity of two bodies to a wanted one.

    e = speed - (ω_b - ω_a),   ω = L/I of the free particles,   w = e / (h (n_a/I_a + n_b/I_b)),
    τ = clamp(load + P w),   load += S w,   F_i = ± τ m_i perp(r_i) / I

The force is that of a rigid rotation: it has no sum, and the torque τ. n motors at a body each take their share of its
error. `load` learns what a car weighs on its wheels. Forces are not looked at: contacts and joints, which are found
after the motor, may hold most of what they do, and a brake would let a wheel roll against what is held already.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Integers1, Integers2
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.joints.arrays import BodySpans
from ecs_softbody.parallel.compiling import entry, kernel

PROPORTIONAL = 0.95
SUMMED = 0.05
POINT_SIZE = 1e-12
"""A body smaller than this share of its distance from the origin is a point: the rest is rounding."""


class Motors(NamedTuple):
    """Values of all motors, (M,) each."""

    speed: Floats1  # Wanted [rad/s]
    max_torque: Floats1  # [N·m]
    load: Floats1  # Written: what it has learned to bear [N·m]
    torque: Floats1  # Written [N·m]


@entry
def drive_motors(
    active: Integers1,
    bodies: Integers2,
    count: Integers1,
    spans: BodySpans,
    motion: Motion,
    drag_share: Floats1,
    motors: Motors,
    dt: float,
) -> None:
    """Add the forces of the motors `active` to `motion.force`, less the share (N,) that drag takes; write their torque.

    bodies (M, 2): slots of chassis, -1 for the world, and wheel. count (B,): motors at each body.
    """
    first, last, load, torque = spans.first, spans.last, motors.load, motors.torque
    for m in active:
        torque[m] = 0.0
        mobility, error = 0.0, motors.speed[m]
        for which in range(2):
            b = bodies[m, which]
            if b >= 0:
                inertia, angular_velocity = find_rotation(first[b], last[b], motion)
                if inertia > 0.0:
                    mobility += count[b] / inertia
                    error += angular_velocity if which == 0 else -angular_velocity
                elif which == 1 or inertia < 0.0:
                    mobility = -np.inf  # nothing can turn it: no torque, and no reaction
        if not mobility > 0.0 or not np.isfinite(error):
            continue
        wanted, most = error / (dt * mobility), motors.max_torque[m]
        load[m] = min(max(load[m] + SUMMED * wanted, -most), most)
        torque[m] = min(max(load[m] + PROPORTIONAL * wanted, -most), most)
        add_torques(bodies[m], torque[m], spans, motion, drag_share)


@kernel
def add_torques(bodies: np.ndarray, torque: float, spans: BodySpans, motion: Motion, drag_share: np.ndarray) -> None:
    """Add the forces of a torque on the second of two bodies, and of its reaction on the first."""
    first, last = spans.first, spans.last
    position, inverse_mass, force = motion.position, motion.inverse_mass, motion.force
    for which in range(2):
        b = bodies[which]
        if b >= 0:
            x, y, inertia = inertia_of(first[b], last[b], motion)
            if inertia > 0.0:
                turn = (torque if which == 1 else -torque) / inertia
                for p in range(first[b], last[b]):
                    if inverse_mass[p] > 0.0:
                        push = (1.0 - drag_share[p]) * turn / inverse_mass[p]
                        force[p, 0] -= push * (position[p, 1] - y)
                        force[p, 1] += push * (position[p, 0] - x)


@kernel
def inertia_of(first: int, last: int, motion: Motion) -> tuple[float, float, float]:
    """Return the centre of mass (x, y) and moment of inertia of the free particles: 0 without any, -1 of a point."""
    position, inverse_mass = motion.position, motion.inverse_mass
    total, x, y, inertia = 0.0, 0.0, 0.0, 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            total += 1.0 / inverse_mass[p]
            x += position[p, 0] / inverse_mass[p]
            y += position[p, 1] / inverse_mass[p]
    if total == 0.0:
        return 0.0, 0.0, 0.0
    x, y = x / total, y / total
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            inertia += ((position[p, 0] - x) ** 2 + (position[p, 1] - y) ** 2) / inverse_mass[p]
    return x, y, inertia if inertia > total * POINT_SIZE**2 * (1.0 + x * x + y * y) else -1.0


@kernel
def find_rotation(first: int, last: int, motion: Motion) -> tuple[float, float]:
    """Return the moment of inertia and the angular velocity of the free particles."""
    position, velocity, inverse_mass = motion.position, motion.velocity, motion.inverse_mass
    x, y, inertia = inertia_of(first, last, motion)
    turn = 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            dx, dy = position[p, 0] - x, position[p, 1] - y
            turn += (dx * velocity[p, 1] - dy * velocity[p, 0]) / inverse_mass[p]
    return inertia, turn / inertia if inertia > 0.0 else 0.0
