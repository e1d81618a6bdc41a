"""MouseJoint: pulls a point of a body to a target that a game moves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.components.anchors import (
    EntityId,
    Rows,
    anchor_weights,
    checked_entity,
    checked_rows,
)
from ecs_softbody.elementary.sums import dot
from ecs_softbody.storage import Column, Component, Store, Value, packed_rows
from ecs_softbody.validation import check_point


class MouseJoint(Component):
    """A damped spring from a point of a body to `target`, solved implicitly with the other joints:
    any value is stable.

    The component sits on any entity, usually on one of its own.

    Args:
        entity: the body that is pulled.
        rows: an int is a particle, two are a point of the edge between them, more, or None for all,
            a point of the body. Fixed after creation.
        at: (x, y) [m], the point of the body, when first packed; None takes the mean of the rows
            (of more than two rows the centre of mass).
        target: (x, y) [m]; written at any time, it wakes the body.
        frequency: how fast the body swings around the target [Hz].
        damping_ratio: 1 comes to rest without swinging.
        max_force: the largest pull [N].
    """

    __slots__ = ("entity",)
    is_one_anchor = True

    rows = Column(
        dtype=np.int32, minimum=0, rows_of_particles=True, owned_by="side", doc="rows of the anchor"
    )
    side = Column(dtype=np.int8, engine=True, doc="0")
    weight = Column(dtype=np.float64, engine=True, doc="share of the row in the anchor")
    target = Value(2, dtype=np.float64, unit="m", doc="where the anchor is pulled to")
    frequency = Value(
        dtype=np.float64, unit="Hz", above=0.0, doc="how fast the body swings around the target"
    )
    damping_ratio = Value(dtype=np.float64, minimum=0.0, doc="1 comes to rest without swinging")
    max_force = Value(
        dtype=np.float64, unit="N", minimum=0.0, infinite=True, doc="the largest pull"
    )
    at = Value(
        2, dtype=np.float64, unit="m", engine=True, doc="where the anchor was when first packed"
    )
    force = Value(
        2, dtype=np.float64, unit="N", engine=True, doc="on the body, mean of the last frame"
    )
    impulse = Value(
        2, dtype=np.float64, unit="N·s", engine=True, doc="on the body, in this frame so far"
    )
    placed = Value(dtype=np.bool_, engine=True, doc="whether the weights are known")

    entity: int

    def __init__(
        self,
        entity: EntityId,
        *,
        target: ArrayLike,
        rows: Rows = None,
        at: ArrayLike | None = None,
        frequency: float = 4.0,
        damping_ratio: float = 0.7,
        max_force: float = math.inf,
    ) -> None:
        self.entity = checked_entity(
            "MouseJoint", "entity", entity, "an entity of the current esper world"
        )
        anchor = checked_rows("MouseJoint", self.entity, rows, field="entity")
        self._fill(
            "rows",
            rows=anchor,
            target=check_point("MouseJoint", "target", target),
            frequency=frequency,
            damping_ratio=damping_ratio,
            max_force=max_force,
        )
        point = np.full(2, np.nan) if at is None else check_point("MouseJoint", "at", at)
        self.value_arrays["at"] = point[None]

    def arguments(self) -> dict[str, Any]:
        """Return the constructor arguments; `at` is missing until the joint is packed."""
        given = super().arguments()
        if np.isnan(self.at).any():
            del given["at"]
        return given

    def take_own(self, values: dict[str, Any]) -> None:
        """Check `entity`."""
        self.entity = checked_entity(
            "MouseJoint", "entity", values.get("entity"), "an entity of the current esper world"
        )

    def row_owners(self, entity: int) -> tuple[int, ...]:
        """The entity whose Particles `rows` counts."""
        return (self.entity,)

    def complete(self, particles: Store) -> None:
        """Find the weights of the anchor, when first packed."""
        if self.value_arrays["placed"][self.slot]:
            return
        packed = packed_rows(self, "rows")
        at = self.value_arrays["at"][self.slot]
        position = particles["position"][packed]
        self.stage_column("weight")[:] = anchor_weights(
            position, particles["mass"][packed], None if np.isnan(at).any() else at
        )
        at[:] = dot(self.weight, position)
        self.value_arrays["placed"][self.slot] = True
