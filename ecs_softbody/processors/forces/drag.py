"""DragProcessor: the resistance of still air or water to bodies with Drag.

It adds no force itself: drag, wind and water are summed up for each particle in FluidOutlines, and
ResistanceProcessor applies the sum, implicit in the velocity.
"""

from ecs_softbody.components import Drag, Particles
from ecs_softbody.kernels.forces.drag import Drags, accumulate_drag
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Force, Spawn, StageContext


class DragProcessor(Force):
    """Sums up the drag of every entity with Drag. Runs at Order.DRAG."""

    order = Order.DRAG
    components = (Drag,)
    reads = ("FluidOutlines", "Particles")
    writes = ("FluidOutlines",)

    def __init__(self, context: StageContext) -> None:
        buffers = context.buffers
        self._particles = buffers[Particles].rows
        self._table = buffers[Drag]
        self._outlines = context.outlines

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A particle."""
        spawn(Particles([(0.0, 0.0)]), Drag(linear=0.1))

    def process(self, dt: float) -> None:
        """Add the drag coefficient of each particle to its resistance [N·s/m]."""
        table = self._table
        motion = self._particles.group(Motion)
        accumulate_drag(
            table.active_slots, table.values.group(Drags), motion, self._outlines.grown(), dt
        )
