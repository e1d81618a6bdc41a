"""AreaConstraintProcessor: the force of every AreaConstraint, of the solver `saturated`.

F_i = P dA/dx_i on each particle of the ring, with P = (k (A0 - A) - c A') / A0
(kernels/forces/area_constraint.py).
"""

from ecs_softbody.components import AreaConstraint, Particles
from ecs_softbody.kernels.forces.area_constraint import AreaRings, accumulate_area_force
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Force, Spawn, StageContext


class AreaConstraintProcessor(Force):
    """Presses rings back to their rest area through Particles.force. Runs at
    Order.AREA_CONSTRAINT.
    """

    order = Order.AREA_CONSTRAINT
    components = (AreaConstraint,)
    reads = ("Particles",)
    writes = (
        "AreaConstraint.area",
        "AreaConstraint.effective_stiffness",
        "AreaConstraint.pressure",
        "Particles.force",
    )

    def __init__(self, context: StageContext) -> None:
        buffers = context.buffers
        particles = buffers[Particles].rows
        table = buffers[AreaConstraint]
        rows = table.rows
        rings = table.values
        self._accumulate = PreparedCall(
            accumulate_area_force,
            lambda: (  # called again when buffers were replaced
                table.active_slots,
                rows["packed_outline"],
                rows["chord"],
                rings.group(AreaRings),
                particles.group(Motion),
            ),
            buffers.replaced,
        )

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """The smallest world with this force: a ring."""
        spawn(
            Particles([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]),
            AreaConstraint(range(4), stiffness=1.0),
        )

    def process(self, dt: float) -> None:
        """Add the forces, and write `AreaConstraint.area` and `.pressure`."""
        self._accumulate(dt)
