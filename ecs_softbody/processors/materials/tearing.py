"""TearingProcessor: springs that bear too much tear, and the body may fall into fragments.

The load of a spring is the larger of its strain and its tension, each over its limit in the
component Tearing; above 1 it tears (kernels/materials/tearing.py).
"""

from __future__ import annotations

import esper
import numpy as np

from ecs_softbody.components import Particles, Springs, Tearing
from ecs_softbody.kernels.groups import SpringLaw
from ecs_softbody.kernels.materials.tearing import Tears, find_torn
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Spawn, Stage, StageContext
from ecs_softbody.storage import Value, add_stage_columns, rows_beside

add_stage_columns(
    Tearing,
    "TearingProcessor",
    spring_first=Value(dtype=np.int64, doc="first row of the body's Springs"),
    spring_last=Value(dtype=np.int64, doc="row after the last of the body's Springs"),
    torn=Value(dtype=np.int64, doc="row of the spring that tears now, or -1"),
    wait=Value(dtype=np.float64, unit="s", doc="how long after a tear only larger loads tear on"),
)


class TearingProcessor(Stage):
    """Tears the most loaded spring of each body that has one beyond its threshold. Runs at
    Order.TEARING.

    The fragments take part from the next packing on.
    """

    order = Order.TEARING
    bound = ("_version",)
    components = (Tearing,)
    reads = ("Particles", "Springs")
    writes = ("Muscles.ends", "Muscles.rows", "Tearing.*")

    def __init__(self, context: StageContext) -> None:
        self._buffers = context.buffers
        self._cutter = context.cutter
        self._table = context.buffers[Tearing]
        self._version = -1

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A spring that holds."""
        spawn(
            Particles([(5.0, 5.0), (6.0, 5.0)]),
            Springs([(0, 1)], stiffness=1.0),
            Tearing(strain=10.0),
        )

    def process(self, dt: float) -> None:
        """Look at the springs after this substep."""
        table = self._table
        springs = self._buffers[Springs]
        values = table.values
        if self._version != self._buffers.version:
            self._version = self._buffers.version
            rows_beside(
                self._buffers, Tearing, Springs, values["spring_first"], values["spring_last"]
            )
        position = self._buffers[Particles].rows["position"]
        # Writes the largest load of each body, and which spring tears, if any (`torn`).
        count = find_torn(
            table.active_slots, values.group(Tears), springs.rows.group(SpringLaw), position, dt
        )
        if count:
            self._tear(table.active_slots)

    def _tear(self, active: np.ndarray) -> None:
        """Tear the springs that `find_torn` has chosen, of the bodies with these slots."""
        values = self._buffers[Tearing].values
        slots = active[values["torn"][active] >= 0]
        torn = sorted(
            zip(values["entity"][slots].tolist(), values["torn"][slots].tolist(), strict=True)
        )
        # Taken ahead: a tear replaces components, and packed rows count from here.
        first = {entity: self._buffers[Springs].bound[entity].row_start for entity, _ in torn}
        for entity, row in torn:
            # Changes by a handler or another processor since the packing are checked in the next
            # substep.
            if (
                esper.entity_exists(entity)
                and esper.try_component(entity, Springs) is self._buffers[Springs].bound[entity]
            ):
                self._cutter.tear(entity, row - first[entity])
