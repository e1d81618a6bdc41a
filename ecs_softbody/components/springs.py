"""Springs: elastic links between pairs of particles of one body, or of two."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats
from ecs_softbody.components.anchors import EntityId, checked_between
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.storage import Column, Component, Store, fixed_column, packed_rows


class Springs(Component):
    """M damped linear springs (Hooke's law, with a dashpot along the axis).

    Args:
        pairs: shape (M, 2): rows of both ends in the entity's Particles. Fixed after creation.
        stiffness: shape (M,) or a scalar [N/m].
        damping: shape (M,) or a scalar [N·s/m].
        rest_length: shape (M,) or a scalar [m], the length without force; None takes the length
            that each spring has when first packed.
        between: (entity_a, entity_b): the first column of `pairs` counts rows of a, the second rows
            of b. The component itself sits on any entity.
    """

    __slots__ = ("between",)
    is_elastic = True

    pairs = Column(2, dtype=np.int32, minimum=0, rows_of_particles=True, doc="rows of both ends")
    stiffness = Column(dtype=np.float64, unit="N/m", minimum=0.0, doc="force per metre of stretch")
    damping = Column(dtype=np.float64, unit="N·s/m", minimum=0.0, doc="force per m/s of stretching")
    rest_length = Column(
        dtype=np.float64, unit="m", minimum=0.0, unset=True, doc="length without force"
    )
    effective_stiffness = Column(
        dtype=np.float64, unit="N/m", engine=True, doc="the stiffness that this substep can carry"
    )
    effective_damping = Column(
        dtype=np.float64, unit="N·s/m", engine=True, doc="the damping that this substep can carry"
    )

    between: tuple[int, int] | None

    def __init__(
        self,
        pairs: ArrayLike,
        *,
        stiffness: ArrayLike,
        damping: ArrayLike = 0.0,
        rest_length: ArrayLike | None = None,
        between: tuple[EntityId, EntityId] | None = None,
    ) -> None:
        self.between = None if between is None else checked_between("Springs", between)  # type: ignore[assignment]
        self._fill(
            "pairs", pairs=pairs, stiffness=stiffness, damping=damping, rest_length=rest_length
        )

    @property
    def tension(self) -> Floats:
        """Force of each spring that the solver `xpbd` found last [N], shape (M,), live; above 0 it
        pulls.
        """
        return fixed_column(self, "tension")

    def take_own(self, values: dict[str, Any]) -> None:
        """Check `between`."""
        between = values.get("between")
        self.between = None if between is None else checked_between("Springs", between)  # type: ignore[assignment]

    def row_owners(self, entity: int) -> tuple[int, ...]:
        """Entities whose Particles `pairs` indexes: the springs' own entity, or the two of
        `between`.
        """
        return self.between or (entity,)

    def complete(self, particles: Store) -> None:
        """Set missing rest lengths from the current positions."""
        span = slice(self.row_start, self.row_stop)
        rows = self.row_arrays
        rest = rows["rest_length"][span]
        rows["seen_stiffness"][span] = rows["stiffness"][span]
        rows["seen_damping"][span] = rows["damping"][span]
        unset = np.isnan(rest)
        if np.count_nonzero(unset):
            ends = packed_rows(self, "pairs")[unset]
            along = particles["position"][ends[:, 1]] - particles["position"][ends[:, 0]]
            rest[unset] = lengths(along)
