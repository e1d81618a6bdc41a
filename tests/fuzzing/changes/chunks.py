"""Chunks: PNG, RIFF (WAV, WEBP) and JPEG are lists of named parts; these are changed, lengths and
sums made right.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzzing.changes import raw

Parts = list[tuple[bytes, bytes]]
"""Names and contents."""
BOMB = 1 << 25
"""Bytes that a packed part may become."""
ZIPPED = {b"IDAT": b"", b"zTXt": b"a\0\0", b"iCCP": b"a\0\0", b"fdAT": bytes(4)}
"""Parts of PNG that are packed, and what stands before."""


@dataclass(frozen=True)
class Layout:
    """How a format has its parts."""

    read: Callable[[bytes], Parts]
    written: Callable[[Parts, random.Random], bytes]
    names: tuple[bytes, ...]


def read_png(data: bytes) -> Parts:
    at = 8
    found = []
    while at + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, at)
        found.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + size]))
        at += 12 + size
    return found


def png(parts: Parts, dice: random.Random) -> bytes:
    made = [b"\x89PNG\r\n\x1a\n"]
    for name, content in parts:
        sum_is_right = dice.random() < 0.98
        made.append(struct.pack(">I", _length(len(content), dice)) + name + content)
        made.append(
            struct.pack(">I", zlib.crc32(name + content) if sum_is_right else dice.getrandbits(32))
        )
    return b"".join(made)


def read_riff(data: bytes) -> Parts:
    at = 12
    found = [(b"RIFF", data[8:12])]
    while at + 8 <= len(data):
        (size,) = struct.unpack_from("<I", data, at + 4)
        found.append((data[at : at + 4], data[at + 8 : at + 8 + size]))
        at += 8 + size + size % 2
    return found


def riff(parts: Parts, dice: random.Random) -> bytes:
    inside = b"".join(
        name + struct.pack("<I", _length(len(content), dice)) + content + bytes(len(content) % 2)
        for name, content in parts
        if name != b"RIFF"
    )
    kind = next((content for name, content in parts if name == b"RIFF"), b"WAVE")
    return b"RIFF" + struct.pack("<I", _length(len(inside) + len(kind), dice)) + kind + inside


def read_jpeg(data: bytes) -> Parts:
    at = 2
    found = []
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] != 0xDA:
        (size,) = struct.unpack_from(">H", data, at + 2)
        found.append((data[at : at + 2], data[at + 4 : at + 2 + size]))
        at += 2 + size
    return [*found, (b"rest", data[at:])]


def jpeg(parts: Parts, dice: random.Random) -> bytes:
    made = [b"\xff\xd8"]
    for name, content in parts:
        length = struct.pack(">H", _length(len(content) + 2, dice) & 0xFFFF)
        made.append(content if name == b"rest" else name + length + content)
    return b"".join(made)


def _length(size: int, dice: random.Random) -> int:
    """Return the length that is told, seldom a wrong one."""
    if dice.random() > 0.02:
        return size
    return dice.choice((0, 1, max(size - 1, 0), size + 1, size + 1000, 0x7FFFFFFF, 0xFFFFFFFF))


LAYOUTS = {
    ".png": Layout(
        read_png,
        png,
        (
            b"PLTE",
            b"tRNS",
            b"gAMA",
            b"iCCP",
            b"zTXt",
            b"tEXt",
            b"iTXt",
            b"acTL",
            b"fcTL",
            b"fdAT",
            b"pHYs",
            b"sBIT",
            b"cHRM",
            b"bKGD",
            b"eXIf",
            b"IDAT",
            b"IEND",
            b"IHDR",
            b"none",
        ),
    ),
    ".webp": Layout(
        read_riff,
        riff,
        (b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP", b"EXIF", b"XMP "),
    ),
    ".wav": Layout(
        read_riff, riff, (b"fmt ", b"data", b"LIST", b"fact", b"cue ", b"smpl", b"RIFX")
    ),
    ".jpg": Layout(
        read_jpeg,
        jpeg,
        (
            b"\xff\xc0",
            b"\xff\xc2",
            b"\xff\xc4",
            b"\xff\xdb",
            b"\xff\xe0",
            b"\xff\xe1",
            b"\xff\xe2",
            b"\xff\xee",
            b"\xff\xfe",
            b"\xff\xdd",
            b"\xff\xc3",
            b"\xff\xc9",
        ),
    ),
}


def changed(data: bytes, ending: str, dice: random.Random) -> tuple[bytes, list[str]]:
    """Return a file with one to four of its parts changed."""
    layout = LAYOUTS[ending]
    said = []
    parts = layout.read(data)
    for _ in range(dice.choice((1, 1, 2, 3, 4))):
        if parts:
            said.append(_change(parts, layout.names, dice))
    return layout.written(parts, dice), said


def _change(parts: Parts, names: tuple[bytes, ...], dice: random.Random) -> str:
    at = dice.randrange(len(parts))
    how = dice.random()
    name, content = parts[at]
    if how < 0.6:
        parts[at] = name, _content(name, content, dice)
    elif how < 0.7:
        del parts[at]
        return f"part {name!r} is gone"
    elif how < 0.8:
        parts.insert(dice.randrange(len(parts) + 1), (name, content))
        return f"part {name!r} is there twice"
    elif how < 0.9:
        parts[at] = dice.choice(names), content
        return f"part {name!r} is called {parts[at][0]!r}"
    else:
        other = dice.choice(names)
        new = dice.choice(
            (
                b"",
                content,
                bytes(300),
                dice.randbytes(40),
                ZIPPED.get(other, b"") + zlib.compress(bytes(BOMB), 1),
            )
        )
        parts.insert(dice.randrange(len(parts) + 1), (other, new))
        return f"one more part {other!r} of {len(new)} bytes"
    return f"part {name!r} has other content"


def _content(name: bytes, content: bytes, dice: random.Random) -> bytes:
    """Return other content; packed parts are packed again."""
    before = ZIPPED.get(name)
    if before is not None and dice.random() < 0.7:
        head = content[: len(before)]
        packed = content[len(before) :]
        try:
            plain = zlib.decompress(packed)
        except zlib.error:
            plain = b""
        plain = dice.choice(
            (plain[: len(plain) // 2], plain + plain, b"", bytes(BOMB), raw.changed(plain, dice)[0])
        )
        return head + zlib.compress(plain, 1)
    if content and dice.random() < 0.6:
        found = bytearray(content)
        for _ in range(dice.choice((1, 1, 2))):
            raw.number(found, dice, b"")
        return bytes(found)
    return raw.changed(content, dice)[0]
