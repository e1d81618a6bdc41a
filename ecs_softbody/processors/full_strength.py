"""FullStrengthProcessor: with the solver XPBD everything acts as strongly as was asked for."""

import esper

from ecs_softbody.components import AngularSprings, AreaConstraint, PressureBody, Springs
from ecs_softbody.storage import PackedBuffers


class FullStrengthProcessor(esper.Processor):
    """Says in the columns `effective_...` that nothing is cut. Runs at Order.SATURATION, which has nothing else to do."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self.substeps = 1
        """Substeps of a frame now; they change nothing here."""

    def process(self, dt: float) -> None:
        """Copy what games may write, once a frame and when anything came."""
        buffers = self._buffers
        if not (buffers.frame_start or buffers.changed_entities):
            return
        buffers.changed_entities = set()
        springs, angles = buffers[Springs].rows, buffers[AngularSprings].rows
        springs["effective_stiffness"][:] = springs["stiffness"]
        springs["effective_damping"][:] = springs["damping"]
        angles["effective_stiffness"][:] = angles["carried_stiffness"][:] = angles["stiffness"]
        areas = buffers[AreaConstraint].values
        areas["effective_stiffness"][:] = areas["stiffness"]
        buffers[PressureBody].values["gas_share"][:] = 1.0
