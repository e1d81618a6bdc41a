"""ResistanceProcessor: applies the summed resistance of drag, wind and water to the velocity after
all forces.

F = D (u - v'), with the summed coefficients D [N·s/m] of a particle, the velocity u of the fluid
and the velocity v' at the end of the substep: implicit, so it is stable for any D
(kernels/fluids/resistance.py).
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

    Joints and contacts come after it. Resistance would take a fraction of the velocity that their
    impulses give a particle; the column `drag_share` tells them which.
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
        """Add the resistance to the velocity that the forces so far will give, and clear the
        sums.
        """
        buffers = self._buffers
        table = self._particles
        if buffers[Wind].bound or buffers[Water].bound:
            self._space.mark_pushed(buffers.version, self._outlines.grown().pushed)
        add_resistance(
            table.active_rows, table.rows.group(FluidParticles), self._outlines.grown(), dt
        )
        self._space.proxies.is_dragged = True

    def rest(self) -> None:
        """Called in place of `process` while there is no Drag, Wind or Water: nothing resists."""
        self._particles.rows["drag_share"][:] = 0.0
        self._space.proxies.is_dragged = False
