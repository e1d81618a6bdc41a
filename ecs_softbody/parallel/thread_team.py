"""Thread team: how threads share the chunks of a job, in compiled code and without locks.

A job is a kernel that every thread of a team (a *worker*) runs with the same arguments. It has
stages, one after another, and a stage has chunks that write nothing in common (stage_runner.py).
Every worker has its own range of chunks, the same in every stage, so that a core finds its previous
data in its cache; a worker that is done steals chunks of others. Worker 0 leads and opens the
stages; when other threads come late or never, the job is done all the same. The output of a chunk
does not depend on the worker that claims it, so the results are the same as with one thread, bit
for bit.

All state is one array of int64, `team`. To claim a chunk of a worker, a thread raises the worker's
TICKET by one, atomically; the old ticket minus BASE is the number of the chunk, and tickets from
LIMIT on are not open. Tickets grow for ever and never come again. So a late worker cannot claim a
chunk of a finished job: it reads LIMIT before it looks at JOB, and the leader writes JOB before
LIMIT.
"""

import numpy as np

from ecs_softbody.parallel.atomics import give_way, load, relax, replace, store
from ecs_softbody.parallel.compiling import inline, kernel

LINE = 16
"""Length of a line of `team` (16 numbers of 8 bytes, two cache lines): numbers that different
threads write are in different lines, so that their cores do not wait for each other.
"""
JOB, STAGE, OPENED, WORKERS = 0, 1, 2, 3
"""Places in the first line of `team`: number of the present job, number of its stage, count of all
stages that were ever opened, number of workers.
"""
TICKET, LIMIT, BASE, DONE, HERE, SEEN = 0, 1, 2, LINE, LINE + 1, LINE + 2
"""Places in the two lines of each worker. In the first: its next ticket, the first ticket that is
not open, the number to subtract from a ticket to get a chunk. In the second, which the worker
itself writes: count of all chunks that it has ever done, the last job that it joined, the value of
OPENED that it has seen.
"""
ALONE = 0
"""In place of the number of a job: there is one thread, and nothing is opened or claimed."""
LEADER = 0
"""Index of the worker that leads."""
NONE = -1
"""In place of a chunk: there is none to claim."""
SPINS_BEFORE_YIELD = 4000
"""A worker that waits looks this often (10 to 100 µs) at a number that another thread will change,
before it gives its core to other threads.
"""
SPINS_BEFORE_STEAL = 50
"""A worker that waits looks this often before it takes chunks of another one that is at work: data
in another core's cache costs more than a short wait.
"""


@inline
def line_of(worker_index: int) -> int:
    """Return the place in `team` where the two lines of a worker begin."""
    return LINE + 2 * LINE * worker_index


def team_size(workers: int) -> int:
    """Return the length of `team`: a common line, and two lines for each worker."""
    return LINE + 2 * LINE * workers


@inline
def begin_job(team: np.ndarray, job: int) -> None:
    """Leader: begin a job, so that the others join it."""
    if job != ALONE:
        store(team, line_of(LEADER) + HERE, job)
        store(team, JOB, job)


@kernel
def open_stage(team: np.ndarray, stage: int, first: int, count: int) -> None:
    """Leader: open a stage: divide its chunks [first, first + count) evenly among the workers, and
    let them be claimed. All chunks of the stage before have to be done.
    """
    workers = team[WORKERS]
    store(team, STAGE, stage)
    for worker in range(workers):
        line = line_of(worker)
        own = first + count * worker // workers
        limit = load(team, line + LIMIT)
        store(team, line + BASE, limit - own)
        store(team, line + LIMIT, limit + first + count * (worker + 1) // workers - own)
    store(team, OPENED, load(team, OPENED) + 1)


@kernel
def await_stage(team: np.ndarray, job: int, worker_index: int) -> bool:
    """Others: join the job and wait until its next stage is opened; return False when the job is
    over.
    """
    line = line_of(worker_index)
    spins = 0
    store(team, line + HERE, job)
    while load(team, JOB) == job:
        opened = load(team, OPENED)
        if opened != team[line + SEEN]:
            team[line + SEEN] = opened
            return True
        spins += 1
        if spins > SPINS_BEFORE_YIELD:
            give_way()
        else:
            relax()
    return False


@kernel
def claim_from(team: np.ndarray, job: int, worker_index: int) -> int:
    """Claim a chunk of the range of worker `worker_index` and return its number; NONE when there is
    none left, or the job is over.
    """
    line = line_of(worker_index)
    while True:
        ticket = load(team, line + TICKET)
        if ticket >= load(team, line + LIMIT) or load(team, JOB) != job:
            return NONE
        if replace(team, line + TICKET, ticket, ticket + 1):
            return ticket - load(team, line + BASE)


@kernel
def claim(team: np.ndarray, job: int, worker_index: int) -> int:
    """Claim a chunk for this worker, one of its own or else one of another worker, and return its
    number; NONE when the stage is over. For the leader it is over only when all chunks are done.
    """
    chunk = claim_from(team, job, worker_index)
    spins = 0
    while chunk == NONE and is_stage_open(team, job, worker_index):
        for step in range(1, team[WORKERS]):
            other = (worker_index + step) % team[WORKERS]
            if chunk == NONE and (
                spins == SPINS_BEFORE_STEAL or load(team, line_of(other) + HERE) != job
            ):
                chunk = claim_from(team, job, other)
        spins += 1
        if spins > SPINS_BEFORE_YIELD:
            give_way()
            spins = SPINS_BEFORE_STEAL
        else:
            relax()
    return chunk


@inline
def is_stage_open(team: np.ndarray, job: int, worker_index: int) -> bool:
    """True if the stage is not over. For the leader: some chunk is not done. For the others: no
    further stage was opened, and the job goes on.
    """
    if worker_index != LEADER:
        return load(team, OPENED) == team[line_of(worker_index) + SEEN] and load(team, JOB) == job
    left = 0
    for other in range(team[WORKERS]):
        left += load(team, line_of(other) + LIMIT) - load(team, line_of(other) + DONE)
    return left != 0


@inline
def complete(team: np.ndarray, worker_index: int) -> None:
    """Count a claimed chunk as done, by this worker."""
    line = line_of(worker_index)
    store(team, line + DONE, team[line + DONE] + 1)


@kernel
def end_job(team: np.ndarray, job: int, worker_index: int) -> None:
    """Leader: end the job, all of which is done. Others: look for the next job for a while, before
    the worker falls asleep (workers.py).
    """
    if job == ALONE:
        return
    if worker_index == LEADER:
        store(team, JOB, ALONE)
        return
    for _ in range(SPINS_BEFORE_YIELD):
        now = load(team, JOB)
        if now not in (job, ALONE):
            break
        relax()
