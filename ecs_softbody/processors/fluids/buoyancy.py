"""BuoyancyProcessor: lift of every Water, and its resistance.

The lift is the weight of the water that the outline of a body displaces; its formula is in
kernels/fluids/buoyancy.py.
"""

from __future__ import annotations

from ecs_softbody.components import Collider, Particles, Water
from ecs_softbody.kernels.fluids.buoyancy import Waters, accumulate_buoyancy
from ecs_softbody.kernels.fluids.resistance import FluidBodies, FluidParticles
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Box, Force, Spawn, StageContext
from ecs_softbody.storage import Component


class BuoyancyProcessor(Force):
    """Adds the lift of water to Particles.force, and its resistance to that of all fluids, which
    the stage at Order.RESISTANCE applies. Levels are horizontal: only gravity along y gives lift.
    """

    order = Order.BUOYANCY
    components = fields = (Water,)
    reads = ("Collider", "FluidOutlines", "Particles")
    writes = ("Collider.submerged_area", "FluidOutlines", "Particles.force")

    def __init__(self, context: StageContext) -> None:
        buffers = context.buffers
        self._outlines = context.outlines
        self._gravity = context.gravity
        self._particles = buffers[Particles].rows
        self._colliders = buffers[Collider]
        self._waters = buffers[Water]

    def region_of(self, field: Component) -> Box:
        """Return the box of a Water."""
        assert isinstance(field, Water)
        return field.left, field.bottom, field.right, field.level

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A lake."""
        spawn(Water(9.0))

    def process(self, dt: float) -> None:
        """Add the lift of water to the forces, and its resistance to that of all fluids."""
        outlines = self._outlines.follow()
        active = self._colliders.active_slots
        particles = self._particles.group(FluidParticles)
        bodies = self._colliders.values.group(FluidBodies)
        waters = self._waters.values.group(Waters)
        resistance = self._outlines.resistance
        accumulate_buoyancy(
            active, particles, outlines, bodies, waters, resistance, float(self._gravity[1]), dt
        )

    def rest(self) -> None:
        """Called in place of `process` while there is no Water: all bodies are dry."""
        self._colliders.values["submerged_area"][:] = 0.0
