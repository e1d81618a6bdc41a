"""Files: whole at any time, after a crash the old ones or the new ones; and which ones are read meanwhile."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

_reads: ContextVar[tuple[Path, list[Path]] | None] = ContextVar("reads", default=None)


@contextmanager
def reading_within(folder: Path) -> Iterator[list[Path]]:
    """Let nothing be read meanwhile outside of a folder; yields the files that are read."""
    found: list[Path] = []
    token = _reads.set((folder.resolve(), found))
    try:
        yield found
    finally:
        _reads.reset(token)


def note_read(path: Path) -> None:
    """Note that a file is read, before it is.

    Raises:
        ValueError: where it is outside of the folder that is allowed.
    """
    if (known := _reads.get()) is None:
        return
    folder, found = known
    if not path.resolve().is_relative_to(folder):
        raise ValueError(f"{path.name!r} is outside of the scene's folder, which is not allowed")
    if path not in found:
        found.append(path)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file beside the old one, then put it in its place; its folder is made where missing.

    Raises:
        OSError: where it cannot be written; the old file stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    with suppress(OSError, AttributeError):  # Windows opens no folder, and needs none of this
        folder = os.open(path.parent, os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
