"""JointBreaking: joints that carried too much in a frame come apart."""

from __future__ import annotations

from typing import Any

import esper
import numpy as np

from ecs_softbody.components import Attachment, DistanceLimits, MouseJoint
from ecs_softbody.storage import Component, PackedBuffers, Store, declared_columns

BROKEN = "joint_broken"
Broken = tuple[int, type[Component], int, float]
"""(entity, component class, row, force [N])."""


class JointBreaking:
    """Writes the mean forces of a frame, removes the joints whose force is above `break_force`, and tells so.

    A mean counts, so that one substep of a hard hit breaks nothing, at any number of substeps.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers

    def finish_frame(self, dt: float) -> None:
        """Follow a frame of dt seconds; the handlers of `joint_broken` run when all that broke is gone."""
        broken = self._broken_attachments(dt) + self._broken_limits(dt)
        error: Exception | None = None
        world = esper.current_world
        for event in broken:
            if esper.current_world != world:
                esper.switch_world(world)  # a handler has entered another one
            try:
                esper.dispatch_event(BROKEN, *event)
            except Exception as raised:
                if error is None:
                    error = raised
                else:
                    error.add_note(f"another handler of {BROKEN} raised {raised!r}")
        if error is not None:
            raise error

    def _broken_attachments(self, dt: float) -> list[Broken]:
        self._take_mean(self._buffers[MouseJoint].values, self._buffers[MouseJoint].active_slots, dt)
        table = self._buffers[Attachment]
        values = table.values
        self._take_mean(values, table.active_slots, dt)
        size = np.hypot(values["force"][:, 0], values["force"][:, 1])
        broken: list[Broken] = []
        for slot in np.flatnonzero(size > values["break_force"]):
            entity = int(values["entity"][slot])
            if _take_away(entity, table.bound.get(entity), Attachment):
                broken.append((entity, Attachment, 0, float(size[slot])))
        return broken

    @staticmethod
    def _take_mean(store: Store, where: Any, dt: float) -> None:
        """Write the mean force of the frame, but for joints that sleep: these go on as they were."""
        store["force"][where] = store["impulse"][where] / dt
        store["impulse"][where] = 0.0

    def _broken_limits(self, dt: float) -> list[Broken]:
        table = self._buffers[DistanceLimits]
        rows = table.rows
        for first, last in table.active_rows:
            self._take_mean(rows, slice(first, last), dt)
        torn = np.abs(rows["force"]) > rows["break_force"]
        broken: list[Broken] = []
        if torn.any():
            for entity, limits in sorted(table.bound.items()):
                gone = torn[limits.row_start : limits.row_stop]
                if not gone.any():
                    continue
                assert isinstance(limits, DistanceLimits)
                force, left = limits.force.copy(), _without(limits, gone)
                if _take_away(entity, limits, DistanceLimits):
                    if left is not None:
                        esper.add_component(entity, left)
                    found = np.flatnonzero(gone)
                    broken += [(entity, DistanceLimits, int(row), float(abs(force[row]))) for row in found]
        return broken


def _take_away(entity: int, component: Component | None, kind: type[Component]) -> bool:
    """Remove a component from its entity, unless somebody else has in this frame."""
    if component is None or not esper.entity_exists(entity) or esper.try_component(entity, kind) is not component:
        return False
    esper.remove_component(entity, kind)
    return True


def _without(limits: DistanceLimits, gone: Any) -> DistanceLimits | None:
    """Return what is left of some limits."""
    kept = ~gone
    if not kept.any():
        return None
    given = {name for name, column in declared_columns(DistanceLimits).items() if not column.engine}
    left = {name: np.array(getattr(limits, name))[kept] for name in sorted(given)}
    left["maximum"] = np.where(np.isnan(left["maximum"]), np.inf, left["maximum"])
    return DistanceLimits(left.pop("pairs"), between=limits.between, **left)
