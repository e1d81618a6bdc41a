"""Watch: finds out which of many values have changed; next to every object of a world is as it was."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from operator import is_
from typing import Any

from ecs_softbody.state.nodes.node import Node

FLAT = itertools.chain.from_iterable


class Watch:
    """What the objects of many nodes had, side by side, so that all of it is compared at once."""

    def __init__(self, nodes: dict[int, Node]) -> None:
        """nodes: by the identity of their values."""
        self._nodes = nodes
        self._others = {identity: node for identity, node in nodes.items() if node.seen is None}
        self._plain = [node.value for node in nodes.values() if node.seen is not None]
        then = [node.seen for node in nodes.values() if node.seen is not None]
        self._lengths, self._names = list(map(len, then)), list(FLAT(then))
        self._values: list[Any] = list(FLAT(map(dict.values, then)))
        self._ends = list(itertools.accumulate(self._lengths))
        self._places = {
            id(value): slice(end - length, end)
            for value, end, length in zip(self._plain, self._ends, self._lengths, strict=True)
        }

    def renewed(self, nodes: dict[int, Node], renewed: dict[int, Node]) -> Watch:
        """Return the watch of the same values: some of the nodes are others, with the same names."""
        found = Watch.__new__(Watch)
        found._plain, found._places, found._names = self._plain, self._places, self._names
        found._lengths, found._ends = self._lengths, self._ends
        found._nodes, found._others, found._values = nodes, self._others, self._values.copy()
        others = {identity: node for identity, node in renewed.items() if node.seen is None}
        if others:
            found._others = self._others | others
        for identity, node in renewed.items():
            if node.seen is not None:
                found._values[self._places[identity]] = node.seen.values()
        return found

    def changed(self) -> set[int]:
        """Return the identities of the values whose nodes are not current."""
        changed = {identity for identity, node in self._others.items() if not node.is_current()}
        now = [value.__dict__ for value in self._plain]
        if list(map(len, now)) != self._lengths or list(FLAT(now)) != self._names:
            return changed | {id(value) for value in self._plain if not self._nodes[id(value)].is_current()}
        same = list(map(is_, FLAT(map(dict.values, now)), self._values))
        found = -1
        for _ in range(same.count(False)):
            found = same.index(False, found + 1)
            changed.add(id(self._plain[bisect_right(self._ends, found)]))
        return changed
