"""Kernels: the folder with the compiled kernels for pages, built if missing or outdated."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ecs_softbody.parallel.library import FOLDER, PACKAGE, Unusable, digest_of, read_list
from ecs_softbody.web.making.archive import KERNELS, UNPACKER

PLACE = FOLDER / "wasm"
"""Their folder in this package; wheels include it."""
HOW = "install what builds them (pip install numba ziglang), and try again"


def kernels_folder() -> Path:
    """Return the folder with the kernels for pages; they are built first if sources have changed.

    Raises:
        RuntimeError: if they cannot be built; the message names the missing part.
    """
    if are_built(PLACE):
        return PLACE
    print(
        "The kernels for pages are built now, once; that takes some minutes.",
        file=sys.stderr,
        flush=True,
    )
    command = [
        sys.executable,
        "-m",
        "ecs_softbody.building",
        "--system",
        "wasm",
        "--folder",
        str(PLACE),
    ]
    ended = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if ended.returncode:
        message = (ended.stderr.strip().splitlines() or ["the build failed"])[-1]
        raise RuntimeError(f"there are no kernels for pages: {message}; {HOW}")
    return PLACE


def are_built(folder: Path) -> bool:
    """Return whether all files exist, and the sources are unchanged."""
    try:
        listed = read_list(folder)
    except Unusable:
        return False
    sources: dict[str, str] = listed["sources"]
    is_fresh = all(digest_of(PACKAGE / name) in (digest, "") for name, digest in sources.items())
    return is_fresh and all((folder / name).exists() for name in (*KERNELS, UNPACKER))
