"""SharedSprings: the forces of springs in batches, computed by several threads.

Batches are divided into chunks of whole bodies. Two chunks have no particle in common, so threads
can add to Particles.force without locks, and every sum has the same order in any number of threads.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.components import Particles
from ecs_softbody.kernels.forces.shared_springs import (
    CHUNKS,
    SharedBatches,
    divide_batches,
    parallel_springs,
)
from ecs_softbody.kernels.forces.springs import CHUNK, BatchLaw
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.workers import Workers
from ecs_softbody.storage import PackedBuffers


class SharedSprings:
    """Divides batches among threads. It cannot where a batch joins bodies of two chunks."""

    def __init__(self, buffers: PackedBuffers, workers: Workers) -> None:
        self._buffers = buffers
        self._workers = workers
        # Chunk k has the batches _batches[_start[k]:_start[k + 1]], sorted copies of those given
        # last; `_divided` tells whether that was possible.
        self._start = np.zeros(CHUNKS + 1, np.int64)
        self._given: object = None
        self._batches = np.zeros((0, 5), np.uint32)
        self._divided = False
        # For each thread, room for the differences and the forces of one pass, x and y in turn.
        self._scratch = np.zeros((0, 2, 2 * CHUNK))

    def run(self, batches: np.ndarray, law: BatchLaw) -> bool:
        """Add the forces of the batches (B, 5), columns as in SpringBatches; return whether this
        was possible. If not, nothing was added.
        """
        particles = self._buffers[Particles]
        # SpringBatches makes a new array at every change: the same object is divided already.
        if self._given is not batches:
            self._given = batches
            self._batches = np.zeros_like(batches)
            bodies = particles.rows["body"], particles.values["first"]
            self._divided = divide_batches(batches, *bodies, self._start, self._batches)
        if not self._divided:
            return False
        if len(self._scratch) < self._workers.threads:
            self._scratch = np.zeros((self._workers.threads, 2, 2 * CHUNK))
        motion = particles.rows.group(Motion)
        task = SharedBatches(self._start, self._batches, law, motion, self._scratch)
        self._workers.run(parallel_springs, task)
        return True
