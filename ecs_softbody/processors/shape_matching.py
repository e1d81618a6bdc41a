"""ShapeMatchingProcessor: the force of every ShapeMatching."""

import esper

from ecs_softbody.components import Particles, ShapeMatching
from ecs_softbody.kernels.shape_matching import accumulate_shape_matching_force
from ecs_softbody.storage import PackedBuffers


class ShapeMatchingProcessor(esper.Processor):
    """Pulls bodies back to their rest shape through Particles.force. Runs at Order.SHAPE_MATCHING."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers

    def process(self, dt: float) -> None:
        """Add the forces."""
        particles, table = self._buffers[Particles].rows, self._buffers[ShapeMatching]
        bodies = table.values
        if bodies.count:
            accumulate_shape_matching_force(
                table.active_slots,
                particles["position"],
                particles["velocity"],
                particles["mass"],
                particles["rest_offset"],
                bodies["particle_first"],
                bodies["particle_last"],
                bodies["stiffness"],
                bodies["damping"],
                dt,
                particles["force"],
            )
