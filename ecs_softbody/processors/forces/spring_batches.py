"""SpringBatches: the springs computed in batches, and their inputs in batch order.

A batch is a run of springs (a, b), (a+1, b+1), (a+2, b+2), ... whose ends follow one another: the
kernel reads both ends from consecutive memory, so vector instructions compute several springs at a
time. Rings and chains are batches as they are given. Lattices are after sorting by (b - a, a); a
batch there may have padding springs without strength, which fill its gaps. So besides its packed
row a spring has an index in batch order, which counts padding springs as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Springs
from ecs_softbody.indices import arange, argsort, flatnonzero, lexsort, repeat, searchsorted
from ecs_softbody.kernels.forces.spring_batches import (
    LEAST_LENGTH,
    SpringOrder,
    copy_changes,
    find_batches,
)
from ecs_softbody.kernels.forces.springs import BatchLaw
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.storage import Column, PackedBuffers, add_stage_columns, merged_spans
from ecs_softbody.storage.resource import Resource, Whole
from ecs_softbody.storage.saved import Saved

UNSEEN = -1
"""As a whole number of 64 bits: all bits set, a NaN that no calculation gives. Written to `_seen`,
it makes every row count as changed.
"""

add_stage_columns(
    Springs,
    "SpringBatches",
    batch_order=Column(
        dtype=np.uint32, doc="rows, counted from the first, in the order that forms batches"
    ),
)


class SpringBatches(Resource):
    """The batches and the other springs of all active components (docs/decisions/0010-batches.md).

    Components whose rows form batches as they are given are used in place. As soon as one has to be
    sorted for it, rest lengths, stiffness and damping are copied into the order of the batches,
    wherever they change.
    """

    bound = ("_sorted",)

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self._table = buffers[Springs]
        self._find_batches = PreparedCall(find_batches)
        # Versions of the buffers for which batches were found, and new components sorted; largest
        # serial number of a component that has been sorted; version of the strengths copied.
        self._version = self._sorted = self.serial = self._strength = -1
        # Active slots for which `batches` and `spans` were chosen.
        self._slots: NDArray[np.int64] = np.zeros(0, np.int64)
        # Batches of all components, also of those asleep, as `batches`; and which slots have any.
        self._all = np.zeros((0, 5), np.uint32)
        self._has_batches: NDArray[np.bool_] = np.zeros(0, np.bool_)
        # (M,) index in batch order of each packed row; whether it differs from the row anywhere.
        self._reordered = np.zeros(0, np.uint32)
        self._moved = False
        # Rest length [m], stiffness [N/m] and damping [N·s/m]: values of each packed row when they
        # were copied last, and the copies in batch order. Empty unless `_moved`.
        self._seen: list[Floats] = []
        self._copies: list[Floats] = []
        self.batches = self._all
        """(B, 5) of active components: index of the first spring in batch order, packed rows of
        both of its ends, number of springs with padding ones, slot.
        """
        self.spans = np.zeros((0, 2), np.int64)
        """Spans (S, 2) of rows that are in no batch."""

    saved = (
        Whole(
            "serial", "Number of the last component whose springs have been sorted into batches."
        ),
    )

    def load(self, saved: Saved) -> None:
        """Load which components have an order; the order of each must be a permutation of its
        rows.
        """
        values = self._table.values
        order = self._table.rows["batch_order"]
        super().load(saved)
        for slot in flatnonzero(
            (values["serial"] <= self.serial) & (values["last"] > values["first"])
        ):
            own = order[values["first"][slot] : values["last"][slot]]
            if not np.array_equal(np.sort(own), arange(len(own))):
                saved.fail(
                    "serial",
                    self.serial,
                    f"an order of all springs of entity {values['entity'][slot]}",
                )

    def follow(self) -> None:
        """Bring `batches`, `spans` and `law` up to date, at the start of each substep."""
        buffers = self._buffers
        slots = self._table.active_slots
        if self._sorted != buffers.version:
            self._sorted = buffers.version
            self._sort_new()
        changed = self._version != buffers.version
        if changed:
            self._version = buffers.version
            self._find()
        if changed or self._slots is not slots:
            self._slots = slots
            self._choose(slots)
        if self._moved:
            self._copy(self._table.rows.group(BatchLaw))

    @property
    def law(self) -> BatchLaw:
        """The inputs of the springs in batch order: the columns themselves where nothing was
        sorted, else the copies.
        """
        return BatchLaw(*self._copies) if self._moved else self._table.rows.group(BatchLaw)

    def _copy(self, columns: BatchLaw) -> None:
        """Copy changed values: rest lengths at any time, strength if saturation or a game wrote
        it.
        """
        buffers = self._buffers
        active = self._table.active_rows
        # Rest lengths are compared in every substep, since muscles, plasticity and games write them
        # at any time; strengths only after saturation has written, and once a frame.
        written = buffers.frame_start or self._strength != buffers.strength_version
        self._strength = buffers.strength_version
        for index in range(3 if written else 1):
            copy_changes(
                active, self._reordered, columns[index], self._seen[index], self._copies[index]
            )

    def _sort_new(self) -> None:
        """Write `batch_order` of new components: by the difference of both ends, then by the first
        end.
        """
        values = self._table.values
        rows = self._table.rows
        new = flatnonzero((values["serial"] > self.serial) & (values["last"] > values["first"]))
        if not len(new):
            return
        # Springs are sorted once, when a component is packed: the order depends on these springs
        # alone, so no bit of a body's forces depends on other bodies.
        self.serial = int(values["serial"].max())
        # All rows of the new components, one component after the other, with the number of each
        # row's component.
        first = values["first"][new].astype(np.int64)
        count = values["last"][new] - first
        owner = repeat(arange(len(new)), count)
        begin = np.cumsum(count, dtype=np.int64) - count
        chosen = arange(len(owner)) + (first - begin)[owner]
        pairs = rows["packed_pairs"][chosen].astype(np.int64)
        order = lexsort((pairs[:, 0], pairs[:, 1] - pairs[:, 0], owner))
        rows["batch_order"][chosen] = order - begin[owner]

    def _find(self) -> None:
        """Find the batches of all components, active or not."""
        rows = self._table.rows
        values = self._table.values
        before = self._reordered
        self._reordered = np.zeros(rows.count, np.uint32)
        room = np.zeros((rows.count // LEAST_LENGTH + 1, 5), np.uint32)
        # All components are listed, asleep or not: falling asleep and waking only choose among
        # batches.
        in_rows = argsort(values["first"], kind="stable")
        arrays = (
            in_rows,
            values["first"],
            values["last"],
            rows.group(SpringOrder),
            room,
            self._reordered,
        )
        count, padding, self._moved = self._find_batches.bind(*arrays)()
        self._all = room[:count].copy()
        self._has_batches = np.zeros(values.count, np.bool_)
        self._has_batches[self._all[:, 4]] = True
        if self._moved:
            self._forget_copies(before, values["first"][in_rows], rows.count + padding)
        else:
            self._seen = []
            self._copies = []

    def _forget_copies(
        self, before: NDArray[np.uint32], starts: NDArray[np.uint32], length: int
    ) -> None:
        """Mark copies whose place in batch order has changed as not made yet: from the first
        component with such a row to the end.

        before: `_reordered` of before; starts: first rows of all components, ascending; length: of
        the batch order.
        """
        count = len(self._reordered)
        old = min(len(self._reordered), len(before))
        differ = flatnonzero(before[:old] != self._reordered[:old])
        row = int(differ[0]) if len(differ) else old
        holder = int(searchsorted(starts, row, side="right")) - 1
        # A cut may leave free rows in front of all components.
        row = int(starts[holder]) if holder >= 0 else 0
        if not self._seen or len(self._seen[0]) < count or len(self._copies[0]) < length:
            row = 0
            most = 2 * length
            self._seen, self._copies = ([np.zeros(most) for _ in range(3)] for _ in range(2))
        at = int(self._reordered[row:count].min(initial=length))
        for seen, copy in zip(self._seen, self._copies, strict=True):
            seen[row:count].view(np.int64).fill(UNSEEN)
            copy[at:length] = 0.0

    def _choose(self, slots: NDArray[np.int64]) -> None:
        """Restrict batches and spans to the components with these slots. Their strengths are
        compared again, since they may have changed while components slept.
        """
        self._strength = -1
        values = self._table.values
        active = np.zeros(values.count, np.bool_)
        active[slots] = True
        self.batches = self._all[active[self._all[:, 4]]]
        self.batches.flags.writeable = False
        single = slots[~self._has_batches[slots]]
        self.spans = merged_spans(
            values["first"][single].astype(np.int64), values["last"][single].astype(np.int64)
        )
