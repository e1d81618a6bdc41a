"""Batches: runs of springs between consecutive particles, for which vector instructions compute the
forces of several springs at a time (`accumulate_batch_force` in springs.py). They are searched for
when springs have come or gone.

In a batch the springs s, s+1, s+2, ... join the particles a, a+1, a+2, ... with b, b+1, b+2, ....
Rings and chains consist of batches as they are given, lattices once they are sorted by b - a and a.
Each row of a lattice's cells then ends with a gap of one spring; a padding spring without strength
fills it. Components whose batches would be too short have their springs computed one by one.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Integers1, Integers2, Uint32s1, Uint32s2
from ecs_softbody.kernels.forces.springs import CHUNK
from ecs_softbody.parallel.compiling import entry, kernel

LEAST_LENGTH = 7
"""Least mean number of springs in the batches of a component for which batches are faster than
springs one by one.
"""
LONGEST_STEP = 2
"""Largest step of both ends from one spring of a batch to the next; a step longer than 1 is filled
with padding springs.
"""
BLOCK = 64
"""Rows that `copy_changes` compares, and rewrites, together."""


class SpringOrder(NamedTuple):
    """Inputs of the search for batches, for all springs, M rows."""

    packed_pairs: Uint32s2  # (M, 2): rows of both ends
    batch_order: Uint32s1
    """(M,): the rows of each component, counted from its first one, sorted so that they give
    batches, by b - a and a.
    """


@entry
def find_batches(
    slots: Integers1,
    first: Uint32s1,
    last: Uint32s1,
    springs: SpringOrder,
    batches: Uint32s2,
    reordered: Uint32s1,
) -> tuple[int, int, bool]:
    """Write the batches (B, 5) of the components `slots`, which are sorted by their rows [first,
    last). Return B, the number of padding springs, and whether any component needs `batch_order`.

    A batch is (index of its first spring, the ends a and b of this spring, number of its springs
    with the padding, slot); none leaves its component. Springs of batches are stored in an order of
    their own, with the padding springs: `reordered` (M,) gets the index of each row in it, also for
    rows of no component.
    """
    batch_count = 0
    padding = 0
    moved = False
    placed = 0
    for slot in slots:
        start = int(first[slot])
        stop = int(last[slot])
        at = start + padding
        for row in range(placed, start):
            reordered[row] = row + padding
        placed = max(placed, stop)
        count, behind = lay_batches(start, stop, at, 1, springs, batches[batch_count:], reordered)
        if count == 0:
            count, behind = lay_batches(
                start, stop, at, LONGEST_STEP, springs, batches[batch_count:], reordered
            )
            moved |= count > 0
        batches[batch_count : batch_count + count, 4] = slot
        batch_count += count
        if count > 0:
            padding = behind - stop
        else:
            for row in range(start, stop):
                reordered[row] = row + padding
    for row in range(placed, len(reordered)):
        reordered[row] = row + padding
    return batch_count, padding, moved


@kernel
def lay_batches(
    start: int,
    stop: int,
    at: int,
    longest_step: int,
    springs: SpringOrder,
    batches: np.ndarray,
    reordered: np.ndarray,
) -> tuple[int, int]:
    """Write the batches of the rows [start, stop) of one component, whose springs are stored from
    index `at` on; return their number and the index behind their springs.

    With a longest_step above 1 the rows are taken in `batch_order`. Return 0 batches where they
    would be shorter than LEAST_LENGTH on average.
    """
    pairs = springs.packed_pairs
    batch_order = springs.batch_order
    most = (stop - start) // LEAST_LENGTH
    count = 0
    length = 0
    a = 0
    b = 0
    for s in range(start, stop):
        row = start + int(batch_order[s]) if longest_step > 1 else s
        # The batch goes on where both ends step on by the same number; step - 1 padding springs
        # fill the gap.
        step = int(pairs[row, 0]) - a
        other = int(pairs[row, 1]) - b
        a = a + step
        b = b + other
        if length > 0 and step == other and 1 <= step <= longest_step and length + step <= CHUNK:
            length += step
            at += step
        else:
            if count == most:
                return 0, at
            length = 1
            at += 1
            batches[count, 0] = at - 1
            batches[count, 1] = a
            batches[count, 2] = b
            count += 1
        batches[count - 1, 3] = length
        reordered[row] = at - 1
    return count, at


@entry
def copy_changes(
    active: Integers2, reordered: Uint32s1, values: Floats1, seen: Floats1, copy: Floats1
) -> None:
    """Bring the copy of a column of springs in the order of the batches up to date: write values[s]
    to copy[reordered[s]], and to seen[s], where values and seen differ in the spans `active` (S, 2)
    of awake rows.

    values, seen, reordered: (M,). Bits are compared, so NaN equals itself.
    """
    now = values.view(np.int64)
    then = seen.view(np.int64)
    for span in range(active.shape[0]):
        for start in range(active[span, 0], active[span, 1], BLOCK):
            stop = min(start + BLOCK, active[span, 1])
            new = now[start:stop]
            old = then[start:stop]
            changed = np.int64(0)
            for s in range(stop - start):
                changed |= new[s] ^ old[s]
            if changed:
                for s in range(start, stop):
                    then[s] = now[s]
                    copy[reordered[s]] = values[s]
