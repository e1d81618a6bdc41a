"""Team: how threads share a job, in compiled code.

A job is a kernel that every thread of a team runs with the same arguments. Its work comes in phases, a phase in blocks
that touch nothing in common. Whoever is free takes the next block. One thread, in seat 0, leads: it opens the phases, and takes
blocks like everybody; so a team whose other threads come late, or never, gets its work done as well. What a block
writes does not depend on who takes it, so the results are those of one thread, bit for bit.

    def share(team, job, seat, ...):                a job with one phase
        enter(team, job, seat, blocks)
        block = take(team, job)
        while block != NONE:
            ...
            finish(team)
            block = take(team, job)
        leave(team, job, seat)

Tickets are numbers that never come again: `BASE` is a ticket less the number of its block. Who comes late, with the number
of a job that is over, takes none: the number of the job is read after the ticket, and written before it.
"""

import numpy as np

from ecs_softbody.kernels.atomics import add, give_way, load, relax, replace, store
from ecs_softbody.kernels.compiling import lean, part

LINE = 16
"""Numbers from one to the next that different threads write: two cache lines."""
JOB, TICKET, LIMIT, DONE = 0, LINE, 2 * LINE, 3 * LINE
BASE, PHASE = LIMIT + 1, LIMIT + 2
TEAM_SIZE = 4 * LINE
"""Length of the row of numbers that a team shares, int64: the job now (ALONE: none), the next ticket, the first ticket
that is not open yet, how many blocks are done, what to take off a ticket for the number of its block, and the kind of
the phase.
"""
ALONE = 0
"""In place of the number of a job: there is nobody else, and nothing is opened or taken."""
LEADER = 0
"""The seat of the thread that leads; every other one has a seat of its own."""
NONE = -1
PATIENCE = 4000
"""Looks at a number that another thread will change (10 to 100 µs), before others may have the core."""


@part
def open_phase(team: np.ndarray, phase: int, first: int, blocks: int) -> None:
    """Leader: let the blocks from `first` on be taken, so many; all blocks of the phase before are done."""
    limit = load(team, LIMIT)
    store(team, PHASE, phase)
    store(team, BASE, limit - first)
    store(team, LIMIT, limit + blocks)


@lean
def take(team: np.ndarray, job: int) -> int:
    """Return the number of a block that is yours now, or NONE when there is no more in this phase of the job."""
    while True:
        ticket = load(team, TICKET)
        if ticket >= load(team, LIMIT) or load(team, JOB) != job:
            return NONE
        if replace(team, TICKET, ticket, ticket + 1):
            return ticket - load(team, BASE)


@part
def finish(team: np.ndarray) -> None:
    """Say that a block is done."""
    add(team, DONE, 1)


@lean
def await_blocks(team: np.ndarray) -> None:
    """Leader: wait until all blocks that were taken are done."""
    looks = 0
    while load(team, DONE) != load(team, LIMIT):
        looks += 1
        if looks > PATIENCE:
            give_way()
        else:
            relax()


@lean
def await_phase(team: np.ndarray, job: int) -> bool:
    """Others: wait until there is a block to take; False when the job is over."""
    looks = 0
    while load(team, JOB) == job:
        if load(team, TICKET) < load(team, LIMIT):
            return True
        looks += 1
        if looks > PATIENCE:
            give_way()
        else:
            relax()
    return False


@part
def announce(team: np.ndarray, job: int) -> None:
    """Leader: let the others know which job it is."""
    if job != ALONE:
        store(team, JOB, job)


@part
def enter(team: np.ndarray, job: int, seat: int, blocks: int) -> None:
    """Leader: announce a job that has one phase, and open it."""
    if seat == LEADER:
        announce(team, job)
        open_phase(team, 0, 0, blocks)


@lean
def leave(team: np.ndarray, job: int, seat: int) -> None:
    """Leader: wait until all is done, and end the job. Others: wait for the next one for a while."""
    if job == ALONE:
        return
    if seat == LEADER:
        await_blocks(team)
        store(team, JOB, ALONE)
    else:
        await_job(team, job)


@lean
def await_job(team: np.ndarray, job: int) -> None:
    """Wait until another job than this one is announced, or the patience is over."""
    looks = 0
    now = job
    while looks < PATIENCE and (now == job or now == ALONE):
        now = load(team, JOB)
        looks += 1
        relax()
