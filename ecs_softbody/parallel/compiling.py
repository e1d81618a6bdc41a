"""Compile kernels with numba, and keep the machine code in a folder that belongs to exactly these sources.

numba does not notice a change in a function of another file that a kernel calls, and it refuses to cache where
neither the package nor the home folder is writable. Both are solved by a folder of our own, named after a digest
of all kernel sources and the numba version.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
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

ROOMS_WITH_KERNELS = ("parallel", "geometry", "kernels", "collision", "rendering")
KEPT_CACHES = 4
OWN_CACHE = "ECS_SOFTBODY_KERNELS"
"""Names the folder while kernels are being written: then only files compile anew that changed, or that import one that
did."""
IMPORTED = re.compile(r"^from (ecs_softbody(?:\.\w+)+) import", re.MULTILINE)


def kernel(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a function of arrays and numbers; with NUMBA_DISABLE_JIT=1 it stays Python.

    A kernel makes no arrays. It borrows those that it is given and does not count references to them: counting costs
    10 ns for each array that one kernel hands to another, and 30 ns for each that comes from Python.
    """
    return _compiled(function, _nrt=False)


def entry(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a kernel that Python calls. Its annotations are its signature: see `arrays.Layout`."""
    return kernel(function)


def inline(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a kernel into the kernels that call it: for the work on each element of an array."""
    return _compiled(function, _nrt=False, forceinline=True)


def template(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a kernel that takes other kernels as arguments into those that call it, anew for each.

    It is cached with the kernels that call it, not by itself.
    """
    return function if config.DISABLE_JIT else _compile(function, cache=False, _nrt=False, forceinline=True)


def _compiled(function: Callable[Parameters, Result], **options: bool) -> Callable[Parameters, Result]:
    if config.DISABLE_JIT:
        return function
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_directory() / _subfolder(function.__code__.co_filename))
    try:
        return _compile(function, cache=True, **options)
    finally:
        config.CACHE_DIR = before


def _compile(function: Callable[Parameters, Result], **options: bool) -> Callable[Parameters, Result]:
    compiled: Callable[Parameters, Result] = numba.njit(error_model="numpy", nogil=True, **options)(function)
    return compiled


@functools.cache
def cache_directory() -> Path:
    """Return the folder for compiled kernels, created; a temporary one where nothing else can be written."""
    name = f"kernels-{os.environ.get(OWN_CACHE) or source_digest()}"
    for base in _writable_candidates():
        folder = base / name
        try:
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f".writable-{os.getpid()}").touch()
            (folder / f".writable-{os.getpid()}").unlink()
        except OSError:
            continue
        if is_new:
            _remove_old_caches(base, keep=folder)
        return folder
    return Path(tempfile.mkdtemp(prefix="ecs_softbody-"))


def source_digest() -> str:
    """Return a digest of all kernel sources, the numba version and the Python version."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    package = Path(__file__).parent.parent
    for room in ROOMS_WITH_KERNELS:
        for source in sorted((package / room).rglob("*.py")):
            digest.update(source.relative_to(package).as_posix().encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _subfolder(file: str) -> str:
    """Return the folder of one source: in a folder of one's own it is named by the file and all that it imports."""
    if not os.environ.get(OWN_CACHE):
        return ""
    digest, seen, waiting = hashlib.sha256(), set[Path](), [Path(file)]
    while waiting:
        source = waiting.pop()
        if source not in seen and source.exists():
            seen.add(source)
            text = source.read_text(encoding="utf-8")
            digest.update(text.encode())
            package = Path(__file__).parents[2]
            waiting += [package / f"{name.replace('.', '/')}.py" for name in IMPORTED.findall(text)]
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
