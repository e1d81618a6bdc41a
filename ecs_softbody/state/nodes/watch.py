"""Watch: finds out which of the values of a checkpoint have changed since it was taken.

Next to all objects of a world are as they were a frame ago. So the kept dicts and lists of all
nodes stand side by side, and one compiled call compares them with the present ones (`differing`, in
parallel/many.py). Values that cannot be compared like this are asked one by one.
"""

from __future__ import annotations

from ecs_softbody.parallel.many import differing
from ecs_softbody.state.nodes.node import Node

Changed = dict[int, list[str] | None]
"""Values that have changed, by identity, with the names of attributes that are other objects; None:
any may be.
"""


class Watch:
    """The kept states of many nodes, side by side, for one comparison of all."""

    def __init__(self, nodes: dict[int, Node]) -> None:
        """nodes: by the identity of their values."""
        # Nodes that are asked one by one; all others are watched.
        self._others = {identity: node for identity, node in nodes.items() if not node.is_watched}
        self.always_change = [node for node in self._others.values() if node.always_changes]
        """Nodes that are restored even if their values seem unchanged."""
        watched = [(identity, node) for identity, node in nodes.items() if node.is_watched]
        # First the values that are compared themselves (lists, dicts), then those of which one
        # attribute is. All lists below are in this order.
        watched.sort(key=lambda each: each[1].attribute is not None)
        self._identities = [identity for identity, _ in watched]
        self._itself = [node.value for _, node in watched if node.attribute is None]
        owners = [(node.value, node.attribute) for _, node in watched if node.attribute is not None]
        self._owners = [value for value, _ in owners]
        self._attributes = [name for _, name in owners]
        self._then = [node.then for _, node in watched]
        self._places = {identity: place for place, identity in enumerate(self._identities)}

    def renewed(self, renewed: dict[int, Node]) -> Watch:
        """Return the watch of the same values: some of the nodes are others, which are watched in
        the same way.
        """
        found = Watch.__new__(Watch)
        found._identities = self._identities
        found._places = self._places
        found._itself = self._itself
        found._owners = self._owners
        found._attributes = self._attributes
        found._others = self._others
        found.always_change = self.always_change
        found._then = self._then.copy()
        others = {identity: node for identity, node in renewed.items() if not node.is_watched}
        if others:
            found._others = self._others | others
        for identity, node in renewed.items():
            if node.is_watched:
                found._then[self._places[identity]] = node.then
        return found

    def changed(self) -> Changed:
        """Return the values whose nodes are not current."""
        changed: Changed = {
            identity: None for identity, node in self._others.items() if not node.is_current()
        }
        now = [*self._itself, *map(getattr, self._owners, self._attributes)]
        for place, names in differing(now, self._then):
            changed[self._identities[place]] = names
        return changed
