"""Springs for several threads: the batches (spring_batches.py) are sorted into chunks of whole
bodies. No particle is in two chunks, so threads compute chunks at the same time, with the same
result as one thread.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats3, Integers1, Uint32s1, Uint32s2
from ecs_softbody.kernels.forces.springs import BatchLaw, accumulate_batch_force
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.compiling import entry, inline
from ecs_softbody.parallel.stage_runner import run_chunks

CHUNKS = 16
"""Number of chunks of whole bodies; a thread that has done its chunks takes chunks of others."""


@entry
def divide_batches(
    batches: Uint32s2, body: Uint32s1, first: Uint32s1, start: Integers1, divided: Uint32s2
) -> bool:
    """Sort batches (R, 5) into chunks of whole bodies. Return False if a batch joins bodies of two
    chunks: then one thread has to compute all.

    body (N,): number (slot) of the body of every particle. first (B,): first particle of every
    body; it decides the chunk of the body. Written: `divided` (R, 5), where chunk k has the batches
    divided[start[k]:start[k + 1]] in the order that they had, and `start` (chunks + 1,).
    """
    chunks = start.shape[0] - 1
    rows = body.shape[0]
    start[:] = 0
    for r in range(batches.shape[0]):
        chunk = np.int64(first[body[batches[r, 1]]]) * chunks // rows
        if chunk != np.int64(first[body[batches[r, 2]]]) * chunks // rows:
            return False
        start[chunk + 1] += 1
    for chunk in range(chunks):
        start[chunk + 1] += start[chunk]
    for r in range(batches.shape[0]):
        chunk = np.int64(first[body[batches[r, 1]]]) * chunks // rows
        for k in range(batches.shape[1]):
            divided[start[chunk], k] = batches[r, k]
        start[chunk] += 1
    for chunk in range(chunks, 0, -1):
        start[chunk] = start[chunk - 1]
    start[0] = 0
    return True


class SharedBatches(NamedTuple):
    """Data of the job, the same for all threads."""

    start: Integers1  # (chunks + 1,) where the batches of each chunk begin
    batches: Uint32s2  # (B, 5) sorted by chunk
    law: BatchLaw
    motion: Motion
    scratch: Floats3  # (T, 2, 2 CHUNK): one for each thread


@entry
def parallel_springs(team: Integers1, job: int, worker_index: int, task: SharedBatches) -> None:
    """Add the forces of the batches, chunk by chunk; every thread of the team calls this at the
    same time. team, job, worker_index: see parallel/stage_runner.py.
    """
    run_chunks(team, job, worker_index, task.start.shape[0] - 1, add_chunk_force, task)


@inline
def add_chunk_force(stage: int, chunk: int, worker_index: int, task: SharedBatches) -> None:
    """Add the forces of the batches of one chunk."""
    batches = task.batches[task.start[chunk] : task.start[chunk + 1]]
    accumulate_batch_force(batches, task.law, task.motion, task.scratch[worker_index])
