"""PressureForceProcessor: the gas in every PressureBody."""

import esper

from ecs_softbody.components import Particles, PressureBody
from ecs_softbody.kernels.pressure_force import accumulate_pressure_force
from ecs_softbody.storage import PackedBuffers


class PressureForceProcessor(esper.Processor):
    """Adds the gas force of every ring to Particles.force. Runs at Order.PRESSURE_FORCE."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._particles, self._bodies = buffers[Particles].rows, buffers[PressureBody]

    def process(self, dt: float) -> None:
        """Add the forces; area and pressure can be read afterwards."""
        particles, bodies = self._particles, self._bodies
        if bodies.bound:
            accumulate_pressure_force(
                bodies.active_slots,
                particles["position"],
                particles["inverse_mass"],
                bodies.rows["packed_outline"],
                bodies.values["first"],
                bodies.values["last"],
                bodies.values["nRT"],
                bodies.values["ambient_pressure"],
                bodies.values["orientation"],
                bodies.values["gas_share"],
                dt,
                particles["force"],
                bodies.values["area"],
                bodies.values["pressure"],
            )
