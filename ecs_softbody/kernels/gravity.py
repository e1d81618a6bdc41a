"""Weight: F = s m g for every particle that is free to move; s is the gravity scale of its body."""

import numpy as np

from ecs_softbody.kernels.compiling import lean


@lean
def accumulate_gravity(
    active: np.ndarray,
    mass: np.ndarray,
    inverse_mass: np.ndarray,
    body: np.ndarray,
    gravity_scale: np.ndarray,
    gravity_x: float,
    gravity_y: float,
    force: np.ndarray,
) -> None:
    """Add the weight of every free particle in the spans of rows `active` (S, 2) to `force` (N, 2)."""
    total, bodies = force.reshape(-1), len(gravity_scale)
    like_first = 0
    for slot in range(bodies):
        like_first += gravity_scale[slot] == gravity_scale[0]
    for span in range(active.shape[0]):
        first, last = active[span, 0], active[span, 1]
        if like_first == bodies and first < last:
            x, y = gravity_scale[0] * gravity_x, gravity_scale[0] * gravity_y
            weigh_evenly(mass[first:last], inverse_mass[first:last], x, y, total[2 * first : 2 * last])
            continue
        for p in range(first, last):
            if inverse_mass[p] > 0.0:
                scale = gravity_scale[body[p]]
                total[2 * p] += mass[p] * (scale * gravity_x)
                total[2 * p + 1] += mass[p] * (scale * gravity_y)


@lean
def weigh_evenly(mass: np.ndarray, inverse_mass: np.ndarray, x: float, y: float, total: np.ndarray) -> None:
    """Add the weight where the acceleration (x, y) [m/s²] is the same for all; total: x and y in turn, (2 N,)."""
    for p in range(len(mass)):
        weighed = mass[p] if inverse_mass[p] > 0.0 else 0.0
        total[2 * p] += weighed * x
        total[2 * p + 1] += weighed * y
