"""AngularSpringForceProcessor: the force of every angular spring, of the solver `saturated`.

An angular spring holds the angle at a pivot j between two arms, to the particles i and k. Its
torque is -K L1 L2 sin(angle - rest) - c angle', with the rest lengths L1, L2 of the arms
(kernels/forces/angular_springs.py).
"""

import numpy as np

from ecs_softbody.components import AngularSprings, Particles, Springs
from ecs_softbody.indices import arange
from ecs_softbody.kernels.forces.angular_springs import AngularLaw, accumulate_angular_spring_force
from ecs_softbody.kernels.forces.rest_directions import RestDirections, unknown_directions
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Force, Spawn, StageContext
from ecs_softbody.storage.table import Table


class AngularSpringForceProcessor(Force):
    """Adds the force of every angular spring to Particles.force.

    Runs at Order.ANGULAR_SPRING_FORCE.
    """

    order = Order.ANGULAR_SPRING_FORCE
    components = (AngularSprings,)
    reads = ("Particles",)
    writes = ("AngularSprings.effective_stiffness", "Particles.force")

    def __init__(self, context: StageContext) -> None:
        buffers = context.buffers
        rows = buffers[Particles].rows
        table = buffers[AngularSprings]
        self._accumulate = PreparedCall(
            accumulate_angular_spring_force,
            lambda: (
                table.active_rows,
                table.rows.group(AngularLaw),
                rows.group(Motion),
                rows["angular_budget"],
                self._known_for(table),
            ),
            buffers.replaced,
        )
        self._known = unknown_directions(0)
        """Cache of cosine and sine of each rest angle."""

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A ring with springs and an angular spring."""
        ring = arange(4)
        body = Particles([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
        springs = Springs(np.column_stack([ring, np.roll(ring, 1)]), stiffness=10.0, damping=0.1)
        spawn(body, springs, AngularSprings([(0, 1, 2)], stiffness=1.0))

    def _known_for(self, table: Table) -> RestDirections:
        self._known = directions_for(self._known, table)
        return self._known

    def process(self, dt: float) -> None:
        """Add the forces."""
        self._accumulate(dt)


def directions_for(known: RestDirections, table: Table) -> RestDirections:
    """Return the cache of rest directions, or a larger empty one where the table has more rows than
    it has room for. Wrong entries do no harm: each is checked by its angle.
    """
    enough = len(known.angle) >= table.rows.count
    return known if enough else unknown_directions(table.rows.capacity)
