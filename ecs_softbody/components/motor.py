"""Motor: turns one body against another."""

from __future__ import annotations

from typing import Any

import numpy as np

from ecs_softbody.components.anchors import EntityId, checked_between, checked_rows
from ecs_softbody.errors import FieldError
from ecs_softbody.storage import Column, Component, Value


class Motor(Component):
    """A torque that drives the angular velocity of a wheel, relative to its chassis, to `speed`.

    Angular velocity is the body's angular momentum over its moment of inertia. The torque acts on
    all particles as a rigid rotation does, and its reaction on the chassis: together they are zero.
    A motor joins nothing: an `Attachment` is the axle. With speed 0 it is a brake that holds on a
    slope. It sits on any entity.

    Args:
        between: (chassis, wheel): entities with Particles. None as the chassis is the world.
        speed: wanted angular velocity [rad/s], counter-clockwise; may be written at any time, which
            wakes the bodies.
        max_torque: [N·m]. None takes the torque that carries the free mass of both bodies at the
            rim of the wheel, m g R (with 9.81 m/s² where there is no gravity), as they are in the
            first step. `inf`: as much as they bear; see docs/joints.md.
    """

    __slots__ = ("between",)

    rows = Column(
        dtype=np.int32,
        minimum=0,
        rows_of_particles=True,
        owned_by="side",
        engine=True,
        doc="row 0 of each",
    )
    side = Column(dtype=np.int8, engine=True, doc="which of the owners the row counts")
    speed = Value(dtype=np.float64, unit="rad/s", doc="wanted angular velocity, counter-clockwise")
    max_torque = Value(
        dtype=np.float64,
        unit="N·m",
        minimum=0.0,
        infinite=True,
        unset=True,
        doc="the largest torque; None: m g R",
    )
    torque = Value(
        dtype=np.float64,
        unit="N·m",
        engine=True,
        doc="on the wheel, in the last substep; minus on the chassis",
    )
    load = Value(dtype=np.float64, unit="N·m", engine=True, doc="the lasting part of the torque")

    between: tuple[int | None, int]

    def __init__(
        self,
        between: tuple[EntityId | None, EntityId],
        *,
        speed: float,
        max_torque: float | None = None,
    ) -> None:
        first, second = checked_between("Motor", between, first_may_be_none=True)
        assert second is not None
        if first == second:
            raise FieldError("Motor", "between", between, "two different bodies")
        self.between = first, second
        owners = [entity for entity in (first, second) if entity is not None]
        for owner in owners:
            checked_rows("Motor", owner, 0)
        self._fill("rows", rows=np.zeros(len(owners), np.int32), speed=speed, max_torque=max_torque)
        self.row_arrays["rows"] = np.zeros(len(owners), np.int32)
        self.row_arrays["side"] = np.arange(len(owners), dtype=np.int8)

    def take_own(self, values: dict[str, Any]) -> None:
        """Check `between`."""
        self.between = checked_between("Motor", values.get("between"), first_may_be_none=True)  # type: ignore[assignment]

    def row_owners(self, entity: int) -> tuple[int, ...]:
        """The chassis, if any, and the wheel."""
        first, second = self.between
        return (second,) if first is None else (first, second)
