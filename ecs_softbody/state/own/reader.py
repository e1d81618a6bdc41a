"""Reader: turns JSON and arrays of a file into values of a game's components and processors.

It reads what Writer writes; own/__init__.py explains the form: a value is plain JSON, or a list
whose first member is a letter, which tells how to read the rest. Values that can be shared are
nodes, which values refer to by number. Files may come from anybody: nothing in them is executed,
sizes and depths are limited, and each attribute must fit the one that the world has in its place.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict, deque
from collections.abc import Callable
from enum import Enum, Flag
from typing import Any

import numpy as np

from ecs_softbody.state.components import Registered, registered_as
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.state.own.attributes import (
    Expected,
    check_attribute,
    defaults_of,
    has_attributes,
    is_alike,
    missing_field,
)
from ecs_softbody.state.own.forms import (
    CONTAINERS,
    DEEPEST,
    FACTORIES,
    GENERATORS,
    PLAIN,
    POSITIONS,
    SOME,
    STAYS,
    check_changing,
    check_elements,
    name_of,
    shows_a_part,
    simple_type,
)
from ecs_softbody.state.saving import Arrays
from ecs_softbody.storage import Component
from ecs_softbody.storage.saved import LARGEST_WHOLE

MOST_VALUES = 2_000_000
"""How many values a file may have, those inside of others included, each counted as often as it is
referred to. The hash of a tuple takes as long as all that is in it: a few tuples of tuples could
stand for billions of values.
"""
IMMUTABLE = frozenset("tNof")
"""Letters of nodes whose values are counted again at every reference to them: tuples, named tuples,
objects and frozensets.
"""


class Reader:
    """Turns JSON back into values, all of them new."""

    def __init__(self, nodes: Any, arrays: Arrays, entity: Callable[[int], Any]) -> None:
        if not isinstance(nodes, list):
            raise SnapshotError("it has no list of nodes")
        self._nodes = nodes
        self._arrays = arrays
        self._make_entity = entity
        """nodes: the list of nodes in the file. entity: returns an Entity of the world for a
        number.
        """
        self._done: dict[int, Any] = {}
        """The values of nodes that have been made, by number."""
        self._depth = self._count = 0
        self._counts: dict[int, int] = {}
        """How many values each node of IMMUTABLE has in it, itself included."""
        # Methods for values, and for nodes, by their letter.
        self._small: dict[str, Callable[..., Any]] = {
            "E": self._entity, "#": self._counter, "b": bytes.fromhex, "k": self._component_class,
            "n": self._scalar, "z": complex, "g": range,
        }  # fmt: skip
        self._leaves: dict[str, Callable[..., Any]] = {
            "a": self._array, "v": self._view, "x": self._registered, "R": self._random,
            "f": self._frozen,
        }  # fmt: skip

    def value(self, encoded: Any, current: Any = None) -> Any:
        """Decode a value; `current`, the value in the same place in the world, is not written
        to.
        """
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
        return found(member) if issubclass(found, Flag) else found[member]

    def _entity(self, number: Any) -> Any:
        if type(number) is not int or not 0 <= number <= LARGEST_WHOLE:
            raise SnapshotError(f"there is no entity {number!r}")
        return self._make_entity(number)

    def _counter(self, *arguments: Any) -> Any:
        if not all(type(each) in (int, float) for each in arguments):
            raise SnapshotError(f"a counter does not begin with {arguments!r}")
        return itertools.count(*arguments)

    def _scalar(self, kind: Any, text: str) -> Any:
        """Return a number, text or record of numpy."""
        dtype = simple_type(kind)
        content = bytes.fromhex(text)
        if len(content) != dtype.itemsize:
            raise SnapshotError(f"a {dtype} has {len(content)} bytes")
        array = np.frombuffer(content, dtype).copy() if content else np.zeros(1, dtype)
        check_elements(array)
        return array[0]

    def _frozen(self, members: list[Any]) -> frozenset[Any]:
        return frozenset([self.value(each) for each in members])

    def attributes(self, encoded: Any, current: Any) -> dict[str, Any]:
        """Return the attributes that an object of the world is to have."""
        _, number = encoded
        letter, name, attributes = self._nodes[number]
        if letter != "o" or name != name_of(type(current)):
            raise SnapshotError(f"it has no attributes of a {name_of(type(current))}")
        self._done[number] = current
        return self._checked(attributes, type(current), current)

    def _node(self, number: Any, current: Any) -> Any:
        """Return the value of a node, made at the first reference to it."""
        if not isinstance(number, int) or not 0 <= number < len(self._nodes):
            raise SnapshotError(f"there is no node {number!r}")
        if number in self._done:
            self._take(self._counts.get(number, 1))
            return self._done[number]
        self._depth += 1
        if self._depth > DEEPEST:
            raise SnapshotError("its values are nested too deeply")
        before = self._count
        self._take(1)
        letter, *rest = self._nodes[number]
        made = self._made(number, letter, rest, current)
        self._done[number] = made
        self._depth -= 1
        if letter in IMMUTABLE:
            self._counts[number] = self._count - before
        return made

    def _take(self, count: int) -> None:
        """Count values; raise SnapshotError beyond MOST_VALUES."""
        self._count += count
        if self._count > MOST_VALUES:
            raise SnapshotError(f"it has more than {MOST_VALUES} values of a game's own")

    def _made(self, number: int, letter: str, rest: list[Any], current: Any) -> Any:
        if letter in self._leaves:
            return self._leaves[letter](*rest)
        if letter in ("t", "N"):
            return self._tuple(letter, rest, current)
        if letter == "o":
            return self._object(number, rest[0], rest[1], current)
        return self._container(number, CONTAINERS[letter], rest, current)

    def _array(self, encoded: Any, is_writeable: bool) -> np.ndarray[Any, Any]:
        found = self._arrays.find(encoded)
        if found is None:
            raise SnapshotError("an array has no content")
        made = np.frombuffer(found.content, simple_type(found.kind)).reshape(found.shape).copy()
        check_elements(made)
        made.flags.writeable = bool(is_writeable)
        return made

    def _view(
        self,
        base: Any,
        shape: list[int],
        kind: Any,
        offset: int,
        strides: list[int],
        is_writeable: bool,
    ) -> np.ndarray[Any, Any]:
        """Return an array that shows a part of another one."""
        memory = self.value(base)
        dtype = simple_type(kind)
        if not isinstance(memory, np.ndarray) or not shows_a_part(
            memory.nbytes, shape, dtype.itemsize, offset, strides
        ):
            raise SnapshotError("a view shows no part of an array")
        made: np.ndarray[Any, Any] = np.ndarray(
            shape, dtype, memory.reshape(-1).view(np.uint8), offset, strides
        )
        # Views may show the same bytes often, and calculations copy them.
        self._arrays.take_room(made.nbytes)
        check_elements(made)
        made.flags.writeable = bool(is_writeable) and memory.flags.writeable
        return made

    def _registered(self, name: str, saved: Any) -> Any:
        """Return the object that a registered class makes from its saved value."""
        known = registered_as(name)
        if known is None or known.load is None:
            raise SnapshotError(
                f"it needs the class {name}; import it, and register it with register_component"
            )
        return loaded(known, self.value(saved))

    def _random(self, name: str, encoded: Any) -> Any:
        """Return a generator of random numbers with a saved state. numpy and Python accept states
        that crash or never change, so it is tried out.
        """
        state = self.value(encoded)
        if name == "Random":
            common = random.Random()
            common.setstate(state)
            if not isinstance(state[2], float | None):
                raise SnapshotError(
                    f"a generator of random numbers gives {type(state[2]).__name__}"
                )
            check_changing([common.getrandbits(32) for _ in range(SOME)])
            # The check has drawn numbers.
            common.setstate(state)
            return common
        for place, most in POSITIONS.items():
            at = state["state"].get(place, state.get(place, 0))
            if type(at) is not int or not 0 <= at <= most:
                raise SnapshotError(f"a generator of random numbers is at {at!r}")
        bits = GENERATORS[state["bit_generator"]]()
        bits.state = state
        # With an even increment, PCG goes round in circles of few numbers.
        if bits.state["state"].get("inc", 1) % 2 == 0:
            raise SnapshotError("a generator of random numbers has an even increment")
        check_changing(bits.random_raw(SOME).tolist())
        # The check has drawn numbers.
        bits.state = state
        return np.random.Generator(bits)

    def _tuple(self, letter: str, rest: list[Any], current: Any) -> Any:
        """Return a tuple ("t"), or a NamedTuple ("N") of a known class."""
        fields = rest[-1]
        old = (
            current
            if isinstance(current, tuple) and len(current) == len(fields)
            else [None] * len(fields)
        )
        values = [self.value(each, before) for each, before in zip(fields, old, strict=True)]
        if letter == "t":
            return tuple(values)
        cls = self._class(rest[0], current)
        if not (issubclass(cls, tuple) and len(getattr(cls, "_fields", ())) == len(values)):
            raise SnapshotError(f"{rest[0]} has not {len(values)} fields")
        return tuple.__new__(cls, values)

    def _container(self, number: int, cls: type[Any], rest: list[Any], current: Any) -> Any:
        """Return a list, deque, set or dict of this class with its members."""
        content, *more = rest
        if issubclass(cls, dict):
            # The dict is known before its content, which may refer to it.
            found = self._done[number] = self._dictionary(cls, more, current)
            known = current if isinstance(current, dict) else {}
            for encoded, each in content:
                key = self.value(encoded)
                found[key] = self.value(each, known.get(key))
            return found
        target: Any = cls((), *more) if cls is deque else cls()
        # The container is known before its content, which may refer to it.
        self._done[number] = target
        before = list(current)[: len(content)] if isinstance(current, list | deque) else []
        values = [self.value(each, old) for each, old in itertools.zip_longest(content, before)]
        (target.update if cls is set else target.extend)(values)
        return target

    def _dictionary(self, cls: type[Any], more: list[Any], current: Any) -> Any:
        """Return an empty dictionary; the factory of a defaultdict is one of FACTORIES, or the
        factory of the defaultdict in the world.
        """
        if cls is not defaultdict:
            return cls()
        if more[0] is not None:
            return defaultdict(FACTORIES[more[0]])
        if isinstance(current, defaultdict):
            return defaultdict(current.default_factory)
        raise SnapshotError(
            "it has a defaultdict of a function of the game's own; use one of list, dict, "
            "set or int"
        )

    def _object(self, number: int, name: str, attributes: Any, current: Any) -> Any:
        """Return a new object of a known class with these attributes."""
        cls = self._class(name, current)
        if not has_attributes(cls):
            raise SnapshotError(f"{name} is no class of state")
        # The object is made without `__init__`, since nothing in a file is executed; it is known
        # before its attributes, which may refer to it.
        made = self._done[number] = object.__new__(cls)
        there = current if type(current) is cls else Expected(cls)
        found = self._checked(attributes, cls, there)
        if (missing := missing_field(cls, attributes)) is not None:
            raise SnapshotError(f"{cls.__qualname__}.{missing} is missing")
        for attribute, value in (defaults_of(cls) | found).items():
            object.__setattr__(made, attribute, value)
        return made

    def _checked(self, attributes: Any, cls: type[Any], current: Any) -> dict[str, Any]:
        """Return attributes of an object; values without state, which the world keeps, are left out
        if the world has none.
        """
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
                    f"{cls.__qualname__}.{name}: a {type(value).__name__} is not allowed; expected "
                    "a "
                    f"{type(before).__name__}, as the world has it"
                )
            else:
                found[name] = value
        return found

    def _class(self, name: Any, current: Any) -> type[Any]:
        """Return the class of the object in the same place in the world, or a registered class."""
        if name == name_of(type(current)):
            return type(current)
        if isinstance(name, str) and (known := registered_as(name)) is not None:
            return known.kind
        raise SnapshotError(
            f"it needs the class {str(name)[:100]}; import it, and register it with "
            "register_component"
        )

    def _component_class(self, name: Any) -> type[Any]:
        for kind in Component.types:
            if kind.__name__ == name:
                return kind
        return self._class(name, None)


def loaded(known: Registered, saved: Any) -> Any:
    """Return the object that a registered class makes from its saved value.

    Raises:
        SnapshotError: if its `load` raises an exception.
    """
    assert known.load is not None
    try:
        return known.load(saved)
    except Exception as error:
        raise SnapshotError(f"{known.name} cannot be made of what it holds: {error!r}") from error
