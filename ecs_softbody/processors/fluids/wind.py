"""WindProcessor: sums up how every Wind drags on the outlines of bodies.

It adds no force itself: ResistanceProcessor applies the sum of wind, water and drag. The formula is
in kernels/fluids/wind.py.
"""

from collections.abc import Sequence

import numpy as np

from ecs_softbody.components import Collider, Particles, Wind
from ecs_softbody.kernels.fluids.resistance import FluidBodies, FluidParticles
from ecs_softbody.kernels.fluids.wind import Winds, accumulate_wind
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Box, Flow, Force, Mark, Outline, Spawn, StageContext
from ecs_softbody.storage import Component


class WindProcessor(Force):
    """Sums up the resistance of air to outlines, which acts together with drag.

    Runs at Order.WIND.
    """

    order = Order.WIND
    components = fields = (Wind,)
    reads = ("Collider", "FluidOutlines", "Particles")
    writes = ("FluidOutlines",)

    def __init__(self, context: StageContext) -> None:
        buffers = context.buffers
        self._outlines = context.outlines
        self._particles = buffers[Particles].rows
        self._colliders = buffers[Collider]
        self._winds = buffers[Wind]

    def region_of(self, field: Component) -> Box:
        """Return the region of a Wind."""
        assert isinstance(field, Wind)
        return *field.low.tolist(), *field.high.tolist()

    def marks_of(self, field: Component) -> Sequence[Mark]:
        """Return the edge of a Wind, and its velocity."""
        assert isinstance(field, Wind)
        box = self.region_of(field)
        return Outline(box), Flow(box, lambda points: np.broadcast_to(field.velocity, points.shape))

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A wind."""
        spawn(Wind((1.0, 0.0)))

    def process(self, dt: float) -> None:
        """Add the resistance of the edges of all outlines to the sums of their particles."""
        outlines = self._outlines.follow()
        active = self._colliders.active_slots
        particles = self._particles.group(FluidParticles)
        bodies = self._colliders.values.group(FluidBodies)
        winds = self._winds.values.group(Winds)
        resistance = self._outlines.resistance
        accumulate_wind(active, particles, outlines, bodies, winds, resistance)
