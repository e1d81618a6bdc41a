"""Columns: the contents of all packed arrays at one moment, for a Snapshot.

Each array's rows in use are kept as bytes. Where the last snapshot has the same bytes, these are
shared. Comparing takes time, too: columns that are known not to have changed since, the steady
ones, are not even compared.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.parallel.many import keep, put_back, whole
from ecs_softbody.parallel.workers import Pending
from ecs_softbody.state.archives.archive import Parts, Whole
from ecs_softbody.state.contents import bytes_of
from ecs_softbody.state.structure import Structure
from ecs_softbody.storage import PackedBuffers
from ecs_softbody.storage.table import Table

Begin = Callable[..., Pending]
"""Begins a call, `begin(may_share, function, *arguments)`: another thread may do it."""
LARGE = 512
"""Columns with at most this many rows are always compared; of longer ones, the steady are not."""
SHARED = 1 << 20
"""Bytes of columns that are worth waking another thread for, which takes 0.1 ms."""
STEADY = ("packed_", "kept_", "original_", "set_")
"""Prefixes of columns that change only with the structure or with the set of sleeping bodies."""
ALSO_STEADY = frozenset(
    {"batch_order", "body", "outline", "pairs", "triples", "play", "seen_stiffness", "seen_damping"}
)
"""Further columns that change only so often, by their whole names."""
OF_STRENGTH = frozenset(
    {
        "inverse_mass",
        "reserved",
        "angular_valence",
        "angular_budget",
        "carried_stiffness",
        "needed_stiffness",
        "kept_tension",
    }
)
"""Columns that the solver "saturated" writes when strengths have changed; the other one writes them
in every frame.
"""
OF_SPRINGS = frozenset({"effective_stiffness", "effective_damping"})
"""Columns of Springs for which the same holds; other classes find theirs in every substep."""
TWINS = {"frame_position": "position"}
"""Columns with another column that most likely had their content a frame ago: a frame begins at the
positions at which the last one ended.
"""
NOT_STEADY = frozenset({"kept_position", "kept_tension"})
"""Columns that have a prefix of STEADY, and are not steady."""
OF_WALLS = "StaticCollider"
"""Class whose "kept_" columns are written whenever a wall changes while bodies sleep. While they
counted as steady, a restore left later values there in levels of more than `LARGE` corners or
walls, and sleepers near the wall woke.
"""


class Layout:
    """The rows in use of all packed arrays, in the order in which they are kept."""

    def __init__(self, structure: Structure) -> None:
        self.arrays: list[NDArray[Any]] = []
        """The whole arrays."""
        self.rows: list[NDArray[Any]] = []
        """Their rows in use."""
        # For each array: whether it is steady, and the number of the array whose earlier content it
        # most likely has, mostly its own.
        steady = list[bool]()
        sources = list[int]()
        for kind, table in structure.tables.items():
            also_steady = ALSO_STEADY | (
                OF_STRENGTH if structure.solver == "saturated" else frozenset()
            )
            if structure.solver == "saturated" and kind.__name__ == "Springs":
                also_steady |= OF_SPRINGS
            for store in (table.rows, table.values):
                if store.count:
                    numbers = {
                        name: number for number, name in enumerate(store.arrays, len(self.rows))
                    }
                    for name, array in store.arrays.items():
                        sources.append(numbers[TWINS.get(name, name)])
                        is_watched = kind.__name__ == OF_WALLS and name.startswith("kept_")
                        steady.append(
                            store.count > LARGE and not is_watched and is_steady(name, also_steady)
                        )
                        self.arrays.append(array)
                        self.rows.append(array[: store.count])
        # The rows as bytes, whether there are many, and the flags of steady ones.
        self.bytes = tuple(map(bytes_of, self.rows))
        self.is_large = sum(each.nbytes for each in self.rows) > SHARED
        self.steady = bytes(steady)
        self.likely = likely_of(sources)
        """Returns, of the contents of an earlier snapshot, for each array the one that most likely
        equals its present content.
        """
        self.unknown: tuple[bytes | None, ...] = (None,) * len(self.rows)
        """In place of these, where there is no earlier snapshot."""
        self.is_plastic = any(
            table.bound and _writes_rest(table) for table in structure.tables.values()
        )
        """Whether there are components that write to otherwise steady columns."""


class Columns:
    """The rows in use of all packed arrays. Another thread may keep them, until `finish`."""

    def __init__(
        self,
        structure: Structure,
        buffers: PackedBuffers,
        changes: int,
        last: Columns | None,
        begin: Begin,
    ) -> None:
        self._structure = structure
        if structure.layout is None:
            structure.layout = Layout(structure)
        layout: Layout = structure.layout
        # Steady columns are unchanged between snapshots with the same key; see `_is_steady`.
        self._key = (buffers.strength_version, changes, layout.is_plastic)
        known = last is not None and last._structure is structure
        likely = layout.likely(last._content) if known and last is not None else layout.unknown
        steady = (
            layout.steady if known and last is not None and last._is_steady(self._key) else None
        )
        self._content: tuple[bytes, ...] = ()
        self.nbytes = 0
        """Bytes of the contents that are not shared with the snapshot before."""
        self._pending = begin(layout.is_large, keep, layout.bytes, likely, steady)

    def finish(self) -> None:
        """Wait for the contents, and take them: call it once, before any other method."""
        self._content, self.nbytes = self._pending.result()
        del self._pending

    def _is_steady(self, key: tuple[int, int, bool]) -> bool:
        """Whether steady columns are now as they were then."""
        return self._key == key and not key[-1]

    def restore(
        self, buffers: PackedBuffers, changes: int, last: Columns | None, begin: Begin
    ) -> Pending:
        """Put the rows back, until the result is there.

        last: the columns of the world a moment ago: steady columns that are the same are not
        written.
        """
        layout = self._layout
        there = self._content
        steady = None
        key = buffers.strength_version, changes, layout.is_plastic
        if last is not None and last._structure is self._structure and last._is_steady(key):
            there = last._content
            steady = layout.steady
        return begin(layout.is_large, put_back, layout.bytes, self._content, there, steady)

    @property
    def _layout(self) -> Layout:
        layout: Layout = self._structure.layout
        return layout

    def take_apart(self, name: int, parts: Parts) -> None:
        """Add the contents and their key to `parts`, keyed by `name`."""
        parts.objects[name, "strength", 0] = self._key
        for number, (content, rows) in enumerate(
            zip(self._content, self._layout.bytes, strict=True)
        ):
            parts.arrays[name, "column", number] = np.frombuffer(
                whole(content, rows.nbytes), np.uint8
            )

    @classmethod
    def put_together(cls, structure: Structure, name: int, whole: Whole) -> Columns:
        """Return the columns that `take_apart` stored under a name."""
        found = cls.__new__(cls)
        found._structure = structure
        found._key = whole.objects[name, "strength", 0]
        found.nbytes = 0
        found._content = tuple(
            whole.array((name, "column", number)).tobytes()
            for number in range(len(found._layout.rows))
        )
        return found

    def by_array(self) -> dict[int, NDArray[Any]]:
        """Return the kept content of each array, by the identity of the array."""
        layout = self._layout
        return {
            id(array): np.frombuffer(whole(content, rows.nbytes), rows.dtype).reshape(rows.shape)
            for array, rows, content in zip(layout.arrays, layout.rows, self._content, strict=True)
        }


def is_steady(name: str, also_steady: frozenset[str]) -> bool:
    """Return whether a column changes only with the structure, the sleeping bodies or a
    strength.
    """
    return name in also_steady or (name.startswith(STEADY) and name not in NOT_STEADY)


def likely_of(sources: list[int]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """Return a function that takes these members of a tuple, in this order."""
    if len(sources) < 2:
        return lambda contents: contents
    return itemgetter(*sources)


def _writes_rest(table: Table) -> bool:
    """Return whether components of this class change rest shapes, which are steady otherwise."""
    return table.component_type.__name__ in ("Plasticity", "Healing", "Tearing")
