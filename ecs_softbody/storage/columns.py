"""Column and Value: each array of a component is declared once, in its class, and that declaration
validates, packs and documents it.

A `Column` holds one row per element (a particle, a spring); a `Value` holds one entry per entity.
Both are Python descriptors: reading the attribute of a component gives the live data, assigning
copies into it after the same checks as the constructor. Stages declare columns of their own
(`add_stage_columns`), which are packed alike but are no attributes.
"""

from __future__ import annotations

from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.storage.declared import Declared, Scalar
from ecs_softbody.storage.views import OF_STAGE, view_of

ENTRIES = {1: "one number", 2: "two numbers (x, y)"}
"""The allowed form of a value by its width, in words."""


class HoldsRows(Protocol):
    """The part of a component that its columns use: arrays, and the range of its rows and slot."""

    row_arrays: dict[str, NDArray[Any]]  # Columns by name: its own, or those of the whole table
    value_arrays: dict[str, NDArray[Any]]  # Values by name, in the same way
    views: dict[str, NDArray[Any] | None]  # Views that were handed out, by name of the column
    table: Any  # Where it is packed, or None
    row_start: int  # It has the rows [row_start, row_stop)
    row_stop: int
    slot: int  # Its entry in the values


class Column(Declared[Scalar]):
    """One row per element. Reading returns a live, writable view, shape (rows,) or (rows, width).

    `rows_of_particles` marks whole numbers that are rows of the entity's Particles: they are
    checked when packed, and have a twin `packed_<name>` for the kernels. A component that joins
    several entities (owners) has either a column with the number of each row's owner, whose name is
    `owned_by`, or, without it, one owner for each entry of a row. `fixed` marks whole numbers that
    are rows of something else, and are read-only as well. `unset` allows None: the storage writes
    NaN, and the component completes it when first packed.
    """

    def __init__(
        self,
        width: int = 1,
        *,
        dtype: type[Scalar],
        rows_of_particles: bool = False,
        owned_by: str | None = None,
        fixed: bool = False,
        **declared: Any,
    ) -> None:
        super().__init__(width, dtype=dtype, **declared)
        self.fixed = fixed or rows_of_particles
        self.rows_of_particles = rows_of_particles
        self.owned_by = owned_by

    @overload
    def __get__(self, component: None, owner: type) -> Column[Scalar]: ...
    @overload
    def __get__(self, component: HoldsRows, owner: type) -> NDArray[Scalar]: ...
    def __get__(self, component: HoldsRows | None, owner: type) -> Column[Scalar] | NDArray[Scalar]:
        if component is None:
            return self
        view = component.views.get(self.name)
        return self._view(component) if view is None else view

    def _view(self, component: HoldsRows) -> NDArray[Scalar]:
        """Make the view of a component's rows, and remember it if the component is packed."""
        array = component.row_arrays.get(self.name)
        # A column that the engine writes has no array before packing.
        if array is None:
            array = component.row_arrays[self.name] = np.zeros(
                (component.row_stop, *self.tail), self.dtype
            )
        start = component.row_start
        if component.table is None and not self.is_read_only:
            component.views[self.name] = None
            return array[start : component.row_stop]
        view = view_of(self.kind_of_view, array, start, (component.row_stop - start, *self.tail))
        if component.table is not None:
            component.views[self.name] = view
            component.table.expose(self.name)
        return view

    def __set__(self, component: HoldsRows, value: ArrayLike) -> None:
        rows = component.row_stop - component.row_start
        if self.is_read_only:
            raise AttributeError(self.why)
        own = self.__get__(component, type(component))
        if (
            isinstance(value, np.ndarray)
            and value.shape == own.shape
            and value.ctypes.data == own.ctypes.data
        ):
            return  # `column += x` has written already
        own[...] = self.coerce(value, (rows, *self.tail))


class Value(Declared[Scalar]):
    """One entry per entity: a Python number when `width` is 1, else a live view of
    shape (width,).
    """

    @overload
    def __get__(self, component: None, owner: type) -> Value[Scalar]: ...
    @overload
    def __get__(self, component: HoldsRows, owner: type) -> Any: ...
    def __get__(self, component: HoldsRows | None, owner: type) -> Any:
        if component is None:
            return self
        array = component.value_arrays.get(self.name)
        if array is None:
            array = component.value_arrays[self.name] = np.zeros((1, *self.tail), self.dtype)
        return array.item(component.slot) if self.width == 1 else self._view(component, array)

    def _view(self, component: HoldsRows, array: NDArray[Scalar]) -> NDArray[Scalar]:
        view = component.views.get(self.name)
        if view is None:
            view = view_of(self.kind_of_view, array, component.slot, self.tail)
            component.views[self.name] = None if component.table is None else view
            if component.table is not None:
                component.table.expose(self.name)
        return view

    def __set__(self, component: HoldsRows, value: ArrayLike) -> None:
        if self.is_read_only:
            raise AttributeError(self.why)
        component.value_arrays[self.name][component.slot] = self.coerce(value, self.tail)

    def coerce(self, value: ArrayLike | None, shape: tuple[int, ...] | None) -> NDArray[Scalar]:
        """Return `value` as a new checked array; one number does not stand for both of two, as it
        does in columns.
        """
        checked = super().coerce(value, shape)
        if shape and value is not None and np.shape(value) != shape:
            raise self.refuse(value, ENTRIES.get(self.width, f"{self.width} numbers"))
        return checked


def declared_columns(component_type: type[Any]) -> dict[str, Column[Any]]:
    """Return the row columns of a component class in declaration order, columns of stages last."""
    return _entries(component_type, Column)


def declared_values(component_type: type[Any]) -> dict[str, Value[Any]]:
    """Return the per-entity values of a component class in declaration order, values of stages
    last.
    """
    return _entries(component_type, Value)


def fixed_column(component: HoldsRows, name: str) -> NDArray[Any]:
    """Return a view of a column of a component by its name, also of one that a stage keeps for
    itself: for reading only.
    """
    column: NDArray[Any] = declared_columns(type(component))[name].__get__(
        component, type(component)
    )
    return column


_stage_entries: dict[type[Any], dict[str, Column[Any] | Value[Any]]] = {}


def add_stage_columns(
    component_type: type[Any], stage: str, **entries: Column[Any] | Value[Any]
) -> None:
    """Give a component class columns and values that one stage keeps for itself.

    They are packed, moved, copied and cut as all others are, but they are no attributes of the
    component. Call it where the stage is defined: a table that exists has the columns that were
    declared before it.
    """
    for name, entry in entries.items():
        if name in declared_columns(component_type) or name in declared_values(component_type):
            raise ValueError(f"{component_type.__name__}.{name} is declared already")
        entry.stage = stage
        entry.engine = True
        entry.__set_name__(component_type, name)
        _stage_entries.setdefault(component_type, {})[name] = entry
        # The lists that were made before lack the new entry.
        _known_entries.pop((component_type, Column), None)
        _known_entries.pop((component_type, Value), None)


_known_entries: dict[tuple[type[Any], type[Any]], dict[str, Any]] = {}


def _entries(component_type: type[Any], kind: type[Any]) -> dict[str, Any]:
    """Return all Columns, or all Values, of a component class by name; the result is cached."""
    key = component_type, kind
    known = _known_entries.get(key)
    if known is None:
        found: dict[str, Any] = {}
        for base in reversed(component_type.__mro__):
            found.update(
                {name: entry for name, entry in vars(base).items() if isinstance(entry, kind)}
            )
        added = _stage_entries.get(component_type, {})
        found.update({name: entry for name, entry in added.items() if isinstance(entry, kind)})
        known = _known_entries[key] = found
    return known


def stage_view(component: HoldsRows, name: str) -> NDArray[Any]:
    """Return a writable view of a component's column by its name, for the stage that writes it."""
    key = f"{OF_STAGE}{name}"
    view = component.views.get(key)
    if view is None:
        column = declared_columns(type(component))[name]
        count = component.row_stop - component.row_start
        if (array := component.row_arrays.get(name)) is None:
            array = component.row_arrays[name] = np.zeros(
                (component.row_stop, *column.tail), column.dtype
            )
        view = view_of(np.ndarray, array, component.row_start, (count, *column.tail))
        if component.table is not None:
            component.views[key] = view
    return view


def owned(component: HoldsRows, owned_by: str | None, of_owners: NDArray[Any]) -> NDArray[Any]:
    """Return a value for each row of a component, by the owner whose particles the row counts.

    of_owners: a value for every owner. owned_by: as in Column; without it the result is of_owners
    itself, one value for each entry of a row.
    """
    if owned_by is None:
        return of_owners
    values: NDArray[Any] = of_owners[
        component.row_arrays[owned_by][component.row_start : component.row_stop]
    ]
    return values


def packed_rows(component: HoldsRows, name: str) -> NDArray[np.uint32]:
    """Return the packed rows that a packed component's column of particle rows stands for, a live
    view.
    """
    return component.row_arrays[f"packed_{name}"][component.row_start : component.row_stop]
