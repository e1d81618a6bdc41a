"""SpringRuns: which springs are computed in runs, and what they need in the order of the runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Springs
from ecs_softbody.kernels.spring_runs import LEAST_LENGTH, find_runs, follow_changes
from ecs_softbody.storage import PackedBuffers
from ecs_softbody.storage.columns import Floats

Integers = NDArray[np.int64]


class SpringRuns:
    """The runs and the other springs of all active components (docs/decisions/0010-runs.md).

    Components whose rows form runs as they are given are used in place. As soon as one has to be sorted for it,
    rest lengths, stiffness and damping are carried over into the order of the runs, wherever they change.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self._table = buffers[Springs]
        self._version = self._serial = self._strength = -1
        self._slots: Integers = np.zeros(0, np.int64)
        self._all_runs = np.zeros((0, 4), np.uint32)
        self._all_spans = np.zeros((0, 2), np.int64)
        self._place = np.zeros(0, np.uint32)
        self._moved = False
        self._seen: list[Floats] = []
        self._carried: list[Floats] = []
        self.runs = self._all_runs
        """(R, 4): place of the first spring, its ends, springs."""
        self.spans = self._all_spans
        """Spans (S, 2) of rows that are in no run."""

    def bring_up_to_date(self) -> tuple[Floats, Floats, Floats]:
        """Follow all changes; return rest lengths, stiffness and damping in the order of the runs, (M,) each."""
        buffers, slots = self._buffers, self._table.active_slots
        if self._version != buffers.version or self._slots is not slots:
            if self._version != buffers.version:
                self._arrange_new()
            self._version, self._slots = buffers.version, slots
            self._find()
        rows = self._table.rows
        columns = rows["rest_length"], rows["effective_stiffness"], rows["effective_damping"]
        if not self._moved:
            return columns
        strong = self._strength != buffers.strength_version or buffers.frame_start
        self._strength = buffers.strength_version
        for index in range(3 if strong else 1):
            follow_changes(
                self._table.active_rows, self._place, columns[index], self._seen[index], self._carried[index]
            )
        rest_length, stiffness, damping = self._carried
        return rest_length, stiffness, damping

    def _arrange_new(self) -> None:
        """Find the order of the components that have come."""
        values, rows = self._table.values, self._table.rows
        new = np.flatnonzero((values["serial"] > self._serial) & (values["last"] > values["first"]))
        if not len(new):
            return
        self._serial = int(values["serial"].max())
        first = values["first"][new].astype(np.int64)
        count = values["last"][new] - first
        owner = np.repeat(np.arange(len(new)), count)
        begin = np.cumsum(count) - count
        chosen = np.arange(len(owner)) + (first - begin)[owner]
        rows["run_order"][chosen] = run_order(rows["packed_pairs"][chosen].astype(np.int64), owner) - begin[owner]

    def _find(self) -> None:
        rows, values = self._table.rows, self._table.values
        if len(self._place) < rows.capacity:
            self._place = np.zeros(rows.capacity, np.uint32)
            self._all_runs = np.zeros((rows.capacity // LEAST_LENGTH + 2, 4), np.uint32)
        if len(self._all_spans) < len(self._slots):
            self._all_spans = np.zeros((values.capacity, 2), np.int64)
        run_count, span_count, self._moved = find_runs(
            self._slots, values["first"], values["last"], rows["packed_pairs"], rows["run_order"],
            self._all_runs, self._all_spans, self._place,
        )  # fmt: skip
        self.runs, self.spans = self._all_runs[:run_count], self._all_spans[:span_count]
        if self._moved:
            self._seen, self._carried = ([unwritten(rows.capacity) for _ in range(3)] for _ in range(2))
            self._strength = -1


def run_order(pairs: Integers, owner: Integers) -> Integers:
    """Return the order in which springs (M, 2) form the longest runs, each owner's (M,) among themselves.

    It is the order that they have, but for owners whose springs are worth sorting.
    """
    order = np.lexsort((pairs[:, 0], pairs[:, 1] - pairs[:, 0], owner))
    given, ordered = (_run_lengths(rows, owner) for rows in (pairs, pairs[order]))
    better = (given < LEAST_LENGTH) & (ordered >= LEAST_LENGTH)
    return np.where(better[owner], order, np.arange(len(pairs)))


def _run_lengths(pairs: Integers, owner: Integers) -> Floats:
    """Return how long the runs of each owner are on the average."""
    starts = np.append(True, (np.diff(pairs, axis=0) != 1).any(axis=1) | (np.diff(owner) != 0))
    lengths: Floats = np.bincount(owner) / np.bincount(owner[starts])
    return lengths


def unwritten(count: int) -> Floats:
    """Return numbers (count,) that nothing has: comparing with them finds that all have changed."""
    return np.full(count, -1, np.int64).view(np.float64)
