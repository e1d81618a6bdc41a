"""The velocity that all forces so far will give: u = v + h w F."""

import numpy as np

from ecs_softbody.kernels.compiling import lean


@lean
def predict_velocity(
    active: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    force: np.ndarray,
    dt: float,
    predicted: np.ndarray,
) -> None:
    """Write the velocity of the particles in the spans of rows `active` (S, 2) at the end of the substep."""
    for span in range(active.shape[0]):
        for p in range(active[span, 0], active[span, 1]):
            predicted[p, 0] = velocity[p, 0] + dt * inverse_mass[p] * force[p, 0]
            predicted[p, 1] = velocity[p, 1] + dt * inverse_mass[p] * force[p, 1]
