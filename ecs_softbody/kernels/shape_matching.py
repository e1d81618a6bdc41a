"""Shape matching: the rest shape r_i, turned by R and moved to the centre of mass, attracts every particle.

    F_i = -(m_i/m̄) (k (x_i - x_c - R r_i) + c (v_i - v_c - ω × (x_i - x_c)))

R is the rotation that fits best, angle = atan2(Σ m r × d, Σ m r · d) with d = x - x_c (M. Müller et al., "Meshless
Deformations Based on Shape Matching", 2005, in two dimensions); ω is the angular momentum over the moment of inertia.
With weights in proportion to mass the forces sum to zero, and so do their torques.

Saturation: the element takes k h²/m̄ + 2 c h/m̄ of the stability bound at every particle.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import kernel

STIFFNESS_SHARE = 0.5
DAMPING_SHARE = 0.125


@kernel
def accumulate_shape_matching_force(
    active: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    mass: np.ndarray,
    rest_offset: np.ndarray,
    particle_first: np.ndarray,
    particle_last: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    dt: float,
    force: np.ndarray,
) -> None:
    """Add the force of the bodies b in `active`, rows [particle_first[b], particle_last[b]), to `force` (N, 2)."""
    for b in active:
        total, count, x, y, vx, vy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for p in range(particle_first[b], particle_last[b]):
            m = mass[p] if mass[p] < math.inf else 0.0
            total += m
            count += 1.0 if m > 0.0 else 0.0
            x += m * position[p, 0]
            y += m * position[p, 1]
            vx += m * velocity[p, 0]
            vy += m * velocity[p, 1]
        if total == 0.0:
            continue
        x, y, vx, vy = x / total, y / total, vx / total, vy / total
        cross, dot, spin, inertia = 0.0, 0.0, 0.0, 0.0
        for p in range(particle_first[b], particle_last[b]):
            m = mass[p] if mass[p] < math.inf else 0.0
            dx, dy = position[p, 0] - x, position[p, 1] - y
            cross += m * (rest_offset[p, 0] * dy - rest_offset[p, 1] * dx)
            dot += m * (rest_offset[p, 0] * dx + rest_offset[p, 1] * dy)
            spin += m * (dx * (velocity[p, 1] - vy) - dy * (velocity[p, 0] - vx))
            inertia += m * (dx * dx + dy * dy)
        length = math.hypot(cross, dot)
        cosine, sine = (dot / length, cross / length) if length > 0.0 else (1.0, 0.0)
        omega = spin / inertia if inertia > 0.0 else 0.0
        mean = total / count
        stiff = min(stiffness[b], STIFFNESS_SHARE * mean / (dt * dt)) / mean
        damp = min(damping[b], DAMPING_SHARE * mean / dt) / mean
        for p in range(particle_first[b], particle_last[b]):
            m = mass[p] if mass[p] < math.inf else 0.0
            dx, dy = position[p, 0] - x, position[p, 1] - y
            away_x = dx - cosine * rest_offset[p, 0] + sine * rest_offset[p, 1]
            away_y = dy - sine * rest_offset[p, 0] - cosine * rest_offset[p, 1]
            force[p, 0] -= m * (stiff * away_x + damp * (velocity[p, 0] - vx + omega * dy))
            force[p, 1] -= m * (stiff * away_y + damp * (velocity[p, 1] - vy - omega * dx))
