"""JointBreaking: the mean force of each joint over a frame; joints above `break_force` are removed.

JointProcessor has added the impulses of the substeps to the column `impulse` [N·s] of each class of
joints. After a frame of length T the mean force is impulse / T [N].
"""

from __future__ import annotations

from typing import Any

import esper
import numpy as np

from ecs_softbody.components import Attachment, DistanceLimits, MouseJoint
from ecs_softbody.elementary.rows import length, lengths
from ecs_softbody.indices import arange
from ecs_softbody.processors.handler_errors import HandlerErrors
from ecs_softbody.processors.joints.rows import KINDS, JointRows
from ecs_softbody.storage import Component, PackedBuffers, Store

BROKEN = "joint_broken"
"""Event with the values of `Broken`."""
Broken = tuple[int, type[Component], int, float]
"""Arguments of the event `joint_broken`: the entity that the joint was on, the class of the joint,
its row among the DistanceLimits of that entity (0 for other classes), and its mean force [N].
"""


class JointBreaking:
    """Writes the mean forces of a frame, removes the joints whose force is above `break_force`, and
    dispatches their events.

    The mean counts, so that one substep of a hard hit breaks nothing, at any number of substeps.
    Among connected joints one breaks per frame, the one furthest above its `break_force`.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers

    def measure(self, dt: float) -> None:
        """Write the mean forces of a frame of dt seconds, before any body falls asleep."""
        for kind in (Attachment, MouseJoint):
            table = self._buffers[kind]
            _take_mean(table.values, table.active_slots, dt)
        limits = self._buffers[DistanceLimits]
        for first, last in limits.active_rows:
            _take_mean(limits.rows, slice(first, last), dt)

    def break_overloaded(self, rows: JointRows) -> None:
        """Remove joints that carry too much; the handlers of `joint_broken` run when all of them
        are removed.
        """
        broken = self._break(rows)
        errors = HandlerErrors(BROKEN)
        world = esper.current_world
        for event in broken:
            if esper.current_world != world:
                esper.switch_world(world)  # a handler has entered another one
            with errors.kept():
                esper.dispatch_event(BROKEN, *event)
        errors.raise_first()

    def _break(self, rows: JointRows) -> list[Broken]:
        """Remove at most one joint of each group of connected rows, the one with the largest ratio
        force / break_force, if that is above 1. When it is gone, the others carry other loads.
        """
        held = rows.of(Attachment)
        limits = rows.of(DistanceLimits)
        load = np.zeros(rows.count)
        values = self._buffers[Attachment].values
        source = rows.source[held]
        ropes = self._buffers[DistanceLimits].rows
        of_ropes = rows.source[limits]
        # Joints that break under next to nothing carry an infinite load.
        with np.errstate(over="ignore"):
            load[held] = lengths(values["force"][source]) / values["break_force"][source]
            load[limits] = np.abs(ropes["force"][of_ropes]) / ropes["break_force"][of_ropes]
        load[~rows.active] = 0.0
        broken: list[Broken] = []
        for first, last in zip(rows.group_first[:-1], rows.group_first[1:], strict=True):
            row = first + int(load[first:last].argmax())
            if load[row] > 1.0:
                broken += self._break_row(rows, row)
        return broken

    def _break_row(self, rows: JointRows, row: int) -> list[Broken]:
        """Remove the joint of a row; return its event, or nothing if the joint was gone already."""
        kind = KINDS[rows.component[row]]
        source = int(rows.source[row])
        table = self._buffers[kind]
        entity = int(table.values["entity"][rows.slot[row]])
        component = table.bound.get(entity)
        if component is None or not _take_away(entity, component, kind):
            return []
        if not isinstance(component, DistanceLimits):
            return [(entity, kind, 0, length(table.values["force"][source]))]
        row = source - component.row_start
        left = _without(component, row)
        if left is not None:
            esper.add_component(entity, left)
        return [(entity, kind, row, float(abs(table.rows["force"][source])))]


def _take_mean(store: Store, where: Any, dt: float) -> None:
    """Write the mean force of the frame, except for sleeping joints, which keep theirs."""
    store["force"][where] = store["impulse"][where] / dt
    store["impulse"][where] = 0.0


def _take_away(entity: int, component: Component | None, kind: type[Component]) -> bool:
    """Remove a component from its entity, unless it was already removed in this frame."""
    if (
        component is None
        or not esper.entity_exists(entity)
        or esper.try_component(entity, kind) is not component
    ):
        return False
    esper.remove_component(entity, kind)
    return True


def _without(limits: DistanceLimits, row: int) -> DistanceLimits | None:
    """Return a new component with all limits but the one of this row; None if none is left."""
    kept = arange(limits.row_count) != row
    if not kept.any():
        return None
    return DistanceLimits(
        limits.pairs[kept],
        maximum=limits.maximum[kept],
        minimum=limits.minimum[kept],
        between=limits.between,
        break_force=limits.break_force[kept],
    )
