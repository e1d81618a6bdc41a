"""Sensors: what is in the colliders that push nothing, at the end of a frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.overlap import find_sensed
from ecs_softbody.collision.shapes import BodyShapes, Shapes, WallShapes
from ecs_softbody.collision.touching import BEGIN_GAP, END_GAP, PAIR, Owners, Pairs, new_pairs
from ecs_softbody.storage import Table


class Sensors:
    """Finds what overlaps the colliders and static colliders that are sensors."""

    def __init__(self, particles: Table, colliders: Table, static_colliders: Table) -> None:
        self._colliders, self._static_colliders = colliders, static_colliders
        self.bodies, self.walls = BodyShapes(colliders, particles), WallShapes(static_colliders)

    def find(self, owners: Owners) -> Pairs:
        """Return the pairs of what is near a sensor, and that sensor."""
        body_sensors = np.flatnonzero(self._colliders.values["sensor"])
        wall_sensors = np.flatnonzero(self._static_colliders.values["sensor"])
        if not len(body_sensors) and not len(wall_sensors):
            return np.zeros(0, PAIR)
        bodies, walls = self.bodies.now(), self.walls.now()
        sensed = [
            _pairs_with(body_sensors, bodies, 0, bodies, 0, owners),
            _pairs_with(body_sensors, bodies, 0, walls, bodies.count, owners),
            _pairs_with(wall_sensors, walls, bodies.count, bodies, 0, owners),
        ]
        return np.concatenate(sensed)


def _pairs_with(
    sensors: NDArray[np.intp], own: Shapes, own_start: int, others: Shapes, others_start: int, owners: Owners
) -> Pairs:
    """Return the pairs of the others and the sensors; shapes are owners from `own_start` and `others_start` on."""
    if not len(sensors) or not others.count:
        return np.zeros(0, PAIR)
    own_box, box = own.boxes(), others.boxes()
    found, count = np.empty((0, 3), np.int64), 64
    while count > len(found):
        found = np.empty((count, 3), np.int64)
        count = find_sensed(
            sensors, own.geometry, own_box, own.category, own.mask, others.geometry, box, others.category,
            others.mask, others.sensor, BEGIN_GAP, END_GAP, found,
        )  # fmt: skip
    sensor, other = found[:count, 0], found[:count, 1]
    pairs = new_pairs(np.column_stack([other + others_start, sensor + own_start]), owners, sensor=True)
    low = np.maximum(own_box[sensor, :2], box[other, :2])
    high = np.minimum(own_box[sensor, 2:], box[other, 2:])
    pairs["point"], pairs["touches"] = 0.5 * (low + high), found[:count, 2]
    return pairs
