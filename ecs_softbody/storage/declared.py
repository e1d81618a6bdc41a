"""Declared: the common base of Column and Value, with type, unit, limits, and the checks by them.

A declaration is a class attribute of a component. It checks the arguments of the constructor and
all later assignments; by the same limits LimitWatch checks numbers that a game has written into
views.
"""

from __future__ import annotations

import functools
import math
import sys
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.errors import FieldError, LimitError, ShapeError
from ecs_softbody.indices import argwhere
from ecs_softbody.storage.views import FixedArray
from ecs_softbody.validation import FARTHEST, KINDS_OF_NUMBERS

LARGEST = 1.7e308
"""Limit of numbers of any size, a little below the largest float, 1.797e308."""
NUMBERS = (float, int)
"""Types of single numbers that take a fast path."""
FAR = frozenset({"m", "m/s", "rad/s"})
"""Units of values limited to FARTHEST."""
Scalar = TypeVar("Scalar", bound=np.generic)


class Declared(Generic[Scalar]):
    """A column or value: its type, unit and limits, and the check that enforces them."""

    fixed = False
    """Whether it is read-only after construction."""

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
        shared: bool = False,
        doc: str = "",
    ) -> None:
        """Declare an array.

        width: numbers in a row. minimum, maximum: smallest and largest number that is allowed;
        above: all numbers must be larger than this. infinite: whether infinity is allowed, also
        beyond a maximum. unset: whether None is allowed, which is NaN until the component completes
        it. engine: written only by the engine; shared: a game may write it as well. doc: its
        meaning, for docs and `help`.
        """
        self.width = width
        self.dtype = np.dtype(dtype)
        self.unit = unit
        self.minimum = minimum
        self.maximum = maximum
        self.above = above
        self.infinite = infinite
        self.unset = unset
        self.engine = engine
        self.shared = shared
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
        self._least = -LARGEST
        self._most = LARGEST
        if self._is_whole:
            limits = np.iinfo(self.dtype)
            self._least = int(limits.min)
            self._most = int(limits.max)
        self.is_far = (unit in FAR and not infinite) or maximum == FARTHEST
        """Whether it must not be farther from zero than FARTHEST."""
        most = FARTHEST if self.is_far else np.inf
        self._lowest = -most if minimum is None else minimum
        self._highest = most if maximum is None else maximum
        lowest = self._lowest if above is None else math.nextafter(above, math.inf)
        highest = self._highest
        if self.dtype.kind == "f" and not infinite:
            lowest = max(lowest, -sys.float_info.max)
            highest = min(highest, sys.float_info.max)
        self.span = lowest, highest
        """The smallest and the largest number that is allowed."""
        self.lowest = self._lowest if above is None else above
        """The lower limit, whether inclusive or exclusive."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.owner = owner.__name__
        self.is_read_only = self.fixed or (self.engine and not self.shared)

    @property
    def _kind_of_numbers(self) -> str:
        return "whole numbers" if self._is_whole else "numbers"

    @property
    def why(self) -> str:
        """Why it is read-only, if it is."""
        if self.fixed:
            return (
                f"{self.owner}.{self.name} is fixed after creation; replace the component to "
                "change its topology"
            )
        return f"{self.owner}.{self.name} is written by the engine, and only to be read"

    @functools.cached_property
    def kind_of_view(self) -> type[np.ndarray[Any, Any]]:
        """The class of the arrays that are handed out."""
        if self.is_read_only:
            return type(f"Fixed_{self.owner}_{self.name}", (FixedArray,), {"why": self.why})
        return np.ndarray

    def refuse(self, value: object, allowed: str) -> FieldError:
        """Return the error for a bad value."""
        return FieldError(self.owner, self.name, value, allowed)

    def refuse_shape(self, array: NDArray[Any], *rows: int | str) -> ShapeError:
        """Return the error for an array of another shape than `rows` rows, or than one entry."""
        wanted = (*rows, *self.tail)
        lengths = f"{', '.join(map(str, wanted))}{',' if len(wanted) == 1 else ''}"
        return ShapeError(
            self.owner, self.name, array, f"shape ({lengths})", shape=array.shape, wanted=wanted
        )

    def coerce(self, value: ArrayLike | None, shape: tuple[int, ...] | None) -> NDArray[Scalar]:
        """Return `value` as a new checked array of `shape`, which a single number fills; without a
        shape, an array of (rows, *tail) has as many rows as it is given with.
        """
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
                raise self.refuse_shape(array, "N")
            shape = array.shape
        checked: NDArray[Scalar] = np.empty(shape, self.dtype)
        try:
            checked[...] = array
        except ValueError:
            raise self.refuse_shape(array, *shape[: len(shape) - len(self.tail)]) from None
        return checked

    def _allows(self, number: float) -> bool:
        """Return whether a number is allowed; anything else takes the slow path to its error."""
        if self._is_flag or isinstance(number, bool):
            return self._is_flag and isinstance(number, bool)
        if self._is_whole and not isinstance(number, int):
            return False
        fine = self._lowest <= number <= self._highest and self._least <= number <= self._most
        return fine and (self.above is None or number > self.above)

    def _numbers(self, value: ArrayLike | None) -> NDArray[Any]:
        """Return `value` as an array of numbers of the right kind: flags, whole numbers or any."""
        try:
            array = np.asarray(value)
        except ValueError:
            raise self.refuse(value, f"{self._kind_of_numbers} in rows of equal length") from None
        if array.size == 0:
            return array.astype(self.dtype)
        if self._is_flag:
            if array.dtype.kind != "b" and not (
                array.dtype.kind in KINDS_OF_NUMBERS and np.isin(array, (0, 1)).all()
            ):
                raise self.refuse(value, "True or False")
            return array
        if array.dtype.kind not in KINDS_OF_NUMBERS:
            raise self.refuse(value, self._kind_of_numbers)
        if self._is_whole:
            return self._whole_numbers(array)
        return array.astype(np.float64, copy=False)

    def _whole_numbers(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the array if all of its numbers are whole and fit into the type."""
        if array.dtype.kind == "b":
            # Flags cannot be compared with numbers beyond the machine's C long.
            array = array.astype(np.int64)
        if array.dtype.kind in "iu":
            low, high = extremes(array)
            if low >= self._least and high <= self._most:
                return array
        with np.errstate(invalid="ignore"):
            bad = (array != np.floor(array)) | (array < self._least) | (array > self._most)
        if bad.any():
            limits = f"from {self._least} to {self._most}"
            raise self.refuse(array[bad].flat[0], f"whole numbers {limits}")
        return array

    def _check_limits(self, array: NDArray[Any], *, keep_nan: bool) -> None:
        """Raise LimitError for the first number beyond the limits; keep_nan: NaN is allowed."""
        if self._is_flag or array.size == 0 or keep_nan:
            return
        # With NaN, both extremes are NaN: if both are valid, all numbers are.
        low, high = extremes(array)
        least, most = self.span
        if least <= low and high <= most:
            return
        found = argwhere(self.are_bad(array))
        if not len(found):  # infinite ones, beyond a maximum for all others
            return
        where = found[0]
        row = int(where[0]) if where.size and array.ndim > len(self.tail) else None
        bad = array[tuple(where)]
        raise LimitError(self.owner, self.name, bad, self.allowed(bad), row=row)

    def are_bad(self, array: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which of some numbers are beyond the limits, in the shape of the array."""
        good: NDArray[np.bool_] = (array >= self._lowest) & (array <= self._highest)
        if self.above is not None:
            good &= array > self.above
        if not self.infinite:
            good &= np.isfinite(array)
        elif self.maximum is not None:
            good |= array == np.inf
        return ~good

    def allowed(self, bad: float) -> str:
        """Return the allowed values, in words, for a bad number."""
        kind = "finite numbers"
        if self._is_whole or self.infinite:
            kind = self._kind_of_numbers
        limit = ""
        if self.minimum is not None:
            limit = f" >= {self.minimum:g}"
        elif self.above is not None:
            limit = f" > {self.above:g}"
        if self.maximum is not None:
            limit += f" and <= {self.maximum:g}{' or inf' if self.infinite else ''}"
        if self.is_far and FARTHEST < abs(bad) < np.inf:
            limit += f" of at most {FARTHEST:g} in size"
        unit = f" [{self.unit}]" if self.unit != "1" else ""
        return f"{kind}{limit}{unit}"


def extremes(array: NDArray[Any]) -> tuple[Any, Any]:
    """Return the smallest and the largest number; `array.min()` takes three times as long for a
    few.
    """
    return np.minimum.reduce(array, axis=None), np.maximum.reduce(array, axis=None)
