"""PointGravityProcessor: the pull of every PointGravity."""

from __future__ import annotations

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Particles, PointGravity
from ecs_softbody.kernels.point_gravity import accumulate_point_gravity
from ecs_softbody.storage import PackedBuffers


class PointGravityProcessor(esper.Processor):
    """Adds the pull of points, and its reaction, to Particles.force. Runs at Order.POINT_GRAVITY."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self._points, self._bodies = buffers[PointGravity], buffers[Particles]
        self._version = -1
        self._source: NDArray[np.int64] = np.zeros(0, np.int64)

    def process(self, dt: float) -> None:
        """Pull everything that takes part."""
        if not self._points.bound:
            return
        self._follow()
        points, bodies, particles = self._points.values, self._bodies, self._bodies.rows
        accumulate_point_gravity(
            bodies.active_rows,
            particles["position"],
            particles["mass"],
            particles["inverse_mass"],
            particles["body"],
            bodies.values["gravity_scale"],
            bodies.values["first"],
            bodies.values["last"],
            points["position"],
            points["strength"],
            points["exponent"],
            points["least_distance"],
            points["reach"],
            self._source,
            dt,
            particles["force"],
        )

    def _follow(self) -> None:
        """Find the points that are bodies."""
        if self._version == self._buffers.version:
            return
        self._version = self._buffers.version
        points, bodies = self._points, self._bodies.bound
        self._source = np.full(points.values.count, -1)
        for entity, point in points.bound.items():
            if entity in bodies:
                self._source[point.slot] = bodies[entity].slot
