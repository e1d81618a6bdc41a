"""Nodes of containers, generators of random numbers, functions and counters (see node.py)."""

from __future__ import annotations

import itertools
import random
from contextlib import suppress
from operator import is_
from types import FunctionType
from typing import Any

from ecs_softbody.state.nodes.node import Follow, Node, are_the_same

PLAIN = frozenset([int, str])
"""Types whose equal values are the same; 0.0 and -0.0, or 1 and True, are equal and differ."""


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
        super().__init__(
            value,
            value.getstate() if isinstance(value, random.Random) else value.bit_generator.state,
        )

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

    @property
    def is_watched(self) -> bool:  # type: ignore[override]
        """Whether it is a list: a deque is looked at by itself."""
        return type(self.value) is list

    def is_current(self) -> bool:
        """Return whether it has the same things in it."""
        return len(self.value) == len(self.content) and all(map(is_, self.value, self.content))

    def restore(self) -> None:
        """Give the list its items again."""
        if not self.is_current():
            self.value.clear()
            self.value.extend(self.content)


class SetNode(Node):
    """A set; its order is not kept."""

    __slots__ = ("_members",)

    def __init__(self, value: Any, follow: Follow) -> None:
        super().__init__(value, value.copy(), follow(value))
        self._members = tuple(value)

    def is_current(self) -> bool:
        """Return whether it has the same numbers and texts in it; other things that are equal may
        be other objects.
        """
        if len(self.value) == len(self._members) and all(map(is_, self.value, self._members)):
            return True
        return self.value == self.content and PLAIN.issuperset(
            map(type, itertools.chain(self.value, self.content))
        )

    def restore(self) -> None:
        """Restore the members."""
        if self.value != self.content:
            self.value.clear()
            self.value.update(self.content)


class DictNode(Node):
    """A dict."""

    __slots__ = ()

    def __init__(self, value: Any, follow: Follow) -> None:
        super().__init__(value, dict(value), follow(value.values()))

    @property
    def is_watched(self) -> bool:  # type: ignore[override]
        """Whether it is a plain dict: others have an order of their own."""
        return type(self.value) is dict

    def is_current(self) -> bool:
        """Return whether it has the same keys and values in the same order."""
        return are_the_same(self.value, self.content)

    def restore(self) -> None:
        """Restore the content."""
        if not self.is_current():
            self.value.clear()
            self.value.update(self.content)


class FunctionNode(Node):
    """A nested function: the variables that it shares with others (`nonlocal`)."""

    __slots__ = ()

    def __init__(self, value: FunctionType, follow: Follow) -> None:
        content: list[tuple[Any, Any]] = []
        for cell in value.__closure__ or ():
            with suppress(ValueError):  # it is empty
                content.append((cell, cell.cell_contents))
        super().__init__(value, content, follow([each for _, each in content]))

    def is_current(self) -> bool:
        """Return False: changes of a cell cannot be noticed."""
        return False

    def restore(self) -> None:
        """Restore the shared variables."""
        for cell, each in self.content:
            cell.cell_contents = each
