"""PointGravityProcessor: the pull of every PointGravity.

A point accelerates bodies within its reach by S / d^n towards it. A PointGravity on an entity with
Particles is a body that pulls: its point is the centre of mass, and it takes the opposite force
(kernels/forces/point_gravity.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Particles, PointGravity
from ecs_softbody.elementary.rows import distinct
from ecs_softbody.indices import full
from ecs_softbody.kernels.forces.point_gravity import (
    Attracted,
    AttractedBodies,
    PointFields,
    Sources,
    accumulate_point_gravity,
)
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import (
    NO_PAIRS,
    Box,
    Circle,
    Force,
    Mark,
    Spawn,
    Spot,
    StageContext,
)
from ecs_softbody.storage import Component


class PointGravityProcessor(Force):
    """Adds the pull of points, and its reaction, to Particles.force.

    Runs at Order.POINT_GRAVITY.
    """

    order = Order.POINT_GRAVITY
    components = (PointGravity,)
    fields = (PointGravity,)
    reads = ("Particles",)
    writes = ("Particles.force", "PointGravity.position")

    def __init__(self, context: StageContext) -> None:
        buffers = context.buffers
        self._buffers = buffers
        self._points = buffers[PointGravity]
        self._bodies = buffers[Particles]
        self._version = -1
        # Which points are bodies, for the version of the buffers above.
        self._sources = _no_sources(0, 0)
        self._accumulate = PreparedCall(accumulate_point_gravity, self._arrays, buffers.replaced)

    def _arrays(self) -> tuple[Any, ...]:
        """Return the arguments of the kernel but dt, again after buffers were replaced."""
        table = self._bodies
        return (
            table.active_rows,
            self._points.values.group(PointFields),
            self._sources,
            table.rows.group(Attracted),
            table.values.group(AttractedBodies),
        )

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A point of its own, and a body that is one."""
        spawn(PointGravity((0.0, 9.0), strength=1.0))
        spawn(Particles([(0.0, 5.0)]), PointGravity(strength=1.0))

    def process(self, dt: float) -> None:
        """Add the pull on all awake bodies, and its reaction."""
        if self._points.bound:
            self._follow()
            self._accumulate(dt)

    def region_of(self, field: Component) -> Box:
        """Return the square around all that a point pulls."""
        assert isinstance(field, PointGravity)
        (x, y) = field.position.tolist()
        reach = field.reach
        return x - reach, y - reach, x + reach, y + reach

    def marks_of(self, field: Component) -> Sequence[Mark]:
        """Return a point and its reach."""
        assert isinstance(field, PointGravity)
        return Spot(field.position, field.strength < 0.0), Circle(field.position, field.reach)

    def watched_values(self, field: Component, entity: int) -> list[str]:
        """Return all values that a game writes; the position of a point that is a body belongs to
        the engine.
        """
        names = super().watched_values(field, entity)
        return (
            [name for name in names if name != "position"]
            if entity in self._bodies.bound
            else names
        )

    def joined_bodies(self) -> NDArray[np.int64]:
        """Return the pairs (P, 2) of a body that is a point and a body that it pulls, by slot."""
        bodies = self._bodies
        pairs = [NO_PAIRS]
        for entity, point in sorted(self._points.bound.items()):
            if entity in bodies.bound and isinstance(point, PointGravity) and point.strength != 0.0:
                away = bodies.rows["position"] - point.position
                pulled = (away**2).sum(axis=1) <= point.reach**2
                pulled &= bodies.values["gravity_scale"][bodies.rows["body"]] != 0.0
                pulled &= bodies.rows["inverse_mass"] > 0.0
                others = distinct(bodies.rows["body"][pulled]).astype(np.int64)
                pairs.append(
                    np.column_stack((full(len(others), bodies.bound[entity].slot), others))
                )
        return np.concatenate(pairs)

    def _follow(self) -> None:
        """Find the points that are bodies."""
        if self._version == self._buffers.version:
            return
        self._version = self._buffers.version
        points = self._points
        bodies = self._bodies.bound
        self._sources = _no_sources(points.values.count, self._bodies.values.count)
        for entity, point in points.bound.items():
            if entity in bodies:
                slot = bodies[entity].slot
                self._sources.body[point.slot] = slot
                self._sources.point[slot] = point.slot


def _no_sources(points: int, bodies: int) -> Sources:
    """Return Sources in which no point is a body, for this many slots of points and of bodies."""
    return Sources(full(points, -1), full(bodies, -1), np.zeros(points), np.zeros(points))
