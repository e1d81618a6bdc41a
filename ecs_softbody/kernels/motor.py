"""Motor: the torque that brings the relative angular velocity of two bodies to what is wanted.

    e = speed - (ω_b - ω_a),   ω = L/I of the free particles,   w = e / (h (n_a/I_a + n_b/I_b)),
    τ = clamp(load + P w),   load += S w,   F_i = ± τ m_i perp(r_i) / I

The force is that of a rigid rotation: it has no sum, and the torque τ. n motors at a body each take their share of its
error. `load` learns what a car weighs on its wheels. Forces are not looked at: contacts and joints, which are found
after the motor, may hold most of what they do, and a brake would let a wheel roll against what is held already.
"""

import numpy as np

from ecs_softbody.kernels.compiling import lean

PROPORTIONAL = 0.95
SUMMED = 0.05
POINT_SIZE = 1e-12
"""A body smaller than this share of its distance from the origin is a point: the rest is rounding."""


@lean
def drive(
    active: np.ndarray,
    bodies: np.ndarray,
    count: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    speed: np.ndarray,
    max_torque: np.ndarray,
    dt: float,
    force: np.ndarray,
    load: np.ndarray,
    torque: np.ndarray,
) -> None:
    """Add the forces of the motors `active` to `force` (N, 2), and write their torque.

    bodies (slots, 2): of chassis, -1 for the world, and wheel; rows of body b are [first[b], last[b]). count: motors at
    each body.
    """
    for m in active:
        torque[m] = 0.0
        mobility, error = 0.0, speed[m]
        for which in range(2):
            b = bodies[m, which]
            if b >= 0:
                inertia, spin = turning(first[b], last[b], position, velocity, inverse_mass)
                if inertia > 0.0:
                    mobility += count[b] / inertia
                    error += spin if which == 0 else -spin
                elif which == 1 or inertia < 0.0:
                    mobility = -np.inf  # nothing can turn it: no torque, and no reaction
        if not mobility > 0.0 or not np.isfinite(error):
            continue
        wanted, most = error / (dt * mobility), max_torque[m]
        load[m] = min(max(load[m] + SUMMED * wanted, -most), most)
        torque[m] = min(max(load[m] + PROPORTIONAL * wanted, -most), most)
        turn_both(bodies[m], torque[m], first, last, position, inverse_mass, force)


@lean
def turn_both(
    bodies: np.ndarray,
    torque: float,
    first: np.ndarray,
    last: np.ndarray,
    position: np.ndarray,
    inverse_mass: np.ndarray,
    force: np.ndarray,
) -> None:
    """Add the forces of a torque on the second of two bodies, and of its reaction on the first."""
    for which in range(2):
        b = bodies[which]
        if b >= 0:
            x, y, inertia = inertia_of(first[b], last[b], position, inverse_mass)
            if inertia > 0.0:
                turn = (torque if which == 1 else -torque) / inertia
                for p in range(first[b], last[b]):
                    if inverse_mass[p] > 0.0:
                        force[p, 0] -= turn / inverse_mass[p] * (position[p, 1] - y)
                        force[p, 1] += turn / inverse_mass[p] * (position[p, 0] - x)


@lean
def inertia_of(first: int, last: int, position: np.ndarray, inverse_mass: np.ndarray) -> tuple[float, float, float]:
    """Return the centre of mass (x, y) and moment of inertia of the free particles: 0 without any, -1 of a point."""
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


@lean
def turning(
    first: int, last: int, position: np.ndarray, velocity: np.ndarray, inverse_mass: np.ndarray
) -> tuple[float, float]:
    """Return the moment of inertia and the angular velocity of the free particles."""
    x, y, inertia = inertia_of(first, last, position, inverse_mass)
    turn = 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            dx, dy = position[p, 0] - x, position[p, 1] - y
            turn += (dx * velocity[p, 1] - dy * velocity[p, 0]) / inverse_mass[p]
    return inertia, turn / inertia if inertia > 0.0 else 0.0
