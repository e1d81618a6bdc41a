"""Encoding: the state of a snapshot as text and arrays; nothing in it is code.

Values are JSON, with lists for what JSON has not: `["r", 5]` is node 5, `["-"]` something that is no state and stays as
the world has it. Nodes are what several values may share: containers, objects, arrays.
"""

from __future__ import annotations

import itertools
from collections import deque
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np

from ecs_softbody.state.checkpoint import Checkpoint
from ecs_softbody.state.components import registered
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.state.kinds import Kind, kind_of, scratch_of, transient_of
from ecs_softbody.state.nodes.objects import next_of
from ecs_softbody.storage.entity import Entity
from ecs_softbody.storage.store import Store
from ecs_softbody.storage.table import Table
from ecs_softbody.storage.views import memory_of

PLAIN = (type(None), bool, int, float, str)
STAYS = ["-"]
CONTAINERS = (Kind.DICT, Kind.LIST, Kind.SET, Kind.DEQUE)


class Encoder:
    """Turns values into JSON and blobs, as a checkpoint has kept them."""

    def __init__(self, kept: Checkpoint, stores: dict[int, list[Any]], components: dict[int, list[Any]]) -> None:
        self.nodes: list[Any] = []
        self.blobs: list[np.ndarray[Any, Any]] = []
        self._kept, self._stores, self._components = kept, stores, components
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []
        self._is_given = False

    def value(self, value: Any) -> Any:
        """Return the JSON of a value."""
        if type(value) in PLAIN:
            return value
        if (small := self._small(value)) is not None:
            return small
        kind = kind_of(type(value))
        if kind == Kind.LEAF or (kind is None and callable(value) and not self._kept.follows(value)):
            return STAYS
        return ["r", self._node(value, kind)]

    def given(self, value: Any) -> Any:
        """Return the JSON of what a function `save` returned: no checkpoint has it."""
        before, self._is_given = self._is_given, True
        found = self.value(value)
        self._is_given = before
        return found

    def _small(self, value: Any) -> list[Any] | None:
        """Return the JSON of a value that is written where it is, None for any other."""
        found: list[Any] | None = None
        if isinstance(value, Enum):
            found = ["e", name_of(type(value)), value.name]
        elif isinstance(value, Entity):
            found = ["E", int(value)]
        elif isinstance(value, np.generic) and value.dtype.names is None:
            found = ["n", value.dtype.str, value.item()]
        elif isinstance(value, bytes):
            found = ["b", value.hex()]
        elif isinstance(value, frozenset):
            found = ["f", [self.value(each) for each in value]]
        elif isinstance(value, type):
            found = ["k", name_of(value)]
        elif id(value) in self._components:
            found = ["c", *self._components[id(value)]]
        elif isinstance(value, PurePath):
            found = ["p", str(value)]
        elif isinstance(value, itertools.count):
            found = ["#", next_of(value)]
        return found

    def blob(self, array: np.ndarray[Any, Any]) -> int:
        """Keep an array, and return its number."""
        self.blobs.append(np.ascontiguousarray(array))
        return len(self.blobs) - 1

    def _node(self, value: Any, kind: Kind | None) -> int:
        if id(value) not in self._numbers:
            number = self._numbers[id(value)] = len(self.nodes)
            self._alive.append(value)
            self.nodes.append(None)
            self.nodes[number] = self._describe(value, kind)
        return self._numbers[id(value)]

    def _describe(self, value: Any, kind: Kind | None) -> list[Any]:
        if isinstance(value, Store):
            return ["S", *self._stores[id(value)]]
        if kind == Kind.ARRAY:
            return self._array(value)
        if kind == Kind.TUPLE:
            fields = [self.value(each) for each in value]
            return ["N", name_of(type(value)), fields] if hasattr(value, "_fields") else ["t", fields]
        if kind in CONTAINERS:
            return self._container(value, kind)
        if kind == Kind.RANDOM:
            return ["R", type(value).__name__, self.value(self._kept.random_of(value))]
        return STAYS if kind == Kind.REPLACED else self._object(value)

    def _container(self, value: Any, kind: Kind | None) -> list[Any]:
        content = value if self._is_given else self._kept.content_of(value)
        if kind == Kind.DICT:
            return ["d", [[self.value(key), self.value(each)] for key, each in content.items()]]
        letter = "l" if kind == Kind.LIST else "q" if isinstance(value, deque) else "s"
        return [letter, [self.value(each) for each in content]]

    def _object(self, value: Any) -> list[Any]:
        cls = type(value)
        if isinstance(value, Table):
            return ["T", value.component_type.__name__]
        attributes, known = self._kept.attributes_of(value), registered(cls)
        if known is not None and known.save is not None:
            return ["x", known.name, self.given(known.save(value))]
        if attributes is None:
            raise SnapshotError(
                f"snapshot: a {cls.__qualname__} cannot be written; register its class with register_component, and "
                "say in save and load what to keep of it"
            )
        skipped, scratch = transient_of(cls), scratch_of(cls)
        encoded = {}
        for name, each in attributes.items():
            if name not in skipped:
                encoded[name] = self._scratch(each) if name in scratch else self.value(each)
        return ["o", name_of(cls), encoded]

    def _scratch(self, value: Any) -> Any:
        """Return a value whose content does not matter: that of arrays is left out."""
        return self.value(value) if isinstance(value, np.ndarray | tuple | int | float | bool) else STAYS

    def _array(self, array: np.ndarray[Any, Any]) -> list[Any]:
        """Return (base, offset, strides, shape, type, content): content where it is kept, base where it is a view."""
        if self._is_given:
            return ["a", list(array.shape), type_of(array.dtype), self.blob(array)]
        content = self._kept.array_of(array)
        base = memory_of(array)
        if id(array) in self._stores:
            return ["A", self._stores[id(array)]]
        kept = None if content is None else self.blob(content)
        described: list[Any] = [list(array.shape), type_of(array.dtype), kept]
        if base is array:
            return ["a", *described, *([] if array.flags.writeable else ["fixed"])]
        offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        return ["v", ["r", self._node(base, Kind.ARRAY)], offset if array.size else 0, list(array.strides), *described]


def type_of(dtype: np.dtype[Any]) -> Any:
    """Return the JSON of a type of array elements."""
    if dtype.names is None:
        return dtype.str
    fields: Any = dtype.fields or {}
    return {
        "names": list(dtype.names),
        "formats": [list(_sub(fields[name][0])) for name in dtype.names],
        "offsets": [fields[name][1] for name in dtype.names],
        "itemsize": dtype.itemsize,
        "aligned": dtype.isalignedstruct,
    }


def _sub(dtype: np.dtype[Any]) -> tuple[str, list[int]]:
    return (dtype.base.str, list(dtype.shape))


def name_of(cls: type[Any]) -> str:
    """Return the name of a class, with its module."""
    return f"{cls.__module__}.{cls.__qualname__}"


def own_state(component: Any) -> Any:
    """Return what is written of a component of a game's own.

    Raises:
        SnapshotError: when its class is not registered.
    """
    known = registered(type(component))
    if known is None:
        raise SnapshotError(
            f"snapshot: components of class {type(component).__qualname__} cannot be written; register it once with "
            f"register_component({type(component).__qualname__})"
        )
    return known.save(component) if known.save else None
