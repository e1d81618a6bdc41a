"""Attachment: holds a point of one body to a point of another, or to a place in the world."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.components.anchors import (
    EntityId,
    Rows,
    anchor_weights,
    checked_between,
    checked_rows,
)
from ecs_softbody.elementary.sums import dot
from ecs_softbody.errors import FieldError
from ecs_softbody.indices import repeat
from ecs_softbody.storage import Column, Component, Store, Value, packed_rows
from ecs_softbody.validation import check_point


class Attachment(Component):
    """Two anchors held at the same point, about which the bodies turn as about a hinge.

    An anchor is a particle, a point of the edge between two, or a point of a body: forces on it are
    shared by its rows. Linear and angular momentum are conserved to rounding. Two attachments of
    the same bodies are a weld. The component sits on any entity, usually on one of its own: without
    it, the bodies are apart again.

    Args:
        between: (a, b): entities with Particles. b = None holds a at the place `at` in the world.
        rows: (rows of a, rows of b): an int is a particle, two are a point of the edge between
            them, more, or None for all, a point of the body. Fixed after creation.
        at: (x, y) [m] where they are joined, when first packed; None takes the mean of the rows of
            a (of more than two rows the centre of mass). Anchors that are apart then come together,
            at a limited speed. With b = None it may be written at any time.
        break_force: mean force over a frame [N] above which it breaks, with the event
            `joint_broken`.
        collide: whether the two bodies touch each other, too. A joint that holds a particle inside
            the other body's outline works against the contact.
    """

    __slots__ = ("between",)

    rows = Column(
        dtype=np.int32,
        minimum=0,
        rows_of_particles=True,
        owned_by="side",
        doc="rows of both anchors",
    )
    side = Column(dtype=np.int8, engine=True, doc="0: the row is one of a, 1: of b")
    weight = Column(dtype=np.float64, engine=True, doc="share of the row in its anchor")
    at = Value(
        2,
        dtype=np.float64,
        unit="m",
        unset=True,
        doc="where they were joined; the point that holds, without b",
    )
    break_force = Value(
        dtype=np.float64,
        unit="N",
        above=0.0,
        infinite=True,
        doc="mean force of a frame above which it breaks",
    )
    collide = Value(dtype=np.bool_, doc="whether the two bodies touch each other, too")
    force = Value(2, dtype=np.float64, unit="N", engine=True, doc="on a, mean of the last frame")
    impulse = Value(2, dtype=np.float64, unit="N·s", engine=True, doc="on a, in this frame so far")
    placed = Value(dtype=np.bool_, engine=True, doc="whether the weights are known")
    to_world = Value(dtype=np.bool_, engine=True, doc="whether a is held at a place in the world")

    between: tuple[int, int | None]

    def __init__(
        self,
        between: tuple[EntityId, EntityId | None],
        *,
        rows: tuple[Rows, Rows] | tuple[Rows] = (None, None),
        at: ArrayLike | None = None,
        break_force: float = math.inf,
        collide: bool = False,
    ) -> None:
        first, second = checked_between("Attachment", between, second_may_be_none=True)
        assert first is not None
        given = tuple(rows) if isinstance(rows, tuple | list) else (rows,)
        if len(given) > 2 or (second is None and len(given) == 2 and given[1] is not None):
            raise FieldError("Attachment", "rows", rows, "(rows of a, rows of b)")
        anchors = [checked_rows("Attachment", first, given[0] if given else None)]
        if second is not None:
            anchors.append(checked_rows("Attachment", second, given[1] if len(given) > 1 else None))
            if first == second and (twice := np.intersect1d(anchors[0], anchors[1])).size:
                raise FieldError(
                    "Attachment",
                    "rows",
                    twice[0],
                    "different particles",
                    in_words=f"row {twice[0]} in both anchors",
                )
        self.between = first, second
        point = None if at is None else check_point("Attachment", "at", at)
        self._fill(
            "rows", rows=np.concatenate(anchors), at=point, break_force=break_force, collide=collide
        )
        self.row_arrays["side"] = repeat(
            [0, 1][: len(anchors)], [len(anchor) for anchor in anchors]
        ).astype(np.int8)
        self.value_arrays["to_world"] = np.array([second is None], np.bool_)

    def arguments(self) -> dict[str, Any]:
        """Return the constructor arguments, with the rows of both anchors as two lists."""
        given = super().arguments()
        rows = tuple(self.rows[self.side == side].tolist() for side in (0, 1))
        return {**given, "rows": rows[: 1 if self.between[1] is None else 2]}

    def take_own(self, values: dict[str, Any]) -> None:
        """Check `between`."""
        self.between = checked_between("Attachment", values.get("between"), second_may_be_none=True)  # type: ignore[assignment]

    def row_owners(self, entity: int) -> tuple[int, ...]:
        """Entities whose Particles `rows` counts: a, and b if there is one."""
        first, second = self.between
        return (first,) if second is None else (first, second)

    def complete(self, particles: Store) -> None:
        """Find the weights of both anchors for the point where they are joined, when
        first packed.
        """
        if self.value_arrays["placed"][self.slot]:
            return
        packed = packed_rows(self, "rows")
        side = self.side
        position = particles["position"][packed]
        mass = particles["mass"][packed]
        at = self.value_arrays["at"][self.slot]
        first = side == 0
        wanted = None if np.isnan(at).any() else at
        weight = self.stage_column("weight")
        weight[first] = anchor_weights(position[first], mass[first], wanted)
        if wanted is None:
            at[:] = dot(weight[first], position[first])
        if not first.all():
            weight[~first] = anchor_weights(position[~first], mass[~first], at)
        self.value_arrays["placed"][self.slot] = True
