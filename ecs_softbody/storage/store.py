"""Store: growable columns of one length with spare capacity, the memory under a Table.

Blocks of rows are allocated and released like memory on a heap. Rows stay where they are until the
store grows, which moves all columns to longer arrays, or compacts, which closes the gaps.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.indices import arange, repeat

FIRST_CAPACITY = 64
"""Rows that a new store has room for; each growth doubles the room."""

Group = TypeVar("Group", bound=tuple[Any, ...])
"""Columns that travel to kernels together, by name."""


class Replaced:
    """Counts the times that views of packed arrays were replaced; until the next time views may be
    kept. One for all stores of a world; it also gives out version numbers.
    """

    def __init__(self) -> None:
        self.count = 0
        """How often any view was replaced."""
        self.exposed = 0
        """Counts the columns that users may write to."""
        self.are_all_exposed = False
        """Whether the packed arrays themselves were handed out."""
        self._newest = 0

    def new_version(self) -> int:
        """Return a number that no version of this world had before, on any path of its history.

        A cache that carries the version of what it was made from stays right where a world goes
        back to an earlier moment: equal numbers are of equal content.
        """
        self._newest += 1
        return self._newest

    def versions_of_file(self) -> Callable[[int], int]:
        """Return a function from version numbers in a file to new ones of this world; the same
        number always gives the same one, and -1, for none, stays.

        The numbers of a file are from another world: this world may have had them for something
        else.
        """
        return defaultdict(self.new_version, {-1: -1}).__getitem__


class Store(dict[str, NDArray[Any]]):
    """Named arrays of one common length; `store[name]` is the view of the rows in use.

    It is a dict from names to views, which it makes on first access (`__missing__`), and drops all
    of when `count` or the arrays change: every stage looks some up in every substep.

    A released block is zeroed, which makes its rows inert in every kernel, and reused by the next
    block of the same size: spawning and deleting like bodies moves nothing.
    """

    def __init__(
        self,
        layout: dict[str, tuple[tuple[int, ...], np.dtype[Any]]],
        replaced: Replaced | None = None,
    ) -> None:
        """layout: shape of one row and type of each column, by name."""
        super().__init__()
        self._replaced = replaced or Replaced()
        self.capacity = FIRST_CAPACITY
        """Rows that the arrays have room for."""
        self.count = 0
        """Rows in use, released ones among them: kernels run over rows [0, count)."""
        self.free_count = 0
        """Released rows among these."""
        self.arrays = {
            name: np.zeros((self.capacity, *tail), dtype) for name, (tail, dtype) in layout.items()
        }
        self._groups: dict[type[Any], Any] = {}
        # First rows of the released blocks, by their length.
        self._free: defaultdict[int, list[int]] = defaultdict(list)

    def __missing__(self, name: str) -> NDArray[Any]:
        view = self[name] = self.arrays[name][: self.count]
        return view

    def group(self, kind: type[Group]) -> Group:
        """Return the views of the columns that a NamedTuple names; the same object until the views
        are replaced.
        """
        group = self._groups.get(kind)
        if group is None:
            group = self._groups[kind] = kind(*[self[name] for name in cast(Any, kind)._fields])
        return cast(Group, group)

    def clear(self) -> None:
        """Forget all views."""
        super().clear()
        self._groups.clear()
        self._replaced.count += 1

    def _use(self, rows: int) -> None:
        """Have this many rows in use; views of another length are dropped."""
        self.count = rows
        self.clear()

    def allocate(self, lengths: list[int]) -> list[int]:
        """Reserve blocks of these lengths and return the first row of each."""
        starts = []
        stop = self.count
        for rows in lengths:
            free = self._free.get(rows)
            if free:
                self.free_count -= rows
                starts.append(free.pop())
            else:
                starts.append(stop)
                stop += rows
        if stop > self.capacity:
            self._grow(stop)
        self._use(stop)
        return starts

    def release(self, blocks: list[tuple[int, int]]) -> None:
        """Give blocks (start, rows) back: for the next block of the same size, or for any, at the
        end of the store.
        """
        where = rows_of(*zip(*blocks, strict=True))
        for array in self.arrays.values():
            # Kernels run over released rows, too; without mass and stiffness they change nothing.
            array[where] = 0
        stop = self.count
        for start, rows in blocks:
            if start + rows == stop:
                stop = start
            else:
                self._free[rows].append(start)
                self.free_count += rows
        self._use(stop)

    def fill(
        self, starts: list[int], lengths: list[int], blocks: list[dict[str, NDArray[Any]]]
    ) -> None:
        """Write blocks of columns, given by name: block k to the rows from starts[k] on. Columns
        that a block does not have stay as they are.
        """
        where = rows_of(starts, lengths)
        for name in dict.fromkeys(itertools.chain.from_iterable(blocks)):
            given = [block[name] for block in blocks if name in block]
            if len(given) == len(blocks):
                self.arrays[name][where] = given[0] if len(given) == 1 else np.concatenate(given)
                continue
            for block, start, length in zip(blocks, starts, lengths, strict=True):
                if name in block:
                    self.arrays[name][start : start + length] = block[name]

    def move(self, name: str) -> None:
        """Move a column to other memory, with the same rows: the old memory may still be written
        to.
        """
        self._replace({name: self.arrays[name].copy()})

    def empty(self) -> None:
        """Be as it was made: without rows, and without released ones."""
        self.capacity = FIRST_CAPACITY
        self.count = 0
        self.free_count = 0
        self._free.clear()
        for name, old in list(self.arrays.items()):
            self.arrays[name] = np.zeros((FIRST_CAPACITY, *old.shape[1:]), old.dtype)
        self.clear()

    def copied(self, names: list[str], start: int, length: int) -> dict[str, NDArray[Any]]:
        """Return copies of a block of some columns."""
        arrays = self.arrays
        return {name: arrays[name][start : start + length].copy() for name in names}

    def compacted(self, blocks: list[tuple[int, int]]) -> list[int]:
        """Move the given (start, stop) blocks together, in that order; return where each one starts
        now.
        """
        starts: list[int] = []
        new = {name: np.zeros_like(array) for name, array in self.arrays.items()}
        row = 0
        for start, stop in blocks:
            for name, array in self.arrays.items():
                new[name][row : row + stop - start] = array[start:stop]
            starts.append(row)
            row += stop - start
        self._replace(new)
        self._use(row)
        self.free_count = 0
        self._free.clear()
        return starts

    def _grow(self, needed: int) -> None:
        """Make room for this many rows."""
        # Capacity doubles, so that copies cost a constant time for each row that ever came.
        while self.capacity < needed:
            self.capacity *= 2
        new = {}
        for name, array in self.arrays.items():
            new[name] = np.zeros((self.capacity, *array.shape[1:]), array.dtype)
            new[name][: self.count] = array[: self.count]
        self._replace(new)

    def _replace(self, new: dict[str, NDArray[Any]]) -> None:
        """Swap the arrays in place (components share this dict) and fill the old ones with NaN."""
        self.clear()
        for name, array in new.items():
            old = self.arrays[name]
            self.arrays[name] = array
            # An array that a game has held across the move fails loudly, with NaN, instead of being
            # stale.
            spoil(old)


def rows_of(starts: Sequence[int], lengths: Sequence[int]) -> slice | NDArray[np.int64]:
    """Return the rows of blocks, given by first rows and lengths, one block after the other; as a
    slice where the blocks adjoin.
    """
    if len(starts) == 1:
        return slice(starts[0], starts[0] + lengths[0])
    start = np.array(starts, np.int64)
    length = np.array(lengths, np.int64)
    # A slice is copied in one go; a list of rows is gathered one by one.
    if (start[1:] == start[:-1] + length[:-1]).all():
        return slice(starts[0], starts[-1] + lengths[-1])
    before = np.cumsum(length, dtype=np.int64) - length
    rows: NDArray[np.int64] = arange(length.sum()) + repeat(start - before, length)
    return rows


def spoil(array: NDArray[Any]) -> None:
    """Fill an array that is no longer part of the state with NaN, if it holds floats."""
    if array.dtype.kind == "f":
        array.fill(np.nan)
