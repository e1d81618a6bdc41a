"""Decoding: puts encoded state into a world that is there, which keeps its own stages, tables and functions."""

from __future__ import annotations

import itertools
import random
import sys
from collections import deque
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from ecs_softbody.state.components import registered_as
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.storage import Component, PackedBuffers
from ecs_softbody.storage.table import Table

PACKAGE = "ecs_softbody"
SPARE = 64 << 20
"""Bytes that arrays without content may take, beside 64 times those of the file."""


class Decoder:
    """Turns nodes back into values; what the world has in the same place is written to where it is of the same kind."""

    def __init__(
        self, nodes: list[Any], blobs: list[bytes], buffers: PackedBuffers, entity: Callable[[int], Any]
    ) -> None:
        self._nodes, self._blobs, self._buffers, self._entity = nodes, blobs, buffers, entity
        self._done: dict[int, Any] = {}
        self._used: set[int] = set()
        self._room = SPARE + 64 * sum(map(len, blobs))
        self._depth = 0
        self._small: dict[str, Callable[..., Any]] = {
            "E": lambda number: self._entity(int(number)),
            "#": lambda number: itertools.count(int(number)),
            "n": lambda kind, number: dtype_of(kind).type(number),
            "b": bytes.fromhex,
            "p": Path,
            "c": lambda name, owner: self._buffers[self._tables[name]].bound[owner],
            "f": lambda members: frozenset(self.value(each) for each in members),
        }
        self._tables = {kind.__name__: kind for kind in Component.types}

    def value(self, encoded: Any, current: Any = None) -> Any:
        """Return a value; `current` is what the world has in its place."""
        if not isinstance(encoded, list):
            return encoded
        letter = encoded[0]
        if letter == "-":
            return current
        if letter == "r":
            return self._node(encoded[1], current)
        if letter in "ke":
            found = class_named(encoded[1], current)
            return found[encoded[2]] if letter == "e" and issubclass(found, Enum) else found
        return self._small[letter](*encoded[1:])

    def array(self, shape: list[int], kind: Any, blob: int | None) -> np.ndarray[Any, Any]:
        """Return a new array with the content of a blob, or of zeros."""
        dtype = dtype_of(kind)
        if any(not isinstance(length, int) or length < 0 for length in shape):
            raise SnapshotError(f"an array of shape {shape} is not allowed")
        size = dtype.itemsize
        for length in shape:
            size *= length
        self._room -= size
        if self._room < 0:
            raise SnapshotError("its arrays are larger than the file can hold")
        if blob is None:
            return np.zeros(shape, dtype)
        content = self._blobs[blob]
        if len(content) != size:
            raise SnapshotError(f"an array of {size} bytes has {len(content)}")
        return np.frombuffer(content, dtype).reshape(shape).copy()

    def _node(self, number: int, current: Any) -> Any:
        if number in self._done:
            return self._done[number]
        if not isinstance(number, int) or not 0 <= number < len(self._nodes):
            raise SnapshotError(f"there is no node {number!r}")
        self._depth += 1
        if self._depth > 500:
            raise SnapshotError("its values are nested too deeply")
        node = self._nodes[number]
        made = self._made(number, node[0], node[1:], current)
        self._done[number] = made
        self._depth -= 1
        return made

    def _made(self, number: int, letter: str, rest: list[Any], current: Any) -> Any:
        if letter == "-":
            return current
        if letter in "TSA":
            return self._packed(letter, rest)
        if letter == "x":
            return self._registered(rest)
        if letter == "R":
            return self._random(rest, current)
        if letter in "av":
            made: Any = self._array(letter, rest, current)
        elif letter in "tN":
            made = self._tuple(letter, rest, current)
        elif letter == "o":
            made = self._object(number, rest, current)
        else:
            made = self._container(number, letter, rest[0], current)
        return made

    def _packed(self, letter: str, rest: list[Any]) -> Any:
        """Return a table, one of its stores, or an array of one."""
        name, *place = rest if letter != "A" else rest[0]
        table: Table = self._buffers[self._tables[name]]
        if letter == "T":
            return table
        store = table.rows if place[0] == "rows" else table.values
        return store if letter == "S" else store.arrays[place[1]]

    def _registered(self, rest: list[Any]) -> Any:
        """Return what a registered class makes of what it saved."""
        name, saved = rest
        known = registered_as(name)
        if known is None or known.load is None:
            raise SnapshotError(f"it needs the class {name}; import it, and register it with register_component")
        return known.load(self.value(saved))

    def _array(self, letter: str, rest: list[Any], current: Any) -> Any:
        if letter == "a":
            made, is_fixed = self.array(*rest[:3]), rest[3:] == ["fixed"]
            if is_fixed:
                made.flags.writeable = False
                return made
            fits = isinstance(current, np.ndarray) and current.base is None and id(current) not in self._used
            if fits and current.shape == made.shape and current.dtype == made.dtype and current.flags.writeable:
                current[...] = made
                made = current
            self._used.add(id(made))
            return made
        base = self.value(rest[0])
        offset, strides, shape, kind, blob = rest[1:]
        if 0 in shape:
            return np.zeros(shape, dtype_of(kind))
        view: Any = np.ndarray(shape, dtype_of(kind), base.reshape(-1).view(np.uint8), offset, strides)
        if blob is not None:
            view[...] = self.array(shape, kind, blob)
        return view

    def _object(self, number: int, rest: list[Any], current: Any) -> Any:
        name, attributes = rest
        cls = class_named(name, current)
        if not (type(current) is cls and id(current) not in self._used):
            if issubclass(cls, (type, Enum, np.ndarray, tuple, int, str, dict, list)):
                raise SnapshotError(f"{name} is no class of state")
            current = object.__new__(cls)
        self._done[number] = current
        self._used.add(id(current))
        for attribute, each in attributes.items():
            value = self.value(each, getattr(current, attribute, None))
            if each != ["-"]:
                object.__setattr__(current, attribute, value)
        return current

    def _tuple(self, letter: str, rest: list[Any], current: Any) -> Any:
        fields = rest[-1]
        old = current if isinstance(current, tuple) and len(current) == len(fields) else [None] * len(fields)
        values = [self.value(each, before) for each, before in zip(fields, old, strict=True)]
        if letter == "t":
            return tuple(values)
        cls = class_named(rest[0], current)
        if not (issubclass(cls, tuple) and len(getattr(cls, "_fields", ())) == len(values)):
            raise SnapshotError(f"{rest[0]} has not {len(values)} fields")
        return tuple.__new__(cls, values)

    def _random(self, rest: list[Any], current: Any) -> Any:
        state = self.value(rest[1])
        if rest[0] == "Random":
            common = current if isinstance(current, random.Random) else random.Random()
            common.setstate(state)
            return common
        generator = current if isinstance(current, np.random.Generator) else np.random.default_rng()
        if state["bit_generator"] != type(generator.bit_generator).__name__:
            raise SnapshotError(f"there is no generator of random numbers {state['bit_generator']!r} in its place")
        generator.bit_generator.state = state
        return generator

    def _container(self, number: int, letter: str, content: list[Any], current: Any) -> Any:
        kinds: dict[str, type[Any]] = {"l": list, "q": deque, "s": set, "d": dict}
        cls = kinds[letter]
        fits = isinstance(current, cls) and id(current) not in self._used
        target = current if fits else cls()
        self._done[number] = target
        self._used.add(id(target))
        if letter == "d":
            old = dict(target)
            target.clear()
            for encoded, each in content:
                key = self.value(encoded)
                target[key] = self.value(each, old.get(key))
            return target
        before = list(target) if letter in "lq" else []
        before += [None] * (len(content) - len(before))
        values = [self.value(each, old) for each, old in zip(content, before, strict=False)]
        target.clear()
        (target.update if letter == "s" else target.extend)(values)
        return target


def class_named(name: str, current: Any) -> type[Any]:
    """Return a class of this package, one that is registered, or that of what the world has in its place."""
    kind = type(current)
    if name == f"{kind.__module__}.{kind.__qualname__}":
        return kind
    if (known := registered_as(name)) is not None:
        return known.kind
    module, _, own = name.rpartition(".")
    if module == "builtins" and own in ("int", "float", "bool", "str"):
        return {"int": int, "float": float, "bool": bool, "str": str}[own]
    found = getattr(sys.modules.get(module), own, None) if module.split(".")[0] == PACKAGE else None
    if not isinstance(found, type) or found.__module__ != module:
        raise SnapshotError(f"it needs the class {name}, which this world does not have")
    return found


def dtype_of(kind: Any) -> np.dtype[Any]:
    """Return a type of array elements: numbers and flags, and records of these."""
    if isinstance(kind, dict):
        record: Any = {**kind, "formats": [(name, tuple(shape)) for name, shape in kind["formats"]]}
        dtype: np.dtype[Any] = np.dtype(record)
    else:
        dtype = np.dtype(kind)
    if dtype.hasobject or dtype.kind not in "biufVU":
        raise SnapshotError(f"arrays of {dtype} are not allowed")
    return dtype
