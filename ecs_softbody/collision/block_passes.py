"""Passes over all contacts, block by block, before the rounds and after the move, with one thread or several."""

from typing import Any

import numpy as np

from ecs_softbody.collision.block_ranges import RANGES, SEAMS, range_of
from ecs_softbody.collision.correction import correct_contacts, push_of
from ecs_softbody.collision.refresh import refresh_contacts
from ecs_softbody.collision.response import predict_velocities
from ecs_softbody.collision.sweep import sweep_contacts
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

PREDICT, REFRESH = 0, 1
CORRECT, SWEEP = 0, 1


@lean
def refresh_blocks(
    team: np.ndarray,
    job: int,
    seat: int,
    start: np.ndarray,
    spans: np.ndarray,
    span_start: np.ndarray,
    span_stop: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
    data: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    force: np.ndarray,
    walls: tuple[Any, ...],
    body_count: int,
    offset: int,
    predicted: np.ndarray,
    weight: np.ndarray,
    reach: np.ndarray,
    dt: float,
    listed: tuple[Any, ...],
    counts: np.ndarray,
) -> None:
    """Predict velocities, then refresh all contacts, see `refresh_contacts`; listed: the arrays of Busy."""
    contacts = (
        start, spans, span_start, span_stop, rows, items, data, position, velocity, inverse_mass, force, walls,
        predicted, weight, reach, listed, counts,
    )  # fmt: skip
    if seat != LEADER:
        while await_phase(team, job, seat):
            refresh_work(team, job, seat, body_count, offset, dt, contacts)
    else:
        announce(team, job)
        for step in range(2 * RANGES):
            phase = step // RANGES
            first, blocks = range_of((start.shape[0] - 1) // 2, step % RANGES)
            if phase == PREDICT and step % RANGES == SEAMS:
                continue
            if job == ALONE or blocks <= 1:
                for block in range(first, first + blocks):
                    refresh_block(phase, block, body_count, offset, dt, contacts)
            else:
                open_phase(team, phase, first, blocks)
                refresh_work(team, job, seat, body_count, offset, dt, contacts)
    leave(team, job, seat)


@lean
def refresh_work(
    team: np.ndarray, job: int, seat: int, body_count: int, offset: int, dt: float, contacts: tuple[Any, ...]
) -> None:
    """Handle blocks of the phase that is open, as long as there are any."""
    block = take(team, job, seat)
    while block != NONE:
        refresh_block(load(team, PHASE), block, body_count, offset, dt, contacts)
        finish(team, seat)
        block = take(team, job, seat)


@lean
def refresh_block(phase: int, block: int, body_count: int, offset: int, dt: float, contacts: tuple[Any, ...]) -> None:
    """Predict the velocities of a strip or the rest, or refresh a block of contacts."""
    (
        start, spans, span_start, span_stop, rows, items, data, position, velocity, inverse_mass, force, walls,
        predicted, weight, reach, listed, counts,
    ) = contacts  # fmt: skip
    if phase == PREDICT:
        k = min(block, (start.shape[0] - 1) // 2)
        predict_velocities(spans[span_start[k] : span_stop[k]], velocity, inverse_mass, force, dt, predicted)
        return
    vertices, before, after, spin, belt = walls
    disc_rows, discs, edge_rows, edges, idle = listed
    own = slice(start[block], start[block + 1])
    refresh_contacts(
        rows[own], items[own], data[own], position, vertices, before, after, spin, belt, body_count, offset, velocity,
        predicted, weight, reach, dt, disc_rows[own], discs[own], edge_rows[own], edges[own], idle[own], counts[block],
    )  # fmt: skip


@lean
def correct_blocks(
    team: np.ndarray,
    job: int,
    seat: int,
    start: np.ndarray,
    rows: np.ndarray,
    data: np.ndarray,
    disc_rows: np.ndarray,
    discs: np.ndarray,
    edge_rows: np.ndarray,
    counts: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    previous_position: np.ndarray,
    vertices: np.ndarray,
    vertex_velocity: np.ndarray,
    reach: np.ndarray,
    weight: np.ndarray,
    offset: int,
    dt: float,
    fall_x: float,
    fall_y: float,
    speed_limit: float,
) -> None:
    """Correct all contacts, see `correct_contacts`, then stop what crossed a static edge, see `sweep_contacts`."""
    contacts = (
        start, rows, data, disc_rows, discs, edge_rows, counts, position, velocity, previous_position, vertices,
        vertex_velocity, reach, weight,
    )  # fmt: skip
    share, furthest = push_of(dt)
    numbers = (dt, share, furthest, fall_x, fall_y, speed_limit)
    if seat != LEADER:
        while await_phase(team, job, seat):
            correct_work(team, job, seat, offset, numbers, contacts)
    else:
        announce(team, job)
        strips = (start.shape[0] - 1) // 2
        for number in range(RANGES + 1):
            phase = CORRECT if number < RANGES else SWEEP
            first, blocks = range_of(strips, number) if phase == CORRECT else (0, 2 * strips)
            if job == ALONE or blocks <= 1:
                for block in range(first, first + blocks):
                    correct_block(phase, block, offset, numbers, contacts)
            else:
                open_phase(team, phase, first, blocks)
                correct_work(team, job, seat, offset, numbers, contacts)
    leave(team, job, seat)


@lean
def correct_work(
    team: np.ndarray, job: int, seat: int, offset: int, numbers: tuple[float, ...], contacts: tuple[Any, ...]
) -> None:
    """Handle blocks of the phase that is open, as long as there are any."""
    block = take(team, job, seat)
    while block != NONE:
        correct_block(load(team, PHASE), block, offset, numbers, contacts)
        finish(team, seat)
        block = take(team, job, seat)


@part
def correct_block(phase: int, block: int, offset: int, numbers: tuple[float, ...], contacts: tuple[Any, ...]) -> None:
    """Correct a block of contacts, or sweep it: that moves only the point, which all its walls share a block with.

    In line: to hand all these arrays over for every block took a tenth of the correction.
    """
    (
        start, rows, data, disc_rows, discs, edge_rows, counts, position, velocity, previous_position, vertices,
        vertex_velocity, reach, weight,
    ) = contacts  # fmt: skip
    own, (dt, share, furthest, fall_x, fall_y, speed_limit) = slice(start[block], start[block + 1]), numbers
    if start[block] == start[block + 1]:
        return
    if phase == CORRECT:
        correct_contacts(
            disc_rows[own], discs[own], edge_rows[own], counts[block], data[own], position, velocity, vertices,
            vertex_velocity, reach, weight, offset, share, furthest, fall_x, fall_y, speed_limit,
        )  # fmt: skip
    else:
        sweep_contacts(
            rows[own], data[own], offset, vertices, vertex_velocity, reach, weight, dt, position, velocity,
            previous_position,
        )  # fmt: skip
