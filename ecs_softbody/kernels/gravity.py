"""Weight: F = m g for every particle that is free to move."""

import numpy as np

from ecs_softbody.kernels.compiling import kernel


@kernel
def accumulate_gravity(
    mass: np.ndarray, inverse_mass: np.ndarray, gravity_x: float, gravity_y: float, force: np.ndarray
) -> None:
    """Add every free particle's weight to `force` (N, 2)."""
    for p in range(mass.shape[0]):
        if inverse_mass[p] > 0.0:
            force[p, 0] += mass[p] * gravity_x
            force[p, 1] += mass[p] * gravity_y
