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

from ecs_softbody.parallel.prepared import BoundKernel
from ecs_softbody.state.kinds import Kind, facts_of, slots_of
from ecs_softbody.storage.table import Table

Reached = tuple[list[Any], dict[int, NDArray[Any]]]
"""What a value refers to, but what never changes: others to follow, and arrays by their identity."""
Follow = Callable[[Iterable[Any]], Reached]
"""Returns what some values are or, where they are tuples, have in them."""
MISSING = object()
NUMBERS = frozenset([int, float, bool])


class Node(ABC):
    """A value that can change."""

    __slots__ = ("content", "reached", "value")
    always_changes = False
    """Whether it has to be put back even where it is as it was."""
    seen: dict[str, Any] | None = None
    """All that its `__dict__` had, where that alone tells whether it is current."""

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
    always_changes = True

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

    __slots__ = ("_class", "_counts", "_seen", "_slots", "seen")

    def __init__(self, value: Any, follow: Follow) -> None:
        of_class = self._class = facts_of(type(value))
        self._slots = [_slot_of(value, each) for each in of_class.read]
        content = self._seen = value.__dict__.copy() if of_class.has_dict else {}
        if not of_class.transient.isdisjoint(content):
            content = {name: each for name, each in content.items() if name not in of_class.transient}
        self._counts: list[tuple[str, int]] = []
        if itertools.count in map(type, content.values()):
            self._counts = [(name, next_of(each)) for name, each in content.items() if type(each) is itertools.count]
        attributes = content
        if self._slots or self._counts or of_class.scratch:
            attributes = self._of_slots(value) | content
            for name in (*of_class.scratch, *(name for name, _ in self._counts)):
                attributes.pop(name, None)
        self.seen = None if self._slots or self._counts or not of_class.has_dict else self._seen
        super().__init__(value, content, follow(attributes.values()))

    @property
    def attributes(self) -> dict[str, Any]:
        """What it had, by name."""
        return self._of_slots(self.value) | dict(self.content)

    def again(self, follow: Follow) -> ObjectNode:
        """Return its node as it is now: what it refers to is looked for only where more than numbers have changed."""
        then, now = self.seen, self.value.__dict__ if self._class.has_dict else {}
        if then is None or list(now) != list(then):
            return ObjectNode(self.value, follow)
        for name, each in now.items():
            if each is not then[name] and not (type(each) in NUMBERS and type(then[name]) in NUMBERS):
                return ObjectNode(self.value, follow)
        node = ObjectNode.__new__(ObjectNode)
        node._class, node._counts, node._slots = self._class, self._counts, self._slots
        node._seen = node.seen = now.copy()
        skipped = self._class.transient
        has_skipped = not skipped.isdisjoint(now)
        node.content = {name: now[name] for name in self.content} if has_skipped else node._seen
        node.value, node.reached = self.value, self.reached
        return node

    def _of_slots(self, value: Any) -> dict[str, Any]:
        if not self._slots:
            return {}
        slots = zip(slots_of(type(value)), self._slots, strict=True)
        return {name: each for name, each in slots if each is not MISSING}

    def is_current(self) -> bool:
        """Return whether all attributes are the same objects, and none of them counts."""
        if self._counts or (self._class.has_dict and not are_the_same(self.value.__dict__, self._seen)):
            return False
        return all(map(is_, map(_slot_of, itertools.repeat(self.value), self._class.read), self._slots))

    def restore(self) -> None:
        """Give it the attributes that it had."""
        for name, each in self._of_slots(self.value).items():
            object.__setattr__(self.value, name, each)
        if not self._class.has_dict:
            return
        attributes = self.value.__dict__
        attributes.update(self.content)
        if len(attributes) != len(self.content):
            for name in attributes.keys() - self.content.keys() - self._class.transient:
                del attributes[name]
        for name, number in self._counts:
            attributes[name] = itertools.count(number)


class OneAttributeNode(Node):
    """An object of which only one attribute is state: ONE_ATTRIBUTE."""

    __slots__ = ("_name",)

    def __init__(self, value: Any, follow: Follow) -> None:
        self._name = ONE_ATTRIBUTE[type(value)]
        content = getattr(value, self._name)
        super().__init__(value, content, follow([content]))

    @property
    def attributes(self) -> dict[str, Any]:
        """What it had, by name."""
        return {self._name: self.content}

    def is_current(self) -> bool:
        """Return whether it is the same object."""
        return getattr(self.value, self._name) is self.content

    def restore(self) -> None:
        """Give it what it had."""
        setattr(self.value, self._name, self.content)


ONE_ATTRIBUTE: dict[type[Any], str] = {Table: "_active", BoundKernel: "run"}


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
    Kind.ONE_ATTRIBUTE: OneAttributeNode,
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
