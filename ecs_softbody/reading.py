"""Reading: which files a file may name, and how much memory and time its contents may take.

An untrusted scene, map or drawing is data: it reads nothing outside of its folder, and its requests
are counted before they are served. `reading_within` sets the folder and starts counting; `spend`
counts.
"""

from __future__ import annotations

import itertools
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO

from ecs_softbody.errors import FieldError

MOST_PARTICLES = 200_000
"""Of everything that one file makes, with all that it names."""
MOST: dict[str, int] = {
    # Files that are read count; a file named twice counts twice.
    "bytes": 128_000_000,
    "pixels": 40_000_000,  # of pictures: 215 MB with their smaller versions
    "particles": MOST_PARTICLES,
    "entities": 1_000_000,  # no scene that is as long as may be has as many
    # The unit is about a microsecond of one core of 2020: see `imports/budget.py`.
    "work": 1_600_000,
}
"""Limits of the total that a file may request.

Each is far above the needs of games, and takes 2 s and 300 MB at most.
"""
TEXT = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
"""A text in a JSON file."""
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
BESIDE = "the name of a file beside it"
"""What a file may name, in words."""
LONGEST_NAME = 500
"""Letters of the name of a file that a file names."""


@dataclass
class _Reading:
    """The current permissions, besides the ones of `outer`: files of this folder, and the remaining
    budget.
    """

    folder: Path | None
    opened: Path | None
    outer: _Reading | None
    held: bool
    """Whether a folder is set, here or in an outer block."""
    most: Mapping[str, int]
    files: list[Path] = field(default_factory=list)
    left: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.left = dict(self.most)


_reading: ContextVar[_Reading | None] = ContextVar("reading", default=None)


@contextmanager
def reading_within(
    folder: Path | None, opened: Path | None = None, most: Mapping[str, int] = MOST
) -> Iterator[list[Path]]:
    """Restrict reading to a folder (None: anywhere), and requests to `most`.

    If an outer block has set a folder, as for a map in a scene, that folder applies. Yields the
    files that are read.

    Args:
        folder: the folder of files named in files.
        opened: the file that the user has named; it may be a link to anywhere.
        most: what may be asked for in all; of what is not in it, as much as `MOST` has.
    """
    outer = _reading.get()
    held = outer is not None and outer.held
    known = _Reading(
        None if held or folder is None else folder.resolve(),
        opened,
        outer,
        held or folder is not None,
        {**MOST, **most},
    )
    token = _reading.set(known)
    try:
        yield known.files
    finally:
        _reading.reset(token)


def spend(what: str, count: float) -> None:
    """Count an item that a file requests, before it is made; requests by programs are not limited.

    Raises:
        ValueError: if it exceeds the remaining budget.
    """
    known = _reading.get()
    enough = True
    while known is not None:
        enough = enough and count <= known.left[what]
        # After an excess nothing is left, so that no more is tried.
        known.left[what] = known.left[what] - int(count) if enough else 0
        known = known.outer
    if not enough:
        raise ValueError(f"more than {most_of(what)} {what} in all are not allowed")


def most_of(what: str) -> int:
    """Return how much of something a file may ask for in all."""
    known = _reading.get()
    most = MOST[what]
    while known is not None:
        most = min(most, known.most[what])
        known = known.outer
    return most


def open_file(path: Path, most: int) -> BinaryIO:
    """Open a file of at most `most` bytes for reading, and note that it is read.

    Raises:
        ValueError: if it does not exist, is no regular file (a pipe would block, and a device has
            no end), is too large, or outside of the allowed folder. The message begins with its
            name.
    """
    note_read(path)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ValueError(f"{path.name!r} is no plain file")
        # Another file may be there by now: open without blocking, and check again.
        waits = getattr(os, "O_NONBLOCK", 0)
        file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | waits))  # noqa: SIM115
    except (OSError, RuntimeError):
        raise ValueError(f"{path.name!r} cannot be read") from None
    try:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"{path.name!r} is no plain file")
        if status.st_size > most:
            raise ValueError(
                f"{path.name!r} is larger than {most / 10**6:g} MB, which is not allowed"
            )
        spend("bytes", status.st_size)
    except BaseException:
        file.close()
        raise
    return file


def read_file(path: Path, most: int) -> bytes:
    """Return the content of a file of at most `most` bytes; see `open_file`."""
    with open_file(path, most) as file:
        # Files that are on no disk, as in /proc, may be longer than they say.
        found = file.read(most + 1)
    if len(found) > most:
        raise ValueError(f"{path.name!r} is larger than {most / 10**6:g} MB, which is not allowed")
    return found


KEYS_OF_MAPS = {
    "tiled": (b'"tilewidth"', b'"tilesets"', b'"layers"'),
    "ldtk": (b'"jsonVersion"', b'"defs"', b'"levels"'),
}  # fmt: skip
LARGEST_MAP = 16_000_000
"""Bytes."""


def map_in_json(path: Path) -> str:
    """Return the editor of a .json map, `tiled` or `ldtk`; an empty text for any other or missing
    file.

    Such files have no ending of their own, so their keys are looked for. No scene has any of these.
    """
    try:
        found = read_file(path, LARGEST_MAP)
    except (OSError, ValueError):
        return ""
    return next(
        (kind for kind, keys in KEYS_OF_MAPS.items() if all(key in found for key in keys)), ""
    )


PARTS_OF_MAPS = {
    ".world": "a world of Tiled, which names maps; open one of these",
    ".tsx": "a tileset of Tiled; open a map that uses it",
    ".tsj": "a tileset of Tiled; open a map that uses it",
    ".tx": "a template of Tiled; open a map that uses it",
    ".tj": "a template of Tiled; open a map that uses it",
}  # fmt: skip
"""Files of Tiled that are not maps, by extension: their kind, and which file to open instead."""


def part_of_map(ending: str) -> str:
    """Return which file to open instead of a Tiled file that is no map, as the rest of a sentence;
    empty for others.
    """
    said = PARTS_OF_MAPS.get(ending.lower(), "")
    return f": it is {said}" if said else ""


def named_file(folder: Path, name: Any) -> Path:
    """Return where a file is that another one, in this folder, names; its links are resolved, and
    nothing is read.

    Raises:
        ValueError: where it is no name, begins at the top of a disk or on another machine, or leads
            out of the folder that is allowed.
    """
    plain = (
        isinstance(name, str)
        and 0 < len(name) <= LONGEST_NAME
        and "\0" not in name
        and "://" not in name
    )
    # Windows contacts the machine of \\machine\share to find out whether there is such a file.
    if not plain or PureWindowsPath(name).anchor or PurePosixPath(name).anchor:
        raise FieldError("", "", name, BESIDE)
    try:
        found: Path = (folder / name).resolve()
        found.exists()
    except (OSError, RuntimeError, ValueError):
        # Links may form a circle, and a name may have half a surrogate, or be one that no disk has.
        raise FieldError("", "", name, BESIDE) from None
    note_read(found)
    return found


class Located(str):
    """The path of a file that may be read: an importer has found it with `named_file`.

    No file can hold one.
    """

    __slots__ = ()


def note_read(path: Path) -> None:
    """Note that a file is read, or requested.

    Raises:
        ValueError: where it is outside of the folder that is allowed.
    """
    known = _reading.get()
    found = path if known is None else path.resolve()
    while known is not None:
        if (
            known.folder is not None
            and path != known.opened
            and not found.is_relative_to(known.folder)
        ):
            raise ValueError(
                f"{path.name!r} is outside of the folder {known.folder.name!r}, which is not "
                "allowed; move it there"
            )
        if path not in known.files:
            known.files.append(path)
        known = known.outer


def is_nested(text: str, most: int) -> bool:
    """Return whether more than `most` brackets of a JSON text are open at once, where parsers
    fail.
    """
    # Brackets inside strings do not count.
    return _brackets(text) > most and _brackets(TEXT.sub("", text)) > most


def _brackets(text: str) -> int:
    """Return how many brackets are open at most."""
    marks = text.encode(errors="replace").translate(None, NO_BRACKETS)
    return max(itertools.accumulate(1 if mark in b"[{" else -1 for mark in marks), default=0)
