"""ForceStages: all force stages of the package, for the processors of sleep.

A body that wakes in the middle of a substep has been left out by the force stages that ran already:
`run_for` runs them again for it alone. And sleep asks each force which bodies it keeps together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Particles
from ecs_softbody.processors.stage import NO_BODIES, NO_PAIRS, Force
from ecs_softbody.storage import Activity, PackedBuffers


class ForceStages:
    """The stages that add forces, as one: those without a component in the world are left out."""

    def __init__(self, buffers: PackedBuffers, activity: Activity, stages: list[Force]) -> None:
        self._buffers = buffers
        self._activity = activity
        self.stages = stages

    def _busy(self) -> list[Force]:
        """Return the stages whose components exist."""
        return [stage for stage in self.stages if not stage.is_idle(self._buffers)]

    def run_for(self, bodies: NDArray[np.int64], dt: float) -> None:
        """Run all force stages for the bodies with these slots, for a substep of dt seconds.

        Their present `force`, which processors of a game have set, is kept and added.
        """
        rows = self._buffers[Particles].rows
        theirs = np.isin(rows["body"], bodies)
        others = rows["force"][theirs]
        rows["force"][theirs] = 0.0
        # The game's part is put aside while the stages run over the rows of these bodies alone,
        # until `apply`.
        self._activity.run_only(bodies)
        for stage in self._busy():
            stage.process(dt)
        self._activity.apply()
        rows["force"][theirs] += others

    def joined_bodies(self) -> NDArray[np.int64]:
        """Return the pairs (P, 2) of bodies, by slot, that a force keeps in one island."""
        return np.concatenate([NO_PAIRS, *(stage.joined_bodies() for stage in self._busy())])

    def stirred_bodies(self, asleep: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the sleeping bodies, by slot, that a force of an awake body acts on."""
        stirred = [bodies for stage in self._busy() if len(bodies := stage.stirred_bodies(asleep))]
        return np.concatenate(stirred) if stirred else NO_BODIES
