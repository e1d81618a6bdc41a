"""Packed files: snapshots, replays and ghosts have a head with a checksum, which is made right, a
text and arrays.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Sequence
from typing import Any

from ecs_softbody.state import container
from tests.fuzzing.changes import raw, trees

LENGTHS = {
    "snapshot": struct.Struct("<Q"),
    "replay": struct.Struct("<QQ"),
    "ghost": struct.Struct("<I"),
}
"""What stands before the text of each kind: its length, and for replays that of the inputs."""
WHOLE = (-1, 0, 1, 2, 1000, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, -(2**63))
BROKEN = (float("nan"), float("inf"), 1e30, -1e308, 5e-324, 0.0, -1.0)
LETTERS = "bBhHiIqQfd"


def changed(
    kind: str, data: bytes, dice: random.Random, words: Sequence[str]
) -> tuple[bytes, list[str]]:
    """Return a file with a right checksum and other content."""
    content = container.unpack(kind, data)
    if dice.random() < 0.1:
        new, said = raw.changed(content, dice)
        return container.pack(kind, new), [f"content, {one}" for one in said]
    lengths = LENGTHS[kind]
    size, *others = lengths.unpack_from(content)
    at = lengths.size + size
    text = json.loads(content[lengths.size : at])
    rest = content[at:]
    said = []
    way = dice.random()
    if way > 0.5 and rest:
        rest, said = _arrays(text.get("blobs"), rest, dice)
    if way < 0.6:
        said += trees.changed(text, dice, words)
    written = trees.json_text(text, dice)
    size = len(written)
    if dice.random() < 0.02:
        size = dice.choice((0, 1, size - 1, size + 1, 2**31, 2**32 - 1))
        said.append(f"the text has {size} bytes")
    if others and dice.random() < 0.05:
        others = [dice.choice((0, 1, others[0] + 1, 2**63, 2**64 - 1))]
        said.append(f"the inputs have {others[0]} bytes")
    return container.pack(kind, lengths.pack(size, *others) + written + rest), said


def _arrays(sizes: Any, rest: bytes, dice: random.Random) -> tuple[bytes, list[str]]:
    """Change what follows the text: one array of it where the text tells their sizes, else any
    bytes.
    """
    if not isinstance(sizes, list) or sum(sizes) != len(rest) or dice.random() < 0.1:
        return raw.changed(rest, dice)
    number = dice.choice([at for at, one in enumerate(sizes) if one])
    first = sum(sizes[:number])
    last = first + sizes[number]
    part = rest[first:last]
    how = dice.random()
    if how < 0.75:
        part, said = _filled(part, dice)
    elif how < 0.9:
        unit = dice.choice((1, 4, 8, 16, 32))
        part = dice.choice(
            (
                part[:-unit],
                part + part[-unit:],
                b"",
                part + part,
                part[unit:] + part[:unit],
                part[::-1],
            )
        )
        said = f"{len(part)} bytes"
    else:
        part, changes = raw.changed(part, dice)
        said = "; ".join(changes)
    if dice.random() < 0.9:
        sizes[number] = len(part)
    return rest[:first] + part + rest[last:], [f"array {number}: {said}"]


def _filled(part: bytes, dice: random.Random) -> tuple[bytes, str]:
    """Write one value into some places of an array, or into all."""
    letter = dice.choice([one for one in LETTERS if struct.calcsize(one) <= len(part)])
    wide = struct.calcsize(letter)
    if letter in "fd":
        value = struct.pack(
            f"<{letter}", dice.choice(BROKEN if letter == "d" else (*BROKEN[:3], *BROKEN[5:]))
        )
    else:
        value = (dice.choice(WHOLE) % 2 ** (8 * wide)).to_bytes(wide, "little")
    if dice.random() < 0.4:
        return value * (len(part) // wide), f"{value.hex()} in all places"
    found = bytearray(part)
    for _ in range(dice.choice((1, 1, 3))):
        at = wide * dice.randrange(len(part) // wide)
        found[at : at + wide] = value
    return bytes(found), f"{value.hex()} from byte {at} on"
