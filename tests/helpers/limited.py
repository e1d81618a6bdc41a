"""What opening files takes: each is opened in a process of its own, whose memory and time are
limited.
"""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

ROOM = 700_000_000
"""Bytes that a process may take beyond what Python and the library have."""
MOST_SECONDS = 20


class Took(NamedTuple):
    """What opening a file took, and what was said of it: nothing where it is taken."""

    seconds: float
    megabytes: float
    said: str


def open_limited(paths: Sequence[Path]) -> list[Took]:
    """Open files: scenes by `scenes.load`, all others by `import_file`; an error that is not
    documented is said.
    """
    command = [sys.executable, "-W", "ignore", "-m", "tests.helpers.limited", *map(str, paths)]
    found = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        timeout=600,
    )
    return [Took(*json.loads(line)) for line in found.stdout.splitlines()]


def _said_of(path: str) -> str:
    from ecs_softbody import Simulation, scenes
    from ecs_softbody.imports import import_file

    try:
        if path.endswith((".toml", ".json")):
            scenes.load(Simulation(world="limited"), path)
        else:
            import_file(path)
    except ValueError as error:
        return str(error) or "an error without a word"
    except BaseException as error:
        return f"{type(error).__name__} is not documented: {error}"
    return ""


def _took(path: str) -> Took:
    """Open a file in a process of its own."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_open_and_tell, args=(path, there))
    child.start()
    there.close()
    try:
        told = here.recv()
    except EOFError:
        told = None
    child.join()
    return told or Took(MOST_SECONDS, 0.0, f"the process died with status {child.exitcode}")


def _open_and_tell(path: str, to: Connection) -> None:
    import resource

    size, own = (
        int(pages) * resource.getpagesize()
        for pages in Path("/proc/self/statm").read_text().split()[:2]
    )
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, size + ROOM))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    begun = time.process_time()
    said = _said_of(path)
    most = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    to.send(Took(time.process_time() - begun, (most - own) / 1e6, said[:9999]))


def _prepare(*modules: Any) -> None:
    """Nothing: what is imported here is not imported again in each process."""


if __name__ == "__main__":
    import contourpy
    import PIL.Image
    import shapely
    import svgelements
    import zstandard

    import ecs_softbody.imports
    import ecs_softbody.scenes

    _prepare(contourpy, PIL.Image, shapely, svgelements, zstandard, ecs_softbody.imports)
    for name in sys.argv[1:]:
        print(json.dumps(_took(name)), flush=True)
