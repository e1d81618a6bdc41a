"""Drag of a still fluid, implicit in the speed: v' = s (v + h F/m) with s = 1 / (1 + h (a + b |v + h F/m|)/m).

Written as a change of the force that was summed so far, F' = s F + (s - 1) m v / h. For any coefficients s stays in
(0, 1], so drag takes nothing of the stability bound; pure quadratic drag follows v = v0 / (1 + b v0 t / m) exactly.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean


@lean
def accumulate_drag(
    active: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    particle_first: np.ndarray,
    particle_last: np.ndarray,
    linear: np.ndarray,
    quadratic: np.ndarray,
    dt: float,
    force: np.ndarray,
) -> None:
    """Change `force` (N, 2) by the drag of the bodies b in `active`, rows [particle_first[b], particle_last[b])."""
    for b in active:
        if linear[b] == 0.0 and quadratic[b] == 0.0:
            continue
        for p in range(particle_first[b], particle_last[b]):
            w = inverse_mass[p]
            if w > 0.0:
                vx = velocity[p, 0] + dt * w * force[p, 0]
                vy = velocity[p, 1] + dt * w * force[p, 1]
                speed = math.sqrt(vx * vx + vy * vy)
                kept = 1.0 / (1.0 + dt * w * (linear[b] + quadratic[b] * speed))
                force[p, 0] = kept * force[p, 0] + (kept - 1.0) * velocity[p, 0] / (dt * w)
                force[p, 1] = kept * force[p, 1] + (kept - 1.0) * velocity[p, 1] / (dt * w)
