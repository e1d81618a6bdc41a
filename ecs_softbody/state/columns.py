"""Columns: what is in the packed arrays; what has not changed since the snapshot before is shared with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.state.contents import content_of, flat_words
from ecs_softbody.state.structure import Structure
from ecs_softbody.storage import PackedBuffers
from ecs_softbody.storage.table import Table

LARGE = 4096
"""Columns with fewer rows are always compared; of larger ones, those that only the engine writes are not."""
STEADY = ("packed_", "kept_", "original_", "set_")
"""Beginnings of names of columns that change only when the structure does, or who sleeps."""
ALSO_STEADY = frozenset({"batch_order", "body", "outline", "pairs", "triples", "play"})
NOT_STEADY = frozenset({"kept_position", "kept_tension"})


class Column:
    """The rows in use of one array."""

    __slots__ = ("array", "is_steady", "rows", "words")

    def __init__(self, array: NDArray[Any], count: int, *, is_steady: bool) -> None:
        self.array, self.rows, self.is_steady = array, array[:count], is_steady
        self.words = flat_words(self.rows)


class Columns:
    """The rows in use of all packed arrays."""

    def __init__(self, structure: Structure, buffers: PackedBuffers, changes: int, last: Columns | None) -> None:
        self._structure = structure
        if structure.columns is None:
            structure.columns = _list_columns(structure)
        columns: list[Column] = structure.columns
        self._key = (buffers.strength_version, changes, _is_plastic(structure))
        known = last is not None and last._structure is structure
        old = last._content if known and last is not None else [None] * len(columns)
        steady = known and last is not None and last._key == self._key and not self._key[-1]
        self._content: list[NDArray[Any] | bytes] = []
        self.nbytes = 0
        """Bytes that are not shared with the snapshot before."""
        for column, before in zip(columns, old, strict=True):
            content = before if before is not None and steady and column.is_steady else content_of(column.words, before)
            self._content.append(content)
            if content is not before:
                self.nbytes += column.words.nbytes

    def restore(self) -> None:
        """Put the rows back."""
        for column, content in zip(self._structure.columns or (), self._content, strict=True):
            column.words[...] = (
                content if isinstance(content, np.ndarray) else np.frombuffer(content, column.words.dtype)
            )

    def by_array(self) -> dict[int, NDArray[Any]]:
        """Return what was in each array, by the identity of the array."""
        return {
            id(column.array): np.frombuffer(content, column.rows.dtype).reshape(column.rows.shape)
            for column, content in zip(self._structure.columns or (), self._content, strict=True)
        }


def _list_columns(structure: Structure) -> list[Column]:
    columns = []
    for layout in structure.stores:
        if count := layout.store.count:
            for name, array in layout.arrays.items():
                is_steady = name.startswith(STEADY) or name in ALSO_STEADY
                columns.append(Column(array, count, is_steady=is_steady and count > LARGE and name not in NOT_STEADY))
    return columns


def _is_plastic(structure: Structure) -> bool:
    """Return whether there are components that write to what is steady otherwise."""
    return any(table.bound and _writes_rest(table) for table in structure.tables.values())


def _writes_rest(table: Table) -> bool:
    return table.component_type.__name__ in ("Plasticity", "Healing", "Tearing")
