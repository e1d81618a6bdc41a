"""Contents: the contents of the arrays of a checkpoint, as bytes, shared with an earlier checkpoint
where nothing has changed.

`keep` and `put_back` (parallel/many.py) copy many arrays in one call. They give an array whose
words are all the same, as zeros are, as its first word; `whole` returns all of its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.parallel.many import keep, put_back, whole


def bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return a contiguous array as a row of bytes, a view of it."""
    return np.asarray(array).reshape(-1).view(np.uint8)


def is_flat(array: NDArray[Any]) -> bool:
    """Return whether the bytes of an array lie side by side and are all of it."""
    return array.flags.c_contiguous and not array.dtype.hasobject


class Places:
    """The arrays of a checkpoint. Contiguous ones (flat) are seen as rows of bytes, which are kept
    in one call.
    """

    def __init__(self, arrays: Iterable[NDArray[Any]], before: Places | None = None) -> None:
        """before: earlier places; the byte views of arrays that they contain are reused."""
        known: dict[int, NDArray[np.uint8]] = {} if before is None else before.bytes
        found = [each for each in arrays if each.size]
        flat = [each for each in found if id(each) in known or is_flat(each)]
        self.rows = tuple(known[id(each)] if id(each) in known else bytes_of(each) for each in flat)
        self.bytes: dict[int, NDArray[np.uint8]] = dict(zip(map(id, flat), self.rows, strict=True))
        """The rows, by the identity of their arrays."""
        self.others = [each for each in found if id(each) not in self.bytes]
        """Arrays that are not flat, and are kept one by one."""
        self.arrays = [*flat, *self.others]
        # The place of each array in this list, by its identity.
        self.numbers = {id(each): number for number, each in enumerate(self.arrays)}


class Contents:
    """The contents of the arrays of some places."""

    def __init__(
        self, places: Places, rows: tuple[bytes, ...], others: list[NDArray[Any]], nbytes: int
    ) -> None:
        """rows, others: contents of the flat arrays, and of the others, of these places."""
        self.places = places
        self._rows = rows
        self._others = others
        self.nbytes = nbytes
        """Bytes that are not shared with the previous contents."""

    @classmethod
    def now(cls, places: Places, before: Contents | None) -> Contents:
        """Return the current contents; unchanged rows are shared with `before`."""
        likely: tuple[bytes | None, ...] = (None,) * len(places.rows)
        if before is not None:
            likely = before._rows if before.places is places else before._of(places)
        rows, copied = keep(places.rows, likely, None)
        others = [each.copy() for each in places.others]
        return cls(places, rows, others, copied + sum(each.nbytes for each in others))

    @classmethod
    def given(cls, arrays: list[tuple[NDArray[Any], NDArray[Any]]]) -> Contents:
        """Return contents that are known: (array, content)."""
        pairs = {id(array): content for array, content in arrays}
        places = Places(array for array, _ in arrays)
        contents = [pairs[id(array)] for array in places.arrays]
        count = len(places.rows)
        return cls(places, tuple(each.tobytes() for each in contents[:count]), contents[count:], 0)

    def _of(self, places: Places) -> tuple[bytes | None, ...]:
        """Return the contents for the rows of other places, None for rows that are not kept
        here.
        """
        numbers = self.places.numbers
        count = len(self._rows)
        found = (numbers.get(id(array), count) for array in places.arrays[: len(places.rows)])
        return tuple(self._rows[number] if number < count else None for number in found)

    def of(self, array: NDArray[Any]) -> NDArray[Any] | None:
        """Return the kept content of an array, None if it is not kept here."""
        number = self.places.numbers.get(id(array))
        count = len(self._rows)
        if number is None:
            return None
        if number >= count:
            return self._others[number - count]
        return np.frombuffer(whole(self._rows[number], array.nbytes), array.dtype).reshape(
            array.shape
        )

    def pairs(self) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Yield each array with its kept content."""
        for array in self.places.arrays:
            content = self.of(array)
            if content is not None:
                yield array, content

    def restore(self) -> None:
        """Put everything back."""
        put_back(self.places.rows, self._rows, self._rows, None)
        for array, content in zip(self.places.others, self._others, strict=True):
            array[...] = content
