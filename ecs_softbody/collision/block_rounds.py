"""Rounds of sequential impulses, block by block, with one thread or several."""

from typing import Any

import numpy as np

from ecs_softbody.collision.block_ranges import RANGES, range_of
from ecs_softbody.collision.busy import DISCS, EDGES, IDLE
from ecs_softbody.collision.rounds import (
    CONVERGED,
    LONGEST,
    SETTLED,
    is_one_missed,
    leave_idle,
    push_discs,
    push_edges,
    share_impulses,
    start_discs,
    start_edges,
    take_in_idle,
)
from ecs_softbody.kernels.atomics import load
from ecs_softbody.kernels.compiling import lean, part
from ecs_softbody.kernels.team import (
    ALONE,
    LEADER,
    NONE,
    PHASE,
    announce,
    await_phase,
    finish,
    leave,
    open_phase,
    take,
)

START, PUSH, LOOK, TAKE_IN, SHARE = 0, 1, 2, 3, 4
"""Phases: start from the last impulses, one round, look for one that was missed, take in the idle, turn into forces."""


@lean
def solve_blocks(
    team: np.ndarray,
    job: int,
    seat: int,
    start: np.ndarray,
    rows: np.ndarray,
    data: np.ndarray,
    predicted: np.ndarray,
    weight: np.ndarray,
    offset: int,
    dt: float,
    iterations: int,
    disc_rows: np.ndarray,
    discs: np.ndarray,
    edge_rows: np.ndarray,
    edges: np.ndarray,
    idle: np.ndarray,
    counts: np.ndarray,
    change: np.ndarray,
    force: np.ndarray,
) -> None:
    """Warm-start and iterate sequential impulses on the predicted velocities, in place; add them to `force` (N, 2).

    Block k is the contacts start[k] to start[k + 1], counts[k] how many of them are busy and idle (busy.py). When one
    of the idle ones has to push after all, they are all taken in. change: (B,), to work in.
    """
    contacts = (start, rows, data, predicted, weight, disc_rows, discs, edge_rows, edges, idle, counts, change, force)
    if seat != LEADER:
        while await_phase(team, job, seat):
            work(team, job, seat, offset, dt, contacts)
    else:
        announce(team, job)
        run(team, job, START, offset, dt, contacts)
        iterate(team, job, offset, dt, iterations, contacts)
        if run(team, job, LOOK, offset, dt, contacts) > 0.0:
            run(team, job, TAKE_IN, offset, dt, contacts)
            iterate(team, job, offset, dt, iterations, contacts)
        run(team, job, SHARE, offset, dt, contacts)
    leave(team, job, seat)


@lean
def iterate(team: np.ndarray, job: int, offset: int, dt: float, iterations: int, contacts: tuple[Any, ...]) -> None:
    """Run rounds until nothing changes by much.

    There are more than `iterations` as long as velocities still change by much: where a heavy load rests on light ones.
    """
    for done in range(1, LONGEST * iterations + 1):
        change = run(team, job, PUSH, offset, dt, contacts)
        if change < SETTLED and (done >= iterations or change * dt < CONVERGED):
            break


@lean
def run(team: np.ndarray, job: int, phase: int, offset: int, dt: float, contacts: tuple[Any, ...]) -> float:
    """Run a phase on all blocks, range after range; return the greatest of what the blocks give."""
    start, change = contacts[0], contacts[11]
    strips = (start.shape[0] - 1) // 2
    for number in range(RANGES):
        first, blocks = range_of(strips, number)
        if job == ALONE or blocks <= 1:
            for block in range(first, first + blocks):
                handle(phase, block, offset, dt, contacts)
        else:
            open_phase(team, phase, first, blocks)
            work(team, job, LEADER, offset, dt, contacts)
    greatest = 0.0
    for block in range(2 * strips):
        greatest = max(greatest, change[block])
    return greatest


@lean
def work(team: np.ndarray, job: int, seat: int, offset: int, dt: float, contacts: tuple[Any, ...]) -> None:
    """Handle blocks of the phase that is open, as long as there are any."""
    block = take(team, job, seat)
    while block != NONE:
        handle(load(team, PHASE), block, offset, dt, contacts)
        finish(team, seat)
        block = take(team, job, seat)


@part
def handle(phase: int, block: int, offset: int, dt: float, contacts: tuple[Any, ...]) -> None:
    """Do to one block what the phase is for; write to `change` what it gives.

    In line: to hand all these arrays over for every block of every round took a tenth of the rounds.
    """
    start, rows, data, predicted, weight, disc_rows, discs, edge_rows, edges, idle, counts, change, force = contacts
    own, count = slice(start[block], start[block + 1]), counts[block]
    change[block] = 0.0
    if start[block] == start[block + 1]:
        return
    disc_rows, discs, edge_rows, edges = disc_rows[own], discs[own], edge_rows[own], edges[own]
    if phase == START:
        start_discs(disc_rows[: count[DISCS]], discs, 0, predicted)
        start_edges(edge_rows[: count[EDGES]], edges, 0, predicted)
    elif phase == PUSH:
        by_discs = push_discs(disc_rows[: count[DISCS]], discs, predicted)
        change[block] = max(by_discs, push_edges(edge_rows[: count[EDGES]], edges, predicted))
    elif phase == LOOK:
        if is_one_missed(rows[own], data[own], predicted, dt, idle[own][: count[IDLE]]):
            change[block] = 1.0
    elif phase == TAKE_IN:
        first_disc, first_edge = count[DISCS], count[EDGES]
        take_in_idle(rows[own], data[own], weight, offset, dt, disc_rows, discs, edge_rows, edges, idle[own], count)
        start_discs(disc_rows[: count[DISCS]], discs, first_disc, predicted)
        start_edges(edge_rows[: count[EDGES]], edges, first_edge, predicted)
    else:
        leave_idle(data[own], idle[own][: count[IDLE]])
        share_impulses(data[own], disc_rows, discs, edge_rows, edges, count, offset, dt, force)
