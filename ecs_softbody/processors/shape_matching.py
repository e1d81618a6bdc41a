"""ShapeMatchingProcessor: the force of every ShapeMatching."""

import esper
import numpy as np

from ecs_softbody.components import Particles, ShapeMatching
from ecs_softbody.kernels.shape_matching import accumulate_shape_matching_force
from ecs_softbody.storage import PackedBuffers


class ShapeMatchingProcessor(esper.Processor):
    """Pulls bodies back to their rest shape through Particles.force. Runs at Order.SHAPE_MATCHING."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._particles, self._shapes = buffers[Particles].rows, buffers[ShapeMatching]
        self._every_row = np.zeros(0, np.uint32)

    def process(self, dt: float) -> None:
        """Add the forces."""
        particles, shapes = self._particles, self._shapes
        if shapes.bound:
            if len(self._every_row) < particles.count:
                self._every_row = np.arange(particles.capacity, dtype=np.uint32)
            accumulate_shape_matching_force(
                shapes.active_slots,
                particles["position"],
                particles["velocity"],
                particles["mass"],
                particles["rest_offset"],
                self._every_row,
                shapes.values["particle_first"],
                shapes.values["particle_last"],
                shapes.rows["packed_members"],
                shapes.rows["group"],
                shapes.rows["share"],
                shapes.rows["valence"],
                shapes.values["first"],
                shapes.values["last"],
                shapes.values["stiffness"],
                shapes.values["damping"],
                dt,
                False,
                particles["force"],
            )
