"""Small fonts for tests: TrueType files whose letters are boxes."""

from __future__ import annotations

import struct
from collections.abc import Mapping

EM = 1000
Box = tuple[int, int, int, int]
"""Left, bottom, right, top [thousandths of the size]."""


def small_font(letters: Mapping[str, Box], advance: int = 800) -> bytes:
    """Return a font in which each letter is a box; what it lacks is a small box at the baseline."""
    boxes = [(100, 0, 200, 100), *letters.values()]
    glyphs = [_glyph(box) for box in boxes]
    starts = [sum(map(len, glyphs[:number])) for number in range(len(glyphs) + 1)]
    low = min(box[1] for box in boxes)
    high = max(box[3] for box in boxes)
    head = struct.pack(
        ">IIIIHHQQhhhhHHhhh",
        0x10000,
        0x10000,
        0,
        0x5F0F3CF5,
        0,
        EM,
        0,
        0,
        0,
        low,
        EM,
        high,
        0,
        8,
        2,
        1,
        0,
    )
    line = struct.pack(
        ">IhhhHhhhhhhhhhhhH",
        0x10000,
        high,
        low,
        0,
        advance,
        0,
        0,
        EM,
        1,
        0,
        0,
        *(0,) * 5,
        len(glyphs),
    )
    most = struct.pack(">IH13H", 0x10000, len(glyphs), 4, 1, *(0,) * 11)
    groups = b"".join(struct.pack(">III", ord(c), ord(c), 1 + n) for n, c in enumerate(letters))
    mapped = sorted(groups[k : k + 12] for k in range(0, len(groups), 12))
    table = struct.pack(">HHIII", 12, 0, 16 + len(groups), 0, len(mapped)) + b"".join(mapped)
    tables = {
        b"cmap": struct.pack(">HHHHI", 0, 1, 3, 10, 12) + table, b"glyf": b"".join(glyphs),
        b"head": head, b"hhea": line,
        b"hmtx": b"".join(struct.pack(">Hh", advance, box[0]) for box in boxes),
        b"loca": struct.pack(f">{len(starts)}I", *starts), b"maxp": most,
    }  # fmt: skip
    offset = 12 + 16 * len(tables)
    listed = b""
    data = b""
    for tag, content in sorted(tables.items()):
        listed += struct.pack(">4sIII", tag, 0, offset + len(data), len(content))
        data += content + b"\0" * (-len(content) % 4)
    return struct.pack(">IHHHH", 0x10000, len(tables), 64, 2, 48) + listed + data


def _glyph(box: Box) -> bytes:
    left, bottom, right, top = box
    corners = [(left, bottom), (left, top), (right, top), (right, bottom)]
    steps = [(x - a, y - b) for (a, b), (x, y) in zip([(0, 0), *corners], corners, strict=False)]
    content = struct.pack(">hhhhhHH4B", 1, left, bottom, right, top, 3, 0, 1, 1, 1, 1)
    content += b"".join(struct.pack(">h", x) for x, _ in steps) + b"".join(
        struct.pack(">h", y) for _, y in steps
    )
    return content + b"\0" * (-len(content) % 4)
