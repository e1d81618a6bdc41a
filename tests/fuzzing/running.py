"""Running: hands inputs to servers, and sums up what became of them."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzzing import ROOT

CHUNK = 1000
"""Inputs of one server; to start one takes some seconds."""


@dataclass
class Fault:
    """One way to fail: what happens at which place.

    The input is the one with the fewest changes.
    """

    kind: str
    what: str
    place: str
    times: int = 0
    number: int = 0
    changes: list[str] = field(default_factory=list)
    begun: int = 0
    """Of its process: where it needs inputs before it, the first of these, else its own number."""
    text: str = ""

    def take(self, found: dict[str, Any], text: str) -> None:
        """Count an input; it becomes the example where it has fewer changes."""
        self.times += 1
        here = found["number"] - found["begun"], len(found["changes"]), found["number"]
        if self.times == 1 or here < (self.number - self.begun, len(self.changes), self.number):
            self.number = found["number"]
            self.changes = found["changes"]
            self.begun = found["begun"]
            self.text = text

    @property
    def numbers(self) -> str:
        """The number of the input, or those of the first and the last that it needs."""
        return f"{self.number}" if self.begun == self.number else f"{self.begun}-{self.number}"


@dataclass
class Sum:
    """What became of the inputs of a kind."""

    did: dict[str, int] = field(default_factory=lambda: {"taken": 0, "refused": 0, "failed": 0})
    slowest: float = 0.0
    grown: float = 0.0
    faults: dict[tuple[str, str], Fault] = field(default_factory=dict)

    def take(self, kind: str, found: dict[str, Any]) -> None:
        """Count an input."""
        self.did[found["did"]] += 1
        self.slowest, self.grown = (
            max(self.slowest, found["seconds"]),
            max(self.grown, found["grown"]),
        )
        for what, place, text in found.get("faults", ()):
            self.faults.setdefault((what, place), Fault(kind, what, place)).take(found, text)


class ServerError(RuntimeError):
    """The fuzz itself has failed."""


def surroundings(scratch: Path) -> dict[str, str]:
    """Return the environment of a server: always the same hashes, one thread, and nobody's own
    files.
    """
    paths = [
        str(ROOT),
        str(ROOT / "games"),
        str(ROOT / "benchmarks"),
        os.environ.get("PYTHONPATH", ""),
    ]
    return {
        **os.environ, "PYTHONPATH": os.pathsep.join(paths).rstrip(os.pathsep),
        "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
        "ECS_SOFTBODY_LANGUAGE": "en", "ECS_SOFTBODY_DATA": str(scratch / "data"),
        "ECS_SOFTBODY_PICTURES": str(scratch / "pictures"),
    }  # fmt: skip


def served(
    kind: str, seed: int, first: int, count: int, tell: Callable[[dict[str, Any]], bool]
) -> None:
    """Have a server try inputs, until `tell` returns False."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as wrong:
        scratch = Path(folder)
        asked = [kind, *map(str, (seed, first, count, scratch / "s"))]
        command = [sys.executable, "-m", "tests.fuzzing.server", *asked]
        server = subprocess.Popen(
            command,
            cwd=ROOT,
            env=surroundings(scratch),
            stdout=subprocess.PIPE,
            stderr=wrong,
            text=True,
        )
        assert server.stdout is not None
        try:
            if all(tell(json.loads(line)) for line in server.stdout) and server.wait(60):
                wrong.seek(0)
                raise ServerError(wrong.read().decode(errors="replace")[-4000:])
        finally:
            server.kill()
            server.wait()
            server.stdout.close()


def run(
    kinds: Sequence[str], seed: int, count: int, *, workers: int = 1, seconds: float = 0.0,
    progress: Callable[[dict[str, Sum]], None] | None = None,
) -> dict[str, Sum]:  # fmt: skip
    """Try so many inputs of each kind, or as many as there is time for.

    Raises:
        ServerError: when the fuzz itself has failed.
    """
    sums = {kind: Sum() for kind in kinds}
    waiting: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
    for first in range(0, count, CHUNK):
        for kind in kinds:
            waiting.put((kind, first))
    ends = time.monotonic() + (seconds or 1e9)
    lock = threading.Lock()
    broken = list[ServerError]()

    def work() -> None:
        while not broken:
            try:
                kind, first = waiting.get_nowait()
            except queue.Empty:
                return

            def tell(found: dict[str, Any], kind: str = kind) -> bool:
                with lock:
                    sums[kind].take(kind, found)
                    if progress is not None:
                        progress(sums)
                return time.monotonic() < ends

            try:
                if time.monotonic() < ends:
                    served(kind, seed, first, min(CHUNK, count - first), tell)
            except ServerError as error:
                broken.append(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if broken:
        raise broken[0]
    return sums
