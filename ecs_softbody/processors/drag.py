"""DragProcessor: the resistance of still air or water."""

import esper

from ecs_softbody.components import Drag, Particles
from ecs_softbody.kernels.drag import accumulate_drag
from ecs_softbody.storage import PackedBuffers


class DragProcessor(esper.Processor):
    """Adds the drag of every entity with Drag to Particles.force. Runs at Order.DRAG."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers

    def process(self, dt: float) -> None:
        """Brake the velocity that the forces so far will give."""
        particles, table = self._buffers[Particles].rows, self._buffers[Drag]
        drags = table.values
        if drags.count:
            accumulate_drag(
                table.active_slots,
                particles["velocity"],
                particles["inverse_mass"],
                drags["particle_first"],
                drags["particle_last"],
                drags["linear"],
                drags["quadratic"],
                dt,
                particles["force"],
            )
