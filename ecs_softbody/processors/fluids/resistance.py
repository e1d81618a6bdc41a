"""ResistanceProcessor: applies the summed resistance of drag, wind and water to the velocity after
all forces.
"""

import numpy as np

from ecs_softbody.components import Collider, Drag, Particles, Water, Wind
from ecs_softbody.kernels.fluids.resistance import FluidParticles, add_resistance
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Force, Spawn, StageContext
from ecs_softbody.storage import Column, add_stage_columns

add_stage_columns(
    Particles,
    "ResistanceProcessor",
    drag_share=Column(
        dtype=np.float64, doc="of the velocity that joints and contacts give, what resistance takes"
    ),
)


class ResistanceProcessor(Force):
    """Adds the resistance of drag, wind and water to Particles.force. Runs at Order.RESISTANCE.

    All other forces come before it. Joints and contacts, which come after it, read from the column
    `drag_share` which fraction of their effect on a particle is resisted.
    """

    order = Order.RESISTANCE
    components = (Drag, Wind, Water)
    reads = ("CollisionSpace", "FluidOutlines", "Particles")
    writes = (
        "CollisionSpace",
        "FluidOutlines",
        "Particles.angular_velocity",
        "Particles.drag_share",
        "Particles.force",
    )

    def __init__(self, context: StageContext) -> None:
        self._buffers = context.buffers
        self._particles = context.buffers[Particles]
        self._outlines = context.outlines
        self._space = context.space

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A particle in a wind."""
        spawn(Particles([(0.0, 0.0)], radius=0.1), Collider(), Wind((1.0, 0.0)))

    def process(self, dt: float) -> None:
        """Resist the velocity that the forces so far will give."""
        buffers = self._buffers
        table = self._particles
        if buffers[Wind].bound or buffers[Water].bound:
            self._space.mark_pushed(buffers.version, self._outlines.grown().pushed)
        add_resistance(
            table.active_rows, table.rows.group(FluidParticles), self._outlines.grown(), dt
        )
        self._space.proxies.is_dragged = True

    def rest(self) -> None:
        """Nothing is resisted any more."""
        self._particles.rows["drag_share"][:] = 0.0
        self._space.proxies.is_dragged = False
