"""SpringRuns: which springs are computed in runs, and what they need in the order of the runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Springs
from ecs_softbody.kernels.spring_runs import LEAST_LENGTH, find_runs, follow_changes
from ecs_softbody.storage import PackedBuffers, merged_spans
from ecs_softbody.storage.columns import Floats

UNSEEN = -1
"""Bits that no number has, so that all are found to have changed."""


class SpringRuns:
    """The runs and the other springs of all active components (docs/decisions/0010-runs.md).

    Components whose rows form runs as they are given are used in place. As soon as one has to be sorted for it,
    rest lengths, stiffness and damping are carried over into the order of the runs, wherever they change.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self._table = buffers[Springs]
        self._version = self._serial = self._strength = -1
        self._slots: NDArray[np.int64] = np.zeros(0, np.int64)
        self._all = np.zeros((0, 5), np.uint32)
        self._has_runs: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._place = np.zeros(0, np.uint32)
        self._row_count = self._run_count = 0
        self._moved = False
        self._seen: list[Floats] = []
        self._carried: list[Floats] = []
        self.runs = self._all
        """(R, 5): place of the first spring, its ends, springs, slot."""
        self.spans = np.zeros((0, 2), np.int64)
        """Spans (S, 2) of rows that are in no run."""

    def bring_up_to_date(self) -> tuple[Floats, Floats, Floats]:
        """Follow all changes; return rest lengths, stiffness and damping in the order of the runs, (M,) each."""
        buffers, slots = self._buffers, self._table.active_slots
        changed = self._version != buffers.version
        if changed:
            self._version = buffers.version
            self._sort_new()
            self._find()
        if changed or self._slots is not slots:
            self._slots = slots
            self._choose(slots)
        rows = self._table.rows
        columns = rows["rest_length"], rows["effective_stiffness"], rows["effective_damping"]
        return self._follow(columns) if self._moved else columns

    def _follow(self, columns: tuple[Floats, Floats, Floats]) -> tuple[Floats, Floats, Floats]:
        """Carry over what has changed: rest lengths at any time, strength where saturation or a game wrote it."""
        buffers, active = self._buffers, self._table.active_rows
        written = buffers.frame_start or self._strength != buffers.strength_version
        self._strength = buffers.strength_version
        for index in range(3 if written else 1):
            follow_changes(active, self._place, columns[index], self._seen[index], self._carried[index])
        rest_length, stiffness, damping = self._carried
        return rest_length, stiffness, damping

    def _sort_new(self) -> None:
        """Write `run_order` of the components that have come: by the difference of both ends, then by the first."""
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
        pairs = rows["packed_pairs"][chosen].astype(np.int64)
        order = np.lexsort((pairs[:, 0], pairs[:, 1] - pairs[:, 0], owner))
        rows["run_order"][chosen] = order - begin[owner]

    def _find(self) -> None:
        """Find the runs of all components, active or not."""
        rows, values = self._table.rows, self._table.values
        before = self._place[: self._row_count].copy()
        if len(self._place) < rows.count:
            self._place = np.zeros(rows.capacity, np.uint32)
            self._all = np.zeros((rows.capacity // LEAST_LENGTH + 1, 5), np.uint32)
        in_rows = np.argsort(values["first"], kind="stable")
        self._run_count, bridges, self._moved = find_runs(
            in_rows, values["first"], values["last"], rows["packed_pairs"], rows["run_order"], self._all,
            self._place[: rows.count],
        )  # fmt: skip
        self._row_count = rows.count
        self._has_runs = np.zeros(values.count, np.bool_)
        self._has_runs[self._all[: self._run_count, 4]] = True
        if self._moved:
            self._read_anew(before, values["first"][in_rows], rows.count + bridges)
        else:
            self._seen, self._carried = [], []

    def _read_anew(self, before: NDArray[np.uint32], starts: NDArray[np.uint32], places: int) -> None:
        """Forget what was carried to places that have changed: from the first component on that has such rows."""
        count, old = self._row_count, min(self._row_count, len(before))
        differ = np.flatnonzero(before[:old] != self._place[:old])
        row = int(differ[0]) if len(differ) else old
        row = int(starts[np.searchsorted(starts, row, side="right") - 1])
        if not self._seen or len(self._seen[0]) < count or len(self._carried[0]) < places:
            row, most = 0, 2 * places
            self._seen, self._carried = ([np.zeros(most) for _ in range(3)] for _ in range(2))
        at = int(self._place[row:count].min(initial=places))
        for seen, carried in zip(self._seen, self._carried, strict=True):
            seen[row:count].view(np.int64).fill(UNSEEN)
            carried[at:places] = 0.0

    def _choose(self, slots: NDArray[np.int64]) -> None:
        """Restrict runs and spans to these components; what became of the others while they were out is read anew."""
        self._strength = -1
        values = self._table.values
        active = np.zeros(values.count, np.bool_)
        active[slots] = True
        runs = self._all[: self._run_count]
        self.runs = runs[active[runs[:, 4]]]
        single = slots[~self._has_runs[slots]]
        self.spans = merged_spans(values["first"][single].astype(np.int64), values["last"][single].astype(np.int64))
