"""Comparing: which of many values have changed since their nodes were made."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from operator import is_
from typing import Any

from ecs_softbody.state.nodes import Node, ObjectNode

flat = itertools.chain.from_iterable


def changed_among(nodes: Iterable[Node]) -> set[int]:
    """Return the identities of the values whose nodes are not current.

    The attributes of all objects are compared at once: next to every object of a world is as it was.
    """
    changed: set[int] = set()
    plain: list[Node] = []
    then: list[dict[str, Any]] = []
    for node in nodes:
        seen = node.seen if type(node) is ObjectNode else None
        if seen is not None:
            plain.append(node)
            then.append(seen)
        elif not node.is_current():
            changed.add(id(node.value))
    now = [node.value.__dict__ for node in plain]
    sizes = list(map(len, now))
    if sizes != list(map(len, then)):
        return changed | {id(node.value) for node in plain if not node.is_current()}
    same = list(map(is_, flat(map(dict.values, now)), flat(map(dict.values, then))))
    if False not in same and list(flat(now)) == list(flat(then)):
        return changed
    start = 0
    for node, size, names, before in zip(plain, sizes, now, then, strict=True):
        if False in same[start : start + size] or list(names) != list(before):
            changed.add(id(node.value))
        start += size
    return changed
