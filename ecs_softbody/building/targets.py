"""Targets: the kinds of processors and systems that libraries are built for."""

from __future__ import annotations

import platform
import sys
from typing import NamedTuple


class Target(NamedTuple):
    """A kind of processor, in LLVM's words, and in those of the linker."""

    name: str
    triple: str
    cpu: str = ""
    features: str = ""
    linker: str = ""
    """What `zig cc -target` calls it."""

    @property
    def words(self) -> tuple[str, ...]:
        """What makes it again."""
        return tuple(self)

    @property
    def file_name(self) -> str:
        """Name of its library. Python takes what ends like a library of the system for a module of its own."""
        return f"kernels-{self.name}.bin"


LINUX = {
    "x86-64-v2": Target("x86-64-v2", "x86_64-unknown-linux-gnu", "x86-64-v2", linker="x86_64-linux-gnu.2.17"),
    "x86-64-v3": Target("x86-64-v3", "x86_64-unknown-linux-gnu", "x86-64-v3", linker="x86_64-linux-gnu.2.17"),
    "aarch64": Target("aarch64", "aarch64-unknown-linux-gnu", "generic", linker="aarch64-linux-gnu.2.17"),
}
WINDOWS = {
    "x86-64-v2": Target("x86-64-v2", "x86_64-pc-windows-gnu", "x86-64-v2", linker="x86_64-windows-gnu"),
    "x86-64-v3": Target("x86-64-v3", "x86_64-pc-windows-gnu", "x86-64-v3", linker="x86_64-windows-gnu"),
}
MACOS = {
    "arm64": Target("arm64", "arm64-apple-macosx11.0", "apple-m1", linker="aarch64-macos.11.0"),
    "x86-64-v2": Target("x86-64-v2", "x86_64-apple-macosx11.0", "x86-64-v2", linker="x86_64-macos.11.0"),
    "x86-64-v3": Target("x86-64-v3", "x86_64-apple-macosx11.0", "x86-64-v3", linker="x86_64-macos.11.0"),
}
SYSTEMS = {"linux": LINUX, "windows": WINDOWS, "macos": MACOS}


def targets_here() -> list[Target]:
    """Return the targets of this machine's system and family of processors; RuntimeError where there are none."""
    system = {"linux": LINUX, "win32": WINDOWS, "darwin": MACOS}.get(sys.platform, {})
    machine = platform.machine().lower()
    family = "x86-64" if machine in ("x86_64", "amd64") else machine
    found = [target for name, target in system.items() if name.startswith(family)]
    if not found:
        raise RuntimeError(f"no library is built for {sys.platform} on {machine}")
    return found
