"""Server: tries inputs of one kind in processes of their own, forked from one that has everything
ready.

    python -m tests.fuzzing.server KIND SEED FIRST COUNT SCRATCH

A line of JSON for each input goes to standard output. A process that ends by a signal, or says
nothing for too long, is one line, too; the inputs behind it get another process. What failed is
tried once more, alone.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

from PIL import Image

from ecs_softbody.play.timing import garbage
from tests.fuzzing import ROOT
from tests.fuzzing.changes.odd import PLANTED
from tests.fuzzing.kinds.every import EVERY
from tests.fuzzing.kinds.kind import Input, Kind, Sample, lay, lay_secrets
from tests.fuzzing.watch import (
    LONGEST_AFTER,
    LONGEST_DOOR,
    MOST_MEMORY,
    Memory,
    Watch,
    limit_memory,
    limit_time,
    message_faults,
    place_in,
    place_of,
)

SILENT = 90.0
"""Seconds without a word after which a process is ended."""
GRACE = 2.0
"""Processor time [s] beyond the longest that a door may take, after which its process is ended."""
Fault = tuple[str, str, str]
"""What happened, where, and all that is known of it."""
LEVEL = Path("a/b/level")
"""Folder of an input, in its scratch."""


def input_of(kind: Kind, samples: list[Sample], seed: int, number: int) -> Input:
    """Return the input with this number; always the same one."""
    return kind.damaged(samples, random.Random(f"{kind.name} {seed} {number}"))


class Server:
    """Tries inputs of one kind."""

    def __init__(self, kind: Kind, seed: int, scratch: Path) -> None:
        self.kind = kind
        self.seed = seed
        self.scratch = scratch
        shutil.rmtree(scratch, ignore_errors=True)
        (scratch / "tmp").mkdir(parents=True)
        (scratch / LEVEL).mkdir(parents=True)
        os.chdir(scratch / LEVEL)
        # TMPDIR is looked at once only, before this by `reproduce`
        tempfile.tempdir = str(scratch / "tmp")
        Image.init()  # all its formats, so that none is imported later
        garbage.search_all = lambda: None  # it takes longer than all else in a round
        self.samples = kind.samples()
        kind.prepare()
        for sample in self.samples:
            self.try_sample(sample)
        inside = scratch / LEVEL
        self.watch = Watch(scratch, inside.parents[kind.reach - 1] if kind.reach else inside)

    def try_sample(self, sample: Sample) -> None:
        """Take a sample as it is: it has to be right, and what it needs is imported then."""
        lay(self.scratch / LEVEL, sample.files)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.kind.go_on(self.kind.take(sample, self.scratch / LEVEL / sample.main))
            self.kind.after()

    def tried(self, first: int, count: int) -> Iterator[dict[str, Any]]:
        """Yield what became of each input."""
        number = first
        last = first + count
        while number < last:
            begun = number
            for found in list(self.together(number, min(number + self.kind.batch, last))):
                number = found["number"] + 1
                if found["did"] == "failed":
                    found["changes"] = input_of(
                        self.kind, self.samples, self.seed, found["number"]
                    ).said
                    (again,) = self.together(found["number"], number)
                    found["begun"] = found["number"] if again["did"] == "failed" else begun
                yield found

    def together(self, first: int, last: int) -> Iterator[dict[str, Any]]:
        """Yield what became of inputs, all in one process, until it ends."""
        readable, writable = os.pipe()
        log = self.scratch / "log"
        child = os.fork()
        if not child:
            os.close(readable)
            self._child(first, last, writable, log)
        os.close(writable)
        now = first
        waiting = b""
        while True:
            ready, _, _ = select.select([readable], [], [], SILENT)
            part = os.read(readable, 1 << 16) if ready else b""
            waiting += part
            *lines, waiting = waiting.split(b"\n")
            for line in lines:
                found = json.loads(line)
                now = found["number"] + 1
                yield found
            if not part:
                break
        os.close(readable)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if now < last:
            yield {"number": now, **_of_dead(None if not ready else status, log)}

    def _child(self, first: int, last: int, to: int, log: Path) -> None:
        """Try inputs and tell; this process ends here."""
        try:
            with log.open("wb") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
                faulthandler.enable(file)
                faulthandler.register(signal.SIGXCPU, file, chain=True)
                limit_memory()
                for number in range(first, last):
                    found = {
                        "number": number,
                        **self.outcome(input_of(self.kind, self.samples, self.seed, number)),
                    }
                    os.write(to, json.dumps(found).encode() + b"\n")
        except BaseException:  # of the fuzz itself: the parent tells what is in the log
            log.write_text(f"the fuzz itself: {traceback.format_exc()}")
        finally:
            # at once: it is a copy, and closes nothing of the other
            os.kill(os.getpid(), signal.SIGKILL)

    def outcome(self, tried: Input) -> dict[str, Any]:
        """Return what becomes of an input."""
        path = self._laid(tried)
        memory = Memory()
        modules = set(sys.modules)
        found: dict[str, Any] = {"did": "taken"}
        faults: list[Fault] = []
        self.watch.broken.clear()
        taken = self._at_the_door(tried, path, found, faults)
        at_the_door = memory.grown
        if not faults:
            self._afterwards(taken, found["did"], faults)
        self.watch.look_at_modules(modules)
        found["grown"] = round(memory.grown, 1)
        if found["grown"] > MOST_MEMORY:
            when = "at the door" if at_the_door > MOST_MEMORY else "when it was taken"
            faults.append((f"more than {MOST_MEMORY:g} MB", when, f"{found['grown']:.0f} MB"))
        faults += [
            (" ".join(broken.split()[:2]), "watched", broken) for broken in self.watch.broken
        ]
        return found | ({"did": "failed", "faults": faults} if faults else {})

    def _laid(self, tried: Input) -> Path:
        """Write an input into an empty folder, with files around it that it may not read; return
        its path.
        """
        folder = self.scratch / LEVEL
        shutil.rmtree(self.scratch / "a")
        folder.mkdir(parents=True)
        os.chdir(folder)
        lay(folder, tried.files)
        lay_secrets(folder, tried.sample.files)
        (folder / f"{PLANTED}.py").write_text("class Game:\n    name = title = 'stranger'\n")
        return folder / tried.sample.main

    def _at_the_door(
        self, tried: Input, path: Path, found: dict[str, Any], faults: list[Fault]
    ) -> Any:
        """Return what a file is taken as; note how it was refused, and how long that took."""
        limit_time(LONGEST_DOOR + GRACE)
        started = process_time()
        taken = None
        try:
            with self.watch.on(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", RuntimeWarning)
                taken = self.kind.take(tried.sample, path)
        except self.kind.refusals as error:
            found["did"] = "refused"
            faults += [
                (fault, place_of(error), str(error)[:1000]) for fault in message_faults(error)
            ]
        except BaseException as error:
            faults.append((type(error).__name__, place_of(error), _trace(error)))
        found["seconds"] = seconds = round(process_time() - started, 3)
        if seconds > LONGEST_DOOR:
            faults.append((f"more than {LONGEST_DOOR:g} s", "at the door", f"{seconds:.1f} s"))
        return taken

    def _afterwards(self, taken: Any, did: str, faults: list[Fault]) -> None:
        """Go on with what was taken; look whether what was refused has left the world as it was."""
        limit_time(LONGEST_AFTER)
        try:
            with self.watch.on(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if did == "taken":
                    self.kind.go_on(taken)
                self.kind.after()
        except BaseException as error:
            name = (
                str(error)
                if isinstance(error, AssertionError) and str(error)
                else type(error).__name__
            )
            place = place_in(error.__traceback__) or "afterwards"
            faults.append((f"{name}, when it was {did}", place, _trace(error)))


def _trace(error: BaseException) -> str:
    text = "".join(traceback.format_exception(error, chain=False))
    return text if len(text) < 6000 else f"{text[:2000]}\n...\n{text[-3500:]}"


def _of_dead(status: int | None, log: Path) -> dict[str, Any]:
    """Return what is to be told of a process that did not end by itself."""
    text = log.read_text(errors="replace")[-6000:]
    if "the fuzz itself:" in text:
        raise RuntimeError(text)
    if status is None:
        what = f"nothing for {SILENT:g} s"
    elif os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        what = (
            "too much processor time" if number == signal.SIGXCPU else signal.Signals(number).name
        )
    else:
        what = f"exit status {os.waitstatus_to_exitcode(status)}"
    places = [
        line
        for line in text.splitlines()
        if str(ROOT) in line and "fuzzing" not in line and ".venv" not in line
    ]
    place = places[0].strip().replace(f"{ROOT}/", "") if places else "nowhere in the package"
    return {"did": "failed", "faults": [(what, place, text)], "seconds": 0.0, "grown": 0.0}


def main(name: str, seed: str, first: str, count: str, scratch: str) -> None:
    """Tell what becomes of some inputs, a line each."""
    kind = next(one for one in EVERY if one.name == name)()
    server = Server(kind, int(seed), Path(scratch).resolve())
    for found in server.tried(int(first), int(count)):
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
