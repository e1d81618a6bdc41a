"""Checkpoint: everything that some objects reach, as it is now, to be put back later.

References are put back as well as contents: an array is the same array afterwards, so that whatever looks at its
memory, a game's view or a bound kernel, sees what was there.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterable
from operator import is_
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.state.archives.archive import ChangedNode, Parts, Whole
from ecs_softbody.state.archives.images import OWN
from ecs_softbody.state.contents import copied_or_shared
from ecs_softbody.state.kinds import Kind, kind_of
from ecs_softbody.state.nodes.node import Node, Reached
from ecs_softbody.state.nodes.objects import NODES, ObjectNode, OneAttributeNode

Decide = Callable[[type[Any]], Kind]
"""Says whether values of a class of somebody's own are followed (OBJECT) or not (LEAF), or raises TypeError."""
NODE, ARRAY, RULE = "node", "array", "rule"
"""What keys of parts say; see `images.Key`."""
NONE: Reached = ([], {})
FLAT = itertools.chain.from_iterable
FIXED = frozenset([Kind.LEAF, Kind.STORE, Kind.COUNT])
"""Kinds of values that are not followed; the structure of a world has stores, its owner a count."""


class Checkpoint:
    """What can be reached from `roots`; arrays whose identity is in `elsewhere` are kept by somebody else.

    functions: also what functions inside functions share with each other (`nonlocal`).
    kinds: what `decide` said before, for the next one with the same `decide`.
    before: an earlier one with the same `kinds`; what is still the same is shared with it.
    """

    def __init__(
        self, roots: Iterable[Any], decide: Decide, elsewhere: frozenset[int] = frozenset(), *, functions: bool = False,
        kinds: dict[type[Any], Kind] | None = None, before: Checkpoint | None = None,
    ) -> None:  # fmt: skip
        self._follows_functions, self.decide = functions, decide
        self.kinds: dict[type[Any], Kind] = {} if kinds is None else kinds
        self._nodes: dict[int, Node] = {}
        """By the identity of their values."""
        arrays = self._walk(roots, {} if before is None or before.kinds is not self.kinds else before._nodes)
        known = {} if before is None else before._arrays
        self._arrays: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}
        """(array, content) by the identity of the array; views of one that is kept are a part of it."""
        self.nbytes = 0
        """Bytes of its arrays, without those that it shares with the one before."""
        owners = {id(array): array for array in map(written_array, arrays.values())}
        for identity in owners.keys() - elsewhere:
            array = owners[identity]
            base = array.base
            if base is not None and (id(base) in elsewhere or id(base) in owners):
                continue
            if array.size and array.flags.writeable:
                last = known[identity][1] if identity in known else None
                content = copied_or_shared(array, last)
                self._arrays[identity] = array, content
                if content is not last:
                    self.nbytes += content.nbytes

    def _walk(self, roots: Iterable[Any], known: dict[int, Node]) -> dict[int, NDArray[Any]]:
        """Make a node of all that is reached, or take that from before where it has not changed; return the arrays."""
        nodes, follow, kinds = self._nodes, self._reached, self.kinds
        changed = changed_among(known.values())
        found, own = follow(roots)
        waiting, arrays = list(found), dict(own)
        while waiting:
            value = waiting.pop()
            identity = id(value)
            if identity in nodes:
                continue
            node = known.get(identity)
            if node is None or identity in changed:
                make = NODES[kinds[type(value)]]
                node = node.again(follow) if isinstance(node, ObjectNode) else make(value, follow)
            nodes[identity] = node
            others, own = node.reached
            if others:
                waiting += others
            if own:
                arrays.update(own)
        return arrays

    def _reached(self, values: Iterable[Any]) -> Reached:
        """Return those of some values that can hold state, and the arrays; tuples are looked into."""
        found: list[Any] = []
        arrays: dict[int, NDArray[Any]] = {}
        kinds, waiting = self.kinds, list(values)
        for value in waiting:
            cls = type(value)
            kind = kinds[cls] if cls in kinds else self._kind(cls)
            if kind is Kind.ARRAY:
                arrays[id(value)] = value
            elif kind is Kind.TUPLE:
                waiting += value
            elif kind not in FIXED:
                found.append(value)
        return (found, arrays) if found or arrays else NONE

    def _kind(self, cls: type[Any]) -> Kind:
        kind = Kind.FUNCTION if cls is FunctionType and self._follows_functions else kind_of(cls)
        self.kinds[cls] = kind = self.decide(cls) if kind is None else kind
        return kind

    def content_of(self, container: Any) -> Any:
        """Return what a container held."""
        return self._nodes[id(container)].content

    def random_of(self, generator: Any) -> Any:
        """Return the state of a generator of random numbers."""
        return self._nodes[id(generator)].content

    def array_of(self, array: NDArray[Any]) -> NDArray[Any] | None:
        """Return what an array held, None where its content is kept elsewhere or does not matter."""
        if not array.flags.writeable and not isinstance(array.base, np.ndarray):
            return array
        found = self._arrays.get(id(array))
        return None if found is None else found[1]

    def follows(self, value: Any) -> bool:
        """Return whether the attributes of an object are kept."""
        return isinstance(self._nodes.get(id(value)), ObjectNode | OneAttributeNode)

    def attributes_of(self, value: Any) -> dict[str, Any] | None:
        """Return the attributes of an object, None where it was not followed."""
        node = self._nodes.get(id(value))
        return node.attributes if isinstance(node, ObjectNode | OneAttributeNode) else None

    def take_apart(self, name: int, parts: Parts) -> None:
        """Add what it keeps, under a name."""
        rules = self.decide, self.kinds, self._follows_functions
        parts.objects.update({(name, RULE, number): each for number, each in enumerate(rules)})
        for identity, node in self._nodes.items():
            parts.objects[name, NODE, identity] = node
        for identity, (array, content) in self._arrays.items():
            parts.objects[name, ARRAY, identity] = array
            parts.arrays[name, OWN, identity] = content

    @classmethod
    def put_together(cls, name: int, whole: Whole) -> Checkpoint:
        """Return the one that was taken apart under a name."""
        found = cls.__new__(cls)
        found.decide, found.kinds, found._follows_functions = (whole.objects[name, RULE, each] for each in range(3))
        found._nodes, found._arrays, found.nbytes = {}, {}, 0
        for (owner, kind, identity), each in whole.objects.items():
            if owner != name:
                continue
            if kind == NODE:
                is_changed = isinstance(each, ChangedNode)
                found._nodes[identity] = each.node.changed(each.changes, found._reached) if is_changed else each
            elif kind == ARRAY:
                found._arrays[identity] = each, whole.array((name, OWN, identity))
        return found

    def restore(self) -> None:
        """Put everything back."""
        changed = changed_among(self._nodes.values())
        for identity, node in self._nodes.items():
            if identity in changed or node.always_changes:
                node.restore()
        for array, content in self._arrays.values():
            array[...] = content


def written_array(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, or what is behind a view that nobody can write to: somebody may write to that."""
    if array.flags.writeable or not isinstance(array.base, np.ndarray):
        return array
    return array.base


def changed_among(nodes: Iterable[Node]) -> set[int]:
    """Return the identities of the values whose nodes are not current.

    The attributes of all objects are compared at once: next to every object of a world is as it was.
    """
    changed: set[int] = set()
    plain: list[Node] = []
    for node in nodes:
        if node.seen is not None:
            plain.append(node)
        elif not node.is_current():
            changed.add(id(node.value))
    then, now = [node.seen or {} for node in plain], [node.value.__dict__ for node in plain]
    if list(map(len, now)) != list(map(len, then)) or list(FLAT(now)) != list(FLAT(then)):
        return changed | {id(node.value) for node in plain if not node.is_current()}
    same = list(map(is_, FLAT(map(dict.values, now)), FLAT(map(dict.values, then))))
    if False in same:
        ends, found = list(itertools.accumulate(map(len, now))), -1
        for _ in range(same.count(False)):
            found = same.index(False, found + 1)
            changed.add(id(plain[bisect_right(ends, found)].value))
    return changed
