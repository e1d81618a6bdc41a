"""GravityProcessor: the weight of every particle."""

import esper

from ecs_softbody.components import Particles
from ecs_softbody.kernels.gravity import accumulate_gravity
from ecs_softbody.storage import PackedBuffers
from ecs_softbody.storage.columns import Floats


class GravityProcessor(esper.Processor):
    """Adds weight to Particles.force; `gravity` [m/s²] is shared with the Simulation. Runs at Order.GRAVITY."""

    def __init__(self, buffers: PackedBuffers, gravity: Floats) -> None:
        self._buffers = buffers
        self._gravity = gravity

    def process(self, dt: float) -> None:
        """Add the weights."""
        table = self._buffers[Particles]
        rows = table.rows
        accumulate_gravity(
            table.active_rows,
            rows["mass"],
            rows["inverse_mass"],
            rows["body"],
            table.values["gravity_scale"],
            float(self._gravity[0]),
            float(self._gravity[1]),
            rows["force"],
        )
