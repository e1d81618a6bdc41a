"""Node: the base of the kept states of single values, of which a checkpoint consists.

A node has the value itself, a copy of its content, and the references in it, which are followed.
The content refers to objects; their own state is in their own nodes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from operator import is_
from typing import Any

from numpy.typing import NDArray

Reached = tuple[list[Any], dict[int, NDArray[Any]]]
"""The mutable references of a value: objects to follow, and arrays by their identity."""
Follow = Callable[[Iterable[Any]], Reached]
"""Returns the mutable values among some values, or inside tuples of these."""


class Node(ABC):
    """The kept state of a value that can change."""

    __slots__ = ("content", "reached", "value")
    always_changes = False
    """Whether it has to be restored even if it seems unchanged."""
    is_watched = False
    """Whether comparing `then` with the current state of the value shows whether the node is
    current (watch.py).
    """
    attribute: str | None = None
    """The attribute of the value that is compared with `then`; None: the value itself."""
    seen: dict[str, Any] | None = None
    """Its whole `__dict__`, if comparing that suffices to see whether it is current."""

    def __init__(self, value: Any, content: Any, reached: Reached = ([], {})) -> None:
        """value: itself; content: a copy of its members or attributes, or its state; reached: the
        references in it that can hold state.
        """
        self.value = value
        self.content = content
        self.reached = reached

    @abstractmethod
    def is_current(self) -> bool:
        """Return whether the value is as it was: a node made now would have the same content."""

    @property
    def then(self) -> Any:
        """The kept state: a dict, a list, or one object; compared by the identity of its
        objects.
        """
        return self.content

    @abstractmethod
    def restore(self) -> None:
        """Give the value its kept content again; it stays the same object."""

    def difference(self, before: Node) -> tuple[Any, ...] | None:
        """Return the difference from an earlier node, None if it has to be kept as a whole."""
        return None


def are_the_same(one: dict[Any, Any], other: dict[Any, Any]) -> bool:
    """Return whether two dicts have the same objects under the same names, in the same order."""
    return (
        len(one) == len(other)
        and all(map(is_, one.values(), other.values()))
        and all(map(is_, one, other))
    )
