"""ShapeMatchingProcessor: the force of every ShapeMatching; ShapePull, which both solvers use.

The rest shape of a body, or of a group of its particles, is moved and turned to fit best, and pulls
every particle to its place in it (kernels/forces/shape_matching.py). The damping is implicit: it
acts on the velocities v + h F/m that all forces before it will give. So it comes last among the
elastic forces.
"""

from typing import Any

import numpy as np

from ecs_softbody.components import Particles, ShapeMatching
from ecs_softbody.kernels.forces.shape_matching import (
    Matched,
    Members,
    Shapes,
    accumulate_shape_matching_force,
)
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.motion.velocity import predict_velocity
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Force, Spawn, StageContext
from ecs_softbody.storage import PackedBuffers


class ShapePull:
    """Pulls all bodies to their rest shape, from the velocities that the forces so far
    will give.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._table = buffers[Particles]
        self._shapes = buffers[ShapeMatching]
        self._predicted = np.zeros((0, 2))
        """(N, 2) velocities that the forces so far will give [m/s]."""
        self._predict = PreparedCall(predict_velocity, self._moving, buffers.replaced)
        self._accumulate = PreparedCall(
            accumulate_shape_matching_force, self._matched, buffers.replaced
        )

    def add(self, dt: float) -> None:
        """Add the forces to Particles.force, for a substep of dt seconds."""
        if not self._shapes.values.count:
            return
        if len(self._predicted) < self._table.rows.count:
            self._predicted = np.zeros((self._table.rows.capacity, 2))
        self._predict(dt, self._predicted)
        self._accumulate(dt)

    def _moving(self) -> tuple[Any, ...]:
        return self._table.active_rows, self._table.rows.group(Motion)

    def _matched(self) -> tuple[Any, ...]:
        """Return the arguments of the kernel but dt, again after buffers were replaced."""
        particles = self._table.rows
        shapes = self._shapes
        matched = Matched(
            particles["position"],
            self._predicted,
            particles["mass"],
            particles["rest_offset"],
            particles["force"],
        )
        law = shapes.values.group(Shapes)
        members = shapes.rows.group(Members)
        every_row = self._table.every_row
        return shapes.active_slots, law, members, every_row, matched


class ShapeMatchingProcessor(Force):
    """Pulls bodies back to their rest shape through Particles.force.

    Runs at Order.SHAPE_MATCHING.
    """

    order = Order.SHAPE_MATCHING
    components = (ShapeMatching,)
    reads = ("Particles",)
    writes = ("Particles.force",)

    def __init__(self, context: StageContext) -> None:
        self._pull = ShapePull(context.buffers)

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A square."""
        spawn(
            Particles([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]),
            ShapeMatching(stiffness=1.0),
        )

    def process(self, dt: float) -> None:
        """Add the forces."""
        self._pull.add(dt)
