"""SharedSprings: the runs of springs in the order in which several threads take them."""

from __future__ import annotations

import numpy as np

from ecs_softbody.components import Particles
from ecs_softbody.kernels.shared_springs import PIECES, divide_runs, share_springs
from ecs_softbody.kernels.spring_force import CHUNK
from ecs_softbody.kernels.workers import Workers
from ecs_softbody.storage import PackedBuffers
from ecs_softbody.storage.columns import Floats


class SharedSprings:
    """Divides runs among threads; where a component joins bodies that are far apart it cannot."""

    def __init__(self, buffers: PackedBuffers, workers: Workers) -> None:
        self._buffers, self._workers = buffers, workers
        self._start = np.zeros(PIECES + 1, np.int64)
        self._given: object = None
        self._runs = np.zeros((0, 4), np.uint32)
        self._divided = False
        self._rooms = np.zeros((0, 2, 2 * CHUNK))

    def run(self, runs: np.ndarray, columns: tuple[Floats, Floats, Floats]) -> bool:
        """Add the forces of the runs (R, 4), columns as in SpringRuns; False when that is not possible."""
        particles = self._buffers[Particles]
        if self._given is not runs:
            self._given, self._runs = runs, np.zeros_like(runs)
            bodies = particles.rows["body"], particles.values["first"]
            self._divided = divide_runs(runs, *bodies, self._start, self._runs)
        if not self._divided:
            return False
        if len(self._rooms) < self._workers.threads:
            self._rooms = np.zeros((self._workers.threads, 2, 2 * CHUNK))
        rows = particles.rows
        self._workers.run(
            share_springs, self._start, self._runs, rows["position"], rows["velocity"], *columns, self._rooms,
            rows["force"],
        )  # fmt: skip
        return True
