"""SpringForceProcessor: the force of every Springs."""

import esper

from ecs_softbody.components import Particles, Springs
from ecs_softbody.kernels.spring_force import accumulate_spring_force
from ecs_softbody.storage import PackedBuffers


class SpringForceProcessor(esper.Processor):
    """Adds the force of every spring to Particles.force. Runs at Order.SPRING_FORCE."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers

    def process(self, dt: float) -> None:
        """Add the forces, with the stiffness and damping that a substep can carry."""
        particles, table = self._buffers[Particles].rows, self._buffers[Springs]
        springs = table.rows
        accumulate_spring_force(
            table.active_rows,
            particles["position"],
            particles["velocity"],
            springs["packed_pairs"],
            springs["rest_length"],
            springs["effective_stiffness"],
            springs["effective_damping"],
            particles["force"],
        )
