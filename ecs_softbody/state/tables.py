"""Tables of a file: the columns of all components, checked before any world has them.

`table_content` makes the JSON of the tables of a snapshot; `read_tables` reads it into TableOfFile
objects. These first learn which rows each component has (`place`), then check all (`finish`), and
at last become the columns of a world (`put_into`).
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.errors import LimitError
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.state.saving import Arrays
from ecs_softbody.state.structure import Structure
from ecs_softbody.storage import Component, PackedBuffers, declared_columns, declared_values
from ecs_softbody.storage.columns import Column, Value
from ecs_softbody.storage.saved import LARGEST_SERIAL, Saved, check_flags
from ecs_softbody.storage.store import FIRST_CAPACITY, Store
from ecs_softbody.storage.table import Table

FOUND_AGAIN = frozenset({"first", "last", "particle_first", "particle_last", "entity"})
"""Values that are recomputed from the places of components, as packed rows are. No file has
them.
"""
GUARDED = frozenset({"position", "velocity", "radius", "mass"})
"""Columns of Particles that may hold NaN: such a body is frozen until a game writes numbers
(finite_guard.py).
"""
MOST_ROWS = 1 << 31
"""Rows that a table in a file may have; row numbers are kept in 32 bits."""


def is_found_again(name: str) -> bool:
    """Return whether a column follows from others, so that no file has it."""
    return name in FOUND_AGAIN or name.startswith("packed_")


def table_content(
    structure: Structure, content: dict[int, NDArray[Any]], arrays: Arrays
) -> list[Any]:
    """Return the JSON of all tables: the places and contents of their rows."""
    layouts = {id(layout.store): layout for layout in structure.stores}
    found = []
    for table, _, version, serial in structure.placed:
        parts = {}
        for part, store in (("rows", table.rows), ("values", table.values)):
            layout = layouts[id(store)]
            capacity, count, _ = layout.numbers
            columns = {
                name: arrays.add(content[id(array)])
                for name, array in layout.arrays.items()
                if id(array) in content and not is_found_again(name)
            }
            for name, array in layout.arrays.items():
                take_spare_room(arrays, name, array, capacity, count)
            free = [[length, starts] for length, starts in layout.free.items() if starts]
            parts[part] = {"capacity": capacity, "count": count, "free": free, "columns": columns}
        found.append(
            [table.component_type.__name__, {"version": version, "serial": serial, **parts}]
        )
    return found


def take_spare_room(
    arrays: Arrays, name: str, like: NDArray[Any], capacity: int, count: int
) -> None:
    """Reserve memory for a column of which the file has `count` rows, or none if it is
    recomputed.
    """
    rows = capacity if is_found_again(name) else capacity - count
    arrays.take_room(rows * like.dtype.itemsize * math.prod(like.shape[1:]))


class StoreOfFile:
    """The columns of one store of a table, rows or values, as a file has them."""

    def __init__(self, saved: Saved, store: Store, arrays: Arrays) -> None:
        self._saved = saved
        self.count = saved.whole("count", 0, MOST_ROWS)
        self.capacity = saved.whole("capacity", max(FIRST_CAPACITY, self.count), MOST_ROWS)
        # Spans [first, last) with an owner: a component, or the list of free blocks.
        self._used: list[tuple[int, int]] = []
        self.free: dict[int, list[int]] = {}
        """First rows of free blocks, by their length."""
        for block in saved.lists("free", 2):
            length = block.whole(0, 0, self.count)
            if length in self.free:
                block.fail(0, length, "one list for each length")
            # Blocks without rows, as for colliders without an outline, may begin behind the last
            # row.
            self.free[length] = block.whole_numbers(
                1, 0, self.count - length if length else MOST_ROWS
            )
            self._used += [(start, start + length) for start in self.free[length]]
        self.free_count = sum(length * len(starts) for length, starts in self.free.items())
        self._in_use = np.zeros(self.count, np.bool_)
        columns = saved.part("columns")
        self.arrays = {
            name: self._column(columns, name, array, arrays) for name, array in store.arrays.items()
        }

    def _column(
        self, columns: Saved, name: str, like: NDArray[Any], arrays: Arrays
    ) -> NDArray[Any]:
        """Return a new array with the content of a column, and zeros behind it."""
        take_spare_room(arrays, name, like, self.capacity, self.count)
        new = np.zeros((self.capacity, *like.shape[1:]), like.dtype)
        if self.count and not is_found_again(name):
            new[: self.count] = columns.view(name, like.dtype, (self.count, *like.shape[1:]))
        return new

    def use(self, first: int, last: int) -> None:
        """Mark rows as used by a component."""
        self._used.append((first, last))
        self._in_use[first:last] = True

    def finish(self) -> None:
        """Check that no row has two owners."""
        self._used.sort()
        for (_, stop), (start, _) in itertools.pairwise(
            span for span in self._used if span[0] < span[1]
        ):
            if start < stop:
                self._saved.fail("free", f"row {start}", "rows with one owner each")
        for name, array in self.arrays.items():
            if array.dtype.kind == "b":
                check_flags(f"{self._saved.owner}.{name}", array)

    def check(self, declared: dict[str, Any], owner: str) -> None:
        """Check the numbers of the columns that a game may set, in the rows that components use;
        set rows that no component uses to 0.

        declared: the columns, or values, of the class, by name; owner: name of the class. Float
        columns that only the engine writes keep their numbers in unused rows: some kernels run over
        all rows and write there.
        """
        for name, array in self.arrays.items():
            column = declared.get(name)
            if column is None or not column.engine or array.dtype.kind != "f":
                array[: self.count][~self._in_use] = 0
            if column is not None and not column.engine:
                check_limits(column, array[: self.count][self._in_use], owner)

    def put_into(self, store: Store) -> None:
        """Let a store have these columns."""
        store.capacity = self.capacity
        store.count = self.count
        store.free_count = self.free_count
        store._free.clear()
        store._free.update({length: list(starts) for length, starts in self.free.items()})
        store.arrays.clear()
        store.arrays.update(self.arrays)
        store.clear()


class TableOfFile:
    """The columns of one component class, and which component has which of their rows."""

    def __init__(self, saved: Saved, table: Table, arrays: Arrays) -> None:
        self.kind = table.component_type
        self.version = saved.version("version", 0)
        self.serial = saved.whole("serial", 1, LARGEST_SERIAL)
        self._saved = saved
        self.rows = StoreOfFile(saved.part("rows"), table.rows, arrays)
        self.values = StoreOfFile(saved.part("values"), table.values, arrays)
        self.places: dict[int, tuple[int, int, int]] = {}
        """First row, row after the last and slot of each entity's component."""

    def place(self, entity: int, place: Saved) -> None:
        """Note where the component of an entity is."""
        first = place.whole(0, 0, MOST_ROWS)
        last = place.whole(1, 0, MOST_ROWS)
        slot = place.whole(2, 0, self.values.count - 1)
        if not (first <= last <= self.rows.count or first == last):
            place.fail(1, f"rows {first} to {last}", f"rows of {self.rows.count}")
        if entity in self.places:
            place.fail(0, f"entity {entity} twice", "each once")
        self.places[entity] = first, last, slot
        self.rows.use(first, last)
        self.values.use(slot, slot + 1)

    def finish(self) -> None:
        """Check all columns, once all components are placed."""
        self.rows.finish()
        self.values.finish()
        self.rows.check(declared_columns(self.kind), self._saved.owner)
        self.values.check(declared_values(self.kind), self._saved.owner)
        slots = [slot for _, _, slot in self.places.values()]
        serials = self.values.arrays["serial"][slots]
        if len(serials) and not 1 <= int(serials.min()) <= int(serials.max()) < self.serial:
            self._saved.fail("serial", self.serial, "a number above those of all components")

    def put_into(self, table: Table) -> None:
        """Let a table have these columns; its components come next."""
        table.begin_anew()
        table.version = self.version
        table._serials = itertools.count(self.serial)
        self.rows.put_into(table.rows)
        self.values.put_into(table.values)


def read_tables(saved: Saved, buffers: PackedBuffers, arrays: Arrays) -> dict[str, TableOfFile]:
    """Return the tables of a file by the names of their classes.

    Raises:
        ValueError: where a column is missing, or is not allowed.
    """
    kinds = {kind.__name__: kind for kind in Component.types}
    found: dict[str, TableOfFile] = {}
    for pair in saved.lists("tables", 2):
        name = pair.text(0)
        if name not in kinds:
            raise SnapshotError(f"it needs the component {name}; import it before")
        if name in found:
            pair.fail(0, name, "each table once")
        found[name] = TableOfFile(pair.part(1, name), buffers[kinds[name]], arrays)
    return found


def check_limits(column: Column[Any] | Value[Any], values: NDArray[Any], owner: str) -> None:
    """Raise ValueError where a component could not have been given a value."""
    if values.dtype.kind == "b":
        return
    bad = column.are_bad(values)
    if column.unset:  # not completed yet, or with nothing: a ring may have no area
        bad &= ~(np.isnan(values) | (values == column.lowest))
    if owner == "Particles" and column.name in GUARDED:
        bad &= np.isfinite(values)
    if bad.any():
        found = values[bad].flat[0]
        raise LimitError(column.owner, column.name, found, column.allowed(found))
