"""ForceStages: the built-in forces, found again for a few bodies."""

from __future__ import annotations

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Particles
from ecs_softbody.storage import Activity, PackedBuffers


class ForceStages:
    """Finds the built-in forces of bodies that were left out when the stages ran in this substep."""

    def __init__(self, buffers: PackedBuffers, activity: Activity, stages: list[esper.Processor]) -> None:
        self._buffers = buffers
        self._activity = activity
        self._stages = stages

    def run_for(self, bodies: NDArray[np.int64], dt: float) -> None:
        """Add the built-in forces of the bodies, by slot, to what others have put into their `force`."""
        rows = self._buffers[Particles].rows
        theirs = np.isin(rows["body"], bodies)
        others = rows["force"][theirs]
        rows["force"][theirs] = 0.0
        self._activity.run_only(bodies)
        for stage in self._stages:
            stage.process(dt)
        self._activity.apply()
        rows["force"][theirs] += others
