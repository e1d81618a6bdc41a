"""Cache: keeps slow results of earlier runs of `ecs-softbody web`; most are the same in each
page.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ecs_softbody.files import write_atomically

MOST_CACHED = 30
"""Number of files in the folder: those of about five pages, each file at most 3 MB.

The least recently used files are deleted.
"""

SEAL_SIZE = hashlib.sha256().digest_size


def kept(digest: str, make: Callable[[], bytes]) -> bytes:
    """Return the cached result of this digest, or make it, and cache it if the user's cache is
    writable.
    """
    from platformdirs import user_cache_path

    path = user_cache_path("ecs_softbody") / "pages" / digest
    with suppress(OSError):
        sealed = path.read_bytes()
        os.utime(path)
        found = sealed[SEAL_SIZE:]
        # The seal of a damaged file, or of one from before files had seals, does not match.
        if sealed[:SEAL_SIZE] == _seal_of(found):
            return found
    made = make()
    with suppress(OSError):
        write_atomically(path, _seal_of(made) + made)
        _forget_oldest(path.parent)
    return made


def _seal_of(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _forget_oldest(folder: Path) -> None:
    paths = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in paths[:-MOST_CACHED]:
        path.unlink(missing_ok=True)
