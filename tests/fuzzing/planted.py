"""Planted faults: a door that does what no door may do, as its file says, to see that the fuzz
finds each of them.

python -m tests.fuzzing.planted SCRATCH     # a line of JSON for each way
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from tests.fuzzing import server
from tests.fuzzing.changes.odd import PLANTED
from tests.fuzzing.kinds.kind import Input, Kind, Sample

KEPT: list[bytearray] = []


def refuse(text: str) -> Callable[[], None]:
    def door() -> None:
        raise ValueError(text)

    return door


def loop() -> None:
    while True:
        pass


WAYS: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "one line": refuse("a.txt: 3 is not allowed; expected 1 or 2"),
    "another exception": lambda: {}[1],
    "many letters": refuse("x" * 900),
    "two lines": refuse("one\ntwo"),
    "no words": refuse(""),
    "half a letter": refuse("\ud800"),
    "a crash": lambda: ctypes.string_at(0),
    "an end": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "no end": loop,
    "no end and no work": lambda: time.sleep(60.0),
    "much memory": lambda: KEPT.append(bytearray(b"x") * 700_000_000),
    "endless memory": lambda: KEPT.append(bytearray(10**13)),
    "a file elsewhere": lambda: Path("../../../../elsewhere").write_text("x"),
    "a file that is not its own": lambda: Path("../secret.txt").read_text(),
    "a module of its own": lambda: importlib.import_module(PLANTED),
    "another program": lambda: subprocess.run(["true"], check=False),
    "another world": lambda: None,
}


class Planted(Kind):
    """A file holds a way; the number of an input chooses it."""

    name = "planted"
    batch: ClassVar[int] = 4

    def samples(self) -> list[Sample]:
        self.way = "nothing"
        return [Sample("a.txt", {"a.txt": b"nothing"})]

    def damaged(self, samples: Sequence[Sample], dice: Any) -> Input:
        raise NotImplementedError("a number is a way")

    def take(self, sample: Sample, path: Path) -> None:
        self.way = path.read_text()
        WAYS[self.way]()

    def go_on(self, taken: None) -> None:
        pass

    def after(self) -> None:
        assert self.way != "another world", "the world is another one"


def input_of(kind: Kind, samples: list[Sample], seed: int, number: int) -> Input:
    way = list(WAYS)[number]
    return Input(samples[0], {"a.txt": way.encode()}, [way])


def main(scratch: str) -> None:
    """Tell what the fuzz finds in each way."""
    server.input_of = input_of
    server.SILENT = 15.0
    # the door has its own five seconds: to fill 700 MB took more than two on a busy machine
    server.GRACE = 0.0
    sys.path.insert(0, "")  # as in a folder of a maker: what lies there can be imported
    for found in server.Server(Planted(), 1, Path(scratch).resolve()).tried(0, len(WAYS)):
        faults = [what for what, _, _ in found.get("faults", ())]
        print(json.dumps([list(WAYS)[found["number"]], found["did"], faults]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
