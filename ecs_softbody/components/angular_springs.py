"""AngularSprings: springs that hold the angle between two arms that meet in a pivot."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats
from ecs_softbody.elementary.rows import angles, lengths
from ecs_softbody.storage import Column, Component, Store, fixed_column, packed_rows


class AngularSprings(Component):
    """T angular springs over rows (i, pivot j, k).

    The angle turns the arm j->i into the arm j->k, counter-clockwise. The torque is stiffness · L1
    · L2 · sin(angle - rest_angle) with the arms' lengths L1, L2 when first packed.

    Args:
        triples: shape (T, 3): rows (i, pivot j, k) of the entity's Particles. Fixed after creation.
        stiffness: shape (T,) or a scalar [N/m].
        damping: shape (T,) or a scalar [N·m·s/rad].
        rest_angle: shape (T,) or a scalar [rad]; None takes the angle when first packed.
    """

    __slots__ = ()
    is_elastic = True

    triples = Column(
        3, dtype=np.int32, minimum=0, rows_of_particles=True, doc="rows (i, pivot j, k)"
    )
    stiffness = Column(
        dtype=np.float64, unit="N/m", minimum=0.0, doc="torque per radian, per product of the arms"
    )
    damping = Column(dtype=np.float64, unit="N·m·s/rad", minimum=0.0, doc="torque per rad/s")
    rest_angle = Column(dtype=np.float64, unit="rad", unset=True, doc="angle without torque")
    arms = Column(
        2, dtype=np.float64, unit="m", engine=True, doc="lengths of both arms when first packed"
    )
    effective_stiffness = Column(
        dtype=np.float64, unit="N/m", engine=True, doc="the stiffness that the last substep carried"
    )

    def __init__(
        self,
        triples: ArrayLike,
        *,
        stiffness: ArrayLike,
        damping: ArrayLike = 0.0,
        rest_angle: ArrayLike | None = None,
    ) -> None:
        self._fill(
            "triples", triples=triples, stiffness=stiffness, damping=damping, rest_angle=rest_angle
        )

    @property
    def torque(self) -> Floats:
        """Torque of each angular spring that the solver `xpbd` found last [N·m], shape (M,),
        live.
        """
        return fixed_column(self, "torque")

    def complete(self, particles: Store) -> None:
        """Set the arm lengths and missing rest angles from the current positions."""
        rows = packed_rows(self, "triples")
        positions = particles["position"]
        first = positions[rows[:, 0]] - positions[rows[:, 1]]
        second = positions[rows[:, 2]] - positions[rows[:, 1]]
        span = slice(self.row_start, self.row_stop)
        arms = self.row_arrays["arms"][span]
        if not arms.any():
            arms[:, 0], arms[:, 1] = lengths(first), lengths(second)
        cross = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
        angle = angles(cross, (first * second).sum(axis=1))
        self.row_arrays["seen_stiffness"][span] = self.stiffness
        self.row_arrays["seen_damping"][span] = self.damping
        rest = self.rest_angle
        rest[:] = np.where(np.isnan(rest), angle, rest)
