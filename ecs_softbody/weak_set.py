"""WeakSet: a set of objects that it does not keep alive, out of which no interrupt gets lost.

`weakref.WeakSet` calls a Python function when a member dies, and Python drops exceptions that a
signal handler raises in there: a Ctrl-C at that instant did nothing (12 of 21,600 alarms). Here
`set.discard` is called, during which no handler runs.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

Member = TypeVar("Member")


class WeakSet(Generic[Member]):
    """Members are compared by their own `==` and `hash`, as in a set."""

    __slots__ = ("_references",)

    def __init__(self) -> None:
        self._references: set[weakref.ref[Member]] = set()

    def add(self, member: Member) -> None:
        """Hold a member until it dies."""
        self._references.add(weakref.ref(member, self._references.discard))

    def discard(self, member: Member) -> None:
        """Hold it no longer, if it is one."""
        self._references.discard(weakref.ref(member))

    def update(self, members: Iterable[Member]) -> None:
        """Hold several."""
        for member in members:
            self.add(member)

    def __bool__(self) -> bool:
        return bool(self._references)

    def __contains__(self, member: Member) -> bool:
        return weakref.ref(member) in self._references

    def __iter__(self) -> Iterator[Member]:
        for reference in self._references.copy():
            member = reference()
            if member is not None:
                yield member
