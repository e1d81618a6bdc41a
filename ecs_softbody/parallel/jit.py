"""The compiler numba: compiles kernels that are not in the library, when they are first called, and
keeps the machine code in files for the next process.

numba has a cache of its own, but it notices neither a change in another file that a kernel uses,
nor that two processes write one index. So a file here holds one compiled kernel, and its name
contains a digest of all that decides about the machine code; there is no index.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.core.typing.typeof import typeof_impl

from ecs_softbody.files import write_atomically
from ecs_softbody.parallel.library import KERNEL_OF, digest_of, sources_of

MORE_OPTIONS: dict[str, bool] = {}
"""Options of numba that the build of the library adds for all kernels."""
KEEPS_FILES = True
"""Whether machine code is kept for the next process; the build switches it off."""
KEPT_DAYS = 60
"""Days for which an unused file is kept."""
CHECK = 32
"""Bytes at the start of a file: a digest of the rest."""


def compile_kernel(
    function: Callable[..., Any], *, is_template: bool = False, **options: bool
) -> Any:
    """Return numba's dispatcher of a kernel, which compiles it for each new signature. A template
    gets no file of its own: its machine code is part of the kernels that call it.
    """
    # Without this option a kernel would take `forceinline` over from the first that calls it.
    options = {"forceinline": False, **options, **MORE_OPTIONS}
    compiled = numba.njit(error_model="numpy", nogil=True, _nrt=False, **options)(function)
    if KEEPS_FILES and not is_template and Path(function.__code__.co_filename).exists():
        compiled._cache = FileCache(function)
    return compiled


@typeof_impl.register(BuiltinFunctionType)  # type: ignore[untyped-decorator]
def type_of_entry(value: Callable[..., Any], _: Any) -> Any:
    """Return numba's type of an entry of the library: the kernel that it was compiled from."""
    kernel = KERNEL_OF.get(value)
    return kernel._numba_type_ if kernel else None


class FileCache(NullCache):  # type: ignore[misc]
    """Keeps the machine code of one kernel, a file for each signature. numba calls its methods."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = function.__name__
        own = (
            f"{function.__module__}.{function.__qualname__} {numba.__version__} "
            f"{sys.version_info[:2]}"
        )
        self._key = " ".join(
            [
                own,
                *(
                    f"{path} {digest_of(path)}"
                    for path in sources_of(function.__code__.co_filename)
                ),
            ]
        )

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the kernel as compiled for a signature, None if no valid file is kept."""
        target_context.refresh()
        with suppress(
            OSError, EOFError, ValueError, pickle.PickleError, AttributeError, ImportError
        ):
            path = self._path(signature, target_context)
            content = path.read_bytes()
            os.utime(path)
            if hashlib.sha256(content[CHECK:]).digest() == content[:CHECK]:
                return CompileResult._rebuild(target_context, *pickle.loads(content[CHECK:]))
        return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Write a compiled kernel to its file. Where nothing can be written, the next process
        compiles it again.
        """
        if data.library.has_dynamic_globals:
            return
        content = dumps(data._reduce())
        with suppress(OSError):
            path = self._path(signature, data.target_context)
            write_atomically(path, hashlib.sha256(content).digest() + content)

    def _path(self, signature: Any, context: Any) -> Path:
        """Return the file for a signature and the processor that the context compiles for."""
        key = f"{self._key} {signature!r} {context.codegen().magic_tuple()!r}"
        return cache_folder() / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}"


@functools.cache
def cache_folder() -> Path:
    """Return the folder for compiled kernels, and create it; a temporary folder where no other can
    be written.
    """
    for candidate in _candidates():
        with suppress(OSError, RuntimeError):
            folder = candidate.expanduser() / "ecs_softbody" / "kernels"
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            remove_old(folder)
            return folder
    return Path(tempfile.mkdtemp(prefix="ecs_softbody-"))


def remove_old(folder: Path) -> None:
    """Remove files that were unused for KEPT_DAYS."""
    oldest = time.time() - KEPT_DAYS * 86400.0
    for path in folder.iterdir():
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()


def _candidates() -> list[Path]:
    """Return the folders of this system in which programs keep caches."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(os.environ["NUMBA_CACHE_DIR"])]
    if sys.platform == "win32":
        return [Path(os.environ.get("LOCALAPPDATA", "~\\AppData\\Local"))]
    if sys.platform == "darwin":
        return [Path("~/Library/Caches")]
    return [Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")]
