"""Indices and counts with 64 bits on every machine: numpy's functions, whose own have 32 where
addresses do.

Columns and kernels take int64. In a browser, and on every machine with 32-bit addresses, numpy
finds, counts and sorts with int32, and refuses int64 for counts and indices. These are numpy's
functions without these limits; on machines with 64-bit addresses nothing is copied.
`tests/test_indices.py` finds direct uses of numpy's functions.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.arrays import Integers


def arange(*bounds: int | np.integer[Any]) -> Integers:
    """Return whole numbers: arange(stop), arange(start, stop) or arange(start, stop, step)."""
    return np.arange(*bounds, dtype=np.int64)


def full(count: int, number: int | np.integer[Any]) -> Integers:
    """Return a whole number repeated `count` times, shape (count,)."""
    return np.full(count, number, np.int64)


def flatnonzero(values: ArrayLike) -> Integers:
    """Return where values, taken in a row, are not zero, shape (count,)."""
    return np.asarray(np.flatnonzero(values), np.int64)


def nonzero(values: ArrayLike) -> tuple[Integers, ...]:
    """Return where values are not zero: one array for each axis."""
    return tuple(np.asarray(along, np.int64) for along in np.nonzero(np.asarray(values)))


def argwhere(values: ArrayLike) -> Integers:
    """Return where values are not zero, shape (count, axes)."""
    return np.asarray(np.argwhere(values), np.int64)


def argsort(values: ArrayLike, kind: Literal["quicksort", "stable"] = "quicksort") -> Integers:
    """Return the order in which the last axis is sorted, of the shape of the values."""
    return np.asarray(np.argsort(values, kind=kind), np.int64)


def lexsort(keys: ArrayLike) -> Integers:
    """Return the order that sorts by several keys, the last one first, shape (count,)."""
    return np.asarray(np.lexsort(keys), np.int64)


def searchsorted(
    ordered: ArrayLike, values: ArrayLike, side: Literal["left", "right"] = "left"
) -> Integers:
    """Return the insertion points of values in a sorted array, in the shape of the values."""
    return np.asarray(np.searchsorted(ordered, values, side), np.int64)


def unique(
    values: ArrayLike, *, axis: int | None = None, **returned: Any
) -> tuple[NDArray[Any], ...]:
    """Return the unique values, sorted, and the requested extras: return_index, return_inverse,
    return_counts.
    """
    found, *others = np.unique(np.asarray(values), axis=axis, **returned)
    return found, *(np.asarray(other, np.int64) for other in others)


def bincount(places: ArrayLike, minlength: int = 0) -> Integers:
    """Return how often each number from 0 on is among the places; sums of weights are `sums_at`."""
    return np.asarray(np.bincount(np.asarray(places, np.intp), minlength=minlength), np.int64)


def sums_at(places: ArrayLike, weights: ArrayLike, minlength: int = 0) -> NDArray[np.float64]:
    """Return the sum of the weights at each number from 0 on: numpy's bincount with weights."""
    return np.asarray(np.bincount(np.asarray(places, np.intp), weights, minlength), np.float64)


def repeat(values: ArrayLike, counts: ArrayLike, axis: int | None = None) -> NDArray[Any]:
    """Return each value repeated `counts` times in a row."""
    return np.repeat(values, np.asarray(counts, np.intp), axis)


def taken(values: NDArray[Any], places: ArrayLike) -> NDArray[Any]:
    """Return rows of values, of any shape, in this order."""
    return values.take(np.asarray(places, np.intp), axis=0)


def reduceat(
    combine: np.ufunc, values: ArrayLike, first: ArrayLike, **options: Any
) -> NDArray[Any]:
    """Return one value for each run of rows, which begin at the rows `first`: combine.reduceat."""
    return np.asarray(combine.reduceat(np.asarray(values), np.asarray(first, np.intp), **options))


def argmax(values: ArrayLike, axis: int) -> Integers:
    """Return where the largest value along an axis is, of the shape of the values without it."""
    return np.asarray(np.argmax(values, axis), np.int64)


def argmin(values: ArrayLike, axis: int) -> Integers:
    """Return where the least value along an axis is, of the shape of the values without it."""
    return np.asarray(np.argmin(values, axis), np.int64)
