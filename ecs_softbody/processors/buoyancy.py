"""BuoyancyProcessor: lift and drag of every Water, and the drag of air."""

from __future__ import annotations

import esper
import numpy as np

from ecs_softbody.components import Collider, Particles, Water, Wind
from ecs_softbody.kernels.buoyancy import accumulate_buoyancy
from ecs_softbody.processors.outlines import Outlines
from ecs_softbody.storage import PackedBuffers
from ecs_softbody.storage.columns import Floats


class BuoyancyProcessor(esper.Processor):
    """Adds lift and drag of water, and the drag of air, to Particles.force. Runs at Order.BUOYANCY."""

    def __init__(self, buffers: PackedBuffers, outlines: Outlines, gravity: Floats) -> None:
        self._buffers, self._outlines, self._gravity = buffers, outlines, gravity
        self._particles, self._colliders = buffers[Particles].rows, buffers[Collider]
        self._waters, self._winds = buffers[Water], buffers[Wind]
        self._stiffness = np.zeros(0)

    def process(self, dt: float) -> None:
        """Lift what is in water, and brake what is in air or water; a world without water has dry bodies."""
        if not self._waters.bound:
            if self._buffers.frame_start:
                self._colliders.values["submerged_area"][:] = 0.0
            if not self._winds.bound:
                return
        particles, colliders, waters = self._particles, self._colliders, self._waters.values
        outlines, bodies = self._outlines, colliders.values
        if len(self._stiffness) < particles.count:
            self._stiffness = np.zeros(particles.capacity)
        accumulate_buoyancy(
            colliders.active_slots,
            particles["position"],
            particles["rest_offset"],
            particles["velocity"],
            particles["radius"],
            particles["inverse_mass"],
            outlines.points,
            outlines.first,
            outlines.last,
            outlines.ringed,
            bodies["closed"],
            bodies["skin"],
            bodies["category"],
            bodies["particle_first"],
            bodies["particle_last"],
            waters["level"],
            waters["left"],
            waters["right"],
            waters["bottom"],
            waters["density"],
            waters["drag"],
            waters["linear_drag"],
            waters["flow"],
            waters["mask"],
            float(self._gravity[1]),
            dt,
            outlines.resistance,
            outlines.carried,
            self._stiffness,
            particles["force"],
            bodies["submerged_area"],
        )
