"""The library: a shared library with the machine code of all kernels, compiled when the package was
built, and the extension module by which Python calls it.

An *entry* is a kernel that Python calls. `kernels.json` beside the library names every entry with
its signature, and the source files that it was compiled from. An entry whose sources have changed
since is not used; numba compiles it instead (compiling.py). The list also has a digest of each file
of machine code, and its first line a digest of itself: a file that was cut off, or comes from
another build, would crash the process without a message.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import sys
from collections.abc import Callable
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

IMPORTED = re.compile(r"^from (ecs_softbody(?:\.\w+)+) import", re.MULTILINE)
"""Finds the modules of this package that a source imports."""
NO_KERNELS = {
    "ecs_softbody.indices",
    *(f"ecs_softbody.parallel.{name}" for name in ("compiling", "machine", "prepared", "workers")),
    *(f"ecs_softbody.storage.{name}" for name in ("resource", "saved")),
}
"""Modules without kernels: changes of their text do not change the code of a kernel."""
KERNEL_OF: dict[Callable[..., Any], Any] = {}
"""By each entry of the library, its kernel as numba can compile it, for kernels of users that call
entries.
"""
PACKAGE = Path(__file__).parents[1]
FOLDER = PACKAGE / "compiled"
"""Folder of the library."""
ASKED_LEVEL = "ECS_SOFTBODY_CPU"
"""The environment variable that names a level, for comparisons: the best one is the default."""
LEVELS = {3: "x86-64-v3", 2: "x86-64-v2"}
"""Levels of x86-64 processors (sets of instructions) that the library is built for, by number."""
LIST = "kernels.json"
EXTENSION = "_calls.pyd" if sys.platform == "win32" else "_calls.abi3.so"
MODULE = "ecs_softbody.compiled._calls"


class Unusable(Exception):  # noqa: N818 - it says what is wrong with the library, not what its user did wrong
    """The library cannot be used; the message says why."""


class Library:
    """The entries of the library that fit this processor and the present sources.

    Raises:
        Unusable: where there is none, or not as it was built, or for another machine.
        ValueError: when a level is asked for that it does not have.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        listed = read_list(folder)
        self._calls = _extension(_checked(folder, EXTENSION, listed))
        self.path = _checked(folder, self._name(listed["libraries"]), listed)
        try:
            self._handle = ctypes.CDLL(str(self.path))
        except OSError as error:
            raise Unusable(f"{self.path.name} is for another machine: {error}") from None
        self._entries: dict[str, dict[str, Any]] = listed["entries"]
        # A packaged game has no sources, so nothing can have changed: the second digest is empty.
        digests = {
            name: (digest, digest_of(PACKAGE / name)) for name, digest in listed["sources"].items()
        }
        self._changed = {name for name, (built, now) in digests.items() if now not in (built, "")}

    def _name(self, built: dict[str, str]) -> str:
        """Return the name of the library for the best level that this processor has, or for the
        level asked for. built: names of the files by level.
        """
        level = self._calls.level()
        names = [
            LEVELS[number] for number in sorted(LEVELS, reverse=True) if number <= level
        ] or list(built)
        names = [name for name in names if name in built]
        if not names:
            raise Unusable(f"it was built for other processors ({', '.join(built)})")
        asked = os.environ.get(ASKED_LEVEL) or names[0]
        if asked not in names:
            raise ValueError(
                f"the environment variable {ASKED_LEVEL} is {asked!r}; the levels that are built "
                "here and that this "
                f"processor has: {', '.join(names)}"
            )
        return built[asked]

    def find(self, name: str) -> Callable[..., Any] | None:
        """Return the entry of a kernel, "module:function"; None where there is none, or its sources
        have changed.
        """
        entry = self._entries.get(name)
        if entry is None or not self._changed.isdisjoint(entry["sources"]):
            return None
        address = ctypes.cast(getattr(self._handle, entry["symbol"]), ctypes.c_void_p).value
        found: Callable[..., Any] = self._calls.entry(
            address, name.partition(":")[2], entry["signature"]
        )
        return found

    def function(self, name: str) -> Callable[..., Any] | None:
        """Return a function of the extension that is no kernel (many.py); None if the extension is
        of an earlier version, which lacks it.
        """
        found: Callable[..., Any] | None = getattr(self._calls, name, None)
        return found

    def bind(self, entry: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
        """Return a function that calls an entry with these arguments, followed by its own; it keeps
        them alive.
        """
        bound: Callable[..., Any] = self._calls.bind(entry, *arguments)
        return bound


def sealed(listed: dict[str, Any]) -> bytes:
    """Return the content of `kernels.json` for a list: its first line is a digest of the others."""
    rest = json.dumps(listed, indent=1).encode().removeprefix(b"{\n")
    return _first_line(rest) + rest


def read_list(folder: Path) -> dict[str, Any]:
    """Return the list in `kernels.json`; raise Unusable if the file is not as `sealed` made it."""
    content = _content(folder / LIST)
    first = content[:FIRST]
    rest = content[FIRST:]
    if first != _first_line(rest):
        raise Unusable(f"{LIST} is damaged, or of another version")
    listed: dict[str, Any] = json.loads(content)
    del listed["digest"]
    return listed


def _first_line(rest: bytes) -> bytes:
    """Return the first line of `kernels.json`, with a digest of the rest."""
    return b'{"digest": "%s",\n' % hashlib.sha256(rest).hexdigest().encode()


FIRST = len(_first_line(b""))
"""Number of bytes of the first line."""


def _checked(folder: Path, name: str, listed: dict[str, Any]) -> Path:
    """Return the path of a file of machine code; raise Unusable if it has changed since it was
    built.
    """
    digest = hashlib.sha256(_content(folder / name)).hexdigest()
    built = listed["files"]
    # The list of a packaged game may lack this file: see building/packaging/hook-ecs_softbody.py.
    if digest != built.get(name, digest):
        raise Unusable(f"{name} is damaged, or of another build")
    return folder / name


def _content(path: Path) -> bytes:
    """Return the bytes of a file; raise Unusable if it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise Unusable(f"{path.name} is missing") from None
    except OSError as error:
        raise Unusable(f"{path.name} cannot be read: {error.strerror}") from None


def _extension(path: Path) -> Any:
    """Load the extension from this very file, wherever Python would find a module of its name."""
    loader = ExtensionFileLoader(MODULE, str(path))
    try:
        calls = module_from_spec(ModuleSpec(MODULE, loader, origin=str(path)))
        loader.exec_module(calls)
    except ImportError as error:
        raise Unusable(f"{path.name} is for another machine: {error}") from None
    return calls


def digest_of(source: Path) -> str:
    """Return a digest of one source file, the same for both kinds of line ends; "" if it is
    missing.
    """
    try:
        return hashlib.sha256(source.read_bytes().replace(b"\r\n", b"\n")).hexdigest()[:16]
    except OSError:
        return ""


def sources_of(file: str) -> list[Path]:
    """Return a source file of kernels and all files of this package that it imports, directly or
    not, except NO_KERNELS: a change in any of them may change the machine code.
    """
    seen: set[Path] = set()
    waiting = [Path(file)]
    while waiting:
        source = waiting.pop()
        if source not in seen and source.exists():
            seen.add(source)
            modules = set(IMPORTED.findall(source.read_text(encoding="utf-8"))) - NO_KERNELS
            waiting += [PACKAGE.parent / f"{module.replace('.', '/')}.py" for module in modules]
    return sorted(seen)
