"""Contents of arrays: copied where they have changed, shared with an earlier snapshot where they have not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Uint64s1
from ecs_softbody.parallel.compiling import entry

SMALL = 1 << 14
"""Bytes from which on arrays are compared where they are; smaller ones are copied first, which is faster."""


BLOCK = 512
"""Words that are compared before a difference is looked for: without a branch for each, they are compared at once."""


@entry
def are_equal(one: Uint64s1, other: Uint64s1) -> bool:
    """True if two arrays of the same length are the same bit for bit."""
    for start in range(0, one.shape[0], BLOCK):
        stop, differing = min(start + BLOCK, one.shape[0]), np.uint64(0)
        for k in range(start, stop):
            differing |= one[k] ^ other[k]
        if differing != 0:
            return False
    return True


def is_same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Return whether two flat arrays of words, see `flat_words`, are the same."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    return bool(are_equal(one, other)) if one.dtype == np.uint64 else bool((one == other).all())


def flat_words(array: NDArray[Any]) -> NDArray[Any]:
    """Return a contiguous array as numbers that are compared fast, bit for bit."""
    flat = array.reshape(-1).view(np.uint8)
    return flat.view(np.uint64) if flat.nbytes % 8 == 0 else flat


def copied_or_shared(array: NDArray[Any], before: NDArray[Any] | None) -> NDArray[Any]:
    """Return a copy of an array, or the copy from before where a large one is the same bit for bit."""
    if before is None or array.nbytes < SMALL or not array.flags.c_contiguous:
        return array.copy()
    if (array.shape, array.dtype) == (before.shape, before.dtype):
        return before if is_same(flat_words(array), flat_words(before)) else array.copy()
    return array.copy()
