"""Columns: what is in the packed arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.state.structure import Structure
from ecs_softbody.storage import PackedBuffers


class Columns:
    """The rows in use of all packed arrays."""

    def __init__(self, structure: Structure, buffers: PackedBuffers, last: Columns | None) -> None:
        self._entries: list[tuple[NDArray[Any], NDArray[Any]]] = []
        for layout in structure.stores:
            if count := layout.store.count:
                for array in layout.arrays.values():
                    rows = array[:count]
                    self._entries.append((rows, rows.copy()))

    @property
    def nbytes(self) -> int:
        return sum(content.nbytes for _, content in self._entries)

    def restore(self) -> None:
        """Put the rows back."""
        for rows, content in self._entries:
            rows[...] = content

    def by_array(self) -> dict[int, NDArray[Any]]:
        """Return what was in each array, by the identity of the array."""
        return {id(rows.base): content for rows, content in self._entries}
