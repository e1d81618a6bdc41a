"""Columns: what is in the packed arrays; what has not changed since the snapshot before is shared with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.state.archives.archive import Parts, Whole
from ecs_softbody.state.contents import SMALL, flat_words, is_same
from ecs_softbody.state.structure import Structure
from ecs_softbody.storage import PackedBuffers
from ecs_softbody.storage.table import Table

LARGE = 4096
"""Columns with fewer rows are always compared; of larger ones, those that only the engine writes are not."""
STEADY = ("packed_", "kept_", "original_", "set_")
"""Beginnings of names of columns that change only when the structure does, or who sleeps."""
ALSO_STEADY = frozenset(
    {"batch_order", "body", "outline", "pairs", "triples", "play", "seen_stiffness", "seen_damping"}
)
OF_STRENGTH = frozenset(
    {
        "inverse_mass", "reserved", "angular_valence", "angular_budget", "carried_stiffness", "needed_stiffness",
        "kept_tension",
    }
)  # fmt: skip
"""Columns that the solver "saturated" writes when strengths have changed; the other one writes them in every frame."""
OF_SPRINGS = frozenset({"effective_stiffness", "effective_damping"})
"""The same, of Springs alone: others find theirs in every substep."""
TWINS = {"frame_position": "position"}
"""Where a frame began is where the one before ended."""
NOT_STEADY = frozenset({"kept_position", "kept_tension"})
"""Exceptions of that rule."""


class Column:
    """The rows in use of one array."""

    __slots__ = ("array", "is_small", "is_steady", "name", "rows", "twin", "words")

    def __init__(self, name: str, array: NDArray[Any], count: int, also_steady: frozenset[str]) -> None:
        self.name, self.array, self.rows = name, array, array[:count]
        self.words = flat_words(self.rows)
        self.is_small = self.words.nbytes < SMALL
        steady = (name.startswith(STEADY) or name in ALSO_STEADY) and name not in NOT_STEADY
        self.is_steady = count > LARGE and (steady or name in also_steady)
        self.twin = -1
        """The number of the column whose content in the snapshot before is likely to be that of this one, or -1."""


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
        steady = known and last is not None and last._is_steady(self._key)
        self._content: list[NDArray[Any] | bytes] = []
        self.nbytes = 0
        """Bytes that are not shared with the snapshot before."""
        for column, before in zip(columns, old, strict=True):
            if before is not None and steady and column.is_steady:
                self._content.append(before)
                continue
            likely, words = before if column.twin < 0 else old[column.twin], column.words
            if column.is_small:
                content: NDArray[Any] | bytes = words.tobytes()
                is_shared = content == likely
            else:
                content, is_shared = words, isinstance(likely, np.ndarray) and is_same(words, likely)
            if is_shared and likely is not None:
                content = likely
            else:
                self.nbytes += words.nbytes
            self._content.append(words.copy() if content is words else content)

    def _is_steady(self, key: tuple[int, int, bool]) -> bool:
        """Whether steady columns are now as they were then."""
        return self._key == key and not key[-1]

    def restore(self, buffers: PackedBuffers, changes: int, last: Columns | None) -> None:
        """Put the rows back. `last` is what the world was a moment ago: steady columns that are the same stay."""
        key = buffers.strength_version, changes, _is_plastic(self._structure)
        stay = last is not None and last._structure is self._structure and last._is_steady(key)
        now = last._content if stay and last is not None else [None] * len(self._content)
        for column, content, there in zip(self._structure.columns or (), self._content, now, strict=True):
            if column.is_steady and content is there:
                continue
            column.words[...] = (
                content if isinstance(content, np.ndarray) else np.frombuffer(content, column.words.dtype)
            )

    def take_apart(self, name: int, parts: Parts) -> None:
        """Add its contents and what it goes by, under a name."""
        parts.objects[name, "strength", 0] = self._key
        for number, content in enumerate(self._content):
            array = content if isinstance(content, np.ndarray) else np.frombuffer(content, np.uint8)
            parts.arrays[name, "column", number] = array

    @classmethod
    def put_together(cls, structure: Structure, name: int, whole: Whole) -> Columns:
        """Return what was taken apart under a name."""
        found = cls.__new__(cls)
        found._structure, found._key, found.nbytes = structure, whole.objects[name, "strength", 0], 0
        contents = [whole.array((name, "column", number)) for number in range(len(structure.columns or ()))]
        found._content = [
            content.tobytes() if column.is_small else content
            for column, content in zip(structure.columns or (), contents, strict=True)
        ]
        return found

    def by_array(self) -> dict[int, NDArray[Any]]:
        """Return what was in each array, by the identity of the array."""
        return {
            id(column.array): np.frombuffer(content, column.rows.dtype).reshape(column.rows.shape)
            for column, content in zip(self._structure.columns or (), self._content, strict=True)
        }


def _list_columns(structure: Structure) -> list[Column]:
    columns: list[Column] = []
    for kind, table in structure.tables.items():
        also_steady = frozenset[str]()
        if structure.solver == "saturated":
            also_steady = OF_STRENGTH | OF_SPRINGS if kind.__name__ == "Springs" else OF_STRENGTH
        for store in (table.rows, table.values):
            if store.count:
                own = [Column(name, array, store.count, also_steady) for name, array in store.arrays.items()]
                numbers = {column.name: number for number, column in enumerate(own, len(columns))}
                for column in own:
                    column.twin = numbers.get(TWINS.get(column.name, ""), -1)
                columns += own
    return columns


def _is_plastic(structure: Structure) -> bool:
    """Return whether there are components that write to what is steady otherwise."""
    return any(table.bound and _writes_rest(table) for table in structure.tables.values())


def _writes_rest(table: Table) -> bool:
    return table.component_type.__name__ in ("Plasticity", "Healing", "Tearing")
