"""Contacts of discs, found by several threads: pairs in pieces, put together in the order of the pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.disc_contacts import find_disc_contacts
from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.team import NONE, enter, finish, leave, take
from ecs_softbody.kernels.workers import Workers

PIECES = 32
LEAST_PAIRS = 256
"""Fewer pairs are not worth sharing."""


class SharedFinding:
    """Keeps what each thread writes to: room for all contacts, and for the points of a body near another one."""

    def __init__(self) -> None:
        self._rows, self._items = np.zeros((0, 0, 3), np.uint32), np.zeros((0, 0, 2), np.int64)
        self._near = np.zeros((0, 0), np.uint32)
        self._pieces = np.zeros((PIECES, 3), np.int64)

    def find_disc_contacts(
        self,
        workers: Workers,
        pairs: NDArray[np.int64],
        arrays: tuple[Any, ...],
        most_points: int,
        rows: NDArray[np.uint32],
        items: NDArray[np.int64],
    ) -> int:
        """Write contacts as the kernel `find_disc_contacts` does, from 0 on; return how many there are.

        arrays: what the kernel takes from place to margin; most_points: those of a body.
        """
        threads, capacity = workers.threads, len(rows)
        if self._rows.shape[:2] != (threads, capacity):
            self._rows = np.zeros((threads, capacity, 3), np.uint32)
            self._items = np.zeros((threads, capacity, 2), np.int64)
        if self._near.shape != (threads, most_points):
            self._near = np.zeros((threads, most_points), np.uint32)
        counts = np.zeros(threads, np.int64)
        workers.run(share_disc_pairs, pairs, *arrays, self._near, self._rows, self._items, counts, self._pieces)
        total = int(counts.sum())
        if total <= capacity:
            join_pieces(self._pieces, self._rows, self._items, rows, items)
        return total


@lean
def share_disc_pairs(
    team: np.ndarray,
    job: int,
    seat: int,
    pairs: np.ndarray,
    place: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    box: np.ndarray,
    margin: np.ndarray,
    near: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
    counts: np.ndarray,
    pieces: np.ndarray,
) -> None:
    """Find the contacts of the pairs, piece by piece; each thread writes behind what it has written.

    near (T, n), rows (T, C, 3), items (T, C, 2) and counts (T,): those of each thread. Piece k gets the thread that
    found it, its first row there and the one after its last.
    """
    total = pieces.shape[0]
    enter(team, job, seat, total)
    piece = take(team, job, seat)
    while piece != NONE:
        before = counts[seat]
        counts[seat] = find_disc_contacts(
            pairs[pairs.shape[0] * piece // total : pairs.shape[0] * (piece + 1) // total], place, reach, points,
            first, last, box, margin, near[seat], rows[seat], items[seat], before,
        )  # fmt: skip
        pieces[piece, 0], pieces[piece, 1], pieces[piece, 2] = seat, before, counts[seat]
        finish(team, seat)
        piece = take(team, job, seat)
    leave(team, job, seat)


@lean
def join_pieces(
    pieces: np.ndarray, rows: np.ndarray, items: np.ndarray, all_rows: np.ndarray, all_items: np.ndarray
) -> None:
    """Copy the contacts of the pieces, one piece after the other."""
    count = 0
    for piece in range(pieces.shape[0]):
        seat = pieces[piece, 0]
        for c in range(pieces[piece, 1], pieces[piece, 2]):
            for k in range(3):
                all_rows[count, k] = rows[seat, c, k]
            for k in range(2):
                all_items[count, k] = items[seat, c, k]
            count += 1
