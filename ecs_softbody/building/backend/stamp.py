"""The stamp of the last build: tells whether a new build is needed."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from contextlib import suppress
from pathlib import Path


def is_built(package: Path) -> bool:
    """Return whether the last build was of these sources, on this machine, and its results still
    exist.
    """
    try:
        return os.environ.get("ECS_SOFTBODY_BUILD") != "0" and stamp_of(
            package
        ).read_text() == digest_of(package)
    except OSError:
        return False


def note_build(package: Path) -> None:
    """Record the current build; if the record cannot be written, each installation rebuilds."""
    stamp = stamp_of(package)
    with suppress(OSError):
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(digest_of(package))


def stamp_of(package: Path) -> Path:
    """Return the path of the stamp, beside the package."""
    return package.parent / "build" / "kernels" / "stamp.txt"


def digest_of(package: Path) -> str:
    """Return a digest of the sources, the build results, and the machine."""
    digest = hashlib.sha256(repr((*platform.uname(), sys.version)).encode())
    for pattern in ("**/*.py", "building/*.c", "compiled/*"):
        for path in sorted(path for path in package.glob(pattern) if path.is_file()):
            digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
