"""Weight: F = s m g for every particle that is free to move; s is the gravity scale of its body."""

import numpy as np

from ecs_softbody.kernels.compiling import kernel


@kernel
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
    for span in range(active.shape[0]):
        for p in range(active[span, 0], active[span, 1]):
            if inverse_mass[p] > 0.0:
                weighed = gravity_scale[body[p]] * mass[p]
                force[p, 0] += weighed * gravity_x
                force[p, 1] += weighed * gravity_y
