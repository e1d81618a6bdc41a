"""Units: the source files with kernels called from Python, each compiled into one object."""

from __future__ import annotations

import hashlib
import re
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from ecs_softbody.parallel.library import PACKAGE, sources_of

BUILDING = Path(__file__).parent
MAKERS = (
    BUILDING / "lowering.py",
    BUILDING / "leaner.py",
    BUILDING / "signatures.py",
    PACKAGE / "parallel" / "jit.py",
)
"""Other sources that affect an object."""
ENTRY = re.compile(r"^@entry\ndef (\w+)\(", re.MULTILINE)


class Unit(NamedTuple):
    """One source file, and its dependencies."""

    module: str
    entries: tuple[str, ...]
    sources: tuple[Path, ...]

    @property
    def symbols(self) -> dict[str, str]:
        """The C function of every entry."""
        prefix = self.module.removeprefix("ecs_softbody.").replace(".", "_")
        return {name: f"{prefix}__{name}" for name in self.entries}

    def key(self, target: object) -> str:
        """Return a digest of everything that affects the object for a target."""
        digest = hashlib.sha256(
            f"{self.module} {target} {version('numba')} {version('llvmlite')}".encode()
        )
        for source in (*self.sources, *MAKERS):
            digest.update(source.read_bytes())
        return digest.hexdigest()[:24]


def find_units() -> list[Unit]:
    """Return all units, sorted by name, so that units of a room, which share kernels, are
    adjacent.
    """
    units = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if names := ENTRY.findall(path.read_text(encoding="utf-8")):
            module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            units.append(Unit(module, tuple(names), tuple(sources_of(str(path)))))
    return units
