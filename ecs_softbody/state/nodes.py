"""Nodes: what a checkpoint keeps of single values that can change, each with what it refers to.

A node is kept by the next checkpoint, too, where its value still refers to the same: most of a world's objects stay as
they are from one frame to the next, and looking is faster than making a node anew.
"""

from __future__ import annotations

import itertools
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import suppress
from operator import is_
from types import FunctionType
from typing import Any

from numpy.typing import NDArray

from ecs_softbody.state.kinds import Kind, descriptors_of, scratch_of, slots_of, transient_of

Reached = tuple[list[Any], dict[int, NDArray[Any]]]
"""What a value refers to, but what never changes: others to follow, and arrays by their identity."""
Follow = Callable[[Iterable[Any]], Reached]
"""Returns what some values are or, where they are tuples, have in them."""
MISSING = object()


class Node(ABC):
    """A value that can change."""

    __slots__ = ("content", "reached", "value")

    def __init__(self, value: Any, content: Any, reached: Reached = ([], {})) -> None:
        self.value, self.content, self.reached = value, content, reached

    @abstractmethod
    def is_current(self) -> bool:
        """Return whether it would be made the same now."""

    @abstractmethod
    def restore(self) -> None:
        """Put the value back."""


class ReplacedNode(Node):
    """A counter of replaced arrays, which have been replaced when it is put back."""

    __slots__ = ()

    def __init__(self, value: Any, follow: Follow) -> None:
        super().__init__(value, None)

    def is_current(self) -> bool:
        """Return True: there is nothing to keep."""
        return True

    def restore(self) -> None:
        """Count once more."""
        self.value.count += 1


class RandomNode(Node):
    """A generator of random numbers."""

    __slots__ = ()

    def __init__(self, value: Any, follow: Follow) -> None:
        super().__init__(value, value.getstate() if isinstance(value, random.Random) else value.bit_generator.state)

    def is_current(self) -> bool:
        """Return False: its state is inside."""
        return False

    def restore(self) -> None:
        """Let it draw the same numbers again."""
        if isinstance(self.value, random.Random):
            self.value.setstate(self.content)
        else:
            self.value.bit_generator.state = self.content


class ListNode(Node):
    """A list or a deque."""

    __slots__ = ()

    def __init__(self, value: Any, follow: Follow) -> None:
        super().__init__(value, value.copy(), follow(value))

    def is_current(self) -> bool:
        """Return whether it has the same things in it."""
        return len(self.value) == len(self.content) and all(map(is_, self.value, self.content))

    def restore(self) -> None:
        """Give it what it had."""
        if not self.is_current():
            self.value.clear()
            self.value.extend(self.content)


class SetNode(Node):
    """A set, whose order is nobody's business."""

    __slots__ = ()

    def __init__(self, value: Any, follow: Follow) -> None:
        super().__init__(value, value.copy(), follow(value))

    def is_current(self) -> bool:
        """Return False: what is equal may be another object."""
        return False

    def restore(self) -> None:
        """Give it what it had."""
        if self.value != self.content:
            self.value.clear()
            self.value.update(self.content)


class DictNode(Node):
    """A dict."""

    __slots__ = ()

    def __init__(self, value: Any, follow: Follow) -> None:
        super().__init__(value, dict(value), follow(value.values()))

    def is_current(self) -> bool:
        """Return whether it has the same keys and values in the same order."""
        return are_the_same(self.value, self.content)

    def restore(self) -> None:
        """Give it what it had."""
        if not self.is_current():
            self.value.clear()
            self.value.update(self.content)


class ObjectNode(Node):
    """An object: its attributes, but those that are no state (`transient`)."""

    __slots__ = ("_counts", "_has_dict", "_read", "_seen", "_slots", "_transient")

    def __init__(self, value: Any, follow: Follow) -> None:
        cls = type(value)
        self._transient, self._has_dict = transient_of(cls), bool(cls.__dictoffset__)
        self._read = descriptors_of(cls) if cls.__module__ != "builtins" else ()
        self._slots = [_slot_of(value, each) for each in self._read]
        content = self._seen = value.__dict__.copy() if self._has_dict else {}
        if not self._transient.isdisjoint(content):
            content = {name: each for name, each in content.items() if name not in self._transient}
        self._counts = [(name, next_of(each)) for name, each in content.items() if type(each) is itertools.count]
        attributes = self._of_slots(value) | content
        for name in (*scratch_of(cls), *(name for name, _ in self._counts)):
            attributes.pop(name, None)
        super().__init__(value, content, follow(attributes.values()))

    @property
    def attributes(self) -> dict[str, Any]:
        """What it had, by name."""
        return self._of_slots(self.value) | dict(self.content)

    def _of_slots(self, value: Any) -> dict[str, Any]:
        if not self._slots:
            return {}
        slots = zip(slots_of(type(value)), self._slots, strict=True)
        return {name: each for name, each in slots if each is not MISSING}

    def is_current(self) -> bool:
        """Return whether all attributes are the same objects, and none of them counts."""
        if self._counts or (self._has_dict and not are_the_same(self.value.__dict__, self._seen)):
            return False
        return all(map(is_, map(_slot_of, itertools.repeat(self.value), self._read), self._slots))

    def restore(self) -> None:
        """Give it the attributes that it had."""
        for name, each in self._of_slots(self.value).items():
            object.__setattr__(self.value, name, each)
        if not self._has_dict:
            return
        attributes = self.value.__dict__
        attributes.update(self.content)
        if len(attributes) != len(self.content):
            for name in attributes.keys() - self.content.keys() - self._transient:
                del attributes[name]
        for name, number in self._counts:
            attributes[name] = itertools.count(number)


class FunctionNode(Node):
    """A function inside a function: what it shares with others (`nonlocal`)."""

    __slots__ = ()

    def __init__(self, value: FunctionType, follow: Follow) -> None:
        content: list[tuple[Any, Any]] = []
        for cell in value.__closure__ or ():
            with suppress(ValueError):  # it is empty
                content.append((cell, cell.cell_contents))
        super().__init__(value, content, follow([each for _, each in content]))

    def is_current(self) -> bool:
        """Return False: a cell tells nobody that it changes."""
        return False

    def restore(self) -> None:
        """Put back what it shared."""
        for cell, each in self.content:
            cell.cell_contents = each


NODES: dict[Kind, Callable[[Any, Follow], Node]] = {
    Kind.LIST: ListNode,
    Kind.DEQUE: ListNode,
    Kind.SET: SetNode,
    Kind.DICT: DictNode,
    Kind.OBJECT: ObjectNode,
    Kind.FUNCTION: FunctionNode,
    Kind.REPLACED: ReplacedNode,
    Kind.RANDOM: RandomNode,
}


def are_the_same(one: dict[Any, Any], other: dict[Any, Any]) -> bool:
    """Return whether two dicts have the same objects under the same names, in the same order."""
    return len(one) == len(other) and all(map(is_, one.values(), other.values())) and all(map(is_, one, other))


def next_of(counter: itertools.count[int]) -> int:
    """Return the number that a counter will give next."""
    return int(repr(counter)[len("count(") : -1])


def _slot_of(value: Any, slot: Any) -> Any:
    """Return what is in a slot, MISSING where nothing is; `__getattr__` of its class is not asked."""
    try:
        return slot.__get__(value)
    except AttributeError:
        return MISSING
