"""Magnet: magnetic poles on a body, or one at a position in the world."""

from __future__ import annotations

from typing import Any

import esper
import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.components.particles import Particles
from ecs_softbody.storage import Column, Component, Value
from ecs_softbody.validation import array_of, check_flag, shown


class Magnet(Component):
    """Magnetic poles on a body, or one pole at a position: like poles repel, unlike poles attract
    each other.

    Poles p and q [√N·m] of different bodies, at the distance d [m], act on each other along the
    line between them with

        F = p q · d / (d² + l²)^(3/2) · (1 - d²/R²)² [N], p q > 0 repels

    l [m] is the larger `least_distance` of the two magnets, R [m] the smaller `reach`. If d is much
    larger than l and much smaller than R, the force is p q / d². It never exceeds 0.385 |p q| / l²,
    and is 0 at distance 0 and from R on. A substep that cannot carry the force uses a larger l.

    On an entity with Particles, the poles are particles. On an entity of its own, with `position`,
    the magnet is one pole that nothing moves but the game.

    Args:
        strength: of each pole [√N·m]; below 0 for south poles. Two poles of strength 1 act with 1 N
            on each other at 1 m.
        position: (x, y) [m] of a magnet on an entity of its own; None: its poles are particles of
            the entity.
        rows: rows of the entity's Particles that are poles; None: all of them. Fixed after
            creation.
        polarity: factor on the strength of each row, scalar or (G,): (1, -1) makes a bar magnet of
            two rows.
        reach: beyond this distance [m] there is no force.
        least_distance: the length l [m]; the force is greatest at 0.7 l and decreases again below.

    Raises:
        ValueError: naming the field, the value and the allowed values.
    """

    __slots__ = ("on_body",)
    cost_per_point = 60.0  # of each pole, for each other one

    rows = Column(
        dtype=np.int32,
        minimum=0,
        rows_of_particles=True,
        doc="particles that are poles; none: all are",
    )
    polarity = Column(
        dtype=np.float64, doc="strength of each pole over `strength`; below 0 the opposite kind"
    )
    position = Value(
        2,
        dtype=np.float64,
        unit="m",
        unset=True,
        doc="of the pole of a magnet that is not on a body",
    )
    strength = Value(dtype=np.float64, unit="√N·m", doc="of each pole; below 0 for south poles")
    reach = Value(
        dtype=np.float64, unit="m", above=0.0, infinite=True, doc="no force beyond this distance"
    )
    least_distance = Value(
        dtype=np.float64, unit="m", above=0.0, doc="the length l that bounds the force"
    )

    on_body: bool
    """Whether the poles are particles of the entity."""

    def __init__(
        self,
        *,
        strength: float,
        position: ArrayLike | None = None,
        rows: ArrayLike | None = None,
        polarity: ArrayLike = 1.0,
        reach: float = np.inf,
        least_distance: float = 0.05,
    ) -> None:
        chosen = np.zeros(0, np.int32) if rows is None else Magnet.rows.coerce(rows, None)
        if len(chosen) and position is not None:
            raise ValueError(
                f"Magnet.rows: {shown(rows)} is not allowed with a position; expected one of them"
            )
        if not len(chosen) and (array_of(polarity) != 1.0).any():
            raise ValueError(
                f"Magnet.polarity: {shown(polarity)} is not allowed without rows; expected rows "
                "of Particles"
            )
        self._fill(
            "rows",
            rows=chosen,
            polarity=polarity,
            position=position,
            strength=strength,
            reach=reach,
            least_distance=least_distance,
        )
        self.on_body = position is None

    def arguments(self) -> dict[str, Any]:
        """Return the constructor arguments, without `rows` and `polarity` if there are no rows."""
        given = super().arguments()
        if not self.row_count:
            del given["rows"], given["polarity"]
        return given

    def take_own(self, values: dict[str, Any]) -> None:
        """Check `on_body`."""
        self.on_body = check_flag("Magnet", "on_body", values["on_body"])

    def row_owners(self, entity: int) -> tuple[int, ...]:
        """Entity whose Particles `rows` counts; none for a magnet at a position."""
        return (entity,) if self.on_body else ()

    def check_fit(self, entity: int) -> None:
        """Raise ValueError unless the entity has Particles, or the magnet a position."""
        if self.on_body == esper.has_component(entity, Particles):
            return
        name, found = ("rows", self.rows) if self.row_count else ("position", self.position)
        without = "without" if self.on_body else "beside"
        raise ValueError(
            f"Magnet.{name} of entity {entity}: {found.tolist()} is not allowed {without} "
            "Particles; "
            "expected Particles on the entity, or a position (x, y) [m] on an entity of its own"
        )
