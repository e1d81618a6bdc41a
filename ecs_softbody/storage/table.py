"""Table: the packed rows and values of one component class in one world."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.storage.columns import declared_columns, declared_values
from ecs_softbody.storage.component import Component
from ecs_softbody.storage.store import Store, spoil

UINT = np.dtype(np.uint32)
LOOSEST_FREE_SHARE = 0.5
SMALLEST_COMPACTION = 1024


class Table:
    """The packed rows and values of one component class in one world.

    `rows[name]` and `values[name]` are the buffers, shape (rows, ...) and (slots, ...). Every class also has
    the values `first` and `last` (its rows [first, last) in `rows`), `particle_first` and `particle_last`
    (rows of the entity's Particles), `entity`, and `serial`, a number that no other component of the class ever
    has; every column of particle rows has a twin `packed_<name>` that counts rows of the packed Particles. Whatever a
    game may write has a twin `kept_<name>`: what it was when its body fell asleep, to find out what was written since.
    """

    def __init__(self, component_type: type[Component]) -> None:
        self.component_type = component_type
        columns, values = declared_columns(component_type), declared_values(component_type)
        rows = {name: (column.tail, column.dtype) for name, column in columns.items()}
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
        self.rows = Store(rows | {f"kept_{name}": rows[name] for name in self.written_columns})
        self.values = Store(slots | {f"kept_{name}": slots[name] for name in self.written_values})
        self._active: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        self._all_rows, self._all_slots = np.zeros((1, 2), np.int64), np.zeros(0, np.int64)
        self.bound: dict[int, Component] = {}
        self.entities: set[int] = set()
        self._serials = itertools.count(1)
        self.version = 0
        """Counts the times that rows came, went or moved."""

    @property
    def active_rows(self) -> NDArray[np.int64]:
        """Spans (S, 2) of the rows [first, last) that kernels run over."""
        if self._active is not None:
            return self._active[0]
        if self._all_rows[0, 1] != self.rows.count:
            self._all_rows = np.array([(0, self.rows.count)])
        return self._all_rows

    @property
    def active_slots(self) -> NDArray[np.int64]:
        """The slots that kernels run over."""
        if self._active is not None:
            return self._active[1]
        if len(self._all_slots) != self.values.count:
            self._all_slots = np.arange(self.values.count)
        return self._all_slots

    def restrict(self, active: NDArray[np.bool_] | None) -> None:
        """Have kernels run over these slots only, shape (slots,), or over all: None. A new member asks for it again."""
        self._active = None
        if active is not None:
            slots = np.flatnonzero(active)
            first, last = (self.values[name][slots].astype(np.int64) for name in ("first", "last"))
            self._active = merged_spans(first, last), slots

    def bind(self, entity: int, component: Component) -> None:
        """Move a component's rows into the buffers and make its attributes views of them."""
        count = component.row_count
        start, slot = self.rows.allocate(count), self.values.allocate(1)
        for name, own in component.row_arrays.items():
            self.rows.arrays[name][start : start + count] = own
            spoil(own)
        for name, entry in component.value_arrays.items():
            self.values.arrays[name][slot] = entry[0]
        self.values.arrays["entity"][slot] = entity
        self.values.arrays["serial"][slot] = next(self._serials)
        component.row_arrays, component.value_arrays = self.rows.arrays, self.values.arrays
        component.slot, component.table = slot, self
        self._place(component, start)
        self.bound[entity] = component
        self.entities.add(entity)
        self.version += 1
        type(component).loose.discard(component)

    def unbind(self, entity: int) -> None:
        """Give the rows back; the component keeps copies of its own and can be used again."""
        component = self.bound.pop(entity)
        self.entities.discard(entity)
        self.version += 1
        start, count, slot = component.row_start, component.row_count, component.slot
        columns, values = declared_columns(self.component_type), declared_values(self.component_type)
        component.row_arrays = {name: self.rows.arrays[name][start : start + count].copy() for name in columns}
        component.value_arrays = {name: self.values.arrays[name][slot : slot + 1].copy() for name in values}
        component.row_start, component.row_stop, component.slot, component.table = 0, count, 0, None
        self.rows.release(start, count)
        self.values.release(slot, 1)
        type(component).loose.add(component)

    def compact(self) -> bool:
        """Close the gaps when more than half of the rows are free; True when rows have moved."""
        if self.rows.free_count < max(SMALLEST_COMPACTION, LOOSEST_FREE_SHARE * self.rows.count):
            return False
        members = sorted(self.bound.values(), key=lambda component: component.row_start)
        starts = self.rows.compacted([(member.row_start, member.row_stop) for member in members])
        for member, start in zip(members, starts, strict=True):
            self._place(member, start)
        self.version += 1
        return True

    def _place(self, component: Component, start: int) -> None:
        component.row_start, component.row_stop = start, start + component.row_count
        self.values.arrays["first"][component.slot] = component.row_start
        self.values.arrays["last"][component.slot] = component.row_stop


def merged_spans(first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the spans [first, last) in ascending order, adjoining ones joined and empty ones left out."""
    order = np.argsort(first, kind="stable")
    order = order[last[order] > first[order]]
    first, last = first[order], last[order]
    apart = first[1:] != last[:-1]
    starts, ends = np.append(True, apart)[: len(first)], np.append(apart, True)[: len(last)]
    return np.column_stack((first[starts], last[ends]))
