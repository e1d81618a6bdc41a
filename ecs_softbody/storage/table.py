"""Table: the packed rows and values of one component class in one world.

A component of the class is bound to the table: it has a block of rows, and one slot in the values.
The table knows which rows and slots kernels run over (`active_rows`, `active_slots`), and which
views of its arrays a game may still hold.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.indices import arange, argsort, flatnonzero
from ecs_softbody.storage.columns import declared_columns, declared_values
from ecs_softbody.storage.component import Component
from ecs_softbody.storage.store import Replaced, Store, rows_of, spoil
from ecs_softbody.storage.views import Handed

UINT = np.dtype(np.uint32)
"""Type of row numbers and spans in packed arrays."""
LOOSEST_FREE_SHARE = 0.5
"""Share of free rows from which a table is compacted: kernels run over at most twice the rows in
use. At 0, each deletion would move the rows of all later bodies.
"""
SMALLEST_COMPACTION = 1024
"""Number of free rows below which a table is never compacted, however large their share."""
NO_SPANS = np.zeros((0, 2), np.int64)
"""Active rows of a table whose bodies all sleep."""


class Table:
    """The packed rows and values of one component class in one world.

    `rows[name]` and `values[name]` are the buffers, shape (rows, ...) and (slots, ...). Besides the
    declared ones there are:

    - the values `first` and `last`: a slot has the rows [first, last);
    - `particle_first` and `particle_last`: packed rows of the entity's Particles;
    - `entity`, and `serial`, a number that no other component of the class ever has;
    - `packed_<name>` for each column of particle rows: the same as rows of the packed Particles;
    - `kept_<name>` for each column or value that a game may write: a copy from when the body fell
      asleep, to detect later writes. For awake bodies, `kept_position` is the anchor for measuring
      their motion (processors/sleep/islands.py).
    """

    def __init__(self, component_type: type[Component], replaced: Replaced | None = None) -> None:
        self.component_type = component_type
        self._replaced = replaced or Replaced()
        columns = declared_columns(component_type)
        values = declared_values(component_type)
        rows = {name: (column.tail, column.dtype) for name, column in columns.items()}
        self._column_names = list(columns)
        self._value_names = list(values)
        self.index_names = [name for name, column in columns.items() if column.rows_of_particles]
        rows |= {f"packed_{name}": (columns[name].tail, UINT) for name in self.index_names}
        spans: list[str] = ["first", "last", "particle_first", "particle_last"]
        slots: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = dict.fromkeys(spans, ((), UINT))
        slots["entity"] = slots["serial"] = ((), np.dtype(np.int64))
        slots |= {name: (value.tail, value.dtype) for name, value in values.items()}
        self.written_columns = [
            name for name, column in columns.items() if not column.engine | column.rows_of_particles
        ]
        self.written_values = [name for name, value in values.items() if not value.engine]
        self.rows = Store(
            rows | {f"kept_{name}": rows[name] for name in self.written_columns}, self._replaced
        )
        self.values = Store(
            slots | {f"kept_{name}": slots[name] for name in self.written_values}, self._replaced
        )
        # Row spans and slots that kernels run over; None: all.
        self._active: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        self.forget_all()
        self.bound: dict[int, Component] = {}
        """The packed components, by entity."""
        self.entities: set[int] = set()
        """The keys of `bound`, as a set."""
        self._serials = itertools.count(1)
        self.version = 0
        """Counts the times that rows came, went or moved."""
        self._handed = Handed()
        self.exposed: set[str] = set()
        """Columns that users may write to, since an attribute has handed out a view."""

    def begin_anew(self) -> None:
        """Be as it was made: without rows, and with other arrays than before."""
        self.version = 0
        self._serials = itertools.count(1)
        self._active = None
        self.forget_all()
        self.bound.clear()
        self.entities.clear()
        for store in (self.rows, self.values):
            store.empty()

    def owners(self) -> dict[str, str]:
        """Return all declared columns and values, each with the stage that keeps it for itself, or
        an empty string.
        """
        declared = declared_columns(self.component_type) | declared_values(self.component_type)
        return {name: entry.stage for name, entry in declared.items()}

    def forget_all(self) -> None:
        """Use new arrays for the lists of all rows and slots: stages keep the old ones, which may
        be written to.
        """
        self._all_rows = np.zeros((1, 2), np.int64)
        self._all_slots = np.zeros(0, np.int64)
        self._every_row = np.zeros(0, np.uint32)
        self._row_count = 0

    @property
    def active_rows(self) -> NDArray[np.int64]:
        """Spans (S, 2) of the rows [first, last) that kernels run over."""
        if self._active is not None:
            return self._active[0]
        if self._row_count != self.rows.count:
            self._row_count = self.rows.count
            self._all_rows = np.array([(0, self._row_count)], np.int64)
        return self._all_rows

    @property
    def active_slots(self) -> NDArray[np.int64]:
        """The slots that kernels run over."""
        if self._active is not None:
            return self._active[1]
        if len(self._all_slots) != self.values.count:
            self._all_slots = arange(self.values.count)
        return self._all_slots

    @property
    def every_row(self) -> NDArray[np.uint32]:
        """0, 1, 2, ... for all rows, for kernels that take lists of rows."""
        if len(self._every_row) < self.rows.count:
            self._every_row = np.arange(self.rows.capacity, dtype=np.uint32)
        return self._every_row

    def restrict(self, active: NDArray[np.bool_] | None) -> None:
        """Have kernels run over these slots only, shape (slots,), or over all: None.

        Call it again after adding members.
        """
        self._active = None
        self._replaced.count += 1
        if active is not None:
            slots = flatnonzero(active)
            if not len(slots):
                self._active = NO_SPANS, slots
                return
            first, last = (self.values[name][slots].astype(np.int64) for name in ("first", "last"))
            self._active = merged_spans(first, last), slots

    def bind(self, members: list[tuple[int, Component]]) -> None:
        """Move the rows of components (entity, component) into the buffers, and make their
        attributes views of them.
        """
        components = [component for _, component in members]
        lengths = [component.row_count for component in components]
        ones = [1] * len(components)
        memory = self.rows.capacity, self.values.capacity
        starts = self.rows.allocate(lengths)
        slots = self.values.allocate(ones)
        if memory != (self.rows.capacity, self.values.capacity):
            # The memory is new: views that were handed out are of the old one.
            self.take_back(self.bound.values())
        self.rows.fill(starts, lengths, [component.row_arrays for component in components])
        self.values.fill(slots, ones, [component.value_arrays for component in components])
        where = rows_of(slots, ones)
        self.values.arrays["entity"][where] = [entity for entity, _ in members]
        self.values.arrays["serial"][where] = list(itertools.islice(self._serials, len(slots)))
        self.values.arrays["first"][where] = starts
        self.values.arrays["last"][where] = [
            start + count for start, count in zip(starts, lengths, strict=True)
        ]
        world = esper.current_world
        for (entity, component), start, slot in zip(members, starts, slots, strict=True):
            for own in component.row_arrays.values():
                # Arrays that a game has kept from before packing fail loudly, instead of being
                # stale.
                spoil(own)
            for name in component.views:
                self.expose(name)
            component.views = {}
            component.row_arrays = self.rows.arrays
            component.value_arrays = self.values.arrays
            component.slot = slot
            component.table = self
            component.holder = world, entity
            component.row_stop = start + component.row_count
            component.row_start = start
            self.bound[entity] = component
            self.entities.add(entity)
            self.component_type.loose.discard(component)
        self.version = self._replaced.new_version()

    def bind_loaded(self, entity: int, first: int, last: int, slot: int) -> Component:
        """Return a new component for rows and values that a file has loaded into the buffers."""
        component = object.__new__(self.component_type)
        component.row_arrays = self.rows.arrays
        component.value_arrays = self.values.arrays
        component.views = {}
        component.row_start = first
        component.row_stop = last
        component.slot = slot
        component.table = self
        component.holder = esper.current_world, entity
        self.bound[entity] = component
        self.entities.add(entity)
        return component

    def unbind(self, entities: list[int]) -> list[Component]:
        """Give the rows of these entities back, and return their components, which have copies of
        their own now.
        """
        components = [self.bound.pop(entity) for entity in entities]
        self.entities.difference_update(entities)
        self.version = self._replaced.new_version()
        blocks = [(component.row_start, component.row_count) for component in components]
        slots = [(component.slot, 1) for component in components]
        self.take_back(components)
        for component, (start, count), (slot, _) in zip(components, blocks, slots, strict=True):
            component.row_arrays = self.rows.copied(self._column_names, start, count)
            component.value_arrays = self.values.copied(self._value_names, slot, 1)
            component.row_start = 0
            component.row_stop = count
            component.slot = 0
            component.table = None
        # Columns move before the rows are given back: an old view of them would write into the next
        # body there.
        self.move_away()
        self.rows.release(blocks)
        self.values.release(slots)
        return components

    def expose(self, name: str) -> None:
        """Note that users may write to a column from now on."""
        if name not in self.exposed:
            self.exposed.add(name)
            self._replaced.exposed += 1

    def is_exposed(self, name: str) -> bool:
        """Return whether users may write to a column."""
        return self._replaced.are_all_exposed or name in self.exposed

    def take_back(self, components: Iterable[Component]) -> None:
        """Have components hand out new views from now on: their rows are about to be elsewhere, or
        are already.
        """
        for component in components:
            self._handed.take_back(component)

    def move_away(self) -> bool:
        """Move columns to other memory if views of a removed body could still write to them; return
        whether any moved.
        """
        names = self._handed.endangering(self, self._array)
        for name in sorted(names):
            self.take_back(self.bound.values())
            (self.rows if name in self.rows.arrays else self.values).move(name)
        return bool(names)

    def _array(self, name: str) -> NDArray[Any]:
        return self.rows.arrays[name] if name in self.rows.arrays else self.values.arrays[name]

    def compact(self) -> bool:
        """Close the gaps when more than half of the rows are free; True when rows have moved."""
        if self.rows.free_count < max(SMALLEST_COMPACTION, LOOSEST_FREE_SHARE * self.rows.count):
            return False
        members = sorted(self.bound.values(), key=lambda component: component.row_start)
        self.take_back(members)
        starts = self.rows.compacted([(member.row_start, member.row_stop) for member in members])
        for member, start in zip(members, starts, strict=True):
            member.row_stop = start + member.row_count
            member.row_start = start
        slots = [member.slot for member in members]
        self.values.arrays["first"][slots] = starts
        self.values.arrays["last"][slots] = [member.row_stop for member in members]
        self.version = self._replaced.new_version()
        return True


def merged_spans(first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the spans [first, last), as (S, 2), in ascending order, adjoining ones joined and
    empty ones left out.
    """
    order = argsort(first, kind="stable")
    order = order[last[order] > first[order]]
    first = first[order]
    last = last[order]
    # ends[k]: span k does not go on where span k - 1 stops.
    ends = np.ones(len(order) + 1, np.bool_)
    np.not_equal(first[1:], last[:-1], out=ends[1:-1])
    spans = np.empty((np.count_nonzero(ends[1:]), 2), np.int64)
    spans[:, 0], spans[:, 1] = first[ends[:-1]], last[ends[1:]]
    return spans
