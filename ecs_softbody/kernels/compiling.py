"""Compile kernels with numba, and keep the machine code in a folder that belongs to exactly these sources.

numba does not notice a change in a function of another file that a kernel calls, and it refuses to cache where
neither the package nor the home folder is writable. Both are solved by a folder of our own, named after a digest
of all kernel sources and the numba version.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

import numba
from numba.core import config

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

ROOMS_WITH_KERNELS = ("kernels", "collision", "rendering")
KEPT_CACHES = 4
OWN_CACHE = "ECS_SOFTBODY_KERNELS"
"""Names the folder while kernels are being written: then only changed files compile anew, and whoever changes a
function that kernels of other files call empties it himself."""


def kernel(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a function of plain arrays and numbers; with NUMBA_DISABLE_JIT=1 it stays Python."""
    return _compiled(function)


def lean(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a kernel that allocates no arrays: it borrows those it is given, so that a call costs half as much.

    Counting references takes some 10 ns for each array that one kernel hands to another, and 30 ns from Python.
    """
    return _compiled(function, _nrt=False)


def part(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a lean kernel that others call for every element: its code becomes part of theirs."""
    return _compiled(function, _nrt=False, forceinline=True)


def _compiled(function: Callable[Parameters, Result], **options: bool) -> Callable[Parameters, Result]:
    if config.DISABLE_JIT:
        return function
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_directory())
    try:
        compile_it = numba.njit(cache=True, error_model="numpy", nogil=True, **options)
        compiled: Callable[Parameters, Result] = compile_it(function)
    finally:
        config.CACHE_DIR = before
    return compiled


@functools.cache
def cache_directory() -> Path:
    """Return the folder for compiled kernels, created; a temporary one where nothing else can be written."""
    name = f"kernels-{os.environ.get(OWN_CACHE) or source_digest()}"
    for base in _writable_candidates():
        folder = base / name
        try:
            fresh = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f".writable-{os.getpid()}").touch()
            (folder / f".writable-{os.getpid()}").unlink()
        except OSError:
            continue
        if fresh:
            _remove_old_caches(base, keep=folder)
        return folder
    return Path(tempfile.mkdtemp(prefix="ecs_softbody-"))


def source_digest() -> str:
    """Return a digest of all kernel sources, the numba version and the Python version."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    package = Path(__file__).parent.parent
    for room in ROOMS_WITH_KERNELS:
        for source in sorted((package / room).glob("*.py")):
            digest.update(source.name.encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _writable_candidates() -> list[Path]:
    if os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(os.environ["NUMBA_CACHE_DIR"]) / "ecs_softbody"]
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~\\AppData\\Local")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return [Path(base).expanduser() / "ecs_softbody"]
    except RuntimeError:
        return []


def _remove_old_caches(base: Path, *, keep: Path) -> None:
    caches = sorted(base.glob("kernels-*"), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for old in [folder for folder in caches if folder != keep][KEPT_CACHES:]:
        shutil.rmtree(old, ignore_errors=True)
