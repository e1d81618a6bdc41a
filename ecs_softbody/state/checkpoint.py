"""Checkpoint: a copy of all state reachable from some objects, for restoring it later.

It follows references from `roots`, as a copy of an object graph does, and makes a node for every
object that can change (nodes/): the object, and a copy of its attributes or members. Arrays are
kept as bytes (contents.py). References are restored as well as contents: an array is the same array
afterwards, so that every view of its memory, in a game or in a bound kernel, sees the restored
values.

Games rewind frame by frame, so a checkpoint must be cheap. Next to nothing refers to other objects
than a frame ago: nodes and contents that have not changed are shared with the checkpoint before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import is_
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.parallel.many import writeable
from ecs_softbody.state.archives.archive import ChangedNode, Parts, Whole
from ecs_softbody.state.archives.images import OWN
from ecs_softbody.state.contents import Contents, Places
from ecs_softbody.state.kinds import Kind, kind_of
from ecs_softbody.state.nodes.node import Node, Reached
from ecs_softbody.state.nodes.objects import NODES, ObjectNode, OneAttributeNode
from ecs_softbody.state.nodes.watch import Changed, Watch
from ecs_softbody.storage.views import memory_of

Decide = Callable[[type[Any]], Kind]
"""Says whether values of a user-defined class are followed (OBJECT) or not (LEAF), or raises
TypeError.
"""
NODE, ARRAY, RULE = "node", "array", "rule"
"""Roles in the keys under which an archive has the parts of a checkpoint; see `images.Key`."""
NONE: Reached = ([], {})
"""References of values that refer to nothing: one object for all of them."""
FIXED = frozenset([Kind.LEAF, Kind.STORE, Kind.COUNT])
"""Kinds of values that are not followed; the structure of a world has stores, its owner a count."""


class Checkpoint:
    """The state reachable from `roots`, except arrays whose identity is in `elsewhere`: other
    owners keep those.

    functions: also keep the variables that nested functions share (`nonlocal`).
    kinds: earlier answers of `decide`, for checkpoints with the same `decide`.
    before: an earlier checkpoint with the same `kinds`; unchanged contents are shared with it.
    """

    def __init__(
        self,
        roots: Iterable[Any],
        decide: Decide,
        elsewhere: frozenset[int] = frozenset(),
        *,
        functions: bool = False,
        kinds: dict[type[Any], Kind] | None = None,
        before: Checkpoint | None = None,
    ) -> None:
        self._follows_functions = functions
        self.decide = decide
        self.kinds: dict[type[Any], Kind] = {} if kinds is None else kinds
        self._nodes: dict[int, Node] = {}
        """A node for each object, by the identity of the object."""
        self._watch: Watch
        """Tells which of these objects have changed."""
        shared = before if before is not None and before.kinds is self.kinds else None
        self._reach: Reach | None = self._look(roots, elsewhere, shared)
        self._contents: Contents = Contents.now(
            self._reach.places, None if before is None else before._contents
        )
        self.nbytes = self._contents.nbytes
        """Bytes of its arrays, without the arrays shared with the previous checkpoint."""

    def _look(
        self, roots: Iterable[Any], elsewhere: frozenset[int], before: Checkpoint | None
    ) -> Reach:
        """Make the nodes, and return the reached objects, mostly the Reach of the checkpoint
        before.
        """
        top = self._reached(roots)
        reach = None if before is None else before._reach
        changed = Changed() if before is None else before._watch.changed()
        places = None if reach is None else reach.places
        # Where no attribute refers to anything else than before, nothing is followed: only values
        # that have changed get new nodes.
        if before is not None and reach is not None and refer_to_the_same(top, reach.top):
            renewed = self._renewed(before._nodes, changed)
            if renewed is not None:
                self._nodes = before._nodes | renewed
                self._watch = before._watch.renewed(renewed)
                if self._has_arrays_of(before, renewed, top, elsewhere):
                    return reach
                return Reach(top, elsewhere, self._arrays_of(top), places)
        # Something refers to other objects: all is followed from the top.
        self._walk(top, {} if before is None else before._nodes, changed)
        self._watch = Watch(self._nodes)
        return Reach(top, elsewhere, self._arrays_of(top), places)

    def _has_arrays_of(
        self, before: Checkpoint, renewed: dict[int, Node], top: Reached, elsewhere: frozenset[int]
    ) -> bool:
        """Return whether the same arrays are reached as before, and are kept elsewhere or written
        to as they were.
        """
        reach = before._reach
        known = before._nodes
        if reach is None or not (elsewhere is reach.elsewhere or elsewhere == reach.elsewhere):
            return False
        if top[1].keys() != reach.top[1].keys():
            return False
        if any(node.reached is not known[identity].reached for identity, node in renewed.items()):
            return False
        return reach.are_as_they_were()

    def _arrays_of(self, top: Reached) -> list[NDArray[Any]]:
        """Return the arrays that are reached."""
        arrays = dict(top[1])
        for node in self._nodes.values():
            if node.reached[1]:
                arrays.update(node.reached[1])
        return list(arrays.values())

    def _renewed(self, known: dict[int, Node], changed: Changed) -> dict[int, Node] | None:
        """Return new nodes for the changed values, None if any refers to other objects or has other
        names.
        """
        found: dict[int, Node] = {}
        for identity, names in changed.items():
            before = known[identity]
            node = self._again(before, names)
            if not refer_to_the_same(node.reached, before.reached):
                return None
            if names is None and not has_same_names(node, before):
                return None
            if node.reached[1].keys() == before.reached[1].keys():
                node.reached = before.reached
            found[identity] = node
        return found

    def _again(self, node: Node, names: list[str] | None) -> Node:
        """Return a node of the present state of a value; names: of the attributes that are other
        objects, None if any may be.
        """
        if isinstance(node, ObjectNode):
            return node.again(names, self._reached)
        return NODES[self.kinds[type(node.value)]](node.value, self._reached)

    def _walk(self, top: Reached, known: dict[int, Node], changed: Changed) -> None:
        """Make a node of each object that is reached from `top`, or take the node of the checkpoint
        before, `known`, where the object has not changed.
        """
        nodes = self._nodes
        follow = self._reached
        kinds = self.kinds
        waiting = list(top[0])
        while waiting:
            value = waiting.pop()
            identity = id(value)
            if identity in nodes:
                continue
            node = known.get(identity)
            if node is None:
                node = NODES[kinds[type(value)]](value, follow)
            elif identity in changed:
                node = self._again(node, changed[identity])
            nodes[identity] = node
            waiting += node.reached[0]

    def _reached(self, values: Iterable[Any]) -> Reached:
        """Return the values that can hold state, and the arrays, also from inside tuples."""
        found: list[Any] = []
        arrays: dict[int, NDArray[Any]] = {}
        kinds = self.kinds
        waiting = list(values)
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
        """Find how values of a class are kept, and remember it."""
        kind = Kind.FUNCTION if cls is FunctionType and self._follows_functions else kind_of(cls)
        self.kinds[cls] = kind = self.decide(cls) if kind is None else kind
        return kind

    def content_of(self, container: Any) -> Any:
        """Return the kept content of a container."""
        return self._nodes[id(container)].content

    def random_of(self, generator: Any) -> Any:
        """Return the state of a generator of random numbers."""
        return self._nodes[id(generator)].content

    def array_of(self, array: NDArray[Any]) -> NDArray[Any] | None:
        """Return the kept content of an array, None if it is kept elsewhere or irrelevant."""
        if not array.flags.writeable and not isinstance(array.base, np.ndarray):
            return array
        return self._contents.of(array)

    def content_of_array(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the kept content of an array, for a view from its base array."""
        if array.size == 0:
            return array
        if (content := self.array_of(array)) is not None:
            return content
        base = array.base
        if not isinstance(base, np.ndarray):
            return self._content_behind(array)
        whole = np.ascontiguousarray(self.content_of_array(base)).reshape(-1).view(np.uint8)
        return np.ndarray(array.shape, array.dtype, whole, offset_in(array, base), array.strides)

    def _content_behind(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the content of an array that is reached only through views, assembled from these;
        bytes outside all views are never seen.

        Raises:
            KeyError: if no view is kept or the array is not C-contiguous.
        """
        parts = [
            each
            for each in self._contents.places.arrays
            if each is not array and memory_of(each) is array
        ]
        if not parts or not array.flags.c_contiguous:
            raise KeyError("the content of this array was not kept")
        found = array.copy()
        whole = found.reshape(-1).view(np.uint8)
        for part in parts:
            shown: NDArray[Any] = np.ndarray(
                part.shape, part.dtype, whole, offset_in(part, array), part.strides
            )
            shown[...] = self._contents.of(part)
        return found

    def follows(self, value: Any) -> bool:
        """Return whether the attributes of an object are kept."""
        return isinstance(self._nodes.get(id(value)), ObjectNode | OneAttributeNode)

    def attributes_of(self, value: Any) -> dict[str, Any] | None:
        """Return the attributes of an object, None if it was not followed."""
        node = self._nodes.get(id(value))
        return node.attributes if isinstance(node, ObjectNode | OneAttributeNode) else None

    def take_apart(self, name: int, parts: Parts) -> None:
        """Add the contents of this checkpoint to `parts`, keyed by `name`."""
        rules = self.decide, self.kinds, self._follows_functions
        parts.objects.update({(name, RULE, number): each for number, each in enumerate(rules)})
        for identity, node in self._nodes.items():
            parts.objects[name, NODE, identity] = node
        for array, content in self._contents.pairs():
            parts.objects[name, ARRAY, id(array)] = array
            parts.arrays[name, OWN, id(array)] = content

    @classmethod
    def put_together(cls, name: int, whole: Whole) -> Checkpoint:
        """Return the checkpoint that `take_apart` stored under a name."""
        found = cls.__new__(cls)
        found.decide, found.kinds, found._follows_functions = (
            whole.objects[name, RULE, each] for each in range(3)
        )
        found._nodes = {}
        found._reach = None
        found.nbytes = 0
        arrays = list[tuple[NDArray[Any], NDArray[Any]]]()
        for (owner, kind, identity), each in whole.objects.items():
            if owner != name:
                continue
            if kind == NODE:
                is_changed = isinstance(each, ChangedNode)
                found._nodes[identity] = (
                    each.node.changed(each.changes, found._reached) if is_changed else each
                )
            elif kind == ARRAY:
                arrays.append((each, whole.array((name, OWN, identity))))
        found._contents = Contents.given(arrays)
        found._watch = Watch(found._nodes)
        return found

    def restore(self) -> None:
        """Put everything back: the objects that have changed since, then the arrays."""
        for identity in self._watch.changed():
            self._nodes[identity].restore()
        for node in self._watch.always_change:
            node.restore()
        self._contents.restore()


class Reach:
    """The objects that a checkpoint reaches from `top`; the next checkpoint reuses them if no
    reference has changed.
    """

    def __init__(
        self,
        top: Reached,
        elsewhere: frozenset[int],
        arrays: list[NDArray[Any]],
        before: Places | None,
    ) -> None:
        """top: the references of the roots. arrays: all that are reached. before: places of an
        earlier checkpoint.
        """
        # Kept are the arrays that own their memory, and views whose owner is not kept: each byte
        # once.
        owners = {id(array): array for array in map(written_array, arrays)}
        self.top = top
        self.elsewhere = elsewhere
        self._arrays = (*arrays, *owners.values())
        self._are_written = writeable(self._arrays)
        own = {
            identity: array
            for identity, array in owners.items()
            if identity not in elsewhere
            and array.flags.writeable
            and (
                (owner := memory_of(array)) is array
                or not (id(owner) in elsewhere or id(owner) in owners)
            )
        }
        self.places = Places(own.values(), before)
        """The arrays to keep."""

    def are_as_they_were(self) -> bool:
        """Return whether the same arrays can be written to as then."""
        return bool(writeable(self._arrays) == self._are_written)


def offset_in(array: NDArray[Any], base: NDArray[Any]) -> int:
    """Return the offset of a view in its base array [bytes]."""
    first, start = (each.__array_interface__["data"][0] for each in (array, base))
    return int(first - start) if array.size else 0


def refer_to_the_same(one: Reached, other: Reached) -> bool:
    """Return whether the same objects, all of which are still there, are reached; arrays may be
    others.
    """
    return one is other or (len(one[0]) == len(other[0]) and all(map(is_, one[0], other[0])))


def has_same_names(one: Node, other: Node) -> bool:
    """Return whether the attributes that tell whether two nodes are current have the same names."""
    if one.seen is None or other.seen is None:
        return one.seen is other.seen
    return list(one.seen) == list(other.seen)


def written_array(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, or the base array of a read-only view, which may be writeable."""
    if array.flags.writeable or not isinstance(array.base, np.ndarray):
        return array
    return array.base
