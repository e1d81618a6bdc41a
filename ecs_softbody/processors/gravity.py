"""GravityProcessor: the weight of every particle."""

import esper

from ecs_softbody.components import Particles
from ecs_softbody.kernels.gravity import accumulate_gravity
from ecs_softbody.storage import PackedBuffers
from ecs_softbody.storage.columns import Floats


class GravityProcessor(esper.Processor):
    """Adds weight to Particles.force; `gravity` [m/s²] is shared with the Simulation. Runs at Order.GRAVITY."""

    def __init__(self, buffers: PackedBuffers, gravity: Floats) -> None:
        self._particles = buffers[Particles]
        self._gravity = gravity

    def process(self, dt: float) -> None:
        """Add the weights."""
        table, rows = self._particles, self._particles.rows
        accumulate_gravity(
            table.active_rows,
            rows["mass"],
            rows["inverse_mass"],
            rows["body"],
            table.values["gravity_scale"],
            self._gravity.item(0),
            self._gravity.item(1),
            rows["force"],
        )
