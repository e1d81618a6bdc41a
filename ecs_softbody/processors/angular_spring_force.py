"""AngularSpringForceProcessor: the force of every AngularSprings."""

import esper

from ecs_softbody.components import AngularSprings, Particles
from ecs_softbody.kernels.angular_spring_force import accumulate_angular_spring_force
from ecs_softbody.storage import PackedBuffers


class AngularSpringForceProcessor(esper.Processor):
    """Adds the force of every angular spring to Particles.force. Runs at Order.ANGULAR_SPRING_FORCE."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._particles, self._springs = buffers[Particles].rows, buffers[AngularSprings]

    def process(self, dt: float) -> None:
        """Add the forces."""
        particles, table = self._particles, self._springs
        springs = table.rows
        if table.bound:
            accumulate_angular_spring_force(
                table.active_rows,
                particles["position"],
                particles["velocity"],
                particles["inverse_mass"],
                particles["angular_budget"],
                springs["packed_triples"],
                springs["rest_angle"],
                springs["arms"],
                springs["stiffness"],
                springs["carried_stiffness"],
                springs["damping"],
                dt,
                particles["force"],
                springs["effective_stiffness"],
            )
