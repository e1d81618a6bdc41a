"""TearingProcessor: springs that bear too much give way."""

from __future__ import annotations

import esper
import numpy as np

from ecs_softbody.components import Particles, Springs, Tearing
from ecs_softbody.kernels.tearing import find_torn
from ecs_softbody.pieces import Cutter
from ecs_softbody.storage import PackedBuffers, rows_beside


class TearingProcessor(esper.Processor):
    """Tears the most loaded spring of each body that has one beyond its threshold. Runs at Order.TEARING.

    The pieces take part from the next packing on.
    """

    def __init__(self, buffers: PackedBuffers, cutter: Cutter) -> None:
        self._buffers, self._cutter, self._table = buffers, cutter, buffers[Tearing]
        self._version = -1

    def process(self, dt: float) -> None:
        """Look at the springs after this substep."""
        table = self._table
        if not table.bound:
            return
        springs, values = self._buffers[Springs], table.values
        if self._version != self._buffers.version:
            self._version = self._buffers.version
            rows_beside(self._buffers, Tearing, Springs, values["spring_first"], values["spring_last"])
        count = find_torn(
            table.active_slots,
            self._buffers[Particles].rows["position"],
            values["spring_first"],
            values["spring_last"],
            springs.rows["packed_pairs"],
            springs.rows["rest_length"],
            springs.rows["effective_stiffness"],
            values["strain"],
            values["force"],
            dt,
            values["wait"],
            values["last_load"],
            values["load"],
            values["torn"],
        )
        if count:
            self._tear(table.active_slots)

    def _tear(self, active: np.ndarray) -> None:
        values = self._buffers[Tearing].values
        slots = active[values["torn"][active] >= 0]
        torn = sorted(zip(values["entity"][slots].tolist(), values["torn"][slots].tolist(), strict=True))
        first = {entity: self._buffers[Springs].bound[entity].row_start for entity, _ in torn}
        for entity, row in torn:
            # What a handler or another processor has changed since the packing is looked at in the next substep.
            if (
                esper.entity_exists(entity)
                and esper.try_component(entity, Springs) is self._buffers[Springs].bound[entity]
            ):
                self._cutter.tear(entity, row - first[entity])
