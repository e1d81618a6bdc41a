"""Store: growable columns with spare capacity; rows stay where they are until the store grows or compacts."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

FIRST_CAPACITY = 64


class Store(dict[str, NDArray[Any]]):
    """Named arrays of one common length; `store[name]` is the view of the rows in use.

    It is a dict that makes a view when it is first asked for, and forgets all of them when `count` or the arrays
    change: every stage looks some up in every substep.

    A released block is zeroed, which makes its rows inert in every kernel, and reused by the next block of the
    same size: spawning and deleting like bodies moves nothing.
    """

    def __init__(self, layout: dict[str, tuple[tuple[int, ...], np.dtype[Any]]]) -> None:
        super().__init__()
        self.capacity = FIRST_CAPACITY
        self._count = 0
        self.free_count = 0
        self.arrays = {name: np.zeros((self.capacity, *tail), dtype) for name, (tail, dtype) in layout.items()}
        self._free: defaultdict[int, list[int]] = defaultdict(list)

    @property
    def count(self) -> int:
        """Rows in use, released ones among them: kernels run over rows [0, count)."""
        return self._count

    @count.setter
    def count(self, rows: int) -> None:
        self._count = rows
        self.clear()

    def __missing__(self, name: str) -> NDArray[Any]:
        view = self[name] = self.arrays[name][: self._count]
        return view

    def allocate(self, rows: int) -> int:
        """Reserve a block of `rows` rows and return its first row."""
        if self._free[rows]:
            self.free_count -= rows
            return self._free[rows].pop()
        start = self.count
        if start + rows > self.capacity:
            self._grow(start + rows)
        self.count += rows
        return start

    def release(self, start: int, rows: int) -> None:
        """Give a block back."""
        for array in self.arrays.values():
            array[start : start + rows] = 0
        if start + rows == self.count:
            self.count = start
        else:
            self._free[rows].append(start)
            self.free_count += rows

    def compacted(self, blocks: list[tuple[int, int]]) -> list[int]:
        """Move the given (start, stop) blocks together, in that order; return where each one starts now."""
        starts: list[int] = []
        fresh = {name: np.zeros_like(array) for name, array in self.arrays.items()}
        row = 0
        for start, stop in blocks:
            for name, array in self.arrays.items():
                fresh[name][row : row + stop - start] = array[start:stop]
            starts.append(row)
            row += stop - start
        self._replace(fresh)
        self.count, self.free_count = row, 0
        self._free.clear()
        return starts

    def _grow(self, needed: int) -> None:
        self.capacity = max(2 * self.capacity, needed)
        fresh = {}
        for name, array in self.arrays.items():
            fresh[name] = np.zeros((self.capacity, *array.shape[1:]), array.dtype)
            fresh[name][: self.count] = array[: self.count]
        self._replace(fresh)

    def _replace(self, fresh: dict[str, NDArray[Any]]) -> None:
        """Swap the arrays in place (components share this dict) and make the old ones loud."""
        self.clear()
        for name, array in fresh.items():
            old, self.arrays[name] = self.arrays[name], array
            spoil(old)


def spoil(array: NDArray[Any]) -> None:
    """Fill an array that is no longer part of the state with NaN, where its type can say so."""
    if array.dtype.kind == "f":
        array.fill(np.nan)
