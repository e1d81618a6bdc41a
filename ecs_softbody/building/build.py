"""The build: compiles all units, links a library for each kind of processor, and lists its
contents.

`python -m ecs_softbody.building` builds for this machine, with `--system windows-x86_64 --folder
dist` for another one; `targets.py` lists them.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ecs_softbody.building.linker import (
    find_compiler,
    link,
    link_extension,
    link_unpacker,
    zig_compiler,
)
from ecs_softbody.building.targets import SYSTEMS, Target, best_of, system_here
from ecs_softbody.building.units import Unit, find_units
from ecs_softbody.files import write_atomically
from ecs_softbody.parallel.library import FOLDER, LIST, PACKAGE, digest_of, sealed
from ecs_softbody.parallel.machine import processor_count

Report = Callable[[int, int, str], None]


def say_nothing(done: int, total: int, name: str) -> None:
    """Report nothing."""


def build(
    system: str = "",
    folder: Path = FOLDER,
    objects: Path | None = None,
    report: Report = say_nothing,
    *,
    only_best: bool = False,
) -> None:
    """Build the library into `folder`; only changed units are recompiled.

    Args:
        system: one of SYSTEMS; this machine's by default.
        folder: receives the libraries, the extension and `kernels.json`.
        objects: folder that keeps the objects for the next build; `build/kernels` beside the
            package by default.
        report: called with (done, total, name) for each unit.
        only_best: build only for the best level that this processor supports.

    Raises:
        RuntimeError: if a unit cannot be compiled or linked, with the compiler's message.
    """
    targets = SYSTEMS[system or system_here()]
    objects = objects or keep_folder()
    units = find_units()
    if only_best:
        targets = best_of(targets)
    is_here = system in ("", system_here())
    compiler = find_compiler() if is_here else zig_compiler()
    signatures = compile_units(units, targets, objects, report)
    folder.mkdir(parents=True, exist_ok=True)
    for target in targets:
        link(
            compiler,
            [objects / object_name(unit, target) for unit in units],
            target,
            folder / target.file_name,
        )
    libraries = {target.name: target.file_name for target in targets}
    files = [*libraries.values(), link_extension(compiler, targets[0], folder)]
    if targets[0].is_wasm:
        files.append(link_unpacker(compiler, folder))
    sources = {
        path: path.relative_to(PACKAGE).as_posix() for unit in units for path in unit.sources
    }
    entries = {
        f"{unit.module}:{name}": {
            "symbol": symbol,
            "signature": signatures[f"{unit.module}:{name}"],
            "sources": [sources[path] for path in unit.sources],
        }
        for unit in units
        for name, symbol in unit.symbols.items()
    }
    listed = {
        "libraries": libraries,
        "files": {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in files},
        "sources": {name: digest_of(path) for path, name in sources.items()},
        "entries": entries,
    }
    write_atomically(folder / LIST, sealed(listed))
    # A replaced file keeps its mode, and an old one may be readable by its owner only: other users
    # would get no library.
    (folder / LIST).chmod((folder / targets[0].file_name).stat().st_mode & 0o666)


def compile_units(
    units: Sequence[Unit], targets: Sequence[Target], objects: Path, report: Report
) -> dict[str, str]:
    """Write the objects of all units, on all cores; return the signatures of all entries."""
    objects.mkdir(parents=True, exist_ok=True)
    signatures: dict[str, str] = {}
    waiting: deque[Unit] = deque()
    done = 0
    for unit in units:
        kept = objects / f"{unit.key('signatures')}.json"
        if kept.exists() and all(
            (objects / object_name(unit, target)).exists() for target in targets
        ):
            signatures |= json.loads(kept.read_text(encoding="utf-8"))
            done += 1
        else:
            waiting.append(unit)
    if waiting:  # the longest one first, so that it does not delay the end
        longest = max(
            waiting, key=lambda unit: sum(source.stat().st_size for source in unit.sources)
        )
        waiting.remove(longest)
        waiting.appendleft(longest)
    problems: list[str] = []
    # Keys are found before any process reads a source.
    keys = {unit: unit.key("signatures") for unit in waiting}

    def work(take: Callable[[], Unit]) -> None:
        nonlocal done
        with Worker() as worker:
            for unit in drain(take):
                orders = {
                    str(objects / object_name(unit, target)): target.words for target in targets
                }
                answer = worker.compile(unit, orders)
                if answer is None:
                    problems.append(f"{unit.module}: {worker.problem()}")
                    return
                if unit.key("signatures") != keys[unit]:
                    # The process may have read the old sources: the next build would take these
                    # objects for those of the new ones.
                    for path in orders:
                        Path(path).unlink(missing_ok=True)
                    problems.append(f"{unit.module}: its sources changed meanwhile; build again")
                    return
                signatures.update(answer)
                write_atomically(
                    objects / f"{unit.key('signatures')}.json", json.dumps(answer).encode()
                )
                done += 1
                report(done, len(units), unit.module)

    count = min(processor_count(), len(waiting))
    # Units are taken from both ends: neighbours in the list call the same kernels, and a process
    # compiles each of them once.
    takes = (waiting.popleft, waiting.pop)
    threads = [threading.Thread(target=work, args=(takes[k % 2],)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise RuntimeError("\n".join(problems))
    return signatures


class Worker:
    """A process that compiles units one after another."""

    def __enter__(self) -> Worker:
        self._errors = tempfile.TemporaryFile("w+")
        places = os.pathsep.join([str(PACKAGE.parent), *sys.path])
        environment = {
            **os.environ,
            "PYTHONPATH": places,
            "ECS_SOFTBODY_KERNELS": "numba",
            # Highlighting takes a twentieth of the time.
            "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ecs_softbody.building.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=environment,
        )
        self._answers = iter(self._process.stdout or ())
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def compile(self, unit: Unit, targets: dict[str, tuple[str, ...]]) -> dict[str, str] | None:
        """Write the objects of a unit, by path; return the signatures of its entries, None on
        failure.
        """
        order = {"module": unit.module, "symbols": unit.symbols, "targets": targets}
        try:
            print(json.dumps(order), file=self._process.stdin, flush=True)
            answer = next(self._answers, "")
        except BrokenPipeError:
            answer = ""
        return json.loads(answer) if answer else None

    def problem(self) -> str:
        """Return the end of the process's error output."""
        self._process.wait()
        self._errors.seek(0)
        return self._errors.read().strip()[-2000:]


def drain(take: Callable[[], Unit]) -> Iterator[Unit]:
    """Yield the items of a queue until it is empty."""
    with suppress(IndexError):
        while True:
            yield take()


def object_name(unit: Unit, target: Target) -> str:
    """Return the name of the object of a unit for a target."""
    return f"{unit.key(target)}.o"


def keep_folder() -> Path:
    """Return the folder of the objects: beside the package, or a temporary one if that is not
    writable.
    """
    folder = PACKAGE.parent / "build" / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="ecs_softbody-"))
    return folder
