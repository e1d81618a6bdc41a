"""Checkpoint: everything that some objects reach, as it is now, to be put back later.

References are put back as well as contents: an array is the same array afterwards, so that whatever looks at its
memory, a game's view or a bound kernel, sees what was there.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.state.contents import copied_or_shared
from ecs_softbody.state.kinds import Kind, descriptors_of, kind_of, scratch_of, slots_of, transient_of

Decide = Callable[[type[Any]], Kind]
"""Says whether values of a class of somebody's own are followed (OBJECT) or not (LEAF), or raises TypeError."""
MISSING = object()


class Checkpoint:
    """What can be reached from `roots`; arrays whose identity is in `elsewhere` are kept by somebody else.

    functions: also what functions inside functions share with each other (`nonlocal`).
    kinds: what `decide` said before, for the next one with the same `decide`.
    before: an earlier one; large arrays that are still the same are shared with it.
    """

    def __init__(
        self, roots: Iterable[Any], decide: Decide, elsewhere: frozenset[int] = frozenset(), *, functions: bool = False,
        kinds: dict[type[Any], Kind] | None = None, before: Checkpoint | None = None,
    ) -> None:  # fmt: skip
        self._cells: list[tuple[Any, Any]] = []
        self._follows_functions = functions
        self._objects: list[tuple[Any, dict[str, Any], frozenset[str]]] = []
        self._slotted: list[tuple[Any, tuple[str, ...], list[Any]]] = []
        self._containers: list[tuple[Any, Any]] = []
        self._counts: list[tuple[dict[str, Any], str, int]] = []
        self._random: list[tuple[Any, Any]] = []
        self._replaced: list[Any] = []
        self._kinds: dict[type[Any], Kind] = {} if kinds is None else kinds
        self._decide = decide
        self._indices: dict[str, dict[int, Any]] = {}
        self._arrays: list[tuple[NDArray[Any], NDArray[Any]]] = []
        arrays: dict[int, NDArray[Any]] = {}
        self._walk(list(roots), arrays)
        known = {} if before is None else before._index("_of_array", before._arrays)
        self._arrays = [
            (array, copied_or_shared(array, known[id(array)][1] if id(array) in known else None))
            for array in arrays.values()
            if array.size and array.flags.writeable and id(array) not in elsewhere and not _is_part(array, arrays)
            and id(array.base) not in elsewhere
        ]  # fmt: skip

        self.nbytes = sum(
            content.nbytes
            for array, content in self._arrays
            if id(array) not in known or known[id(array)][1] is not content
        )
        """Bytes of its arrays, without those that it shares with the one before."""

    def _kind(self, cls: type[Any]) -> Kind:
        kind = Kind.FUNCTION if cls is FunctionType and self._follows_functions else kind_of(cls)
        self._kinds[cls] = kind = self._decide(cls) if kind is None else kind
        return kind

    def _walk(self, waiting: list[Any], arrays: dict[int, NDArray[Any]]) -> None:
        seen: dict[int, Any] = {}
        kinds = self._kinds
        while waiting:
            value = waiting.pop()
            if id(value) in seen:
                continue
            cls = type(value)
            kind = kinds[cls] if cls in kinds else self._kind(cls)
            if kind in (Kind.LEAF, Kind.STORE):
                continue
            seen[id(value)] = value
            if kind == Kind.ARRAY:
                arrays[id(value)] = value
            elif kind == Kind.OBJECT:
                waiting += self._object(value, cls)
            elif kind == Kind.TUPLE:
                waiting += [each for each in value if kinds.get(type(each)) is not Kind.LEAF]
            elif kind == Kind.DICT:
                self._containers.append((value, dict(value)))
                waiting += [each for each in value.values() if kinds.get(type(each)) is not Kind.LEAF]
            elif kind == Kind.FUNCTION:
                waiting += self._closure(value)
            elif kind == Kind.REPLACED:
                self._replaced.append(value)
            elif kind == Kind.RANDOM:
                self._random.append((value, _random_state(value)))
            elif kind != Kind.COUNT:
                self._containers.append((value, value.copy()))
                waiting += [each for each in value if kinds.get(type(each)) is not Kind.LEAF]

    def _object(self, value: Any, cls: type[Any]) -> list[Any]:
        """Keep the attributes of an object, and return those to follow."""
        scratch, kinds = scratch_of(cls), self._kinds
        found: list[Any] = []
        if (names := slots_of(cls)) and cls.__module__ != "builtins":
            values = [_slot_of(value, each) for each in descriptors_of(cls)]
            self._slotted.append((value, names, values))
            found += [each for name, each in zip(names, values, strict=True) if name not in scratch]
        if cls.__dictoffset__:
            attributes = value.__dict__
            saved = attributes.copy()
            for name in transient_of(cls):
                saved.pop(name, None)
            self._objects.append((attributes, saved, transient_of(cls)))
            for name, each in saved.items():
                kind = kinds.get(type(each))
                if kind is not Kind.LEAF and name not in scratch:
                    if type(each) is itertools.count:
                        self._counts.append((attributes, name, next_of(each)))
                    else:
                        found.append(each)
        return [each for each in found if each is not MISSING]

    def _closure(self, function: FunctionType) -> list[Any]:
        """Keep what a function shares with others, and return it."""
        cells = []
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # it is empty
                cells.append((cell, cell.cell_contents))
        self._cells += cells
        return [content for _, content in cells]

    def content_of(self, container: Any) -> Any:
        """Return what a container held."""
        return self._index("_of_container", self._containers)[id(container)][1]

    def random_of(self, generator: Any) -> Any:
        """Return the state of a generator of random numbers."""
        return self._index("_of_random", self._random)[id(generator)][1]

    def array_of(self, array: NDArray[Any]) -> NDArray[Any] | None:
        """Return what an array held, None where its content is kept elsewhere or does not matter."""
        found = self._index("_of_array", self._arrays).get(id(array))
        return None if found is None else found[1]

    def follows(self, value: Any) -> bool:
        """Return whether the attributes of an object are kept."""
        return self.attributes_of(value) is not None

    def attributes_of(self, value: Any) -> dict[str, Any] | None:
        """Return the attributes of an object, None where it was not followed."""
        attributes = getattr(value, "__dict__", None)
        kept = self._index("_of_object", self._objects).get(id(attributes))
        slotted = self._index("_of_slotted", self._slotted).get(id(value))
        if kept is None and slotted is None:
            return None
        found = {} if slotted is None else dict(zip(slotted[1], slotted[2], strict=True))
        return {name: each for name, each in found.items() if each is not MISSING} | ({} if kept is None else kept[1])

    def _index(self, name: str, entries: list[Any]) -> dict[int, Any]:
        """Return entries by the identity of what they are about."""
        if name not in self._indices:
            self._indices[name] = {id(entry[0]): entry for entry in entries}
        return self._indices[name]

    def restore(self) -> None:
        """Put everything back."""
        self._restore_attributes()
        for container, content in self._containers:
            _refill(container, content)
        for attributes, name, number in self._counts:
            attributes[name] = itertools.count(number)
        for generator, state in self._random:
            _set_random_state(generator, state)
        for cell, value in self._cells:
            cell.cell_contents = value
        for array, content in self._arrays:
            array[...] = content
        for replaced in self._replaced:
            replaced.count += 1

    def _restore_attributes(self) -> None:
        for attributes, saved, transient in self._objects:
            attributes.update(saved)
            if len(attributes) != len(saved):
                for name in attributes.keys() - saved.keys() - transient:
                    del attributes[name]
        for value, names, values in self._slotted:
            for name, each in zip(names, values, strict=True):
                if each is not MISSING:
                    object.__setattr__(value, name, each)


def _refill(container: Any, content: Any) -> None:
    """Give a container what it held."""
    if isinstance(container, list):
        container[:] = content
    elif isinstance(container, set):
        if container != content:
            container.clear()
            container.update(content)
    else:
        container.clear()
        (container.update if isinstance(container, dict) else container.extend)(content)


def _slot_of(value: Any, slot: Any) -> Any:
    """Return what is in a slot, MISSING where nothing is; `__getattr__` of its class is not asked."""
    try:
        return slot.__get__(value)
    except AttributeError:
        return MISSING


def _is_part(array: NDArray[Any], arrays: dict[int, NDArray[Any]]) -> bool:
    """Return whether an array is a view of another one that is kept."""
    return isinstance(array.base, np.ndarray) and id(array.base) in arrays


def next_of(counter: itertools.count[int]) -> int:
    """Return the number that a counter will give next."""
    return int(repr(counter)[len("count(") : -1])


def _random_state(generator: Any) -> Any:
    return generator.getstate() if isinstance(generator, random.Random) else generator.bit_generator.state


def _set_random_state(generator: Any, state: Any) -> None:
    if isinstance(generator, random.Random):
        generator.setstate(state)
    else:
        generator.bit_generator.state = state
