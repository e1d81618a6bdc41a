"""Partition: sorts the contacts of a world into batches that threads can solve at the same time, as
in graph colouring.

Bodies lie in partitions across the world, each at least twice as wide as its bodies. So a contact
joins bodies of one partition, or of two neighbours at their interface, less than half a partition
away from it. The list of contacts is in this order, with one thread as well, and so is every
iteration:

    partition 0 | partition 1 | ... | interface 0-1 | interface 1-2 | ... | remainder

Partitions have no body in common, and neither have interfaces. The remainder, the contacts of
bodies wider than half a partition, is one batch. Walls belong to no partition: contacts do not move
them.

The partitions depend on the world alone, not on the number of threads.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats2, Integers1, Integers2, Uint32s1, Uint32s2
from ecs_softbody.collision.contacts.contact_list import ContactList
from ecs_softbody.parallel.compiling import entry, inline, kernel
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.parallel.stage_runner import run_job, run_stage
from ecs_softbody.parallel.workers import Workers
from ecs_softbody.storage.resource import Resource

MOST_PARTITIONS = 32
"""Limit of partitions; the arrays of batches have room for these."""
FEWEST_BODIES = 32
"""Least number of bodies per partition, in the mean."""
WIDTH = 3.0
"""Least width of a partition, over the mean width of a body."""
RANGE = 4.0
"""Partitions cover this many times the mean distance of bodies from their middle: the whole extent,
if they are spread evenly.
"""
CHUNKS = 16
"""Parts into which the list is divided when several threads sort it."""
PARTITIONS = 0
"""First set: the contacts within each partition."""
INTERFACES = 1
"""Second set: the contacts between two neighbouring partitions."""
REMAINDER = 2
"""Third set, a single batch: the contacts of wide bodies, and of bodies further apart."""
BATCH_SETS = 3
"""Sets of batches, in the order of the list: batches of one set have no body in common."""
COUNT = 0
"""First stage of sorting: count the contacts of each chunk by batch."""
COPY = 1
"""Second stage of sorting: copy contacts to their rows."""
WIDE = -1
"""Instead of the partition of a body that is wider than half a partition."""


class BatchArrays(NamedTuple):
    """B batches of contacts, and the rows of the particles that move, in S spans by partition.

    With P partitions, B = 2 P: P partitions, P - 1 interfaces, the remainder.
    """

    # (B + 1,) where the batches begin in the list, and where the last one ends
    start: Integers1
    # (S, 2) spans of rows, first and one after the last, of particles of bodies that move; those of
    # wide bodies come last
    spans: Integers2
    # (P + 1,) or more: partition k, and the remainder as the last one, has the spans
    # [span_start[k], span_stop[k])
    span_start: Integers1
    span_stop: Integers1


class SortArrays(NamedTuple):
    """Inputs and outputs of sorting C contacts into B batches."""

    # (C, 3) rows of the contacts, as found
    found_rows: Uint32s2
    # (C, 2) proxies of the contacts, as found
    found_proxies: Integers2
    # (bodies,) partition of every body, or WIDE
    partition: Integers1
    partitions: int
    # (chunks, 2 MOST_PARTITIONS) workspace: how many contacts each chunk has in each batch, then
    # where in the sorted list the next one of them goes
    next_rows: Integers2
    # (B + 1,) first contact of each batch, and the end of the last one, written
    start: Integers1
    # (C, 3) sorted rows, written
    rows: Uint32s2
    # (C, 2) sorted proxies, written
    proxies: Integers2


class Batches(Resource):
    """The batches of a list of contacts: `partitions` of them, interfaces between them, and the
    remainder.
    """

    made = ("partitions", "_all")
    bound = ("_partition",)

    def __init__(self) -> None:
        self.partitions = 1
        self._partition: NDArray[np.int64] = np.zeros(0, np.int64)
        self._all = BatchArrays(
            np.zeros(2 * MOST_PARTITIONS + 1, np.int64), np.zeros((0, 2), np.int64),
            np.zeros(MOST_PARTITIONS + 2, np.int64), np.zeros(MOST_PARTITIONS + 2, np.int64),
        )  # fmt: skip
        self._next_rows = np.zeros((CHUNKS, 2 * MOST_PARTITIONS), np.int64)
        self._list_spans = PreparedCall(list_spans)
        self._sort = PreparedCall(sort_contacts)

    @property
    def arrays(self) -> BatchArrays:
        """The batches in use."""
        return BatchArrays(self.start, *self._all[1:])

    @property
    def start(self) -> NDArray[np.int64]:
        """Where the batches begin in the list, and where the last one ends; shape (2 partitions +
        1,).
        """
        start: NDArray[np.int64] = self._all.start[: 2 * self.partitions + 1]
        return start

    def divide(
        self,
        box: NDArray[np.float64],
        slots: NDArray[np.int64],
        first: NDArray[np.uint32],
        last: NDArray[np.uint32],
    ) -> None:
        """Find the partition of each body, and the spans of the moving rows.

        box (I, 4) [m]: of all proxies, bodies first. slots: the bodies that move. Body i has the
        particles [first[i], last[i]).
        """
        if len(self._partition) != len(first):
            self._partition = np.zeros(len(first), np.int64)
            self._all = self._all._replace(spans=np.zeros((len(first), 2), np.int64))
        self.partitions = find_partitions(box, self._partition)
        self._list_spans.bind(self._partition, slots, first, last, self._all)(self.partitions)

    def sort(self, contacts: ContactList, workers: Workers) -> None:
        """Put the keys of newly found contacts into the order of the batches, stable within each.

        Their records are not moved: they are filled afterwards.
        """
        if self.partitions == 1:
            self.start[:] = 0, contacts.count, contacts.count
        else:
            self.put_in_order(contacts, workers)

    def put_in_order(self, contacts: ContactList, workers: Workers) -> None:
        """Write the keys of the contacts in sorted order."""
        run, chunks = (workers.run, CHUNKS) if workers.are_used else (workers.run_alone, 1)
        found = contacts.swap_keys()
        next_rows = self._next_rows[:chunks]
        keys = (contacts.rows, contacts.proxies)
        self._sort.bind(
            SortArrays(*found, self._partition, self.partitions, next_rows, self.start, *keys)
        )
        run(self._sort)


@inline
def batches_of(partitions: int, batch_set: int) -> tuple[int, int]:
    """Return the first batch of a set, and how many batches it has."""
    if batch_set == PARTITIONS:
        return 0, partitions
    if batch_set == INTERFACES:
        return partitions, partitions - 1
    return 2 * partitions - 1, 1


@entry
def sort_contacts(task: SortArrays, team: Integers1, job: int, worker_index: int) -> None:
    """Job: copy the keys of contacts in the order of batches, and write where the batches start."""
    run_job(team, job, worker_index, lead_sorting, sort_chunk, task)


@kernel
def lead_sorting(team: np.ndarray, job: int, task: SortArrays) -> None:
    """Count by batch and chunk, turn counts into first rows, and copy.

    The order does not depend on the chunks.
    """
    next_rows = task.next_rows
    start = task.start
    chunks = task.next_rows.shape[0]
    run_stage(team, job, COUNT, 0, chunks, sort_chunk, task)
    total = 0
    for batch in range(2 * task.partitions):
        start[batch] = total
        for chunk in range(chunks):
            count = next_rows[chunk, batch]
            next_rows[chunk, batch] = total
            total += count
    start[2 * task.partitions] = total
    run_stage(team, job, COPY, 0, chunks, sort_chunk, task)


@inline
def sort_chunk(stage: int, chunk: int, worker_index: int, task: SortArrays) -> None:
    """Run a stage on one chunk: COUNT its contacts by batch, or COPY them to their places."""
    found_rows = task.found_rows
    found = task.found_proxies
    rows = task.rows
    proxies = task.proxies
    count = found.shape[0]
    chunks = task.next_rows.shape[0]
    next_row = task.next_rows[chunk]
    begin = count * chunk // chunks
    end = count * (chunk + 1) // chunks
    if stage == COUNT:
        next_row[:] = 0
        for c in range(begin, end):
            next_row[batch_of(task.partition, task.partitions, found[c, 0], found[c, 1])] += 1
        return
    for c in range(begin, end):
        i = found[c, 0]
        j = found[c, 1]
        batch = batch_of(task.partition, task.partitions, i, j)
        to = next_row[batch]
        next_row[batch] = to + 1
        rows[to, 0] = found_rows[c, 0]
        rows[to, 1] = found_rows[c, 1]
        rows[to, 2] = found_rows[c, 2]
        proxies[to, 0] = i
        proxies[to, 1] = j


@kernel
def batch_of(partition: np.ndarray, partitions: int, i: int, j: int) -> int:
    """Return the batch of a contact of body i and proxy j, a body or a static edge.

    partition (B,): of each body; proxies from B on are static edges.
    """
    remainder = 2 * partitions - 1
    first = partition[i]
    if first == WIDE or j >= partition.shape[0] or j == i:
        return remainder if first == WIDE else first
    second = partition[j]
    if second == first:
        return first
    low = min(first, second)
    if low == WIDE or max(first, second) - low > 1:
        return remainder
    return partitions + low


@entry
def find_partitions(box: Floats2, partition: Integers1) -> int:
    """Write the partition of every body; return how many partitions there are.

    box (I, 4) [m]: bodies first. Partitions are strips of equal width along the axis on which
    bodies spread the most, compared with their mean width. Bodies beyond the strips belong to the
    first or the last one.
    """
    body_count = partition.shape[0]
    count = 0
    middle_x = middle_y = width_x = width_y = 0.0
    for i in range(body_count):
        if box[i, 0] <= box[i, 2] and box[i, 1] <= box[i, 3]:
            count += 1
            middle_x += box[i, 0] + box[i, 2]
            middle_y += box[i, 1] + box[i, 3]
            width_x += box[i, 2] - box[i, 0]
            width_y += box[i, 3] - box[i, 1]
    partition[:] = 0
    most = min(MOST_PARTITIONS, count // FEWEST_BODIES)
    if most < 2:
        return 1
    middle_x = 0.5 * middle_x / count
    middle_y = 0.5 * middle_y / count
    width_x = WIDTH * width_x / count
    width_y = WIDTH * width_y / count
    range_x = range_y = 0.0
    for i in range(body_count):
        if box[i, 0] <= box[i, 2] and box[i, 1] <= box[i, 3]:
            range_x += abs(0.5 * (box[i, 0] + box[i, 2]) - middle_x) * RANGE / count
            range_y += abs(0.5 * (box[i, 1] + box[i, 3]) - middle_y) * RANGE / count
    along_x = range_x * width_y > range_y * width_x
    low, high = (0, 2) if along_x else (1, 3)
    middle, width, extent = (
        (middle_x, width_x, range_x) if along_x else (middle_y, width_y, range_y)
    )
    if not 2.0 * width <= extent < math.inf:
        return 1
    partitions = min(most, int(extent / width))
    width = extent / partitions
    for i in range(body_count):
        if box[i, 0] <= box[i, 2] and box[i, 1] <= box[i, 3]:
            position = (0.5 * (box[i, low] + box[i, high]) - middle) / width + 0.5 * partitions
            partition[i] = int(min(max(position, 0.0), partitions - 1.0))
            if box[i, high] - box[i, low] > 0.5 * width:
                partition[i] = WIDE
    return partitions


@entry
def list_spans(
    partition: Integers1,
    slots: Integers1,
    first: Uint32s1,
    last: Uint32s1,
    batches: BatchArrays,
    partitions: int,
) -> None:
    """Write the spans of rows of the bodies `slots`, sorted by partition, see BatchArrays.

    Body i has the particles [first[i], last[i]); if they follow the particles of the body before,
    both are one span.
    """
    start = batches.span_start
    stop = batches.span_stop
    spans = batches.spans
    start[:] = 0
    for i in slots:
        start[(partition[i] if partition[i] != WIDE else partitions) + 1] += 1
    for k in range(partitions + 1):
        start[k + 1] += start[k]
        stop[k] = start[k]
    for i in slots:
        k = partition[i] if partition[i] != WIDE else partitions
        if stop[k] > start[k] and spans[stop[k] - 1, 1] == first[i]:
            spans[stop[k] - 1, 1] = last[i]
        else:
            spans[stop[k], 0] = first[i]
            spans[stop[k], 1] = last[i]
            stop[k] += 1
