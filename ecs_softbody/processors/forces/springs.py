"""SpringForceProcessor: the force of every spring, of the solver `saturated`.

A damped linear spring along the unit vector n from a to b, at the distance l:

    f = k (l - L) + c (v_b - v_a)·n,    F_a += f n,    F_b -= f n

with the stiffness k and damping c that a substep can carry (SaturationProcessor). Springs whose
ends follow one another are computed in batches (spring_batches.py), others one by one.
"""

import numpy as np

from ecs_softbody.components import Particles, Springs
from ecs_softbody.indices import arange
from ecs_softbody.kernels.forces.springs import (
    CHUNK,
    accumulate_batch_force,
    accumulate_kept_tension,
    accumulate_spring_force,
)
from ecs_softbody.kernels.groups import Motion, SpringLaw
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.processors.forces.shared_springs import SharedSprings
from ecs_softbody.processors.forces.spring_batches import SpringBatches
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Force, Spawn, StageContext
from ecs_softbody.storage.resource import Part


class SpringForceProcessor(Force):
    """Adds the force of every spring to Particles.force. Runs at Order.SPRING_FORCE."""

    resource = "springs"
    saved = (Part("batches", "Springs in batches.", SpringBatches),)
    order = Order.SPRING_FORCE
    components = (Springs,)
    reads = ("Particles",)
    writes = ("Particles.force", "Springs.batch_order")

    def __init__(self, context: StageContext) -> None:
        buffers = context.buffers
        particles = buffers[Particles].rows
        springs = buffers[Springs].rows
        self._buffers = buffers
        self._workers = context.workers
        # Version of the strengths (`strength_version`) for which `_keeps_tension` holds: whether
        # any spring has a constant tension besides.
        self._strength = -1
        self._keeps_tension = False
        self.batches = batches = SpringBatches(buffers)
        self._shared = SharedSprings(buffers, self._workers)
        scratch = np.zeros((2, 2 * CHUNK))
        self._add_batches = PreparedCall(
            accumulate_batch_force,
            lambda: (batches.batches, batches.law, particles.group(Motion), scratch),
            buffers.replaced,
        )
        self._add_others = PreparedCall(
            accumulate_spring_force,
            lambda: (batches.spans, springs.group(SpringLaw), particles.group(Motion)),
            buffers.replaced,
        )
        self._add_kept = PreparedCall(
            accumulate_kept_tension,
            lambda: (
                buffers[Springs].active_rows,
                springs["kept_tension"],
                springs["packed_pairs"],
                particles.group(Motion),
            ),
            buffers.replaced,
        )

    def rehearse(self, dt: float) -> None:
        """Add the tension that cut springs of a skin keep."""
        self._add_kept()

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A spring, and a chain from its end to its start: its springs are sorted into a batch."""
        spawn(Particles([(5.0, 5.0), (6.0, 5.0)]), Springs([(0, 1)], stiffness=1.0))
        row = arange(8, 0, -1)
        chain = Particles([(5.0, 5.0 + 0.1 * k) for k in range(9)])
        spawn(chain, Springs(np.column_stack([row - 1, row]), stiffness=1.0))

    def process(self, dt: float) -> None:
        """Add the forces: of the batches, by one thread or several; of the other springs; and the
        constant tension of springs of a skin that saturation has cut (processors/solvers/gas.py).
        """
        batches = self.batches
        batches.follow()
        shared = self._workers.are_used and self._shared.run(batches.batches, batches.law)
        if len(batches.batches) and not shared:
            self._add_batches()
        if len(batches.spans):
            self._add_others()
        if self._strength != self._buffers.strength_version:
            self._strength = self._buffers.strength_version
            self._keeps_tension = bool(self._buffers[Springs].rows["kept_tension"].any())
        if self._keeps_tension:
            self._add_kept()
