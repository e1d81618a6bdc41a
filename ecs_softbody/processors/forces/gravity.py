"""GravityProcessor: the weight of every particle, F = m g × `gravity_scale` of its body."""

from ecs_softbody.components import Particles
from ecs_softbody.kernels.forces.gravity import Weighed, accumulate_gravity
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Force, StageContext


class GravityProcessor(Force):
    """Adds weight to Particles.force; `gravity` [m/s²] is shared with the Simulation.

    Runs at Order.GRAVITY.
    """

    order = Order.GRAVITY
    reads = ("Particles",)
    writes = ("Particles.force",)

    def __init__(self, context: StageContext) -> None:
        buffers = context.buffers
        self._gravity = context.gravity
        table = buffers[Particles]
        self._accumulate = PreparedCall(
            accumulate_gravity,
            lambda: (table.active_rows, table.rows.group(Weighed), table.values["gravity_scale"]),
            buffers.replaced,
        )

    def process(self, dt: float) -> None:
        """Add the weights."""
        self._accumulate(self._gravity.item(0), self._gravity.item(1))
