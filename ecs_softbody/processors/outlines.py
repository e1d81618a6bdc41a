"""Outlines: the outlines of all bodies with a Collider, as air and water find them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.shapes import list_points
from ecs_softbody.components import Collider, Particles
from ecs_softbody.storage import PackedBuffers
from ecs_softbody.storage.columns import Floats


class Outlines:
    """Which particles make each body's outline, and room to sum up the resistance of a fluid to each particle.

    Body s, a slot of Collider, goes through points[first[s]:last[s]]: its outline where ringed[s], else all particles.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._particles, self._colliders = buffers[Particles], buffers[Collider]
        self._versions = (-1, -1)
        self.points: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self.first, self.last = np.zeros((2, 0), np.int64)
        self.ringed: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.resistance: Floats = np.zeros((0, 3))
        self.carried: Floats = np.zeros((0, 2))

    def follow(self) -> None:
        """Find the outlines anew where bodies came or went."""
        versions = (self._colliders.version, self._particles.version)
        if versions != self._versions:
            self._versions = versions
            self.points, self.first, self.last, self.ringed = list_points(self._colliders)
        if len(self.carried) < self._particles.rows.count:
            capacity = self._particles.rows.capacity
            self.resistance, self.carried = np.zeros((capacity, 3)), np.zeros((capacity, 2))
