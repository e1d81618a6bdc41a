"""Images: the contents of many arrays one after the other, in words of 64 bits, for Archive.

A Layout gives each array its place in the image. While the arrays keep their places, two images can
be compared word by word.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Key = tuple[Any, ...]
"""The key of an array or object: its owner, its role there, and its number or identity."""
Form = tuple[np.dtype[Any], tuple[int, ...]]
"""Type and shape of an array."""
Forms = dict[Key, Form]
OWN = "content"
"""Role in keys of the arrays of checkpoints, which come and go."""
GROWING = "contact"
"""Role in keys of the arrays of contacts, whose length changes often: their places have room to
spare.
"""
CHANGING = 1 << 14
"""Arrays that came after the layout was made are kept beside the image. Those among them that
change are kept whole in each moment: this is their limit [bytes]. Beyond it a new layout is made,
which has places for them.
"""
MOST = 1 << 18
"""Limit of all new arrays kept beside the image [bytes]."""


class Layout:
    """Where each array is in an image."""

    def __init__(self, arrays: dict[Key, NDArray[Any]]) -> None:
        """Lay out these arrays, one after the other."""
        # First word of each array, and words that it has room for.
        self._places: dict[Key, tuple[int, int]] = {}
        self._forms = {key: form_of(array) for key, array in arrays.items()}
        self.words = 0
        for key, array in arrays.items():
            if array.dtype.hasobject:
                continue
            room = -(-array.nbytes // 8)
            room += room // 4 + 16 if key[1] == GROWING else 0
            self._places[key] = self.words, room
            self.words += room

    def extras(
        self, arrays: dict[Key, NDArray[Any]], before: dict[Key, Any]
    ) -> dict[Key, NDArray[Any]] | None:
        """Return the arrays that are kept beside the image, None if they need a new image.

        before: the objects of the previous moment; unchanged arrays are taken from it.
        """
        found: dict[Key, NDArray[Any]] = {}
        total = changing = 0
        for key, array in arrays.items():
            place = self._places.get(key)
            if place is not None and array.nbytes <= 8 * place[1]:
                continue
            known = before.get(key)
            total = total + array.nbytes
            found[key] = array if known is None or not are_the_same(known, array) else known
            changing += array.nbytes if known is not None and found[key] is array else 0
            if (key[1] != OWN or total > MOST or changing > CHANGING) and not array.dtype.hasobject:
                return None
        return found

    def filled(
        self, base: NDArray[np.uint64], arrays: dict[Key, NDArray[Any]]
    ) -> tuple[NDArray[np.uint64], Forms]:
        """Return the image of `base` with these arrays written into it, and the forms of arrays
        whose form is new.
        """
        image = base.copy()
        forms = Forms()
        flat = image.view(np.uint8)
        for key, array in arrays.items():
            place = self._places.get(key)
            if place is None or array.nbytes > 8 * place[1]:
                continue
            if (form := form_of(array)) != self._forms[key]:
                forms[key] = form
            flat[8 * place[0] : 8 * place[0] + array.nbytes] = array.reshape(-1).view(np.uint8)
        return image, forms

    def moved(self, image: NDArray[np.uint64], before: Layout) -> NDArray[np.uint64]:
        """Return an image of another layout, converted to this one; new places are 0."""
        if before is self:
            return image
        found = np.zeros(self.words, np.uint64)
        for key, (start, room) in self._places.items():
            then = before._places.get(key)
            if then is not None:
                count = min(room, then[1])
                found[start : start + count] = image[then[0] : then[0] + count]
        return found

    def read(self, image: NDArray[np.uint64], key: Key, forms: Forms) -> NDArray[Any]:
        """Return an array of an image, a part of its memory."""
        dtype, shape = forms.get(key) or self._forms[key]
        count = math.prod(shape) * dtype.itemsize
        start = 8 * self._places[key][0]
        return image.view(np.uint8)[start : start + count].view(dtype).reshape(shape)


def form_of(array: NDArray[Any]) -> Form:
    """Return the type and shape for reading the bytes of an array."""
    return array.dtype, array.shape


def are_the_same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Return whether two contiguous arrays are the same bit for bit."""
    return (
        one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()
    )
