"""FluidOutlines: outlines of bodies for the stages of drag, wind and water, and the sum of their
resistance at each particle.

The stages at Order.DRAG, WIND and BUOYANCY add to `resistance`; the stage at Order.RESISTANCE turns
the sum into a force and clears it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Collider, Particles
from ecs_softbody.geometry.outlines import BodyOutlines, Outlines
from ecs_softbody.kernels.fluids.resistance import Resistance
from ecs_softbody.storage import PackedBuffers, grown
from ecs_softbody.storage.resource import FlagArray, Resource
from ecs_softbody.storage.saved import Saved


class FluidOutlines(Resource):
    """The outline of each body, by slot of Collider, and the resistance of fluids to each
    particle (`Resistance` in kernels/fluids/resistance.py has its fields and units).
    """

    saved = (
        FlagArray(
            "resistance.pushed",
            "pushed",
            "Particles that a joint or a contact pushed in the last substep.",
            name="held",
        ),
    )

    def __init__(self, buffers: PackedBuffers) -> None:
        self._particles = buffers[Particles]
        self._listed = BodyOutlines(buffers[Collider], buffers[Particles])
        self.resistance = Resistance(
            np.zeros((0, 3)), np.zeros((0, 2)), np.zeros(0), np.zeros(0, np.bool_)
        )

    def load(self, saved: Saved) -> None:
        """Load the particles that a joint or a contact has pushed since the last fluid
        resistance.
        """
        pushed = self.saved[0].get(saved)
        if len(pushed):
            own = self.grown().pushed
            own[: len(pushed)] = pushed[: len(own)]

    def follow(self) -> Outlines:
        """Return the current outlines, rebuilt if bodies came or went."""
        self.grown()
        return self._listed.now()

    def grown(self) -> Resistance:
        """Return the resistance, with room for all particles; after it has grown its sums are 0."""
        if len(self.resistance.flow_force) < self._particles.rows.count:
            rows = self._particles.rows.capacity
            pushed = self.resistance.pushed
            self.resistance = Resistance(
                np.zeros((rows, 3)), np.zeros((rows, 2)), np.zeros(rows), grown(pushed, rows)
            )
        return self.resistance

    def note_pushed(self, rows: NDArray[np.integer]) -> None:
        """Note that a joint or a contact pushes these particles, given by packed row. Resistance is
        linearised differently there.
        """
        if len(self.resistance.pushed):
            self.grown().pushed[rows] = True
