"""WindProcessor: how every Wind drags on outlines."""

import esper

from ecs_softbody.components import Collider, Particles, Water, Wind
from ecs_softbody.kernels.wind import accumulate_wind
from ecs_softbody.processors.outlines import Outlines
from ecs_softbody.storage import PackedBuffers


class WindProcessor(esper.Processor):
    """Sums up the resistance of moving and still air, which acts together with that of water. Runs at Order.WIND."""

    def __init__(self, buffers: PackedBuffers, outlines: Outlines) -> None:
        self._outlines, self._particles = outlines, buffers[Particles].rows
        self._colliders, self._winds, self._waters = buffers[Collider], buffers[Wind], buffers[Water]

    def process(self, dt: float) -> None:
        """Sum up the resistance, none without wind."""
        if not (self._winds.bound or self._waters.bound):
            return
        particles, colliders, winds = self._particles, self._colliders, self._winds.values
        outlines, bodies = self._outlines, colliders.values
        outlines.follow()
        accumulate_wind(
            colliders.active_slots,
            particles["position"],
            particles["rest_offset"],
            particles["velocity"],
            particles["radius"],
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
            outlines.resistance,
            outlines.carried,
        )
