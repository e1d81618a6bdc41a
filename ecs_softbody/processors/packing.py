"""PackingProcessor: keeps the packed buffers equal to what the esper world holds."""

import esper

from ecs_softbody.components import Particles
from ecs_softbody.kernels.integration import refresh_inverse_mass
from ecs_softbody.storage import PackedBuffers


class PackingProcessor(esper.Processor):
    """Packs added, replaced and removed components; at the start of a frame also looks for masses that a game wrote
    and keeps the positions to interpolate from. Runs at Order.PACKING.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers

    def process(self, dt: float) -> None:
        """Synchronise the buffers with the world."""
        self._buffers.synchronise()
        if self._buffers.frame_start:
            rows = self._buffers[Particles].rows
            columns = ("mass", "pinned", "kinematic", "velocity", "inverse_mass")
            if refresh_inverse_mass(*(rows[name] for name in columns)):
                self._buffers.changed_entities |= self._buffers[Particles].entities
            rows["frame_position"][:] = rows["position"]
