"""Integration (integration.py) by several threads: the rows of the particles are cut into chunks.
Each thread does its own chunks, then chunks of threads that are behind.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Integers1, Integers2
from ecs_softbody.kernels.motion.integration import Moving, integrate_rows
from ecs_softbody.parallel.compiling import entry, inline
from ecs_softbody.parallel.stage_runner import run_chunks

ROWS = 1024
"""Particles in a chunk, the work that a thread takes at a time."""


class Integration(NamedTuple):
    """Data of the job: the arguments of `integrate`."""

    # (S, 2) spans of rows, ascending; rows between two spans are skipped
    active: np.ndarray
    particles: Moving
    dt: float
    speed_limit: float


@entry
def parallel_integrate(
    team: Integers1,
    job: int,
    worker_index: int,
    active: Integers2,
    particles: Moving,
    dt: float,
    speed_limit: float,
) -> None:
    """Do the job of `integrate`; every thread of the team calls this at the same time.

    team, job, worker_index: shared state of the threads, number of the job, and number of this
    thread, see parallel/stage_runner.py.
    """
    chunks = (particles.inverse_mass.shape[0] + ROWS - 1) // ROWS
    task = Integration(active, particles, dt, speed_limit)
    run_chunks(team, job, worker_index, chunks, integrate_chunk, task)


@inline
def integrate_chunk(stage: int, chunk: int, worker_index: int, task: Integration) -> None:
    """Move the active particles of the rows [chunk ROWS, (chunk + 1) ROWS)."""
    active = task.active
    start = chunk * ROWS
    stop = (chunk + 1) * ROWS
    low = 0
    high = active.shape[0]
    while low < high:  # the first span that ends in the chunk or after it
        middle = (low + high) // 2
        if active[middle, 1] <= start:
            low = middle + 1
        else:
            high = middle
    while low < active.shape[0] and active[low, 0] < stop:
        first = max(active[low, 0], start)
        last = min(active[low, 1], stop)
        integrate_rows(first, last, task.particles, task.dt, task.speed_limit)
        low += 1
