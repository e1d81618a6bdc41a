"""Fuzz: damaged files of every kind, to find what a stranger's file can break.

    python -m tests.fuzzing --count 20000                   # so many inputs of each kind (hours)
    python -m tests.fuzzing --kinds svg tiled --minutes 5   # some kinds, for a while
    python -m tests.fuzzing --reproduce svg 1 17            # one input again: kind, seed, number
    python -m tests.fuzzing --keep FOLDER                   # keep an input of each fault

Each input is made of files that are right, by its kind, the seed and its number: raw damage to the
bytes, or another value where the format has one, with checksums made right. It is tried in a
process of its own on Linux or macOS, which may use 2 s of processor time and 300 MB, writes nothing
outside its folder, reads nothing outside the file's, and imports nothing. What is refused must be
refused by the documented exception, in one short line, and leave the world as it was; what is taken
is stepped, drawn, played or kept. It exits with 1 where anything else happened.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ecs_softbody.parallel.machine import processor_count
from tests.fuzzing import ROOT
from tests.fuzzing.kinds.every import EVERY
from tests.fuzzing.kinds.kind import lay
from tests.fuzzing.report import described, faults, table
from tests.fuzzing.running import Sum, run, surroundings
from tests.fuzzing.server import Server, input_of

NAMES = [kind.name for kind in EVERY]
EVERY_SECONDS = 5.0


class Progress:
    """Says now and then how many inputs were tried, and each fault when it is first seen."""

    def __init__(self, total: int, seed: int) -> None:
        self.total = total
        self.seed = seed
        self.next = 0.0
        self.said: set[tuple[str, str, str]] = set()

    def __call__(self, sums: dict[str, Sum]) -> None:
        """Say it, where some seconds have passed."""
        for fault in faults(sums):
            name = (fault.kind, fault.what, fault.place)
            if name not in self.said:
                self.said.add(name)
                print("\n".join(described(fault, self.seed)), file=sys.stderr, flush=True)
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + EVERY_SECONDS
            tried, failed = (
                sum(sum(one.did[name] for name in names) for one in sums.values())
                for names in (("taken", "refused", "failed"), ("failed",))
            )
            print(f"{tried} of {self.total} inputs, {failed} failed", file=sys.stderr, flush=True)


def fuzz(given: argparse.Namespace) -> int:
    """Try inputs, print what became of them."""
    kinds = given.kinds or NAMES
    begun = time.monotonic()
    progress = Progress(given.count * len(kinds), given.seed)
    sums = run(
        kinds,
        given.seed,
        given.count,
        workers=given.workers,
        seconds=60.0 * given.minutes,
        progress=progress,
    )
    found = faults(sums)
    for fault in found:
        print("\n".join(described(fault, given.seed)), end="\n\n")
        if given.keep:
            keep(fault.kind, given.seed, fault.numbers, given.keep / f"{fault.kind}-{fault.number}")
    print(table(sums))
    print(f"seed {given.seed}, {time.monotonic() - begun:.0f} s")
    return 1 if found else 0


def keep(kind: str, seed: int, numbers: str, folder: Path) -> None:
    """Write an input into a folder, in another process: what makes samples changes its process."""
    command = [
        sys.executable,
        "-m",
        "tests.fuzzing",
        "--reproduce",
        kind,
        str(seed),
        numbers,
        "--keep",
        str(folder),
    ]
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(
            command,
            cwd=ROOT,
            env=surroundings(Path(scratch)),
            stdout=subprocess.DEVNULL,
            check=False,
        )


def reproduce(name: str, seed: int, numbers: str, folder: Path | None) -> int:
    """Try one input again, after others where it has failed only then, and say all of it."""
    first, last = (int(numbers.split("-")[at]) for at in (0, -1))
    kind = next(one for one in EVERY if one.name == name)()
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(kind, seed, Path(scratch).resolve() / "s")
        tried = input_of(kind, server.samples, seed, last)
        print("\n".join(tried.said))
        if folder is not None:
            lay(
                folder,
                {**tried.files, "changes.txt": "\n".join(tried.said).encode(errors="replace")},
            )
            print(f"{folder / tried.sample.main}")
        *_, found = server.together(first, last + 1)
        os.chdir(ROOT)
    for what, place, text in found.get("faults", ()):
        print(f"{what} ({place})\n{text}")
    print(f"{found['did']}, {found['seconds']} s, {found['grown']} MB")
    return 1 if found["did"] == "failed" else 0


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzzing",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--count", type=int, default=1000, help="inputs of each kind (default: 1000)"
    )
    parser.add_argument(
        "--kinds", nargs="+", choices=NAMES, metavar="KIND", help=f"some of {', '.join(NAMES)}"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="another one makes other inputs (default: 1)"
    )
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so long")
    parser.add_argument(
        "--workers",
        type=int,
        default=processor_count(),
        help="servers at a time (default: the cores)",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="write an input of each fault into it"
    )
    parser.add_argument(
        "--reproduce", nargs=3, metavar=("KIND", "SEED", "NUMBER"), help="try one input again"
    )
    given = parser.parse_args()
    if given.keep:
        given.keep = given.keep.absolute()
    if given.reproduce:
        name, seed, numbers = given.reproduce
        if name not in NAMES:
            parser.error(f"there is no kind {name!r}; expected one of {', '.join(NAMES)}")
        return reproduce(name, int(seed), numbers, given.keep)
    return fuzz(given)


if __name__ == "__main__":
    sys.exit(main())
