"""Values of a game's own in files: what its components and processors hold, as JSON; nothing in it is code.

JSON has lists for what it lacks: `["r", 5]` is node 5, `["-"]` something that is no state and stays as it is in the
world. Nodes are what several values may share: containers, arrays, objects. An object is one of a class that is
registered (`register_component`), or of the class that the world has in its place: a file names no others.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import random
from collections import deque
from collections.abc import Callable
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np

from ecs_softbody.state.checkpoint import Checkpoint, offset_in
from ecs_softbody.state.components import registered, registered_as
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.state.kinds import Kind, kind_of, slots_of, transient_of
from ecs_softbody.state.nodes.objects import next_of
from ecs_softbody.state.saving import Arrays
from ecs_softbody.storage import Component
from ecs_softbody.storage.entity import Entity

PLAIN = (type(None), bool, int, float, str)
STAYS = ["-"]
DEEPEST = 500
CONTAINERS: dict[str, type[Any]] = {"l": list, "q": deque, "s": set, "d": dict}
LETTERS = {Kind.LIST: "l", Kind.DEQUE: "q", Kind.SET: "s", Kind.DICT: "d"}
NUMBERS = (bool, int, float, np.number, np.bool_)
ALIKE = (NUMBERS, (str,), (bytes,), (list, tuple, deque), (dict,), (set, frozenset))
"""Types of which one may stand in the place of another."""


SIMPLE: dict[str, Any] = {kind: made() for made in (int, float, bool, str) for kind in (made.__name__, str(made))}
"""A value of the type that the annotation of a field names."""


class Writer:
    """Turns values into JSON and arrays, as a checkpoint has kept them."""

    def __init__(self, arrays: Arrays, kept: Checkpoint) -> None:
        self.nodes: list[Any] = []
        self._arrays, self._kept = arrays, kept
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
        """Return the JSON of what a function returned: no checkpoint has it."""
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
        elif isinstance(value, type) and (issubclass(value, Component) or registered(value) is not None):
            found = ["k", value.__name__ if issubclass(value, Component) else name_of(value)]
        elif isinstance(value, itertools.count):
            found = ["#", next_of(value)]
        elif isinstance(value, PurePath):
            raise SnapshotError(f"snapshot: the path {str(value)!r} cannot be written; keep it as a text")
        return found

    def _node(self, value: Any, kind: Kind | None) -> int:
        if id(value) not in self._numbers:
            number = self._numbers[id(value)] = len(self.nodes)
            self._alive.append(value)  # else another value could get its identity
            self.nodes.append(None)
            self.nodes[number] = self._describe(value, kind)
        return self._numbers[id(value)]

    def _describe(self, value: Any, kind: Kind | None) -> list[Any]:
        if kind == Kind.ARRAY:
            return self._array(value)
        if kind == Kind.TUPLE:
            fields = [self.value(each) for each in value]
            return ["N", name_of(type(value)), fields] if hasattr(value, "_fields") else ["t", fields]
        if kind in LETTERS:
            content = value if self._is_given else self._kept.content_of(value)
            if kind == Kind.DICT:
                return ["d", [[self.value(key), self.value(each)] for key, each in content.items()]]
            return [LETTERS[kind], [self.value(each) for each in content]]
        if kind == Kind.RANDOM:
            return ["R", type(value).__name__, self.value(self._kept.random_of(value))]
        return self._object(value)

    def _array(self, array: np.ndarray[Any, Any]) -> list[Any]:
        """Return an array, or what it shows of another one: both go on to share it."""
        base, may_be_written = array.base, bool(array.flags.writeable)
        if self._is_given or not isinstance(base, np.ndarray) or not base.flags.c_contiguous:
            content = array if self._is_given else self._kept.content_of_array(array)
            return ["a", self._arrays.add(content), may_be_written]
        place = [list(array.shape), array.dtype.str, offset_in(array, base), list(array.strides)]
        return ["v", ["r", self._node(base, Kind.ARRAY)], *place, may_be_written]

    def _object(self, value: Any) -> list[Any]:
        cls = type(value)
        attributes, known = self._kept.attributes_of(value), registered(cls)
        if known is not None and known.save is not None:
            return ["x", known.name, self.given(known.save(value))]
        if attributes is None:
            raise SnapshotError(
                f"snapshot: a {cls.__qualname__} cannot be written; register its class with register_component, and "
                "say in save and load what to keep of it"
            )
        skipped = transient_of(cls)
        return ["o", name_of(cls), {name: self.value(each) for name, each in attributes.items() if name not in skipped}]


class Reader:
    """Turns JSON back into values, all of them new."""

    def __init__(self, nodes: Any, arrays: Arrays, entity: Callable[[int], Any]) -> None:
        if not isinstance(nodes, list):
            raise SnapshotError("it has no list of nodes")
        self._nodes, self._arrays = nodes, arrays
        self._done: dict[int, Any] = {}
        self._depth = 0
        self._small: dict[str, Callable[..., Any]] = {
            "E": entity,
            "#": itertools.count,
            "b": bytes.fromhex,
            "k": self._component_class,
            "f": lambda members: frozenset(self.value(each) for each in members),
            "n": lambda kind, number: simple_type(kind).type(number),
        }
        self._leaves: dict[str, Callable[..., Any]] = {
            "a": self._array, "v": self._view, "x": self._registered, "R": self._random,
        }  # fmt: skip

    def value(self, encoded: Any, current: Any = None) -> Any:
        """Return a value; `current` is what the world has in its place, which is not written to."""
        if not isinstance(encoded, list):
            if type(encoded) not in PLAIN:
                raise SnapshotError(f"a value {str(encoded)[:60]!r} is not allowed")
            return encoded
        letter, *rest = encoded
        if letter == "-":
            return current
        if letter == "r":
            return self._node(rest[0], current)
        if letter == "e":
            return self._member(rest[0], rest[1], current)
        return self._small[letter](*rest)

    def _member(self, name: Any, member: Any, current: Any) -> Any:
        """Return a member of an Enum."""
        found = self._class(name, current)
        if not issubclass(found, Enum):
            raise SnapshotError(f"{name} has no members")
        return found[member]

    def attributes(self, encoded: Any, current: Any) -> dict[str, Any]:
        """Return the attributes that an object of the world is to have."""
        _, number = encoded
        letter, name, attributes = self._nodes[number]
        if letter != "o" or name != name_of(type(current)):
            raise SnapshotError(f"it has no attributes of a {name_of(type(current))}")
        self._done[number] = current
        return self._checked(attributes, type(current), current)

    def _node(self, number: Any, current: Any) -> Any:
        if not isinstance(number, int) or not 0 <= number < len(self._nodes):
            raise SnapshotError(f"there is no node {number!r}")
        if number in self._done:
            return self._done[number]
        self._depth += 1
        if self._depth > DEEPEST:
            raise SnapshotError("its values are nested too deeply")
        letter, *rest = self._nodes[number]
        made = self._made(number, letter, rest, current)
        self._done[number] = made
        self._depth -= 1
        return made

    def _made(self, number: int, letter: str, rest: list[Any], current: Any) -> Any:
        if letter in self._leaves:
            return self._leaves[letter](*rest)
        if letter in ("t", "N"):
            return self._tuple(letter, rest, current)
        if letter == "o":
            return self._object(number, rest[0], rest[1], current)
        return self._container(number, CONTAINERS[letter], rest[0], current)

    def _array(self, encoded: Any, is_writeable: bool) -> np.ndarray[Any, Any]:
        found = self._arrays.find(encoded)
        if found is None:
            raise SnapshotError("an array has no content")
        made = np.frombuffer(found.content, simple_type(found.kind)).reshape(found.shape).copy()
        made.flags.writeable = bool(is_writeable)
        return made

    def _view(
        self, base: Any, shape: list[int], kind: Any, offset: int, strides: list[int], is_writeable: bool
    ) -> np.ndarray[Any, Any]:
        """Return an array that shows a part of another one; numpy checks that it is one."""
        memory = self.value(base)
        if not isinstance(memory, np.ndarray):
            raise SnapshotError("a view shows no array")
        made: np.ndarray[Any, Any] = np.ndarray(
            shape, simple_type(kind), memory.reshape(-1).view(np.uint8), offset, strides
        )
        made.flags.writeable = bool(is_writeable) and memory.flags.writeable
        return made

    def _registered(self, name: str, saved: Any) -> Any:
        """Return what a registered class makes of what it saved."""
        known = registered_as(name)
        if known is None or known.load is None:
            raise SnapshotError(f"it needs the class {name}; import it, and register it with register_component")
        return known.load(self.value(saved))

    def _random(self, name: str, encoded: Any) -> Any:
        state = self.value(encoded)
        if name == "Random":
            common = random.Random()
            common.setstate(state)
            return common
        generator = np.random.default_rng()
        if state["bit_generator"] != type(generator.bit_generator).__name__:
            raise SnapshotError(f"there is no generator of random numbers {state['bit_generator']!r}")
        generator.bit_generator.state = state
        return generator

    def _tuple(self, letter: str, rest: list[Any], current: Any) -> Any:
        fields = rest[-1]
        old = current if isinstance(current, tuple) and len(current) == len(fields) else [None] * len(fields)
        values = [self.value(each, before) for each, before in zip(fields, old, strict=True)]
        if letter == "t":
            return tuple(values)
        cls = self._class(rest[0], current)
        if not (issubclass(cls, tuple) and len(getattr(cls, "_fields", ())) == len(values)):
            raise SnapshotError(f"{rest[0]} has not {len(values)} fields")
        return tuple.__new__(cls, values)

    def _container(self, number: int, cls: type[Any], content: list[Any], current: Any) -> Any:
        target = self._done[number] = cls()
        if cls is dict:
            known = current if isinstance(current, dict) else {}
            for encoded, each in content:
                key = self.value(encoded)
                target[key] = self.value(each, known.get(key))
            return target
        before = list(current)[: len(content)] if isinstance(current, list | deque) else []
        values = [self.value(each, old) for each, old in itertools.zip_longest(content, before)]
        (target.update if cls is set else target.extend)(values)
        return target

    def _object(self, number: int, name: str, attributes: Any, current: Any) -> Any:
        cls = self._class(name, current)
        if not has_attributes(cls):
            raise SnapshotError(f"{name} is no class of state")
        made = self._done[number] = object.__new__(cls)
        there = current if type(current) is cls else Expected(cls)
        for attribute, value in self._checked(attributes, cls, there).items():
            object.__setattr__(made, attribute, value)
        return made

    def _checked(self, attributes: Any, cls: type[Any], current: Any) -> dict[str, Any]:
        """Return attributes of an object; what stays as the world has it is left out where it has nothing."""
        if not isinstance(attributes, dict):
            raise SnapshotError(f"{cls.__qualname__} has no attributes")
        found = {}
        for name, encoded in attributes.items():
            check_attribute(cls, name, current)
            before = getattr(current, name, None)
            value = self.value(encoded, before)
            if encoded == STAYS:
                if not isinstance(current, Expected) and hasattr(current, name):
                    found[name] = before
            elif not is_alike(value, before):
                raise SnapshotError(
                    f"{cls.__qualname__}.{name}: a {type(value).__name__} is not allowed; expected a "
                    f"{type(before).__name__}, as the world has it"
                )
            else:
                found[name] = value
        return found

    def _class(self, name: Any, current: Any) -> type[Any]:
        """Return the class of what the world has in the same place, or one that is registered."""
        if name == name_of(type(current)):
            return type(current)
        if isinstance(name, str) and (known := registered_as(name)) is not None:
            return known.kind
        raise SnapshotError(f"it needs the class {str(name)[:100]}; import it, and register it with register_component")

    def _component_class(self, name: Any) -> type[Any]:
        for kind in Component.types:
            if kind.__name__ == name:
                return kind
        return self._class(name, None)


class Expected:
    """What a new object of a class has by default, as far as the class says: its fields, where it is a dataclass."""

    def __init__(self, cls: type[Any]) -> None:
        for field in dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ():
            if field.default is not dataclasses.MISSING:
                setattr(self, field.name, field.default)
            elif field.default_factory is not dataclasses.MISSING:
                setattr(self, field.name, field.default_factory())
            elif str(field.type) in SIMPLE:
                setattr(self, field.name, SIMPLE[str(field.type)])


def put_attributes(owner: Any, attributes: dict[str, Any]) -> None:
    """Give an object of the world its attributes; arrays and generators stay the same objects where that can be."""
    for name, value in attributes.items():
        before = getattr(owner, name, None)
        if isinstance(before, random.Random) and isinstance(value, random.Random):
            before.setstate(value.getstate())
        elif isinstance(before, np.random.Generator) and isinstance(value, np.random.Generator):
            before.bit_generator.state = value.bit_generator.state
        elif (
            isinstance(before, np.ndarray)
            and before.flags.writeable
            and value.flags.writeable
            and before.shape == value.shape
        ):
            before[...] = value
        else:
            object.__setattr__(owner, name, value)


def check_attribute(cls: type[Any], name: Any, current: Any) -> None:
    """Raise SnapshotError for an attribute that the object in its place does not have, or that is code of its class."""
    there = inspect.getattr_static(cls, name, None) if isinstance(name, str) else None
    is_code = callable(there) or isinstance(there, property | classmethod | staticmethod)
    if not isinstance(name, str) or not name.isidentifier() or name.startswith("__") or is_code:
        raise SnapshotError(f"{cls.__qualname__} has no attribute {str(name)[:60]!r} that a file may write")
    known = slots_of(cls), getattr(current, "__dict__", ()), declared_attributes(cls)
    if not isinstance(current, Expected) and not any(name in each for each in known):
        raise SnapshotError(
            f"{cls.__qualname__} has no attribute {name!r} here; give it one in __init__, so that a file can fill it"
        )


def declared_attributes(cls: type[Any]) -> set[str]:
    """Return the names that a class and its bases annotate."""
    return {name for base in cls.__mro__ for name in vars(base).get("__annotations__", ())}


def has_attributes(cls: type[Any]) -> bool:
    """Return whether objects of a class are what its attributes say: not those of types of Python and numpy."""
    return not issubclass(cls, (type, Enum, tuple, int, float, str, bytes, dict, list, set, frozenset, np.ndarray))


def is_alike(value: Any, before: Any) -> bool:
    """Return whether a value may stand where the world has another one: None may, anywhere."""
    if value is None or before is None or type(value) is type(before):
        return True
    if isinstance(value, np.ndarray) or isinstance(before, np.ndarray):
        return isinstance(value, np.ndarray) and isinstance(before, np.ndarray)
    return any(isinstance(value, kinds) and isinstance(before, kinds) for kinds in ALIKE)


def simple_type(kind: Any) -> np.dtype[Any]:
    """Return a type of array elements: numbers, flags, texts and bytes, or records of these.

    Raises:
        SnapshotError: for any other.
    """
    if isinstance(kind, list):
        *fields, size = kind
        names, formats, offsets = [], [], []
        for name, base, shape, offset in fields:
            names.append(name)
            formats.append((simple_type(base).str, tuple(shape)))
            offsets.append(offset)
        record: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}
        found: np.dtype[Any] = np.dtype(record)
        return found
    dtype: np.dtype[Any] = np.dtype(kind) if isinstance(kind, str) else np.dtype(object)
    if dtype.kind not in "biufcUS":
        raise SnapshotError(f"arrays of {str(kind)[:60]!r} are not allowed")
    return dtype


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
