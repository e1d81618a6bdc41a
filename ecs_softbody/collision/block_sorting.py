"""Contacts sorted by block (blocks.py), with one thread or several; each piece of the list has places of its own."""

import numpy as np

from ecs_softbody.kernels.atomics import load
from ecs_softbody.kernels.compiling import lean
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

COUNT, PUT = 0, 1
WIDE = -1
"""In place of the strip of a body: it is wider than half a strip."""


@lean
def sort_contacts(
    team: np.ndarray,
    job: int,
    seat: int,
    found: np.ndarray,
    found_items: np.ndarray,
    strip: np.ndarray,
    strips: int,
    places: np.ndarray,
    start: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
) -> None:
    """Copy contacts to rows (C, 3) and items (C, 2), see Blocks.sort; write where the blocks start.

    places (P, 2 MOST_STRIPS): room for P pieces of the list; what they write does not depend on P.
    """
    if seat != LEADER:
        while await_phase(team, job, seat):
            sort_pieces(team, job, seat, found, found_items, strip, strips, places, rows, items)
    else:
        announce(team, job)
        for phase in range(2):
            if phase == PUT:
                total = 0
                for block in range(2 * strips):
                    start[block] = total
                    for piece in range(places.shape[0]):
                        count = places[piece, block]
                        places[piece, block] = total
                        total += count
                start[2 * strips] = total
            if job == ALONE:
                for piece in range(places.shape[0]):
                    sort_piece(phase, piece, found, found_items, strip, strips, places, rows, items)
            else:
                open_phase(team, phase, 0, places.shape[0])
                sort_pieces(team, job, seat, found, found_items, strip, strips, places, rows, items)
    leave(team, job, seat)


@lean
def sort_pieces(
    team: np.ndarray,
    job: int,
    seat: int,
    found: np.ndarray,
    found_items: np.ndarray,
    strip: np.ndarray,
    strips: int,
    places: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
) -> None:
    """Handle pieces of the phase that is open, as long as there are any."""
    piece = take(team, job, seat)
    while piece != NONE:
        sort_piece(load(team, PHASE), piece, found, found_items, strip, strips, places, rows, items)
        finish(team, seat)
        piece = take(team, job, seat)


@lean
def sort_piece(
    phase: int,
    piece: int,
    found: np.ndarray,
    found_items: np.ndarray,
    strip: np.ndarray,
    strips: int,
    places: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
) -> None:
    """Count the contacts of a piece by block, or put them where its counts have become places."""
    count, pieces, place = found.shape[0], places.shape[0], places[piece]
    begin, end = count * piece // pieces, count * (piece + 1) // pieces
    if phase == COUNT:
        place[:] = 0
        for c in range(begin, end):
            place[block_of(strip, strips, found_items[c, 0], found_items[c, 1])] += 1
        return
    for c in range(begin, end):
        i, j = found_items[c, 0], found_items[c, 1]
        block = block_of(strip, strips, i, j)
        to = place[block]
        place[block] = to + 1
        rows[to, 0], rows[to, 1], rows[to, 2] = found[c, 0], found[c, 1], found[c, 2]
        items[to, 0], items[to, 1] = i, j


@lean
def block_of(strip: np.ndarray, strips: int, i: int, j: int) -> int:
    """Return the block of a contact of the items i and j; j is a static edge when it is not in `strip`."""
    rest = 2 * strips - 1
    first = strip[i]
    if first == WIDE or j >= strip.shape[0] or j == i:
        return rest if first == WIDE else first
    second = strip[j]
    if second == first:
        return first
    low = min(first, second)
    if low == WIDE or max(first, second) - low > 1:
        return rest
    return strips + low
