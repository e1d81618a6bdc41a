"""DragProcessor: the resistance of still air or water."""

import esper

from ecs_softbody.components import Drag, Particles
from ecs_softbody.kernels.drag import accumulate_drag
from ecs_softbody.storage import PackedBuffers


class DragProcessor(esper.Processor):
    """Adds the drag of every entity with Drag to Particles.force. Runs at Order.DRAG."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._particles, self._drags = buffers[Particles].rows, buffers[Drag]

    def process(self, dt: float) -> None:
        """Brake the velocity that the forces so far will give."""
        particles, drags = self._particles, self._drags.values
        if self._drags.bound:
            accumulate_drag(
                self._drags.active_slots,
                particles["velocity"],
                particles["inverse_mass"],
                drags["particle_first"],
                drags["particle_last"],
                drags["linear"],
                drags["quadratic"],
                dt,
                particles["force"],
            )
