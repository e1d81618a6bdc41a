"""StaticCollider: walls, ground and moving platforms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.components.collider import ALL
from ecs_softbody.elementary.rows import length
from ecs_softbody.errors import FieldError
from ecs_softbody.storage import Column, Component, Value

ROUNDING = 4e-16
"""A direction of this length but for rounding is taken as it is, so that a copy is the same."""


class StaticCollider(Component):
    """A chain of segments that bodies cannot move; one vertex with a radius is a circle.

    Both sides of a segment are solid. It has no mass and no Particles; velocities make it a moving
    platform.

    Args:
        vertices: shape (V, 2) [m], V >= 1.
        closed: whether the last vertex is joined to the first: a polygon, or a room around the
            bodies that start inside.
        friction: Coulomb's coefficient; two surfaces use the geometric mean of theirs.
        restitution: share of the approach speed that is returned, 0 to 1; the larger one of two
            surfaces counts.
        one_way: direction (x, y) in which bodies may pass through, or None; they stand on the side
            it points to.
        velocity: (vx, vy) [m/s] at which the collider moves and carries the bodies on it.
        angular_velocity: how fast it turns about `pivot` [rad/s], counter-clockwise.
        pivot: (x, y) [m], moves with `velocity`; None is the mean of the vertices.
        surface_velocity: speed of the surface [m/s] from each vertex towards the next, while the
            collider stays: a conveyor. The surface of a circle runs counter-clockwise.
        radius: half the thickness of the segments [m].
        category: bits of its own categories. Two colliders touch when each one's mask has a bit of
            the other's category.
        mask: bits of the categories that this touches.
        sensor: whether it only detects overlaps (`Simulation.sensed` and events) and stops nothing.
            Bodies inside a closed chain overlap it, too.
    """

    __slots__ = ()
    needs_particles = False

    vertices = Column(2, dtype=np.float64, unit="m", doc="corners of the chain")
    closed = Value(dtype=np.bool_, doc="whether the last vertex is joined to the first")
    friction = Value(dtype=np.float64, minimum=0.0, doc="Coulomb's coefficient")
    restitution = Value(
        dtype=np.float64, minimum=0.0, maximum=1.0, doc="share of the approach speed returned"
    )
    one_way = Value(2, dtype=np.float64, doc="direction of free passage, (0, 0) for none")
    velocity = Value(2, dtype=np.float64, unit="m/s", doc="velocity of the whole collider")
    angular_velocity = Value(
        dtype=np.float64, unit="rad/s", doc="how fast it turns about the pivot"
    )
    pivot = Value(2, dtype=np.float64, unit="m", doc="what it turns about; moves with the velocity")
    surface_velocity = Value(
        dtype=np.float64, unit="m/s", doc="speed of the surface, from vertex to vertex"
    )
    radius = Value(
        dtype=np.float64, unit="m", minimum=0.0, doc="half the thickness of the segments"
    )
    category = Value(dtype=np.uint32, doc="bits of what this is")
    mask = Value(dtype=np.uint32, doc="bits of the categories that this touches")
    sensor = Value(dtype=np.bool_, doc="whether it notices without stopping")
    angle = Value(dtype=np.float64, unit="rad", engine=True, doc="how far it has turned")
    arm = Column(
        2, dtype=np.float64, unit="m", engine=True, doc="corner seen from the pivot, at angle 0"
    )

    def __init__(
        self,
        vertices: ArrayLike,
        *,
        closed: bool = False,
        friction: float = 0.5,
        restitution: float = 0.0,
        one_way: ArrayLike | None = None,
        velocity: ArrayLike = (0, 0),
        angular_velocity: float = 0.0,
        pivot: ArrayLike | None = None,
        surface_velocity: float = 0.0,
        radius: float = 0.0,
        category: int = 1,
        mask: int = ALL,
        sensor: bool = False,
    ) -> None:
        self._fill(
            "vertices",
            vertices=vertices,
            closed=closed,
            friction=friction,
            restitution=restitution,
            one_way=(0.0, 0.0) if one_way is None else one_way,
            velocity=velocity,
            angular_velocity=angular_velocity,
            pivot=(0.0, 0.0) if pivot is None else pivot,
            surface_velocity=surface_velocity,
            radius=radius,
            category=category,
            mask=mask,
            sensor=sensor,
        )
        count = self.row_count
        if count == 0 or (count == 1 and radius == 0.0) or (closed and count < 3):
            raise FieldError(
                "StaticCollider",
                "vertices",
                count,
                "2 or more, 3 or more when closed, or 1 with a radius (a circle)",
                in_words="1 row" if count == 1 else f"{count} rows",
            )
        if pivot is None:
            self.pivot = self.vertices.mean(axis=0)
        if one_way is not None:
            size = length(self.one_way)
            if size == 0.0:
                raise FieldError(
                    "StaticCollider", "one_way", one_way, "a direction", in_words="(0, 0)"
                )
            if abs(size - 1.0) > ROUNDING:
                self.one_way = self.one_way / size

    def arguments(self) -> dict[str, Any]:
        """Return the constructor arguments, without `one_way` if it is (0, 0)."""
        given = super().arguments()
        if not self.one_way.any():
            del given["one_way"]
        return given
