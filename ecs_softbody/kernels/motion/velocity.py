"""The velocity that all forces so far will give at the end of the substep h, u = v + h w F, for
stages that need it before the particles are moved.
"""

from ecs_softbody.arrays import Floats2, Integers2
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.compiling import entry


@entry
def predict_velocity(active: Integers2, motion: Motion, dt: float, predicted: Floats2) -> None:
    """Write u of the particles in the spans `active` (S, 2) of awake rows to `predicted` (N, 2)
    [m/s].
    """
    velocity = motion.velocity
    inverse_mass = motion.inverse_mass
    force = motion.force
    for span in range(active.shape[0]):
        for p in range(active[span, 0], active[span, 1]):
            predicted[p, 0] = velocity[p, 0] + dt * inverse_mass[p] * force[p, 0]
            predicted[p, 1] = velocity[p, 1] + dt * inverse_mass[p] * force[p, 1]
