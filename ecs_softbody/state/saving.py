"""Saving: makes JSON and the bytes of arrays of the `saved` fields of stages, at the moment of a
checkpoint.

`fields_of` reads the values from the checkpoint, not from the stages, which may have gone on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.state.checkpoint import Checkpoint
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.storage.saved import SavedArray, type_of

ARRAY = "array"
"""The only key of a JSON object that represents an array."""
ROOM = 224 << 20
"""Bytes that the arrays of a world may take, with the room that tables have kept since they were
larger.
"""


class Arrays:
    """The arrays of a file, for writing or reading; their total size is limited to ROOM."""

    def __init__(self, blobs: Iterable[bytes | memoryview] = ()) -> None:
        self.blobs = list(blobs)
        self._room = ROOM

    def add(self, array: NDArray[Any]) -> dict[str, Any]:
        """Keep the content of an array, and return its JSON."""
        self.take_room(array.nbytes)
        self.blobs.append(np.ascontiguousarray(array).tobytes())
        return {ARRAY: [list(array.shape), type_of(array.dtype), len(self.blobs) - 1]}

    def find(self, encoded: Any) -> SavedArray | None:
        """Return the array that a JSON value represents, None if it represents none.

        Raises:
            ValueError: where an array has no such content.
        """
        if not isinstance(encoded, dict) or encoded.keys() != {ARRAY}:
            return None
        shape, kind, blob = encoded[ARRAY]
        if not isinstance(blob, int) or not 0 <= blob < len(self.blobs):
            raise SnapshotError(f"an array has the content {blob!r}, which there is not")
        self.take_room(len(self.blobs[blob]))
        return SavedArray(tuple(int(length) for length in shape), kind, self.blobs[blob])

    def take_room(self, size: int) -> None:
        """Count the memory of an array of `size` bytes that is about to be made.

        Raises:
            SnapshotError: if the total exceeds the limit of a file.
        """
        self._room -= size
        if self._room < 0:
            raise SnapshotError(f"arrays of more than {ROOM} bytes in all are not allowed")


def fields_of(owner: Any, kept: Checkpoint, arrays: Arrays) -> dict[str, Any]:
    """Return the `saved` fields of an object, as the checkpoint has kept them."""
    found = {}
    for field in type(owner).saved:
        value = owner
        for name in field.path.split("."):
            attributes = kept.attributes_of(value)
            value = getattr(value, name) if attributes is None else attributes[name]
        found[field.name] = _plain(value, kept, arrays)
    return found


def _plain(value: Any, kept: Checkpoint, arrays: Arrays) -> Any:
    """Return the JSON of a value: a number, a text, an array, a container, or an object with
    `saved`.
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if hasattr(type(value), "saved"):
        return fields_of(value, kept, arrays)
    if hasattr(value, "_asdict"):
        return {name: _plain(each, kept, arrays) for name, each in value._asdict().items()}
    if isinstance(value, tuple | dict | list | set):
        content: Any = value if isinstance(value, tuple) else kept.content_of(value)
        members = content.items() if isinstance(value, dict) else content
        found = [_plain(each, kept, arrays) for each in members]
        return sorted(found) if isinstance(value, set) else found
    return _small(value, kept, arrays)


def _small(value: Any, kept: Checkpoint, arrays: Arrays) -> Any:
    """Return the JSON of an array, a number of numpy, bytes, or the class of a component."""
    if isinstance(value, np.ndarray):
        return arrays.add(kept.content_of_array(value))
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, type):
        return value.__name__
    raise TypeError(f"a {type(value).__name__} cannot be saved")
