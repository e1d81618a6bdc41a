"""Forms: the common format of Writer and Reader, the writer and reader of user-defined values: its
letters, limits and checks.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.state.container import SnapshotError
from ecs_softbody.storage.saved import check_flags

PLAIN = (type(None), bool, int, float, str)
"""Types of values that JSON has itself."""
STAYS = ["-"]
"""Stands for a value that the receiving world keeps as it is."""
DEEPEST = 150
"""How deep values may be nested: reading one level takes five calls of functions, and Python allows
a thousand inside of each other.
"""
CONTAINERS: dict[str, type[Any]] = {
    "l": list, "q": deque, "s": set, "d": dict, "O": OrderedDict, "c": Counter, "m": defaultdict,
}  # fmt: skip
"""Containers by their letter."""
LETTERS = {kind: letter for letter, kind in CONTAINERS.items()}
"""First letter of the encoded form of each container."""
FACTORIES: dict[str, Any] = {
    kind.__name__: kind for kind in (list, dict, set, deque, int, float, str, bool)
}
"""The allowed default factories of a defaultdict, by name."""
GENERATORS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        np.random.MT19937,
        np.random.PCG64,
        np.random.PCG64DXSM,
        np.random.Philox,
        np.random.SFC64,
    )
}
"""The bit generators of numpy that a file may name."""
POSITIONS = {"pos": 624, "buffer_pos": 4}
"""Numbers in the state of a generator that numpy does not look at: where it is in its buffer, and
the largest.
"""
SOME = 700
"""Number of random numbers after which the state of a generator is used up."""
LONGEST_TYPE = 40
"""Letters that the type of array elements in a file may have; longer ones are not parsed."""
LARGEST_LETTER = 0x10FFFF
"""The last code point of Unicode: numpy reads larger ones from bytes, and Python refuses them."""


def name_of(cls: type[Any]) -> str:
    """Return the name of a class, with its module."""
    return f"{cls.__module__}.{cls.__qualname__}"


def simple_type(kind: Any) -> np.dtype[Any]:
    """Return a type of array elements: numbers, flags, times, texts and bytes, or records of these.

    Raises:
        SnapshotError: for any other.
    """
    if isinstance(kind, list):
        *fields, size = kind
        names = []
        formats = []
        offsets = []
        for name, base, shape, offset in fields:
            names.append(name)
            formats.append((_element(base).str, tuple(shape)))
            offsets.append(offset)
        record: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}
        found: np.dtype[Any] = np.dtype(record)
        return found
    return _element(kind)


def _element(kind: Any) -> np.dtype[Any]:
    """Return an allowed type of single elements, by its numpy text such as "<f8"."""
    is_short = isinstance(kind, str) and len(kind) <= LONGEST_TYPE
    dtype: np.dtype[Any] = np.dtype(kind) if is_short else np.dtype(object)
    if dtype.kind not in "biufcUSmM":
        raise SnapshotError(f"arrays of {str(kind)[:60]!r} are not allowed")
    return dtype


def check_elements(array: NDArray[Any]) -> None:
    """Raise ValueError for flags that are neither 0 nor 1, and for invalid characters."""
    for name in array.dtype.names or ():
        check_elements(array[name])
    if array.dtype.kind == "b":
        check_flags("an array", np.ascontiguousarray(array))
    elif array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        whole = np.dtype(np.uint32).newbyteorder(array.dtype.byteorder)
        largest = int(np.ascontiguousarray(array).reshape(-1).view(whole).max())
        if largest > LARGEST_LETTER:
            raise SnapshotError(f"a text has the letter {largest:#x}, which there is not")


def check_changing(numbers: list[int]) -> None:
    """Raise SnapshotError for a random generator that is stuck at one number: code that draws until
    another number comes would never end.
    """
    if len(set(numbers[-3:])) == 1:
        raise SnapshotError("a generator of random numbers gives one for ever")


def shows_a_part(
    size: int, shape: list[int], itemsize: int, offset: int, strides: list[int]
) -> bool:
    """Return whether all elements of an array are within a memory block of `size` bytes.

    numpy looks at it as well, but takes no bytes for enough, and its sum of large strides begins
    again at zero.
    """
    if not all(type(each) is int for each in (*shape, offset, *strides)) or not all(
        length >= 0 for length in shape
    ):
        return False
    ways = [(length - 1) * stride for length, stride in zip(shape, strides, strict=True) if length]
    first = offset + sum(min(way, 0) for way in ways)
    last = offset + sum(max(way, 0) for way in ways)
    return 0 in shape or (first >= 0 and last + itemsize <= size)
