"""Targets: the systems and the levels of processors that libraries are built for."""

from __future__ import annotations

import platform
import sys
from typing import NamedTuple


class Target(NamedTuple):
    """A kind of processor, in LLVM's and the linker's terms."""

    name: str
    triple: str
    cpu: str = ""
    features: str = ""
    linker: str = ""
    """Its name for `zig cc -target`."""

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments that rebuild it."""
        return tuple(self)

    @property
    def file_name(self) -> str:
        """Name of its library file.

        It avoids the system's library suffix: Python would take such a file for an extension
        module.
        """
        return "kernels.wasm" if self.is_wasm else f"kernels-{self.name}.bin"

    @property
    def is_wasm(self) -> bool:
        """Whether it is WebAssembly."""
        return self.triple.startswith("wasm")


def _x86(system: str, linker: str) -> list[Target]:
    levels = ("x86-64-v2", "x86-64-v3")
    return [Target(level, f"x86_64-{system}", level, linker=f"x86_64-{linker}") for level in levels]


WASM_FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint"
SYSTEMS = {
    "linux-x86_64": _x86("unknown-linux-gnu", "linux-gnu.2.17"),
    "linux-aarch64": [
        Target("aarch64", "aarch64-unknown-linux-gnu", "generic", linker="aarch64-linux-gnu.2.17")
    ],
    "linux-i686": [
        Target("i686", "i686-unknown-linux-gnu", "x86-64-v2", linker="x86-linux-gnu.2.17")
    ],
    "windows-x86_64": _x86("pc-windows-gnu", "windows-gnu"),
    "macos-x86_64": _x86("apple-macosx11.0", "macos.11.0"),
    "macos-arm64": [
        Target("arm64", "arm64-apple-macosx11.0", "apple-m1", linker="aarch64-macos.11.0")
    ],
    "wasm": [
        Target(
            "wasm32",
            "wasm32-unknown-emscripten",
            "generic",
            "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint",
        )
    ],
}
"""Supported targets, buildable on any of them: system and processor; one library for each level."""


V3 = {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}
"""Features that x86-64-v3 adds to -v2, in LLVM's terms."""


def best_of(targets: list[Target]) -> list[Target]:
    """Return the best of these targets that this machine's processor supports."""
    from llvmlite.binding import get_host_cpu_features

    found = get_host_cpu_features()
    return targets[-1:] if all(found.get(feature) for feature in V3) else targets[:1]


def system_here() -> str:
    """Return the system of this machine; RuntimeError if no library can be built for it."""
    system = {"linux": "linux", "win32": "windows", "darwin": "macos"}.get(
        sys.platform, sys.platform
    )
    machine = platform.machine().lower()
    name = f"{system}-{'x86_64' if machine == 'amd64' else machine}"
    if name not in SYSTEMS:
        raise RuntimeError(f"no library can be built for {name}; it can for {', '.join(SYSTEMS)}")
    return name
