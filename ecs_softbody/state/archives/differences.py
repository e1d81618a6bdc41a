"""Differences: the words of 64 bits by which two images of an Archive differ, packed into bytes,
and applied again.

For every 64 words that have a difference: the number of this block (4 bytes), which of its words
differ (8 bytes), for each of these how many bytes of its exclusive or with the word before are not
zero (half a byte), and these bytes. Numbers that change a little share sign, exponent and first
digits with the previous ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Uint8s1, Uint64s1
from ecs_softbody.parallel.compiling import entry, inline

BLOCK = 64
"""Words that share one mask."""
HEADER = 12
"""Bytes ahead of the differences of a block: 4 for its number, 8 for its mask."""
ONE = np.uint64(1)
"""Without a sign, as the words are: numba makes floats of numbers with and without one."""
BYTE = np.uint64(255)
"""Mask of the lowest byte."""


def packed(before: NDArray[np.uint64], now: NDArray[np.uint64]) -> bytes:
    """Return the packed differences between `before` and `now`, which have the same length."""
    room = np.empty(9 * len(now) + HEADER * (len(now) // BLOCK + 1), np.uint8)
    return room[: pack_differences(before, now, room)].tobytes()


@inline
def write_number(number: np.uint64, count: int, packed: np.ndarray, at: int) -> None:
    """Write the lowest bytes of a number."""
    for k in range(count):
        packed[at + k] = np.uint8((number >> np.uint64(8 * k)) & BYTE)


@inline
def read_number(packed: np.ndarray, at: int, count: int) -> np.uint64:
    """Read an unsigned number of `count` bytes, little-endian."""
    number = np.uint64(0)
    for k in range(count):
        number |= np.uint64(packed[at + k]) << np.uint64(8 * k)
    return number


@inline
def to_int(number: np.uint64) -> int:
    """Return the same number as a signed one: numba makes a float of a signed and an unsigned
    number together.
    """
    return np.int64(number)  # type: ignore[return-value]


@inline
def byte_count(number: np.uint64) -> int:
    """Return how many bytes a number other than 0 has, without its leading zero bytes."""
    count = 1
    while count < 8 and (number >> np.uint64(8 * count)) != np.uint64(0):
        count += 1
    return count


@entry
def pack_differences(before: Uint64s1, now: Uint64s1, packed: Uint8s1) -> int:
    """Write the packed differences between `before` and `now`, which have the same length; return
    the number of bytes.
    """
    at = 0
    words = now.shape[0]
    for first in range(0, words, BLOCK):
        last = min(first + BLOCK, words)
        mask = np.uint64(0)
        count = 0
        for k in range(first, last):
            if now[k] != before[k]:
                mask |= ONE << np.uint64(k - first)
                count += 1
        if count == 0:
            continue
        write_number(np.uint64(first // BLOCK), 4, packed, at)
        write_number(mask, 8, packed, at + 4)
        lengths = at + HEADER
        at = lengths + (count + 1) // 2
        packed[at - 1] = 0
        number = 0
        for k in range(first, last):
            if now[k] != before[k]:
                difference = now[k] ^ before[k]
                length = byte_count(difference)
                if number % 2 == 0:
                    packed[lengths + number // 2] = np.uint8(length)
                else:
                    packed[lengths + number // 2] |= np.uint8(length << 4)
                write_number(difference, length, packed, at)
                at += length
                number += 1
    return at


@entry
def apply_differences(packed: Uint8s1, words: Uint64s1) -> bool:
    """Apply packed differences to `words`; stop and return False at the first invalid one."""
    at = 0
    while at + HEADER <= packed.shape[0]:
        first = to_int(read_number(packed, at, 4)) * BLOCK
        mask = read_number(packed, at + 4, 8)
        count = 0
        for k in range(BLOCK):
            count += to_int((mask >> np.uint64(k)) & ONE)
        lengths = at + HEADER
        at = lengths + (count + 1) // 2
        number = 0
        for k in range(BLOCK):
            if (mask >> np.uint64(k)) & ONE == np.uint64(0):
                continue
            if at > packed.shape[0] or first + k >= words.shape[0]:
                return False
            pair = to_int(np.uint64(packed[lengths + number // 2]))
            length = pair >> 4 if number % 2 else pair & 15
            if length > 8 or at + length > packed.shape[0]:
                return False
            words[first + k] ^= read_number(packed, at, length)
            at += length
            number += 1
    return bool(at == packed.shape[0])
