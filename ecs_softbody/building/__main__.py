"""Builds the library of kernels, for this machine or another one: `python -m ecs_softbody.building
--help`.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from ecs_softbody.building.build import build
from ecs_softbody.building.targets import SYSTEMS
from ecs_softbody.parallel.library import FOLDER


def main() -> int:
    """Build, and report progress."""
    options = argparse.ArgumentParser(
        prog="python -m ecs_softbody.building", description="Build the library of kernels."
    )
    options.add_argument(
        "--system",
        choices=SYSTEMS,
        default="",
        help="system and processor (default: this machine's)",
    )
    options.add_argument(
        "--folder", type=Path, default=FOLDER, help="where it goes (default: into the package)"
    )
    options.add_argument(
        "--only-best", action="store_true", help="for this processor's level alone; not for a wheel"
    )
    given = options.parse_args()
    if given.system and given.only_best:
        options.error("--only-best is about this machine, --system about another one")
    if given.system and given.folder == FOLDER:
        options.error("--system needs --folder: the package itself is for this machine")
    started = time.perf_counter()
    try:
        build(given.system, given.folder, report=tell, only_best=given.only_best)
    except (RuntimeError, ImportError, OSError) as problem:
        print(f"The kernels could not be built: {problem}", file=sys.stderr)
        return 1
    print(f"The kernels stand after {time.perf_counter() - started:.0f} s.", file=sys.stderr)
    return 0


def tell(done: int, total: int, name: str) -> None:
    """Show the progress of the build."""
    print(f"  {done:3d} of {total}  {name}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
