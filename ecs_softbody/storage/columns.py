"""Columns: each array of a component is declared once, and that declaration validates, packs and documents it.

A `Column` holds one row per element (a particle, a spring); a `Value` holds one entry per entity. Both are
descriptors: reading gives the live data, assigning copies into it after the same checks as the constructor.
"""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

LARGEST = 1.7e308
"""Beyond this a number is not finite as a float."""
NUMBERS = (float, int)
Scalar = TypeVar("Scalar", bound=np.generic)


class HoldsRows(Protocol):
    """What a column needs of the component that it is read from: arrays, and which part of them is its own."""

    row_arrays: dict[str, NDArray[Any]]
    value_arrays: dict[str, NDArray[Any]]
    row_start: int
    row_stop: int
    slot: int


class _Declared(Generic[Scalar]):
    """What a column and a value have in common: type, unit, limits and the check that enforces them."""

    def __init__(
        self,
        width: int = 1,
        *,
        dtype: type[Scalar],
        unit: str = "1",
        minimum: float | None = None,
        maximum: float | None = None,
        above: float | None = None,
        infinite: bool = False,
        unset: bool = False,
        engine: bool = False,
        doc: str = "",
    ) -> None:
        self.width = width
        self.dtype = np.dtype(dtype)
        self.unit = unit
        self.minimum = minimum
        self.maximum = maximum
        self.above = above
        self.infinite = infinite
        self.unset = unset
        self.engine = engine
        self.doc = doc
        self.name = ""
        self.owner = ""
        self.stage = ""
        """The stage that keeps the column for itself; empty for an attribute of the component."""
        self.tail: tuple[int, ...] = () if width == 1 else (width,)
        """Shape of one row."""
        by = " (the engine writes it)" if engine else ""
        self.__doc__ = f"{doc[:1].upper()}{doc[1:]}{f' [{unit}]' if unit != '1' else ''}{by}."
        self._is_flag, self._is_whole = self.dtype.kind == "b", self.dtype.kind in "iu"
        self._least, self._most = -LARGEST, LARGEST
        if self._is_whole:
            limits = np.iinfo(self.dtype)
            self._least, self._most = int(limits.min), int(limits.max)
        self._lowest = -np.inf if minimum is None else minimum
        self._highest = np.inf if maximum is None else maximum

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.owner = owner.__name__

    def fail(self, found: object, allowed: str) -> ValueError:
        """Build the error for a bad value: it names the field, what was found and what is allowed."""
        return ValueError(f"{self.owner}.{self.name}: {found} is not allowed; expected {allowed}")

    def coerce(self, value: ArrayLike | None, shape: tuple[int, ...] | None) -> NDArray[Scalar]:
        """Return `value` as a new checked array of `shape`; with None the shape is (rows, *tail) as given."""
        unset = value is None and self.unset
        if unset:
            value = np.nan
        if shape is not None and (unset or (isinstance(value, NUMBERS) and self._allows(value))):
            filled: NDArray[Scalar] = np.empty(shape, self.dtype)
            filled.fill(value)
            return filled
        array = self._numbers(value)
        self._check_limits(array, keep_nan=unset)
        if shape is None:
            if array.size == 0:
                array = array.reshape((0, *self.tail))
            if array.ndim != 1 + len(self.tail) or array.shape[1:] != self.tail:
                raise self.fail(f"shape {array.shape}", f"shape {self._shape_text('N')}")
            shape = array.shape
        checked: NDArray[Scalar] = np.empty(shape, self.dtype)
        try:
            checked[...] = array
        except ValueError:
            rows = shape[0] if len(shape) > len(self.tail) else ""
            raise self.fail(f"shape {array.shape}", f"shape {self._shape_text(rows)}") from None
        return checked

    def _allows(self, number: float) -> bool:
        """Return whether a number is allowed; anything else takes the slow path to its error."""
        if self._is_flag or isinstance(number, bool):
            return self._is_flag and isinstance(number, bool)
        if self._is_whole and not isinstance(number, int):
            return False
        fine = self._lowest <= number <= self._highest and self._least <= number <= self._most
        return fine and (self.above is None or number > self.above)

    def _shape_text(self, rows: object) -> str:
        parts = [str(part) for part in (rows, *self.tail) if part != ""]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"

    def _numbers(self, value: ArrayLike | None) -> NDArray[Any]:
        try:
            array = np.asarray(value)
        except ValueError:
            raise self.fail(repr(value), f"{self.dtype.name} numbers in rows of equal length") from None
        if array.size == 0:
            return array.astype(self.dtype)
        if self._is_flag:
            if array.dtype.kind != "b" and not np.isin(array, (0, 1)).all():
                raise self.fail(repr(value), "True or False")
            return array
        if array.dtype.kind not in "biuf":
            raise self.fail(repr(value), f"{self.dtype.name} numbers")
        if self._is_whole:
            return self._whole_numbers(array)
        return array.astype(np.float64, copy=False)

    def _whole_numbers(self, array: NDArray[Any]) -> NDArray[Any]:
        if array.dtype.kind in "iu":
            low, high = extremes(array)
            if low >= self._least and high <= self._most:
                return array
        with np.errstate(invalid="ignore"):
            bad = (array != np.floor(array)) | (array < self._least) | (array > self._most)
        if bad.any():
            raise self.fail(array[bad].flat[0], f"whole numbers of type {self.dtype.name}")
        return array

    def _check_limits(self, array: NDArray[Any], *, keep_nan: bool) -> None:
        if self._is_flag or array.size == 0 or keep_nan:
            return
        low, high = extremes(array)  # NaN is both, so both ends being fine means that all of it is
        lowest, highest = self._lowest, self._highest
        fine = lowest <= low and high <= highest and (self.above is None or low > self.above)
        if fine and (self.dtype.kind != "f" or self.infinite or (low > -np.inf and high < np.inf)):
            return
        good = (array >= lowest) & (array <= highest)
        if self.above is not None:
            good &= array > self.above
        if not self.infinite:
            good &= np.isfinite(array)
        where = np.argwhere(~good)[0]
        in_row = f" in row {where[0]}" if where.size and array.ndim > len(self.tail) else ""
        raise self.fail(f"{array[tuple(where)]}{in_row}", self._allowed())

    def check_limits(self, array: NDArray[Any]) -> None:
        """Raise ValueError where a number is not allowed."""
        self._check_limits(array, keep_nan=False)

    def _allowed(self) -> str:
        kind = "whole numbers" if self._is_whole else "numbers" if self.infinite else "finite numbers"
        limit = ""
        if self.minimum is not None:
            limit = f" >= {self.minimum:g}"
        elif self.above is not None:
            limit = f" > {self.above:g}"
        if self.maximum is not None:
            limit += f" and <= {self.maximum:g}"
        unit = f" [{self.unit}]" if self.unit != "1" else ""
        return f"{kind}{limit}{unit}"


def extremes(array: NDArray[Any]) -> tuple[Any, Any]:
    """Return the smallest and the largest number; `array.min()` takes three times as long for a few."""
    return np.minimum.reduce(array, axis=None), np.maximum.reduce(array, axis=None)


class Column(_Declared[Scalar]):
    """One row per element. Reading returns a live, writable view, shape (rows,) or (rows, width).

    `rows_of_particles` marks whole numbers that count rows of the entity's Particles: they are checked
    against them when packed, and the kernels see them as rows of the packed buffer. `owned_by` names the column that
    says of each row which of the component's owners it counts; without it, each entry of a row has its own owner.
    `unset` allows None: the storage writes NaN and the component completes it when first packed.
    """

    def __init__(
        self,
        width: int = 1,
        *,
        dtype: type[Scalar],
        rows_of_particles: bool = False,
        owned_by: str | None = None,
        **declared: Any,
    ) -> None:
        super().__init__(width, dtype=dtype, **declared)
        self.rows_of_particles = rows_of_particles
        self.owned_by = owned_by

    @overload
    def __get__(self, component: None, owner: type) -> Column[Scalar]: ...
    @overload
    def __get__(self, component: HoldsRows, owner: type) -> NDArray[Scalar]: ...
    def __get__(self, component: HoldsRows | None, owner: type) -> Column[Scalar] | NDArray[Scalar]:
        if component is None:
            return self
        array = component.row_arrays.get(self.name)
        if array is None:
            array = component.row_arrays[self.name] = np.zeros((component.row_stop, *self.tail), self.dtype)
        return array[component.row_start : component.row_stop]

    def __set__(self, component: HoldsRows, value: ArrayLike) -> None:
        rows = component.row_stop - component.row_start
        if self.rows_of_particles:
            raise AttributeError(
                f"{self.owner}.{self.name} is fixed after creation; replace the component to change its topology"
            )
        own = self.__get__(component, type(component))
        if isinstance(value, np.ndarray) and value.shape == own.shape and value.ctypes.data == own.ctypes.data:
            return  # `column += x` has written already
        own[...] = self.coerce(value, (rows, *self.tail))


class Value(_Declared[Scalar]):
    """One entry per entity: a Python number when `width` is 1, else a live view of shape (width,)."""

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
        return array[component.slot] if self.width > 1 else array.item(component.slot)

    def __set__(self, component: HoldsRows, value: ArrayLike) -> None:
        component.value_arrays[self.name][component.slot] = self.coerce(value, self.tail)

    def coerce(self, value: ArrayLike | None, shape: tuple[int, ...] | None) -> NDArray[Scalar]:
        """Return `value` as a new checked array; one number does not stand for both of two, as it does in columns."""
        checked = super().coerce(value, shape)
        if shape and value is not None and np.shape(value) != shape:
            raise self.fail(repr(value), f"shape {self._shape_text('')}")
        return checked


def declared_columns(component_type: type[Any]) -> dict[str, Column[Any]]:
    """Return the row columns of a component class in the order of their declaration, those of stages last."""
    return _entries(component_type, Column)


def declared_values(component_type: type[Any]) -> dict[str, Value[Any]]:
    """Return the per-entity values of a component class in the order of their declaration, those of stages last."""
    return _entries(component_type, Value)


_stage_entries: dict[type[Any], dict[str, Column[Any] | Value[Any]]] = {}


def add_stage_columns(component_type: type[Any], stage: str, **entries: Column[Any] | Value[Any]) -> None:
    """Give a component class columns and values that one stage keeps for itself.

    They are packed, moved, copied and cut as all others are, but they are no attributes of the component. Call it where
    the stage is defined: a table that exists has the columns that were declared before it.
    """
    for name, entry in entries.items():
        if name in declared_columns(component_type) or name in declared_values(component_type):
            raise ValueError(f"{component_type.__name__}.{name} is declared already")
        entry.__set_name__(component_type, name)
        entry.stage, entry.engine = stage, True
        _stage_entries.setdefault(component_type, {})[name] = entry
        _known_entries.pop((component_type, Column), None)
        _known_entries.pop((component_type, Value), None)


_known_entries: dict[tuple[type[Any], type[Any]], dict[str, Any]] = {}


def _entries(component_type: type[Any], kind: type[Any]) -> dict[str, Any]:
    key = component_type, kind
    known = _known_entries.get(key)
    if known is None:
        found: dict[str, Any] = {}
        for base in reversed(component_type.__mro__):
            found.update({name: entry for name, entry in vars(base).items() if isinstance(entry, kind)})
        added = _stage_entries.get(component_type, {})
        found.update({name: entry for name, entry in added.items() if isinstance(entry, kind)})
        known = _known_entries[key] = found
    return known
