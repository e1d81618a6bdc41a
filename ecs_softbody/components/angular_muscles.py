"""AngularMuscles: angular springs whose rest angles are driven, by waves or towards targets."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.components.angular_springs import AngularSprings
from ecs_softbody.components.muscles import (
    check_driven_rows,
    check_rows_exist,
    driven_component,
    muscles_of_piece,
)
from ecs_softbody.storage import Column, Component, PieceRows, Value


class AngularMuscles(Component):
    """W muscles that bend: they drive the rest angles of some of the entity's AngularSprings.

        rest_angle = base + level + amplitude · sin(2π · frequency · t + phase)

    with the simulation's time t. `level` follows `target`, by at most `rate` in a second. A muscle
    that works keeps its body awake.

    Args:
        rows: shape (W,): rows of the AngularSprings on the same entity, each one once. Fixed after
            creation.
        amplitude: shape (W,) or a scalar [rad]: height of the wave.
        frequency: shape (W,) or a scalar [Hz]. Writing it later bends the wave and does not break
            it.
        phase: shape (W,) or a scalar [rad].
        target: shape (W,) or a scalar [rad]: where `level` goes, counted from `base`; it starts at
            0.
        rate: shape (W,) or a scalar [rad/s]: how fast `level` turns at most; `inf`: at once; 0
            holds it.
        base: shape (W,) or a scalar [rad]: angle of the resting muscle; None takes the rest angle
            when first stepped.
    """

    __slots__ = ()
    drives = AngularSprings

    rows = Column(dtype=np.int32, minimum=0, fixed=True, doc="rows of the entity's AngularSprings")
    base = Column(dtype=np.float64, unit="rad", unset=True, doc="rest angle of the resting muscle")
    amplitude = Column(dtype=np.float64, unit="rad", doc="height of the wave")
    frequency = Column(dtype=np.float64, unit="Hz", minimum=0.0, doc="waves in a second")
    phase = Column(dtype=np.float64, unit="rad", doc="how far the wave is at time 0")
    target = Column(dtype=np.float64, unit="rad", doc="where level goes, counted from base")
    rate = Column(
        dtype=np.float64,
        unit="rad/s",
        minimum=0.0,
        infinite=True,
        doc="most that level changes in a second",
    )
    level = Column(
        dtype=np.float64, unit="rad", engine=True, doc="angle beyond base without the wave"
    )
    ends = Column(
        3, dtype=np.int32, engine=True, doc="triple of the spring: a muscle finds it again by these"
    )
    started = Value(dtype=np.bool_, engine=True, doc="whether the muscles have seen their springs")

    def __init__(
        self,
        rows: ArrayLike,
        *,
        amplitude: ArrayLike = 0.0,
        frequency: ArrayLike = 0.0,
        phase: ArrayLike = 0.0,
        target: ArrayLike = 0.0,
        rate: ArrayLike = math.inf,
        base: ArrayLike | None = None,
    ) -> None:
        self._fill(
            "rows",
            rows=rows,
            amplitude=amplitude,
            frequency=frequency,
            phase=phase,
            target=target,
            rate=rate,
            base=base,
        )
        check_driven_rows("AngularMuscles", self.rows)

    def check_fit(self, entity: int) -> None:
        """Raise ValueError unless the entity has AngularSprings with these rows."""
        check_rows_exist(
            "AngularMuscles",
            entity,
            self.rows,
            driven_component("AngularMuscles", entity, AngularSprings),
        )

    def check_loaded(self, entity: int) -> None:
        """Look at the rows where their springs have not been found yet; others may be gone since,
        and drive nothing.
        """
        if not self.value_arrays["started"][self.slot]:
            self.check_fit(entity)

    def of_piece(self, rows: PieceRows) -> AngularMuscles | None:
        """Return the muscles of the angular springs that a fragment has."""
        return muscles_of_piece(self, rows.angular_springs, rows.particles)
