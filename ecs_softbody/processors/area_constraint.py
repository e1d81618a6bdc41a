"""AreaConstraintProcessor: the force of every AreaConstraint."""

import esper

from ecs_softbody.components import AreaConstraint, Particles
from ecs_softbody.kernels.area_constraint import accumulate_area_force
from ecs_softbody.storage import PackedBuffers


class AreaConstraintProcessor(esper.Processor):
    """Presses rings back to their area through Particles.force. Runs at Order.AREA_CONSTRAINT."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._particles, self._rings = buffers[Particles].rows, buffers[AreaConstraint]

    def process(self, dt: float) -> None:
        """Add the forces; area and pressure can be read afterwards."""
        particles, rings = self._particles, self._rings
        if rings.bound:
            accumulate_area_force(
                rings.active_slots,
                particles["position"],
                particles["velocity"],
                particles["inverse_mass"],
                rings.rows["packed_outline"],
                rings.rows["chord"],
                rings.values["first"],
                rings.values["last"],
                rings.values["stiffness"],
                rings.values["damping"],
                rings.values["rest_area"],
                rings.values["orientation"],
                dt,
                particles["force"],
                rings.values["area"],
                rings.values["pressure"],
                rings.values["effective_stiffness"],
            )
