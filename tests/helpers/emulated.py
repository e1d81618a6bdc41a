"""Runs the kernels of the library for Linux on aarch64 in an emulator of that processor (qemu)."""

from __future__ import annotations

import shutil
import struct
import subprocess
import weakref
from pathlib import Path

from ecs_softbody.building.linker import zig_compiler
from ecs_softbody.building.targets import SYSTEMS
from tests.helpers.foreign import Call, ForeignLibrary

SOURCE = Path(__file__).with_suffix(".c")
EMULATOR, ROOT = "qemu-aarch64", Path("/usr/aarch64-linux-gnu")
"""The emulator, and the C library of that processor: Debian's packages qemu-user and
libc6-arm64-cross.
"""


def is_installed() -> bool:
    """Return whether this machine can run programs for aarch64."""
    return shutil.which(EMULATOR) is not None and ROOT.exists()


class EmulatedLibrary(ForeignLibrary):
    """Has the entries of a library for aarch64, which a process of the emulator calls."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        [target] = SYSTEMS["linux-aarch64"]
        caller = folder / "caller"
        subprocess.run(
            [
                *zig_compiler(),
                "-target",
                target.linker,
                "-O1",
                str(SOURCE),
                "-ldl",
                "-o",
                str(caller),
            ],
            check=True,
        )
        self._process = subprocess.Popen(
            [EMULATOR, "-L", str(ROOT), str(caller), str(self._library)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        weakref.finalize(self, self._process.kill)

    def run(self, call: Call) -> tuple[bytes, bytes]:
        """Run a call, and return the slots of its results and the arrays as they are then."""
        asks = self._process.stdin
        answers = self._process.stdout
        name = call.symbol.encode()
        assert asks is not None
        assert answers is not None
        numbers = len(call.slots), len(call.pointers), call.results, len(call.content)
        asks.write(struct.pack("<q", len(name)) + name + struct.pack("<4q", *numbers))
        asks.write(
            struct.pack(f"<{len(call.slots) + len(call.pointers)}q", *call.slots, *call.pointers)
        )
        asks.write(call.content)
        asks.flush()
        results = answers.read(8 * call.results)
        after = answers.read(len(call.content))
        assert len(after) == len(call.content), f"{call.symbol} failed in the emulator"
        return results, after
