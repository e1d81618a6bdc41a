"""Blocks: the contacts of a world in groups that can be solved at the same time.

Bodies lie in strips across the world, twice as wide as a body at least. So a contact joins bodies of one strip, or two
that lie beside a seam, less than half a strip away from it. The list of contacts is in this order, and so is every
round of impulses, with one thread as well:

    strip 0 | strip 1 | ... | seam 0+1 | seam 1+2 | ... | the rest

Strips have no body in common, and neither have seams. The rest, what belongs to bodies that are wider than half a
strip, is one block. Walls belong to nobody: nothing moves them.

The strips depend on the world alone, not on the number of threads.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.block_sorting import WIDE, sort_contacts
from ecs_softbody.collision.contacts import ContactList
from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.workers import Workers

MOST_STRIPS = 32
FEWEST_BODIES = 32
"""A strip has about so many bodies at least."""
WIDTH = 3.0
"""Width of a strip at least, over the mean width of a body."""
RANGE = 4.0
"""Strips cover so many times the mean distance of bodies from their middle: all of them, if they lie evenly."""
PIECES = 16
"""Pieces that contacts are sorted in by several threads."""


class Blocks:
    """The blocks of a list of contacts: `strips` of them are strips, and there are 2 `strips` in all."""

    def __init__(self) -> None:
        self.strips = 1
        self._strip: NDArray[np.int64] = np.zeros(0, np.int64)
        self._start: NDArray[np.int64] = np.zeros(2 * MOST_STRIPS + 1, np.int64)
        self.spans: NDArray[np.int64] = np.zeros((0, 2), np.int64)
        """Spans (S, 2) of the particles of bodies that move, sorted by strip; those of the rest come last."""
        self.span_start: NDArray[np.int64] = np.zeros(MOST_STRIPS + 2, np.int64)
        self.span_stop: NDArray[np.int64] = np.zeros(MOST_STRIPS + 2, np.int64)
        """Strip k, or the rest after the last one, has the spans span_start[k] to span_stop[k]."""
        self._places = np.zeros((PIECES, 2 * MOST_STRIPS), np.int64)

    @property
    def start(self) -> NDArray[np.int64]:
        """Where the blocks begin in the list, and where the last one ends; shape (2 strips + 1,)."""
        return self._start[: 2 * self.strips + 1]

    def divide(
        self,
        box: NDArray[np.float64],
        slots: NDArray[np.int64],
        first: NDArray[np.uint32],
        last: NDArray[np.uint32],
    ) -> None:
        """Find the strips of bodies, from the boxes of all items, and the rows of those that move.

        slots: the bodies that move. Body i has the particles [first[i], last[i]).
        """
        if len(self._strip) != len(first):
            self._strip, self.spans = np.zeros(len(first), np.int64), np.zeros((len(first), 2), np.int64)
        self.strips = find_strips(box, self._strip)
        list_spans(self._strip, self.strips, slots, first, last, self.span_start, self.span_stop, self.spans)

    def sort(self, contacts: ContactList, workers: Workers) -> None:
        """Put contacts into the order of the blocks; within a block they keep theirs. Their data is not moved."""
        if self.strips == 1:
            self.start[:] = 0, contacts.count, contacts.count
        else:
            self.put_in_order(contacts, workers)

    def put_in_order(self, contacts: ContactList, workers: Workers) -> None:
        """Write the contacts anew, sorted."""
        run, pieces = (workers.run, PIECES) if workers.are_used else (workers.run_alone, 1)
        found, found_items = contacts.turn_over()
        run(
            sort_contacts, found, found_items, self._strip, self.strips, self._places[:pieces], self.start,
            contacts.rows, contacts.items,
        )  # fmt: skip


@lean
def find_strips(box: np.ndarray, strip: np.ndarray) -> int:
    """Write the strip of every body, by its box (B, 4); return how many strips there are.

    They lie across the way that bodies spread the most, over their width. What is far away belongs to the last one.
    """
    body_count, count = strip.shape[0], 0
    middle_x = middle_y = width_x = width_y = 0.0
    for i in range(body_count):
        if box[i, 0] <= box[i, 2] and box[i, 1] <= box[i, 3]:
            count += 1
            middle_x += box[i, 0] + box[i, 2]
            middle_y += box[i, 1] + box[i, 3]
            width_x += box[i, 2] - box[i, 0]
            width_y += box[i, 3] - box[i, 1]
    strip[:] = 0
    most = min(MOST_STRIPS, count // FEWEST_BODIES)
    if most < 2:
        return 1
    middle_x, middle_y = 0.5 * middle_x / count, 0.5 * middle_y / count
    width_x, width_y = WIDTH * width_x / count, WIDTH * width_y / count
    range_x = range_y = 0.0
    for i in range(body_count):
        if box[i, 0] <= box[i, 2] and box[i, 1] <= box[i, 3]:
            range_x += abs(0.5 * (box[i, 0] + box[i, 2]) - middle_x) * RANGE / count
            range_y += abs(0.5 * (box[i, 1] + box[i, 3]) - middle_y) * RANGE / count
    along_x = range_x * width_y > range_y * width_x
    low, high = (0, 2) if along_x else (1, 3)
    middle, width, reach = (middle_x, width_x, range_x) if along_x else (middle_y, width_y, range_y)
    if not 2.0 * width <= reach < math.inf:
        return 1
    strips = min(most, int(reach / width))
    width = reach / strips
    for i in range(body_count):
        if box[i, 0] <= box[i, 2] and box[i, 1] <= box[i, 3]:
            place = (0.5 * (box[i, low] + box[i, high]) - middle) / width + 0.5 * strips
            strip[i] = int(min(max(place, 0.0), strips - 1.0))
            if box[i, high] - box[i, low] > 0.5 * width:
                strip[i] = WIDE
    return strips


@lean
def list_spans(
    strip: np.ndarray,
    strips: int,
    slots: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    spans: np.ndarray,
) -> None:
    """Write the rows of the bodies `slots`, sorted by strip, see Blocks; what follows one another is one span."""
    start[:] = 0
    for i in slots:
        start[(strip[i] if strip[i] != WIDE else strips) + 1] += 1
    for k in range(strips + 1):
        start[k + 1] += start[k]
        stop[k] = start[k]
    for i in slots:
        k = strip[i] if strip[i] != WIDE else strips
        if stop[k] > start[k] and spans[stop[k] - 1, 1] == first[i]:
            spans[stop[k] - 1, 1] = last[i]
        else:
            spans[stop[k], 0], spans[stop[k], 1] = first[i], last[i]
            stop[k] += 1
