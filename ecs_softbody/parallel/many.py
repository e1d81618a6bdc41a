"""Many arrays, or many dicts and lists, at once: Python by itself takes a microsecond for each.

The extension that calls the library does it (building/calls.c); without it, the functions here do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.parallel.compiling import LIBRARY

Rows = tuple[NDArray[np.uint8], ...]
Differences = list[tuple[int, list[str] | None]]
REPEATED = 8
"""Bytes of a word."""


def whole(content: bytes, size: int) -> bytes:
    """Return all bytes of a content of `keep`."""
    return content if len(content) == size else (content * (size // REPEATED + 1))[:size]


def keep_in_python(
    arrays: Rows, likely: tuple[bytes | None, ...], steady: bytes | None
) -> tuple[tuple[bytes, ...], int]:
    """Return the contents of arrays, and how many bytes are not shared with the `likely` contents.

    The content of an array whose words are all the same, as zeros are, is its first word. steady: 1
    for each array whose content is known to be the likely one, if the lengths match.
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
    """Write contents to arrays, except contents of steady arrays that are there already."""
    for number, (array, content, now) in enumerate(zip(arrays, contents, there, strict=True)):
        if not (steady is not None and steady[number] and content is now):
            array[...] = np.frombuffer(whole(content, array.nbytes), np.uint8)


def same_in_python(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Return whether two contiguous arrays of one type have as many bytes, and the same ones."""
    return one.nbytes == other.nbytes and one.tobytes() == other.tobytes()


def writeable_in_python(arrays: tuple[NDArray[Any], ...]) -> bytes:
    """Return a byte for each array, 1 where it can be written to."""
    return bytes(each.flags.writeable for each in arrays)


def differing_in_python(now: Sequence[Any], then: Sequence[Any]) -> Differences:
    """Return which values differ: of dicts and lists, whether other objects are in them.

    For each its number, and for a dict with the same keys in the same order the keys of values that
    are other objects, else None.
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
    found = (
        None if LIBRARY is None else LIBRARY.function(python.__name__.removesuffix("_in_python"))
    )
    return python if found is None else found


keep = _compiled(keep_in_python)
put_back = _compiled(put_back_in_python)
same = _compiled(same_in_python)
writeable = _compiled(writeable_in_python)
differing = _compiled(differing_in_python)
