"""WindProcessor: the drag of every Wind on outlines."""

import esper

from ecs_softbody.components import Collider, Particles, Wind
from ecs_softbody.kernels.wind import accumulate_wind
from ecs_softbody.processors.outlines import Outlines
from ecs_softbody.storage import PackedBuffers


class WindProcessor(esper.Processor):
    """Adds the drag of moving and still air to Particles.force. Runs at Order.WIND."""

    def __init__(self, buffers: PackedBuffers, outlines: Outlines) -> None:
        self._buffers, self._outlines = buffers, outlines

    def process(self, dt: float) -> None:
        """Drag on what the winds can reach."""
        particles, colliders, winds = self._buffers[Particles].rows, self._buffers[Collider], self._buffers[Wind].values
        if not (winds.count and colliders.values.count):
            return
        outlines, bodies = self._outlines, colliders.values
        outlines.follow()
        accumulate_wind(
            colliders.active_slots,
            particles["position"],
            particles["velocity"],
            particles["radius"],
            particles["inverse_mass"],
            outlines.points,
            outlines.first,
            outlines.last,
            outlines.ringed,
            bodies["closed"],
            bodies["skin"],
            bodies["category"],
            bodies["particle_first"],
            bodies["particle_last"],
            winds["velocity"],
            0.5 * winds["density"] * winds["drag"],
            winds["low"],
            winds["high"],
            winds["mask"],
            dt,
            outlines.resistance,
            outlines.carried,
            particles["force"],
        )
