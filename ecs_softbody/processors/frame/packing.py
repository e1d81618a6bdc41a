"""PackingProcessor: the first stage of a substep, which keeps the packed buffers in sync with the
esper world.

A game adds, replaces and removes components at any time. Packing moves the rows of all entities of
a class into one array per column, which all later stages read.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ecs_softbody.components import Particles
from ecs_softbody.kernels.motion.integration import refresh_inverse_mass
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import ALL, Stage, StageContext
from ecs_softbody.storage.resource import Version


class PackingProcessor(Stage):
    """Packs added, replaced and removed components; at the start of a frame also looks for masses
    that a game wrote and keeps the positions to interpolate from. Runs at Order.PACKING.
    """

    order = Order.PACKING
    reads = ALL
    writes = ALL
    resource = "packing"
    saved = (Version("version", "That of the packed rows that all stages know."),)

    def __init__(self, context: StageContext, note_change: Callable[[], None]) -> None:
        self._buffers = context.buffers
        # (bodies,) which bodies have other masses than in the last frame, by slot.
        self._changed = np.zeros(0, np.bool_)
        self._refresh_inverse_mass = PreparedCall(
            refresh_inverse_mass, self._masses, self._buffers.replaced
        )
        # `note_change` is called after anything has come, gone or moved; `version` is the version
        # of the buffers at the last such call.
        self._note_change, self.version = note_change, -1

    def _masses(self) -> tuple[Any, ...]:
        """Return the arguments of `refresh_inverse_mass`: it derives the inverse mass of each
        particle from its mass and from whether it is pinned or kinematic, and marks in the last
        array the bodies where one changed.
        """
        table = self._buffers[Particles]
        self._changed = np.zeros(table.values.capacity, np.bool_)
        columns = (
            "mass",
            "pinned",
            "kinematic",
            "velocity",
            "angular_velocity",
            "inverse_mass",
            "body",
        )
        return *(table.rows[name] for name in columns), self._changed

    def process(self, dt: float) -> None:
        """Synchronise the buffers with the world; at the start of a frame also look for masses that
        a game wrote, and keep the positions that pictures interpolate from.
        """
        self._buffers.synchronise()
        if self.version != self._buffers.version:
            self.version = self._buffers.version
            self._note_change()
        if self._buffers.frame_start:
            table = self._buffers[Particles]
            rows = table.rows
            if self._refresh_inverse_mass():
                changed = self._changed[: table.values.count]
                self._buffers.changed_entities.update(table.values["entity"][changed].tolist())
                changed[:] = False
            # Positions are copied after packing, so that new bodies are drawn where they are, not
            # on their way from nowhere.
            rows["frame_position"][:] = rows["position"]
