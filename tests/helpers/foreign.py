"""What libraries for other machines have in common: entries that are called with copies of arrays
of numpy.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Call(NamedTuple):
    """What a call needs, laid out for another machine."""

    symbol: str
    slots: list[int]
    """Arguments; an array is its place, then its shape."""
    pointers: list[int]
    """Numbers of the slots that are places in `content`, counted from its beginning."""
    content: bytes
    """All arrays, one after the other."""
    results: int
    """Slots that are written, behind the others."""


class ForeignLibrary(ABC):
    """Has the entries of a library for another machine, as the library has."""

    def __init__(self, folder: Path) -> None:
        listed = json.loads((folder / "kernels.json").read_text(encoding="utf-8"))
        self._entries: dict[str, dict[str, str]] = listed["entries"]
        [self._library] = [folder / name for name in listed["libraries"].values()]

    @abstractmethod
    def run(self, call: Call) -> tuple[bytes, bytes]:
        """Run a call, and return the slots of its results and the arrays as they are then."""

    def find(self, name: str) -> Callable[..., Any]:
        """Return the entry of a kernel, "module:function"."""
        entry = self._entries[name]
        kinds = entry["signature"].partition(">")[2].split()
        numbers = [kind for kind in kinds if kind not in "()"]

        def call(*arguments: Any) -> Any:
            slots = list[int]()
            pointers = list[int]()
            content = bytearray()
            used = list[tuple[np.ndarray, int]]()
            for value in leaves(arguments):
                if isinstance(value, np.ndarray):
                    content += bytes(-len(content) % 16)
                    used.append((value, len(content)))
                    pointers.append(len(slots))
                    slots += [len(content), *value.shape]
                    content += value.tobytes()
                else:
                    number = (
                        np.float64(value)
                        if isinstance(value, (float, np.floating))
                        else np.int64(value)
                    )
                    slots.append(int(number.view(np.int64)))
            results, after = self.run(
                Call(entry["symbol"], slots, pointers, bytes(content), len(numbers))
            )
            for array, at in used:
                array[...] = np.frombuffer(after[at : at + array.nbytes], array.dtype).reshape(
                    array.shape
                )
            found = [
                number_of(kind, raw)
                for kind, raw in zip(numbers, np.frombuffer(results, np.int64), strict=True)
            ]
            return tuple(found) if "(" in kinds else found[0] if found else None

        return call


def number_of(kind: str, raw: np.int64) -> Any:
    """Return the number that a slot has."""
    return {"f8": raw.view(np.float64), "i8": raw, "b1": raw != 0}[kind].item()


def leaves(value: Any) -> Iterator[Any]:
    """Yield arrays and numbers in the order of a signature."""
    if isinstance(value, tuple):
        for part in value:
            yield from leaves(part)
    else:
        yield value
