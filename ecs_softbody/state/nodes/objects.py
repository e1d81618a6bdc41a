"""Nodes of objects with attributes (see node.py), and NODES, the class of node for each kind of
value.

The next checkpoint reuses a node if the attributes of its object are the same objects as before:
most objects of a world stay the same from frame to frame, and comparing is faster than making a new
node.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from operator import is_
from typing import Any

from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.state.kinds import Kind, facts_of, slots_of
from ecs_softbody.state.nodes.node import Follow, Node, are_the_same
from ecs_softbody.state.nodes.values import (
    DictNode,
    FunctionNode,
    ListNode,
    RandomNode,
    ReplacedNode,
    SetNode,
)
from ecs_softbody.storage.table import Table

MISSING = object()
"""Stands for the value of an empty slot."""
NUMBERS = frozenset([int, float, bool])
"""Types of attributes that refer to nothing: a new number needs no look at its references."""


class ObjectNode(Node):
    """An object: its attributes, or those that its class declares."""

    __slots__ = ("_class", "_counts", "_seen", "_slots", "seen")
    attribute = "__dict__"

    def __init__(self, value: Any, follow: Follow) -> None:
        """follow: returns the mutable values among some values."""
        of_class = self._class = facts_of(type(value))
        # The values of its slots; all of its `__dict__`; the part of it that is kept; counters
        # among these (itertools.count), as the arguments that make them again.
        self._slots = [_slot_of(value, each) for each in of_class.read]
        content = self._seen = value.__dict__.copy() if of_class.has_dict else {}
        if of_class.kept is not None:
            content = only(of_class.kept, content)
        self._counts: list[tuple[str, tuple[float, ...]]] = []
        if itertools.count in map(type, content.values()):
            counters = (
                (name, each) for name, each in content.items() if type(each) is itertools.count
            )
            self._counts = [(name, arguments_of(each)) for name, each in counters]
        attributes = content
        if self._slots or self._counts:
            attributes = self._of_slots(value) | content
            for name, _ in self._counts:
                attributes.pop(name, None)
        self.seen = None if self._slots or self._counts or not of_class.has_dict else self._seen
        super().__init__(value, content, follow(self._followed(attributes)))

    @property
    def attributes(self) -> dict[str, Any]:
        """The kept attributes, by name."""
        return self._of_slots(self.value) | dict(self.content)

    @property
    def is_watched(self) -> bool:  # type: ignore[override]
        """Whether comparing its `__dict__` suffices to see whether it is current."""
        return self.seen is not None

    @property
    def then(self) -> Any:
        """All that its `__dict__` had."""
        return self.seen

    def again(self, names: list[str] | None, follow: Follow) -> ObjectNode:
        """Return a node of the current state; references are searched only if more than numbers
        have changed.

        names: names of the attributes that now are other objects, if the set of names is unchanged;
        None: any attribute may have changed.
        """
        if names is None:
            return ObjectNode(self.value, follow)
        return self._with(self.value.__dict__.copy(), names, follow)

    def difference(self, before: Node) -> tuple[Any, ...] | None:
        """Return names and values, alternating, of attributes that are other objects than in
        `before`, or None if the nodes are not comparable.
        """
        then = before.seen
        if (
            then is None
            or self.seen is None
            or before.value is not self.value
            or list(then) != list(self.seen)
        ):
            return None
        return tuple(
            part
            for name, each in self.seen.items()
            if each is not then[name]
            for part in (name, each)
        )

    def changed(self, changes: dict[str, Any], follow: Follow) -> ObjectNode:
        """Return the node that differs from this one by `difference`."""
        return self._with(self._seen | changes, changes, follow)

    def _with(
        self, attributes: dict[str, Any], changed: Iterable[str], follow: Follow
    ) -> ObjectNode:
        """Return the node with other attributes of the same names, `changed` among them."""
        node = ObjectNode.__new__(ObjectNode)
        node._class = self._class
        node._counts = self._counts
        node._slots = self._slots
        node.value = self.value
        node._seen = node.seen = attributes
        kept = self._class.kept
        node.content = attributes if kept is None else only(kept, attributes)
        then = self._seen
        node.reached = self.reached
        for name in changed:
            if name not in node.content or name in self._class.bound:
                continue
            both = attributes[name], then[name]
            if not NUMBERS.issuperset(map(type, both)) and any(follow(both)):
                node.reached = follow(self._followed(node.content))
                break
        return node

    def _followed(self, attributes: dict[str, Any]) -> Iterable[Any]:
        """Return the attributes that are followed: all but the ones in `bound`, of which only the
        object is put back.
        """
        bound = self._class.bound
        if not bound:
            return attributes.values()
        return [each for name, each in attributes.items() if name not in bound]

    def _of_slots(self, value: Any) -> dict[str, Any]:
        """Return the kept values of slots, by name."""
        if not self._slots:
            return {}
        slots = zip(slots_of(type(value)), self._slots, strict=True)
        return {name: each for name, each in slots if each is not MISSING}

    def is_current(self) -> bool:
        """Return whether all attributes are the same objects, and none of them counts."""
        if self._counts or (
            self._class.has_dict and not are_the_same(self.value.__dict__, self._seen)
        ):
            return False
        return all(
            map(is_, map(_slot_of, itertools.repeat(self.value), self._class.read), self._slots)
        )

    def restore(self) -> None:
        """Give it the attributes that it had."""
        for name, each in self._of_slots(self.value).items():
            object.__setattr__(self.value, name, each)
        if not self._class.has_dict:
            return
        attributes = self.value.__dict__
        attributes.update(self.content)
        if self._class.kept is None and len(attributes) != len(self.content):
            for name in attributes.keys() - self.content.keys():
                del attributes[name]
        for name, arguments in self._counts:
            attributes[name] = itertools.count(*arguments)


class OneAttributeNode(Node):
    """An object of which only one attribute is state: ONE_ATTRIBUTE."""

    __slots__ = ("attribute",)
    is_watched = True

    def __init__(self, value: Any, follow: Follow) -> None:
        self.attribute: str = ONE_ATTRIBUTE[type(value)]
        content = getattr(value, self.attribute)
        super().__init__(value, content, follow([content]))

    @property
    def attributes(self) -> dict[str, Any]:
        """The kept attribute, by name."""
        return {self.attribute: self.content}

    def is_current(self) -> bool:
        """Return whether it is the same object."""
        return getattr(self.value, self.attribute) is self.content

    def restore(self) -> None:
        """Restore the attribute."""
        setattr(self.value, self.attribute, self.content)


ONE_ATTRIBUTE: dict[type[Any], str] = {Table: "_active", PreparedCall: "binding"}
"""The attribute that is kept of each such class."""

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
"""The class of node for each kind of value that is followed."""


def only(names: Iterable[str], attributes: dict[str, Any]) -> dict[str, Any]:
    """Return some attributes, as far as they are there."""
    return {name: attributes[name] for name in names if name in attributes}


def next_of(counter: itertools.count[int]) -> int:
    """Return the number that a counter of whole numbers will give next."""
    return int(repr(counter)[len("count(") : -1])


def arguments_of(counter: itertools.count[Any]) -> tuple[float, ...]:
    """Return the arguments for a counter that continues like this one: the next number, and the
    step if it is not 1.
    """
    texts = repr(counter)[len("count(") : -1].split(", ")
    return tuple(int(text) if text.lstrip("-").isdigit() else float(text) for text in texts)


def _slot_of(value: Any, slot: Any) -> Any:
    """Return the value in a slot, MISSING if empty; `__getattr__` of the class is not called."""
    try:
        return slot.__get__(value)
    except AttributeError:
        return MISSING
