"""DistanceLimits: maximum distances between pairs of particles, such as along a rope."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.components.anchors import EntityId, checked_between
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.errors import FieldError
from ecs_softbody.indices import flatnonzero
from ecs_softbody.storage import Column, Component, Store, packed_rows


class DistanceLimits(Component):
    """M hard limits: a pair is never further apart than `maximum` and never nearer than `minimum`.

    A rope has a maximum: it pulls when taut, at any ratio of masses, and never pushes. With both
    alike it is a rod.

    Args:
        pairs: shape (M, 2): rows of both ends in the entity's Particles. Fixed after creation.
        maximum: shape (M,) or a scalar [m], `inf` for none; None takes the distance when first
            packed.
        minimum: shape (M,) or a scalar [m], at most `maximum`.
        between: (entity_a, entity_b): the first column of `pairs` counts rows of a, the second rows
            of b. The component itself sits on any entity.
        break_force: shape (M,) or a scalar: mean force over a frame [N] above which the row breaks,
            with the event `joint_broken`.
    """

    __slots__ = ("between",)

    pairs = Column(2, dtype=np.int32, minimum=0, rows_of_particles=True, doc="rows of both ends")
    maximum = Column(
        dtype=np.float64,
        unit="m",
        minimum=0.0,
        infinite=True,
        unset=True,
        doc="the largest distance; inf for none",
    )
    minimum = Column(dtype=np.float64, unit="m", minimum=0.0, doc="the smallest distance")
    break_force = Column(
        dtype=np.float64,
        unit="N",
        above=0.0,
        infinite=True,
        doc="mean force of a frame above which the row breaks",
    )
    force = Column(
        dtype=np.float64, unit="N", engine=True, doc="mean of the last frame; > 0 pulls together"
    )
    impulse = Column(
        dtype=np.float64, unit="N·s", engine=True, doc="in this frame so far; > 0 pulls together"
    )

    between: tuple[int, int] | None

    def __init__(
        self,
        pairs: ArrayLike,
        *,
        maximum: ArrayLike | None = None,
        minimum: ArrayLike = 0.0,
        between: tuple[EntityId, EntityId] | None = None,
        break_force: ArrayLike = math.inf,
    ) -> None:
        self.between = None if between is None else checked_between("DistanceLimits", between)  # type: ignore[assignment]
        self._fill("pairs", pairs=pairs, maximum=maximum, minimum=minimum, break_force=break_force)
        crossed = flatnonzero(self.minimum > self.maximum)
        if len(crossed):
            row = crossed[0]
            raise FieldError(
                "DistanceLimits",
                "minimum",
                self.minimum[row],
                f"at most maximum, {self.maximum[row]} [m]",
                row=row,
            )
        same = flatnonzero(self.pairs[:, 0] == self.pairs[:, 1])
        if len(same) and (self.between is None or self.between[0] == self.between[1]):
            row = same[0]
            raise FieldError(
                "DistanceLimits",
                "pairs",
                self.pairs[row].tolist(),
                "two different particles",
                row=row,
            )

    def take_own(self, values: dict[str, Any]) -> None:
        """Check `between`."""
        between = values.get("between")
        self.between = None if between is None else checked_between("DistanceLimits", between)  # type: ignore[assignment]

    def row_owners(self, entity: int) -> tuple[int, ...]:
        """Entities whose Particles `pairs` indexes: the limits' own entity, or the two of
        `between`.
        """
        return self.between or (entity,)

    def complete(self, particles: Store) -> None:
        """Set missing maxima from the current positions."""
        ends = packed_rows(self, "pairs")
        along = particles["position"][ends[:, 1]] - particles["position"][ends[:, 0]]
        maximum = self.maximum
        length = np.maximum(lengths(along), self.minimum)
        maximum[:] = np.where(np.isnan(maximum), length, maximum)
