"""Archive: many moments of a world in little memory, for rewinding a game and for replays.

A snapshot takes itself apart into arrays and objects (`Parts`). The arrays stand in one image of
64-bit words (images.py); the archive stores the words that differ from an earlier moment
(differences.py), and the objects that are others.

Moment number n is stored as its difference from its parent, the moment whose number is n with its
lowest set bit cleared: 12 = 1100b from 8 = 1000b, 8 from 0. So any of a million moments is restored
through at most twenty others, and half of all are needed for no other.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.state.archives.differences import apply_differences, packed
from ecs_softbody.state.archives.images import Forms, Key, Layout
from ecs_softbody.state.nodes.node import Node
from ecs_softbody.state.nodes.objects import ObjectNode

MISSING = object()
"""Stands for an object that the earlier moment has not."""
OBJECT_BYTES = 100
"""Approximate memory of a reference to a changed object, with its bookkeeping [bytes]."""


class Parts(NamedTuple):
    """A moment that was taken apart."""

    objects: dict[Key, Any]
    """Objects that the moment refers to."""
    arrays: dict[Key, NDArray[Any]]
    """Contents of arrays, which are contiguous."""


class Changed(NamedTuple):
    """Stands for a node of a checkpoint: its difference from the node in the parent."""

    names_and_values: tuple[Any, ...]
    """Names of attributes and their values, in turn."""


class Record(NamedTuple):
    """The record of a moment: its differences from its parent."""

    parent: int
    """Number of the parent, -1 for the first moment."""
    layout: Layout
    """Where each array is in the image."""
    words: bytes
    """The packed differences of the image from the parent's."""
    forms: Forms
    """Type and shape of arrays where these differ from `layout`."""
    objects: dict[Key, Any]
    """Objects that are others than in the parent, nodes as Changed where possible."""
    gone: tuple[Key, ...]
    """Keys of objects that the parent had and this moment has not."""
    nbytes: int
    """Approximate memory of all this."""


class Whole(NamedTuple):
    """A moment of which all is known."""

    layout: Layout
    image: NDArray[np.uint64]
    """The contents of its arrays."""
    forms: Forms
    objects: dict[Key, Any]
    """Its objects, and arrays that are not in the image."""

    def array(self, key: Key) -> NDArray[Any]:
        """Return the content of an array."""
        found = self.objects.get(key)
        return self.layout.read(self.image, key, self.forms) if found is None else found


NOTHING = Whole(Layout({}), np.zeros(0, np.uint64), {}, {})
"""Moment before the first one: the first moment is kept as a difference from it."""


class Archive:
    """Moments by their numbers."""

    def __init__(self) -> None:
        self._records: dict[int, Record] = {}
        self._open: dict[int, Whole] = {}
        """The moments that may be the parent of the next one, by their numbers."""
        self._keys: dict[Key, Key] = {}
        """One object for equal keys, which saves memory."""
        self._layout = NOTHING.layout
        self._step = 1
        """New moments get multiples of this number; it doubles as old ones are forgotten."""
        self._last = -1
        """Number of the last moment."""
        self.nbytes = 0
        """Approximate size of all records [bytes]."""

    def __len__(self) -> int:
        return len(self._records)

    def add(self, parts: Parts) -> int:
        """Keep a moment, and return its number."""
        number = (self._last // self._step + 1) * self._step
        # The number without its lowest set bit.
        parent = number & (number - 1) if number else -1
        before = self._open[parent] if number else NOTHING
        layout = self._layout
        extras = layout.extras(parts.arrays, before.objects)
        if extras is None:
            layout = self._layout = Layout(parts.arrays)
            extras = {key: array for key, array in parts.arrays.items() if array.dtype.hasobject}
            self._keys = {key: key for key in (*parts.objects, *parts.arrays)}
        objects = parts.objects | extras
        base = layout.moved(before.image, before.layout)
        image, forms = layout.filled(base, parts.arrays)
        if forms == before.forms:
            forms = before.forms
        # Packing these by zlib, too, would save a tenth and take longer than a frame.
        words = packed(base, image)
        changed = self._changed(before.objects, objects)
        kept = sum(each.nbytes for each in changed.values() if isinstance(each, np.ndarray))
        gone = tuple(before.objects.keys() - objects.keys())
        nbytes = len(words) + OBJECT_BYTES * (len(changed) + len(gone)) + kept
        self._records[number] = Record(parent, layout, words, forms, changed, gone, nbytes)
        self.nbytes += nbytes
        self._open = {at: whole for at, whole in self._open.items() if at in _path(number)}
        self._open[number] = Whole(layout, image, forms, objects)
        self._last = number
        return number

    def _changed(self, before: dict[Key, Any], now: dict[Key, Any]) -> dict[Key, Any]:
        """Return the objects that are others than before, nodes by their difference if possible."""
        found: dict[Key, Any] = {}
        for key, each in now.items():
            then = before.get(key, MISSING)
            if then is not each:
                difference = (
                    each.difference(then)
                    if isinstance(each, Node) and isinstance(then, Node)
                    else None
                )
                found[self._keys.get(key, key)] = (
                    each if difference is None else Changed(difference)
                )
        return found

    def get(self, number: int) -> Whole:
        """Return a moment as it was."""
        known = self._open.get(number)
        if known is not None:
            return known
        layout = NOTHING.layout
        image = NOTHING.image
        objects = dict[Key, Any]()
        nodes = dict[Key, dict[str, Any]]()
        record = self._records[0]
        for at in _path(number):
            record = self._records[at]
            image = record.layout.moved(image, layout)
            layout = record.layout
            if not apply_differences(np.frombuffer(record.words, np.uint8), image):
                raise AssertionError(f"moment {at} of the archive is damaged")
            for key in record.gone:
                del objects[key]
                nodes.pop(key, None)
            for key, each in record.objects.items():
                if type(each) is Changed:
                    flat = each.names_and_values
                    nodes.setdefault(key, {}).update(zip(flat[::2], flat[1::2], strict=True))
                else:
                    objects[key] = each
                    nodes.pop(key, None)
        for key, changes in nodes.items():
            objects[key] = ChangedNode(objects[key], changes)
        return Whole(layout, image, record.forms, objects)

    def forget_every_second(self, needed: Collection[int]) -> list[int]:
        """Forget every second moment, except the needed ones; return the numbers of the others."""
        self._step *= 2
        parents = {record.parent for record in self._records.values()}
        for number in list(self._records):
            if number % self._step and number not in parents and number not in needed:
                self.nbytes -= self._records.pop(number).nbytes
        return list(self._records)


class ChangedNode(NamedTuple):
    """Stands for a node with other attributes, which is made when it is needed."""

    node: ObjectNode  # As it was in an earlier moment
    changes: dict[str, Any]  # The attributes that differ, by name


def _path(number: int) -> list[int]:
    """Return the numbers by way of which a moment is found, 0 first, itself last."""
    path = [number]
    while path[-1]:
        path.append(path[-1] & (path[-1] - 1))
    return path[::-1]
