"""Motor: the torque that brings the relative angular velocity of two bodies to what is wanted.

    e = speed - (ω_b - ω_a),   ω = L/I of the free particles, with the velocities that the other forces give
    τ = clamp(load + P e / (h (1/I_a + 1/I_b))),   load += S e / (h (1/I_a + 1/I_b)),
    F_i = ± τ m_i perp(r_i) / I

The force is that of a rigid rotation: it has no sum, and the torque τ. `load` learns what a car weighs on its wheels,
which
the motor cannot see: contacts are found after it.
"""

import numpy as np

from ecs_softbody.kernels.compiling import kernel

PROPORTIONAL = 0.95
SUMMED = 0.05


@kernel
def drive(
    active: np.ndarray,
    bodies: np.ndarray,
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

    bodies (slots, 2): of chassis, -1 for the world, and wheel; rows of body b are [first[b], last[b]).
    """
    for m in active:
        torque[m] = 0.0
        mobility, error = 0.0, speed[m]
        for which in range(2):
            b = bodies[m, which]
            if b >= 0:
                _, _, inertia, spin = turning(first[b], last[b], position, velocity, inverse_mass, force, dt)
                if inertia > 0.0:
                    mobility += 1.0 / inertia
                    error += spin if which == 0 else -spin
                elif which == 1:
                    mobility = -np.inf  # a wheel that nothing can turn
        if not mobility > 0.0 or not np.isfinite(error):
            continue
        wanted, most = error / (dt * mobility), max_torque[m]
        load[m] = min(max(load[m] + SUMMED * wanted, -most), most)
        torque[m] = min(max(load[m] + PROPORTIONAL * wanted, -most), most)
        for which in range(2):
            b = bodies[m, which]
            if b >= 0:
                x, y, inertia, _ = turning(first[b], last[b], position, velocity, inverse_mass, force, dt)
                if inertia > 0.0:
                    turn = (torque[m] if which == 1 else -torque[m]) / inertia
                    for p in range(first[b], last[b]):
                        if inverse_mass[p] > 0.0:
                            force[p, 0] -= turn / inverse_mass[p] * (position[p, 1] - y)
                            force[p, 1] += turn / inverse_mass[p] * (position[p, 0] - x)


@kernel
def turning(
    first: int,
    last: int,
    position: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    force: np.ndarray,
    dt: float,
) -> tuple[float, float, float, float]:
    """Return the centre of mass (x, y), the moment of inertia and the angular velocity after dt of the free
    particles."""
    total, x, y, vx, vy = 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            m = 1.0 / inverse_mass[p]
            total += m
            x += m * position[p, 0]
            y += m * position[p, 1]
            vx += m * velocity[p, 0] + dt * force[p, 0]
            vy += m * velocity[p, 1] + dt * force[p, 1]
    if total == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    x, y, vx, vy = x / total, y / total, vx / total, vy / total
    inertia, spin = 0.0, 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            m = 1.0 / inverse_mass[p]
            dx, dy = position[p, 0] - x, position[p, 1] - y
            inertia += m * (dx * dx + dy * dy)
            spin += dx * (m * (velocity[p, 1] - vy) + dt * force[p, 1])
            spin -= dy * (m * (velocity[p, 0] - vx) + dt * force[p, 0])
    return x, y, inertia, spin / inertia if inertia > 0.0 else 0.0
