"""ForcedWakingProcessor: wakes sleeping bodies that a processor of a game pushes.

Such a processor adds to Particles.force of any body. The stages of the package leave sleeping
bodies out, so a force on one of them, when all forces of the substep are known, is from a game.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Particles
from ecs_softbody.indices import arange
from ecs_softbody.kernels.motion.sleep import find_forced
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.sleep.sleep import SleepProcessor
from ecs_softbody.processors.stage import ALL, Stage, StageContext

FORCED_WAIT = 5.0
"""A body that was woken by a force stays awake this much longer [s] than others: its time of
stillness starts from minus this. A force in every substep would else put it to sleep and wake it
again and again.
"""


class ForcedWakingProcessor(Stage):
    """Wakes the sleeping bodies that have a force when all forces are known.

    Runs at Order.FORCED_WAKING.
    """

    order = Order.FORCED_WAKING
    reads = ALL
    writes = ("Activity", "CollisionSpace", "Particles.force", "Particles.still_time")

    def __init__(self, context: StageContext, sleep: SleepProcessor) -> None:
        self._particles = context.buffers[Particles]
        self._activity = context.space.activity
        self._sleep = sleep
        self._forced = np.zeros(0, np.bool_)
        """Workspace: whether a body, by slot, has a force."""

    def process(self, dt: float) -> None:
        """Wake the pushed bodies, and add the forces of the package that left them out."""
        sleepers = self._activity.sleepers
        # Stages of the package leave sleeping bodies out: any force there comes from a game.
        if len(sleepers):
            forced = self._find_forced(sleepers)
            if len(forced):
                self._particles.values["still_time"][
                    self._sleep.wake_bodies(forced, dt)
                ] = -FORCED_WAIT

    def rehearse(self, dt: float) -> None:
        """Look at all bodies, as if they slept."""
        self._find_forced(arange(self._particles.values.count))

    def _find_forced(self, sleepers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bodies, by slot, that have a force."""
        if len(self._forced) < len(self._activity.asleep):
            self._forced = np.zeros(len(self._activity.asleep), np.bool_)
        table = self._particles
        find_forced(
            sleepers, table.values["first"], table.values["last"], table.rows["force"], self._forced
        )
        forced: NDArray[np.int64] = sleepers[self._forced[sleepers]]
        return forced
