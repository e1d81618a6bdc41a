"""Sensors: finds the bodies and walls that touch a sensor, a collider that pushes nothing.

At the end of a frame these are shapes that overlap it, and bodies that were so fast that they have
crossed it within the frame. The result goes to the events of contacts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.collision.contacts.contact_pairs import (
    BEGIN_GAP,
    END_GAP,
    PAIR,
    Owners,
    Pairs,
    new_pairs,
)
from ecs_softbody.collision.query.overlap import Sensed, find_sensed
from ecs_softbody.collision.query.targets import BodyTargets, FilterColumns, Targets, WallTargets
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.geometry.outlines import CHAIN, Outlines, Shapes
from ecs_softbody.indices import arange, flatnonzero, repeat, unique
from ecs_softbody.storage import Table


class Sensors:
    """Finds the bodies and walls that overlap sensors."""

    def __init__(self, particles: Table, colliders: Table, static_colliders: Table) -> None:
        self._particles = particles
        self._colliders = colliders
        self._static_colliders = static_colliders
        self.bodies = BodyTargets(colliders, particles)
        self.walls = WallTargets(static_colliders)

    def find(self, owners: Owners, *, moved: bool) -> Pairs:
        """Return the pairs of a body or wall and a sensor that it overlaps or is close to.

        moved: at the end of a frame, in which bodies may have crossed a sensor.
        """
        body_sensors = flatnonzero(self._colliders.values["sensor"])
        wall_sensors = flatnonzero(self._static_colliders.values["sensor"])
        if not len(body_sensors) and not len(wall_sensors):
            return np.zeros(0, PAIR)
        bodies = self.bodies.now()
        walls = self.walls.now()
        sensed = [
            _pairs_with(body_sensors, bodies, 0, bodies, 0, owners),
            _pairs_with(body_sensors, bodies, 0, walls, bodies.count, owners),
            _pairs_with(wall_sensors, walls, bodies.count, bodies, 0, owners),
        ]
        if not moved or not bodies.count:
            return np.concatenate(sensed)
        steps = self._steps()
        for sensor in body_sensors.tolist():
            sensed.append(
                _pairs_that_crossed(sensor, bodies, 0, bodies, steps - steps[sensor], owners)
            )
        for sensor in wall_sensors.tolist():
            sensed.append(_pairs_that_crossed(sensor, walls, bodies.count, bodies, steps, owners))
        found = np.concatenate(sensed)
        _, first = unique(found["key"], return_index=True)
        return found[np.sort(first)]

    def _steps(self) -> Floats:
        """Return how far each body, by slot of Collider, has moved in this frame (B, 2) [m]: its
        first particle.
        """
        rows = self._particles.rows
        values = self._colliders.values
        first = np.minimum(values["particle_first"], max(rows.count - 1, 0))
        steps: Floats = rows["position"][first] - rows["frame_position"][first]
        return steps


def _pairs_that_crossed(
    sensor: int, own: Targets, own_start: int, bodies: Targets, steps: Floats, owners: Owners
) -> Pairs:
    """Return the pairs of a sensor and bodies whose path (B, 2) [m] through the frame, relative to
    the sensor, crosses it.

    Bodies that move by at most half their size are skipped: if they enter the sensor, they are in
    it at the start or end of the frame.
    """
    box = bodies.boxes()
    size = np.minimum(box[:, 2] - box[:, 0], box[:, 3] - box[:, 1])
    fast = flatnonzero((size > 0.0) & (lengths(steps) > 0.5 * size))
    if not len(fast):
        return np.zeros(0, PAIR)
    paths, slots = _paths(bodies, fast, steps)
    pairs = _pairs_with(np.array([sensor], np.int64), own, own_start, paths, 0, owners, slots)
    return pairs[pairs["touches"]]


def _paths(bodies: Targets, chosen: Integers, steps: Floats) -> tuple[Targets, Integers]:
    """Return the paths of the points of the bodies `chosen`, each a chain of two points, and the
    slot of the body that each belongs to. steps (B, 2) [m]: how far bodies have moved.
    """
    outlines = bodies.shapes.outlines
    position = bodies.shapes.position
    radius = bodies.shapes.radius
    lengths = (outlines.last - outlines.first)[chosen]
    slots = repeat(chosen, lengths)
    rows = np.concatenate(
        [outlines.points[outlines.first[body] : outlines.last[body]] for body in chosen]
    )
    ends = np.concatenate([position[rows] - steps[slots], position[rows]])
    points = arange(len(ends)).reshape(2, -1).T.astype(outlines.points.dtype).ravel()
    first = 2 * arange(len(rows)).astype(outlines.first.dtype)
    kind = np.full(len(rows), CHAIN, outlines.kind.dtype)
    shapes = Shapes(ends, np.tile(radius[rows], 2), Outlines(points, first, first + 2, kind))
    filters = FilterColumns._make(column[slots] for column in bodies.filters)
    return Targets(shapes, bodies.base[slots], filters), slots


def _pairs_with(
    sensors: NDArray[np.int64],
    own: Targets,
    own_start: int,
    others: Targets,
    others_start: int,
    owners: Owners,
    slots: Integers | None = None,
) -> Pairs:
    """Return the pairs of the `sensors` (K,) of `own` and the shapes of `others` that they touch.

    Owners number bodies, then walls: shape 0 of each set is the owner `own_start` or
    `others_start`. slots (S,): of each of the others, if they are not counted from 0.
    """
    if not len(sensors) or not others.count:
        return np.zeros(0, PAIR)
    own_box = own.boxes()
    box = others.boxes()
    a = Sensed(own.shapes, own_box, own.filters)
    b = Sensed(others.shapes, box, others.filters)
    found = np.empty((0, 3), np.int64)
    count = 64
    while count > len(found):
        found = np.empty((count, 3), np.int64)
        count = find_sensed(sensors, a, b, BEGIN_GAP, END_GAP, found)
    sensor = found[:count, 0]
    other = found[:count, 1]
    bodies = other if slots is None else slots[other]
    pairs = new_pairs(
        np.column_stack([bodies + others_start, sensor + own_start]), owners, sensor=True
    )
    low = np.maximum(own_box[sensor, :2], box[other, :2])
    high = np.minimum(own_box[sensor, 2:], box[other, 2:])
    pairs["point"] = 0.5 * (low + high)
    pairs["touches"] = found[:count, 2]
    return pairs
