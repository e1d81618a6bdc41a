"""Collider: how a soft body touches the rest of the world."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.components.pressure_body import check_outline
from ecs_softbody.storage import Column, Component, Value

ALL = 0xFFFFFFFF
"""The mask that lets a collider touch every category."""

ROLLING_RESISTANCE = 0.02
"""Default of Collider.rolling_resistance: a blob stays on a slope of one degree, and comes to rest
in seconds.
"""


class Collider(Component):
    """Makes an entity's particles collide, as discs of their radius.

    Args:
        outline: shape (K,), K >= 3: a ring of rows of the entity's Particles. The edges between
            neighbours then are solid too, as thick as the particles, and only the particles of the
            ring touch other bodies. None: every particle is a disc on its own.
        closed: False makes the outline an open chain of K >= 2 rows, like a rope: it has two ends,
            and no inside.
        friction: Coulomb's coefficient; two surfaces use the geometric mean of theirs.
        restitution: share of the approach speed that is returned, 0 to 1; the larger one of two
            surfaces counts.
        rolling_resistance: couple against rolling, over the force of the contact and the radius of
            gyration, of a disc its radius; the larger one of two bodies counts. It acts on closed
            outlines and on discs that spin.
        category: bits of its own categories. Two colliders touch when each one's mask has a bit of
            the other's category.
        mask: bits of the categories that this touches.
        self_collision: whether particles and edges of this body touch each other.
        sensor: whether it only detects overlaps (`Simulation.sensed` and events) and pushes
            nothing. Bodies inside an outline overlap it, too.
        skin: how far [m] the body reaches beyond a closed outline for water and wind. 0: the
            polygon of the particles.
    """

    __slots__ = ()

    outline = Column(dtype=np.int32, minimum=0, rows_of_particles=True, doc="ring of rows, or none")
    closed = Value(dtype=np.bool_, doc="whether the outline is a ring, not an open chain")
    friction = Value(dtype=np.float64, minimum=0.0, doc="Coulomb's coefficient")
    restitution = Value(
        dtype=np.float64, minimum=0.0, maximum=1.0, doc="share of the approach speed returned"
    )
    rolling_resistance = Value(
        dtype=np.float64, minimum=0.0, doc="couple against rolling over force and radius"
    )
    category = Value(dtype=np.uint32, doc="bits of what this is")
    mask = Value(dtype=np.uint32, doc="bits of the categories that this touches")
    self_collision = Value(dtype=np.bool_, doc="whether the body touches itself")
    sensor = Value(dtype=np.bool_, doc="whether it notices without pushing")
    skin = Value(
        dtype=np.float64,
        unit="m",
        minimum=0.0,
        doc="how far water and wind find the body beyond its outline",
    )
    smooth = Value(
        dtype=np.bool_, engine=True, doc="whether friction is left to a Character on the body"
    )
    submerged_area = Value(
        dtype=np.float64, unit="m²", engine=True, doc="area under water in the last substep"
    )

    def __init__(
        self,
        *,
        outline: ArrayLike | None = None,
        closed: bool = True,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = ROLLING_RESISTANCE,
        category: int = 1,
        mask: int = ALL,
        self_collision: bool = False,
        sensor: bool = False,
        skin: float = 0.0,
    ) -> None:
        self._fill(
            "outline",
            outline=np.zeros(0, np.int32) if outline is None else outline,
            closed=closed,
            friction=friction,
            restitution=restitution,
            rolling_resistance=rolling_resistance,
            category=category,
            mask=mask,
            self_collision=self_collision,
            sensor=sensor,
            skin=skin,
        )
        if outline is not None:
            check_outline("Collider", self.outline, closed=bool(self.closed))

    def arguments(self) -> dict[str, Any]:
        """Return the constructor arguments, without `outline` if there is none."""
        given = super().arguments()
        if not self.row_count:
            del given["outline"]
        return given
