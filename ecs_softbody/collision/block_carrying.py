"""Impulses that go over to a new list of contacts, block by block, with one thread or several."""

from typing import Any

import numpy as np

from ecs_softbody.collision.block_ranges import RANGES, range_of
from ecs_softbody.collision.contacts import carry_over, link_contacts
from ecs_softbody.collision.materials import set_materials
from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.team import ALONE, LEADER, NONE, announce, await_phase, finish, leave, open_phase, take


@lean
def carry_blocks(
    team: np.ndarray,
    job: int,
    seat: int,
    start: np.ndarray,
    old_rows: np.ndarray,
    old_items: np.ndarray,
    old_data: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
    data: np.ndarray,
    head: np.ndarray,
    following: np.ndarray,
    offset: int,
    body_count: int,
    friction: np.ndarray,
    restitution: np.ndarray,
    reach: np.ndarray,
) -> None:
    """Fill the data of new contacts, see `carry_over` and `set_materials`.

    Who carries an old contact over has its point, so it is one of the blocks that this point belongs to.
    """
    contacts = (
        start, old_rows, old_items, old_data, rows, items, data, head, following, friction, restitution, reach,
    )  # fmt: skip
    if seat != LEADER:
        while await_phase(team, job, seat):
            carry_work(team, job, seat, offset, body_count, contacts)
    else:
        announce(team, job)
        link_contacts(old_rows, old_data, head, following)
        for number in range(RANGES):
            first, blocks = range_of((start.shape[0] - 1) // 2, number)
            if job == ALONE or blocks <= 1:
                for block in range(first, first + blocks):
                    carry_block(block, offset, body_count, contacts)
            else:
                open_phase(team, 0, first, blocks)
                carry_work(team, job, seat, offset, body_count, contacts)
    leave(team, job, seat)


@lean
def carry_work(team: np.ndarray, job: int, seat: int, offset: int, body_count: int, contacts: tuple[Any, ...]) -> None:
    """Handle blocks of the phase that is open, as long as there are any."""
    block = take(team, job, seat)
    while block != NONE:
        carry_block(block, offset, body_count, contacts)
        finish(team, seat)
        block = take(team, job, seat)


@lean
def carry_block(block: int, offset: int, body_count: int, contacts: tuple[Any, ...]) -> None:
    """Fill the data of one block."""
    start, old_rows, old_items, old_data, rows, items, data, head, following, friction, restitution, reach = contacts
    own = slice(start[block], start[block + 1])
    carry_over(old_rows, old_items, old_data, rows[own], items[own], data[own], offset, head, following)
    set_materials(rows[own], items[own], data[own], body_count, friction, restitution, reach)
