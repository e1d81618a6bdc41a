"""PressureForceProcessor: the gas in every PressureBody, of the solver `saturated`.

F_i = P dA/dx_i on each particle of the outline, with its area A and P = nRT/A - ambient pressure
(kernels/forces/pressure.py).
"""

from ecs_softbody.components import Particles, PressureBody
from ecs_softbody.kernels.forces.pressure import GasRings, accumulate_pressure_force
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Force, Spawn, StageContext


class PressureForceProcessor(Force):
    """Adds the gas force of every ring to Particles.force. Runs at Order.PRESSURE_FORCE."""

    order = Order.PRESSURE_FORCE
    components = (PressureBody,)
    reads = ("Particles",)
    writes = ("Particles.force", "PressureBody.area", "PressureBody.pressure")

    def __init__(self, context: StageContext) -> None:
        buffers = context.buffers
        particles = buffers[Particles].rows
        table = buffers[PressureBody]
        rows = table.rows
        rings = table.values
        self._accumulate = PreparedCall(
            accumulate_pressure_force,
            lambda: (
                table.active_slots,
                rows["packed_outline"],
                rings.group(GasRings),
                particles.group(Motion),
            ),
            buffers.replaced,
        )

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A ring of gas."""
        spawn(
            Particles([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]),
            PressureBody(range(4), nRT=1.0),
        )

    def process(self, dt: float) -> None:
        """Add the forces; area and pressure can be read afterwards."""
        self._accumulate(dt)
