"""What unpacks a page writes what was packed, and refuses damaged files: nothing is written outside
of the room.
"""

from __future__ import annotations

import lzma
import random
from pathlib import Path
from typing import Any

import pytest

from ecs_softbody.building.linker import link_unpacker, zig_compiler
from ecs_softbody.web.making.writing import FILTERS

pytest.importorskip("ziglang", reason="needs the dependency group dev")
wasmtime = pytest.importorskip("wasmtime", reason="needs the dependency group dev")
GUARD = b"\xa5" * 4096
"""Beyond the room."""


class Unpacker:
    """Calls the decoder as the page does."""

    def __init__(self, path: Path) -> None:
        self._store = wasmtime.Store()
        exports = wasmtime.Instance(
            self._store, wasmtime.Module.from_file(self._store.engine, str(path)), []
        ).exports(self._store)
        self._memory = exports["memory"]
        self._unpack = exports["unpack"]
        self._from: int = exports["__heap_base"].value(self._store)

    def unpack(self, packed: bytes, room: int) -> bytes:
        to = self._from + len(packed)
        missing = to + room + len(GUARD) - self._memory.data_len(self._store)
        if missing > 0:
            self._memory.grow(self._store, -(-missing // 65536))
        self._memory.write(self._store, packed, self._from)
        self._memory.write(self._store, GUARD, to + room)
        length: int = self._unpack(self._store, self._from, len(packed), to, room)
        assert self._memory.read(self._store, to + room, to + room + len(GUARD)) == GUARD
        return bytes(self._memory.read(self._store, to, to + length))


@pytest.fixture(scope="module")
def unpacker(tmp_path_factory: pytest.TempPathFactory) -> Unpacker:
    folder = tmp_path_factory.mktemp("unpacker")
    return Unpacker(folder / link_unpacker(zig_compiler(), folder))


def packed(content: bytes, **how: int) -> bytes:
    filters: list[dict[str, Any]] = [{**FILTERS[0], **how}]
    return lzma.compress(content, lzma.FORMAT_ALONE, filters=filters)


def contents() -> list[bytes]:
    chance = random.Random(3)
    made = [
        b"",
        b"a",
        bytes(range(256)),
        b"ab" * 40_000,
        chance.randbytes(30_000),
        Path(__file__).read_bytes(),
    ]
    for _ in range(60):
        letters = chance.randbytes(chance.randrange(1, 9))
        made.append(
            bytes(chance.choices(letters, k=chance.randrange(3000))) * chance.randrange(1, 40)
        )
    return made


def test_what_was_packed_comes_back(unpacker: Unpacker) -> None:
    for number, content in enumerate(contents()):
        how = {"lc": number % 5, "pb": number % 3, "lp": 0} if number % 2 else {}
        assert unpacker.unpack(packed(content, **how), len(content)) == content


def test_damaged_files_are_refused_or_fit_the_room(unpacker: Unpacker) -> None:
    chance = random.Random(4)
    wrong = 0
    for content in contents()[3:]:
        whole = packed(content)
        for _ in range(20):
            damaged = bytearray(whole[: chance.randrange(len(whole) + 1)])
            for _ in range(chance.randrange(4)):
                damaged[chance.randrange(len(damaged)) if damaged else 0 :][:1] = chance.randbytes(
                    1
                )
            wrong += unpacker.unpack(bytes(damaged), len(content)) != content
    assert wrong > 600


def test_more_than_there_is_room_for_is_refused(unpacker: Unpacker) -> None:
    for content in contents()[3:]:
        if content:
            assert unpacker.unpack(packed(content), len(content) - 1) == b""
