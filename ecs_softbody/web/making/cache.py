"""Cache: what was made for an earlier page,
where most of it takes seconds and is the same in each.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ecs_softbody.files import write_atomically

MOST_KEPT = 30
"""Files in the folder: those of some five pages, 3 MB each at most.

The ones that nobody has asked for longest go.
"""

SEAL = hashlib.sha256().digest_size


def kept(digest: str, make: Callable[[], bytes]) -> bytes:
    """Return what was made under this digest, or make it, and keep it in the user's cache where
    that can be written.
    """
    from platformdirs import user_cache_path

    path = user_cache_path("ecs_softbody") / "pages" / digest
    with suppress(OSError):
        sealed = path.read_bytes()
        os.utime(path)
        found = sealed[SEAL:]
        # else it is damaged, or of another version
        if sealed[:SEAL] == _seal_of(found):
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
    for path in paths[:-MOST_KEPT]:
        path.unlink(missing_ok=True)
