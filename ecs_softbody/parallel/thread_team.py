"""Thread team: how threads share the chunks of a job, in compiled code.

A job is a kernel that every thread of a team runs with the same arguments. It has stages, and a
stage has chunks that touch nothing in common (stage_runner.py). Every worker has its own chunks,
the same ones in every stage, so that a core finds its previous data in its cache; a worker that is
done steals chunks of others. Worker 0 leads and opens the stages; when other threads come late or
never, the job is done all the same. The output of a chunk does not depend on the worker that claims
it, so the results are the same as with one thread, bit for bit.

Tickets of a worker are numbers that never come again; a ticket minus `BASE` is the number of a
chunk. A late worker cannot claim a chunk of a finished job: LIMIT is read before JOB and written
after it.
"""

import numpy as np

from ecs_softbody.parallel.atomics import give_way, load, relax, replace, store
from ecs_softbody.parallel.compiling import inline, kernel

LINE = 16
"""Numbers that different threads write are this far apart: two cache lines."""
JOB, STAGE, OPENED, WORKERS = 0, 1, 2, 3
"""In the first line of `team`, int64: the job now, its stage, how many stages were ever opened,
workers.
"""
TICKET, LIMIT, BASE, DONE, HERE, SEEN = 0, 1, 2, LINE, LINE + 1, LINE + 2
"""In the lines of each worker: the next ticket, the first one that is not open, the base to
subtract from a ticket; chunks that were ever done of its own, the last job that it joined, the last
stage that it has seen.
"""
ALONE = 0
"""In place of the number of a job: there is one thread, and nothing is opened or claimed."""
LEADER = 0
"""Index of the worker that leads."""
NONE = -1
SPINS_BEFORE_YIELD = 4000
"""Looks at a number that another thread will change (10 to 100 µs), before others may have the
core.
"""
SPINS_BEFORE_STEAL = 50
"""Looks before a worker takes chunks of another one that is at work: moving them costs more than a
short wait.
"""


@inline
def line_of(worker_index: int) -> int:
    """Return where the lines of a worker begin."""
    return LINE + 2 * LINE * worker_index


def team_size(workers: int) -> int:
    """Return the length of `team`."""
    return LINE + 2 * LINE * workers


@inline
def begin_job(team: np.ndarray, job: int) -> None:
    """Leader: tell the others which job it is."""
    if job != ALONE:
        store(team, line_of(LEADER) + HERE, job)
        store(team, JOB, job)


@kernel
def open_stage(team: np.ndarray, stage: int, first: int, count: int) -> None:
    """Leader: let the chunks [first, first + count) be claimed; all chunks of the stage before are
    done.
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
    """Others: wait until the next stage is opened; false when the job is over."""
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
    """Return an unclaimed chunk of a worker, or NONE when there is none, or the job is over."""
    line = line_of(worker_index)
    while True:
        ticket = load(team, line + TICKET)
        if ticket >= load(team, line + LIMIT) or load(team, JOB) != job:
            return NONE
        if replace(team, line + TICKET, ticket, ticket + 1):
            return ticket - load(team, line + BASE)


@kernel
def claim(team: np.ndarray, job: int, worker_index: int) -> int:
    """Return a chunk for this worker, or NONE when the stage is over; the leader waits until all of
    it is done.
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
    """True if chunks of this stage may still be at work."""
    if worker_index != LEADER:
        return load(team, OPENED) == team[line_of(worker_index) + SEEN] and load(team, JOB) == job
    left = 0
    for other in range(team[WORKERS]):
        left += load(team, line_of(other) + LIMIT) - load(team, line_of(other) + DONE)
    return left != 0


@inline
def complete(team: np.ndarray, worker_index: int) -> None:
    """Count a claimed chunk as done."""
    line = line_of(worker_index)
    store(team, line + DONE, team[line + DONE] + 1)


@kernel
def end_job(team: np.ndarray, job: int, worker_index: int) -> None:
    """Leader: end the job, of which everything is done. Others: wait a while for the next one."""
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
