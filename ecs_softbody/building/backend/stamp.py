"""The stamp of the last build: whether there is anything to build."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from contextlib import suppress
from pathlib import Path


def is_built(package: Path) -> bool:
    """Return whether the last build was of these sources, on this machine, and what it made is
    still there.
    """
    try:
        return os.environ.get("ECS_SOFTBODY_BUILD") != "0" and stamp_of(
            package
        ).read_text() == digest_of(package)
    except OSError:
        return False


def note_build(package: Path) -> None:
    """Note that the package was built as it is now; where that cannot be written, it is built anew
    each time.
    """
    stamp = stamp_of(package)
    with suppress(OSError):
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(digest_of(package))


def stamp_of(package: Path) -> Path:
    """Return the file of the stamp, beside the package."""
    return package.parent / "build" / "kernels" / "stamp.txt"


def digest_of(package: Path) -> str:
    """Return a digest of the sources, of what was built, and of the machine."""
    digest = hashlib.sha256(repr((*platform.uname(), sys.version)).encode())
    for pattern in ("**/*.py", "building/*.c", "compiled/*"):
        for path in sorted(path for path in package.glob(pattern) if path.is_file()):
            digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
