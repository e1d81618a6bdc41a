"""Writer: turns the values of a game's components and processors into JSON and arrays.

The contents come from a checkpoint, since the values may have changed since. own/__init__.py
explains the form; Reader reads it.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict, deque
from enum import Enum, Flag
from pathlib import PurePath
from typing import Any

import numpy as np

from ecs_softbody.state.checkpoint import Checkpoint, offset_in
from ecs_softbody.state.components import registered
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.state.kinds import Kind, kind_of
from ecs_softbody.state.nodes.objects import arguments_of
from ecs_softbody.state.own.attributes import defaults_of
from ecs_softbody.state.own.forms import (
    DEEPEST,
    FACTORIES,
    LETTERS,
    PLAIN,
    STAYS,
    name_of,
    simple_type,
)
from ecs_softbody.state.saving import Arrays
from ecs_softbody.storage import Component
from ecs_softbody.storage.entity import Entity
from ecs_softbody.storage.saved import type_of

STATE = (int, float, complex, str, bytes, range)
"""Base types of user-defined classes whose objects hold state but cannot be written."""
MOST_BITS = 10_000
"""Maximum size of a whole number: Python parses no longer ones."""


class Writer:
    """Turns values into JSON and arrays. All that cannot be read again raises SnapshotError."""

    def __init__(self, arrays: Arrays, kept: Checkpoint) -> None:
        """arrays: gets the arrays of the values; kept: the contents at the moment of saving."""
        self.nodes: list[Any] = []
        """The nodes of the file: values that may be shared."""
        self._arrays = arrays
        self._kept = kept
        # Number of the node of each value, by the identity of the value, and these values.
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []
        # Whether the value is new, as `given` gets it, and its content is no part of `kept`.
        self._is_given = False
        self._depth = 0
        self._component = self._attribute = ""
        """The component that is written, and the attribute: of it, or of an object in it."""

    def value(self, value: Any) -> Any:
        """Return the JSON of a value."""
        if type(value) in PLAIN:
            if type(value) is int and value.bit_length() > MOST_BITS:
                raise SnapshotError(
                    f"snapshot: a number of {value.bit_length()} bits cannot be written"
                )
            return value
        if (small := self._small(value)) is not None:
            return small
        if isinstance(value, STATE):
            raise self._unwritable(value)
        kind = kind_of(type(value))
        if self._has_no_state(value, kind):
            if self._component:
                raise self._lost(value)
            return STAYS
        return ["r", self._node(value, kind)]

    def _has_no_state(self, value: Any, kind: Kind | None) -> bool:
        """Return whether a value is code, such as a function, which a world has to have itself."""
        if kind == Kind.LEAF:
            return not isinstance(value, frozenset)
        return (
            kind is None
            and callable(value)
            and not self._kept.follows(value)
            and registered(type(value)) is None
        )

    def _lost(self, value: Any) -> SnapshotError:
        """Return the error of code in a component: the world that reads it makes the component
        anew, and has none to put there.
        """
        named = f"{type(value).__name__} {getattr(value, '__name__', '')}".rstrip()
        return SnapshotError(
            f"snapshot: {self._place()}a {named} cannot be written; say with save and load of "
            "register_component what to keep of the component"
        )

    def _unwritable(self, value: Any) -> SnapshotError:
        """Return the error of a value that no file can have."""
        return SnapshotError(
            f"snapshot: {self._place()}a {type(value).__qualname__} cannot be written; register "
            "its class with register_component, and say in save and load what to keep of it"
        )

    def _place(self) -> str:
        """Return the component that is written and the attribute, for the start of a sentence."""
        if not self._component:
            return ""
        attribute = self._attribute or "what save returns"
        is_own = attribute.startswith(f"{self._component}.")
        return f"{attribute}: " if is_own else f"{self._component}: {attribute}: "

    def component(self, component: Any) -> Any:
        """Return the JSON of a user-defined component.

        Raises:
            SnapshotError: when its class is not registered, or it holds code, such as a function.
        """
        kind = type(component)
        known = registered(kind)
        if known is None:
            raise SnapshotError(
                f"snapshot: components of class {kind.__qualname__} cannot be written; register it "
                f"once with register_component({kind.__qualname__})"
            )
        self._component = kind.__qualname__
        self._attribute = ""
        found = self.given(known.save(component)) if known.save else self.value(component)
        self._component = ""
        return found

    def given(self, value: Any) -> Any:
        """Return the JSON of a value that a function returned, which is not in the checkpoint."""
        before = self._is_given
        self._is_given = True
        found = self.value(value)
        self._is_given = before
        return found

    def _small(self, value: Any) -> list[Any] | None:
        """Return the JSON of a value that is written where it is, None for any other."""
        found: list[Any] | None = None
        if isinstance(value, Enum):
            found = [
                "e",
                name_of(type(value)),
                value.value if isinstance(value, Flag) else value.name,
            ]
        elif isinstance(value, Entity):
            found = ["E", int(value)]
        elif isinstance(value, np.generic):
            found = ["n", _type_of(np.asarray(value)), value.tobytes().hex()]
        elif type(value) is bytes:
            found = ["b", value.hex()]
        elif type(value) is complex:
            found = ["z", value.real, value.imag]
        elif type(value) is range:
            found = ["g", value.start, value.stop, value.step]
        elif isinstance(value, type) and (
            issubclass(value, Component) or registered(value) is not None
        ):
            found = ["k", value.__name__ if issubclass(value, Component) else name_of(value)]
        elif isinstance(value, itertools.count):
            found = ["#", *arguments_of(value)]
        elif isinstance(value, PurePath):
            raise SnapshotError(
                f"snapshot: the path {str(value)!r} cannot be written; keep it as a text"
            )
        return found

    def _node(self, value: Any, kind: Kind | None) -> int:
        """Return the number of the node of a value, described at the first time."""
        if id(value) not in self._numbers:
            if self._depth >= DEEPEST:
                raise SnapshotError(
                    f"snapshot: values that are nested {DEEPEST} times cannot be written"
                )
            self._depth += 1
            number = self._numbers[id(value)] = len(self.nodes)
            self._alive.append(value)  # else another value could get its identity
            self.nodes.append(None)
            self.nodes[number] = self._describe(value, kind)
            self._depth -= 1
        return self._numbers[id(value)]

    def _describe(self, value: Any, kind: Kind | None) -> list[Any]:
        """Return the JSON of a node: a letter, and all values for making it again."""
        cls = type(value)
        known = registered(cls)
        if known is not None and known.save is not None:
            found = ["x", known.name, self.given(known.save(value))]
        elif kind == Kind.ARRAY:
            found = self._array(value)
        elif kind == Kind.TUPLE and hasattr(value, "_fields"):
            found = ["N", name_of(cls), [self.value(each) for each in value]]
        elif cls in (tuple, frozenset):
            found = ["t" if cls is tuple else "f", [self.value(each) for each in value]]
        elif cls in LETTERS:
            found = self._container(value)
        elif cls in (random.Random, np.random.Generator):
            found = self._random(value)
        else:
            found = self._object(value)
        return found

    def _random(self, generator: Any) -> list[Any]:
        try:
            state = self._kept.random_of(generator)
        except KeyError:
            # The generator is in a frozenset or the key of a dict: snapshots do not follow
            # immutable values.
            raise self._unwritable(generator) from None
        return ["R", type(generator).__name__, self.given(state)]

    def _array(self, array: np.ndarray[Any, Any]) -> list[Any]:
        """Return the JSON of an array; a view refers to its base array, so that both still share
        memory.
        """
        base = array.base
        may_be_written = bool(array.flags.writeable)
        kind = _type_of(array)
        is_given = self._is_given or not array.size
        if not is_given and isinstance(base, np.ndarray) and base.flags.c_contiguous:
            place = [list(array.shape), kind, offset_in(array, base), list(array.strides)]
            return ["v", ["r", self._node(base, Kind.ARRAY)], *place, may_be_written]
        try:
            content = array if is_given else self._kept.content_of_array(array)
        except KeyError:
            raise SnapshotError(
                "snapshot: an array that shows what a component of the engine holds cannot be "
                "written; keep a copy"
            ) from None
        return ["a", self._arrays.add(content), may_be_written]

    def _container(self, value: Any) -> list[Any]:
        """Return the JSON of a list, deque, set or dict, with the content that it had."""
        content = value if self._is_given else self._kept.content_of(value)
        letter = LETTERS[type(value)]
        if not isinstance(value, dict):
            more = [value.maxlen] if isinstance(value, deque) else []
            return [letter, [self.value(each) for each in content], *more]
        pairs = [[self.value(key), self.value(each)] for key, each in content.items()]
        if not isinstance(value, defaultdict):
            return [letter, pairs]
        factory = value.default_factory
        known = factory is not None and FACTORIES.get(getattr(factory, "__name__", "")) is factory
        return [letter, pairs, factory.__name__ if factory is not None and known else None]

    def _object(self, value: Any) -> list[Any]:
        cls = type(value)
        attributes = self._kept.attributes_of(value)
        if attributes is None:
            raise self._unwritable(value)
        written = {}
        outside = self._attribute
        for name, each in attributes.items():
            if self._component and callable(each) and self._is_default(cls, name, each):
                continue  # the class gives it to the new object
            self._attribute = f"{cls.__qualname__}.{name}"
            written[name] = self.value(each)
        self._attribute = outside
        return ["o", name_of(cls), written]

    def _is_default(self, cls: type[Any], name: str, value: Any) -> bool:
        """Return whether a callable is code that a dataclass gives to its objects itself."""
        is_code = self._small(value) is None and self._has_no_state(value, kind_of(type(value)))
        return is_code and defaults_of(cls).get(name) is value


def _type_of(array: np.ndarray[Any, Any]) -> Any:
    """Return the type of the elements of an array as a file has it."""
    kind = type_of(array.dtype)
    if (
        type(array) is not np.ndarray
        or array.dtype.hasobject
        or (array.dtype.kind == "V" and not array.dtype.names)
    ):
        raise SnapshotError(
            f"snapshot: an array {type(array).__name__} of {array.dtype} cannot be written"
        )
    if simple_type(kind) != array.dtype:
        raise SnapshotError(f"snapshot: arrays of {array.dtype} cannot be written")
    return kind
