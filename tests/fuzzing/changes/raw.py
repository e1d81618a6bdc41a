"""Raw changes: bits, cuts, splices, blocks; whatever the bytes mean."""

from __future__ import annotations

import random
from collections.abc import Callable

BYTES = (0, 1, 0x7F, 0x80, 0xFE, 0xFF, ord('"'), ord("<"), ord("["), ord("\n"), ord("-"), ord("9"))
MARKS = (
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x00\x00\xfe\xff",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xf4\x90\x80\x80",
    b"\r\n",
)
"""Byte order marks, half surrogates, texts that are no UTF-8."""
MOST = 60_000_000

Way = Callable[[bytearray, random.Random, bytes], str]


def flip(data: bytearray, dice: random.Random, other: bytes) -> str:
    at = dice.randrange(len(data))
    data[at] ^= 1 << dice.randrange(8)
    return f"byte {at}: a bit"


def put(data: bytearray, dice: random.Random, other: bytes) -> str:
    at = dice.randrange(len(data))
    data[at] = dice.choice(BYTES) if dice.random() < 0.5 else dice.randrange(256)
    return f"byte {at}: {data[at]}"


def number(data: bytearray, dice: random.Random, other: bytes) -> str:
    """Write a whole number of one to eight bytes over what is there."""
    size = dice.choice((1, 2, 4, 8))
    at = dice.randrange(min(len(data), dice.choice((64, len(data)))))
    found = dice.choice(
        (0, 1, -1, 2 ** (8 * size - 1) - 1, -(2 ** (8 * size - 1)), dice.randrange(256))
    )
    if size == 1:
        found = max(-128, min(found, 127))
    data[at : at + size] = found.to_bytes(size, dice.choice(("little", "big")), signed=True)[
        : len(data) - at
    ]
    return f"byte {at}: {found} in {size}"


def cut(data: bytearray, dice: random.Random, other: bytes) -> str:
    at = dice.randrange(len(data))
    if dice.random() < 0.4:
        del data[at:]
        return f"the end from byte {at} on is gone"
    size = dice.choice((1, 2, 4, dice.randint(1, 40), dice.randint(1, 4000)))
    del data[at : at + size]
    return f"byte {at}: {size} are gone"


def insert(data: bytearray, dice: random.Random, other: bytes) -> str:
    at = dice.randrange(len(data) + 1)
    new = dice.choice(
        (dice.randbytes(dice.randint(1, 8)), bytes(dice.randint(1, 400)), dice.choice(MARKS))
    )
    data[at:at] = new
    return f"byte {at}: {len(new)} more"


def splice(data: bytearray, dice: random.Random, other: bytes) -> str:
    """Put a part of another file over, or between, what is there."""
    first = dice.randrange(len(other)) if other else 0
    part = other[first : first + dice.choice((4, 32, 400, 4000))]
    at = dice.randrange(len(data) + 1)
    data[at : at + dice.choice((0, len(part)))] = part
    return f"byte {at}: {len(part)} of another file"


def double(data: bytearray, dice: random.Random, other: bytes) -> str:
    at = dice.randrange(len(data))
    part = bytes(data[at : at + dice.choice((1, 8, 64, 1000))])
    times = dice.choice((1, 1, 2, 100))
    data[at:at] = part * times
    return f"byte {at}: {len(part)} are there {times + 1} times"


def swap(data: bytearray, dice: random.Random, other: bytes) -> str:
    """Exchange two blocks."""
    size = dice.choice((1, 4, 16, 256))
    first, second = sorted((dice.randrange(len(data)), dice.randrange(len(data))))
    if second - first < size or second + size > len(data):
        data.reverse()
        return "from the end to the beginning"
    one = bytes(data[first : first + size])
    two = bytes(data[second : second + size])
    data[first : first + size] = two
    data[second : second + size] = one
    return f"bytes {first} and {second}: {size} exchanged"


def fill(data: bytearray, dice: random.Random, other: bytes) -> str:
    at = dice.randrange(len(data))
    size = min(dice.choice((4, 16, 256, 4096)), len(data) - at)
    data[at : at + size] = bytes([dice.choice((0, 0xFF, 0x20))]) * size
    return f"byte {at}: {size} the same"


WAYS: tuple[Way, ...] = (
    flip,
    flip,
    put,
    put,
    number,
    number,
    cut,
    cut,
    insert,
    splice,
    double,
    swap,
    fill,
)


def changed(data: bytes, dice: random.Random, other: bytes = b"") -> tuple[bytes, list[str]]:
    """Return bytes with one to five changes, and what they are."""
    if dice.random() < 0.01:
        new = dice.choice(
            (b"", dice.randbytes(dice.randrange(400)), other, data + data, b"\n" * 10)
        )
        return new, ["other bytes"]
    found = bytearray(data)
    said = []
    for _ in range(dice.choice((1, 1, 2, 3, 5))):
        if not found or len(found) > MOST:
            break
        said.append(dice.choice(WAYS)(found, dice, other))
    return bytes(found), said
