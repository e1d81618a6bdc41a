"""The library: kernels that were compiled when the package was built, and how Python calls them.

`kernels.json` beside it names every entry with its signature, and the sources that it was compiled from. An entry whose
sources have changed since is not used.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

IMPORTED = re.compile(r"^from (ecs_softbody(?:\.\w+)+) import", re.MULTILINE)
NO_KERNELS = {"ecs_softbody.parallel.compiling", "ecs_softbody.parallel.prepared", "ecs_softbody.parallel.workers"}
"""Modules without kernels: what they say does not change the code of one."""
KERNEL_OF: dict[Callable[..., Any], Any] = {}
"""What entries of the library were compiled from, for kernels of other people that call them."""
PACKAGE = Path(__file__).parents[1]
FOLDER = PACKAGE / "compiled"
ASKED_LEVEL = "ECS_SOFTBODY_CPU"
"""The environment variable that names a level, for comparisons: the best one is the default."""
LEVELS = {3: "x86-64-v3", 2: "x86-64-v2"}


class Library:
    """The entries of the library that fit this processor and these sources."""

    def __init__(self, folder: Path = FOLDER) -> None:
        listed = json.loads((folder / "kernels.json").read_text(encoding="utf-8"))
        self._calls = importlib.import_module("ecs_softbody.compiled._calls")
        self.path = folder / listed["libraries"][self._name(listed["libraries"])]
        self._handle = ctypes.CDLL(str(self.path))
        self._entries: dict[str, dict[str, Any]] = listed["entries"]
        # A packaged game has no sources: then nothing can have changed.
        digests = {name: (digest, digest_of(PACKAGE / name)) for name, digest in listed["sources"].items()}
        self._changed = {name for name, (built, now) in digests.items() if now not in (built, "")}

    def _name(self, built: dict[str, str]) -> str:
        """Return the best level among those built that this processor has, or the one that was asked for."""
        level = self._calls.level()
        names = [LEVELS[number] for number in sorted(LEVELS, reverse=True) if number <= level] or list(built)
        asked = os.environ.get(ASKED_LEVEL)
        return next(name for name in names if name in built and name in (asked or name,))

    def find(self, name: str) -> Callable[..., Any] | None:
        """Return the entry of a kernel, "module:function"; None where there is none, or its sources have changed."""
        entry = self._entries.get(name)
        if entry is None or not self._changed.isdisjoint(entry["sources"]):
            return None
        address = ctypes.cast(getattr(self._handle, entry["symbol"]), ctypes.c_void_p).value
        found: Callable[..., Any] = self._calls.entry(address, name.partition(":")[2], entry["signature"])
        return found

    def function(self, name: str) -> Callable[..., Any] | None:
        """Return a function of the extension, None where it is of an earlier version."""
        found: Callable[..., Any] | None = getattr(self._calls, name, None)
        return found

    def bind(self, entry: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
        """Return a function that calls an entry with these arguments and those it is given; it keeps them alive."""
        bound: Callable[..., Any] = self._calls.bind(entry, *arguments)
        return bound


def open_library() -> Library | None:
    """Return the library, None where none was built for this machine."""
    try:
        return Library()
    except (OSError, ImportError, StopIteration, KeyError, ValueError):
        return None


def digest_of(source: Path) -> str:
    """Return a digest of one file, "" where it is missing."""
    try:
        return hashlib.sha256(source.read_bytes().replace(b"\r\n", b"\n")).hexdigest()[:16]
    except OSError:
        return ""


def sources_of(file: str) -> list[Path]:
    """Return a source of kernels and all that it imports from this package, as far as kernels go."""
    seen: set[Path] = set()
    waiting = [Path(file)]
    while waiting:
        source = waiting.pop()
        if source not in seen and source.exists():
            seen.add(source)
            modules = set(IMPORTED.findall(source.read_text(encoding="utf-8"))) - NO_KERNELS
            waiting += [PACKAGE.parent / f"{module.replace('.', '/')}.py" for module in modules]
    return sorted(seen)
