"""Many arrays, or many dicts and lists, at once: copies and comparisons for snapshots of the world.

Python by itself takes a microsecond for each array. So the extension that calls the library does it
for all of them in one call (building/calls.c); without the extension, the functions here do the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.parallel.compiling import LIBRARY

Rows = tuple[NDArray[np.uint8], ...]
"""Arrays, each as its bytes."""
Differences = list[tuple[int, list[str] | None]]
"""What `differing` returns."""
REPEATED = 8
"""Bytes of a word: an array of equal words, e.g. of zeros, is kept as one word."""


def whole(content: bytes, size: int) -> bytes:
    """Return all bytes of an array of `size` bytes from its content as `keep` returned it: a single
    word is repeated.
    """
    return content if len(content) == size else (content * (size // REPEATED + 1))[:size]


def keep_in_python(
    arrays: Rows, likely: tuple[bytes | None, ...], steady: bytes | None
) -> tuple[tuple[bytes, ...], int]:
    """Return copies of the contents of arrays, and the number of bytes that were copied.

    An array that equals its `likely` content, e.g. in the last snapshot, is not copied: the likely
    object is returned. The content of an array whose words are all the same is its first word.
    steady: a byte for each array, 1 where its content is known to be the likely one if the lengths
    match, so that it need not be compared; None: for no array.
    """
    kept = list[bytes]()
    copied = 0
    for number, (array, known) in enumerate(zip(arrays, likely, strict=True)):
        size = array.nbytes
        content = array.tobytes()
        may_be = known is not None and len(known) in (size, min(size, REPEATED))
        if may_be and (
            (steady is not None and steady[number]) or whole(cast(bytes, known), size) == content
        ):
            kept.append(cast(bytes, known))
            continue
        kept.append(content[:REPEATED] if content == whole(content[:REPEATED], size) else content)
        copied += len(kept[-1])
    return tuple(kept), copied


def put_back_in_python(
    arrays: Rows, contents: tuple[bytes, ...], there: tuple[bytes | None, ...], steady: bytes | None
) -> None:
    """Write contents, as `keep` returned them, to arrays.

    there: the contents that the arrays are known to have, or None. An array that is steady (as in
    `keep`) and whose content is the same object is left out.
    """
    for number, (array, content, now) in enumerate(zip(arrays, contents, there, strict=True)):
        if not (steady is not None and steady[number] and content is now):
            array[...] = np.frombuffer(whole(content, array.nbytes), np.uint8)


def same_in_python(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Return whether two contiguous arrays of one type have the same bytes, and as many."""
    return one.nbytes == other.nbytes and one.tobytes() == other.tobytes()


def writeable_in_python(arrays: tuple[NDArray[Any], ...]) -> bytes:
    """Return a byte for each array, 1 where it can be written to."""
    return bytes(each.flags.writeable for each in arrays)


def differing_in_python(now: Sequence[Any], then: Sequence[Any]) -> Differences:
    """Return the numbers of the values that differ between `now` and `then`.

    Two dicts, or two lists, differ if they contain other objects, compared by `is`; other values
    differ if they are other objects. With each number comes None, or the keys of the differing
    entries, for dicts with the same keys in the same order.
    """
    found: Differences = []
    for number, (one, other) in enumerate(zip(now, then, strict=True)):
        if isinstance(one, dict) and isinstance(other, dict):
            if len(one) != len(other) or not all(map(is_, one, other)):
                found.append((number, None))
            elif names := [name for name, each in one.items() if each is not other[name]]:
                found.append((number, names))
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other) or not all(map(is_, one, other)):
                found.append((number, None))
        elif one is not other:
            found.append((number, None))
    return found


def _compiled(python: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of the extension in place of one of this file, if there is one."""
    found = (
        None if LIBRARY is None else LIBRARY.function(python.__name__.removesuffix("_in_python"))
    )
    return python if found is None else found


keep = _compiled(keep_in_python)
put_back = _compiled(put_back_in_python)
same = _compiled(same_in_python)
writeable = _compiled(writeable_in_python)
differing = _compiled(differing_in_python)
