"""Team: how threads share a job, in compiled code.

A job is a kernel that every thread of a team runs with the same arguments, each in a seat of its own. Its work comes in
phases, a phase in blocks that touch nothing in common. Every seat has its own blocks, the same ones in every phase, so
that a core finds in its cache what it worked on before. Who is done takes blocks of others who are late. The thread in
seat 0 leads and opens the phases; a team whose other threads come late, or never, gets its work done as well. What a
block writes does not depend on who takes it, so the results are those of one thread, bit for bit.

    def share(team, job, seat, ...):                a job with one phase
        enter(team, job, seat, blocks)
        block = take(team, job, seat)
        while block != NONE:
            ...
            finish(team, seat)
            block = take(team, job, seat)
        leave(team, job, seat)

Tickets of a seat are numbers that never come again; `BASE` is what to take off for the number of the block. Who comes
late, with the number of a job that is over, takes none: the number of the job is read after the limit, and written
before it.
"""

import numpy as np

from ecs_softbody.kernels.atomics import give_way, load, relax, replace, store
from ecs_softbody.kernels.compiling import lean, part

LINE = 16
"""Numbers from one to the next that different threads write: two cache lines."""
JOB, PHASE, OPENED, SEATS = 0, 1, 2, 3
"""In the first line of `team`, int64: the job now, the kind of its phase, how many phases were ever opened, seats."""
TICKET, LIMIT, BASE, DONE, HERE, SEEN = 0, 1, 2, LINE, LINE + 1, LINE + 2
"""In the lines of each seat: the next ticket, the first one that is not open, what to take off a ticket; blocks that
were ever done in it, the last job that it joined, the last phase that it has seen."""
ALONE = 0
"""In place of the number of a job: there is nobody else, and nothing is opened or taken."""
LEADER = 0
"""The seat of the thread that leads."""
NONE = -1
PATIENCE = 4000
"""Looks at a number that another thread will change (10 to 100 µs), before others may have the core."""
COURTESY = 50
"""Looks before somebody takes the blocks of another one who is at work: moving them costs more than a short wait."""


@part
def line_of(seat: int) -> int:
    """Return where the lines of a seat begin."""
    return LINE + 2 * LINE * seat


def team_size(seats: int) -> int:
    """Return the length of `team`."""
    return LINE + 2 * LINE * seats


@lean
def open_phase(team: np.ndarray, phase: int, first: int, blocks: int) -> None:
    """Leader: let the blocks from `first` on be taken, so many; all blocks of the phase before are done."""
    seats = team[SEATS]
    store(team, PHASE, phase)
    for seat in range(seats):
        line, own = line_of(seat), first + blocks * seat // seats
        limit = load(team, line + LIMIT)
        store(team, line + BASE, limit - own)
        store(team, line + LIMIT, limit + first + blocks * (seat + 1) // seats - own)
    store(team, OPENED, load(team, OPENED) + 1)


@lean
def take_from(team: np.ndarray, job: int, seat: int) -> int:
    """Return a block of a seat that nobody has taken, or NONE when there is none, or the job is over."""
    line = line_of(seat)
    while True:
        ticket = load(team, line + TICKET)
        if ticket >= load(team, line + LIMIT) or load(team, JOB) != job:
            return NONE
        if replace(team, line + TICKET, ticket, ticket + 1):
            return ticket - load(team, line + BASE)


@lean
def take(team: np.ndarray, job: int, seat: int) -> int:
    """Return a block that is yours now, or NONE when the phase is over: to the leader, when all of it is done."""
    block = take_from(team, job, seat)
    looks = 0
    while block == NONE and is_going_on(team, job, seat):
        for step in range(1, team[SEATS]):
            other = (seat + step) % team[SEATS]
            if block == NONE and (looks == COURTESY or load(team, line_of(other) + HERE) != job):
                block = take_from(team, job, other)
        looks += 1
        if looks > PATIENCE:
            give_way()
            looks = COURTESY
        else:
            relax()
    return block


@part
def is_going_on(team: np.ndarray, job: int, seat: int) -> bool:
    """Tell whether blocks of this phase may still be in work."""
    if seat != LEADER:
        return load(team, OPENED) == team[line_of(seat) + SEEN] and load(team, JOB) == job
    left = 0
    for other in range(team[SEATS]):
        left += load(team, line_of(other) + LIMIT) - load(team, line_of(other) + DONE)
    return left != 0


@part
def finish(team: np.ndarray, seat: int) -> None:
    """Say that the block that you took is done."""
    line = line_of(seat)
    store(team, line + DONE, team[line + DONE] + 1)


@lean
def await_phase(team: np.ndarray, job: int, seat: int) -> bool:
    """Others: wait until the next phase is opened; False when the job is over."""
    line, looks = line_of(seat), 0
    store(team, line + HERE, job)
    while load(team, JOB) == job:
        opened = load(team, OPENED)
        if opened != team[line + SEEN]:
            team[line + SEEN] = opened
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
        store(team, line_of(LEADER) + HERE, job)
        store(team, JOB, job)


@part
def enter(team: np.ndarray, job: int, seat: int, blocks: int) -> None:
    """Begin a job that has one phase; the leader announces and opens it."""
    if seat == LEADER:
        announce(team, job)
        open_phase(team, 0, 0, blocks)
    else:
        await_phase(team, job, seat)


@lean
def leave(team: np.ndarray, job: int, seat: int) -> None:
    """Leader: end the job, of which everything is done. Others: wait for the next one for a while."""
    if job == ALONE:
        return
    if seat == LEADER:
        store(team, JOB, ALONE)
        return
    for _ in range(PATIENCE):
        now = load(team, JOB)
        if now not in (job, ALONE):
            break
        relax()
