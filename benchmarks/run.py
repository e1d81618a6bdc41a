"""Measure ecs_softbody and its peers on the same scenes, in turns in the same process.

    python benchmarks/run.py [scenes ...] [--peers ...] [--out FOLDER] [--quick] [--limit SECONDS]

Without names it runs all scenes, the crowd of 4000 blobs (ours alone), and what storage costs. It
prints every row as soon as it is known, and writes `results.md`, `results.json`, and the plot
`scaling.png` and `scaling.svg`.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Sequence
from pathlib import Path

import c_reference
import clock
import plot
import storage
from ecs_softbody import StabilityWarning
from peers import PEERS, missing, settings
from report import HEAD, Report, row
from scenes import CROWD, NAMES, Scene, scene_named

STORAGE = "storage"
QUICK_SCENES = ("S1", "S2_10", "S3_100", "S4", STORAGE)
QUICK_FRAMES = 5
LIMIT = 40.0
QUICK_LIMIT = 5.0


def arguments_of(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description="Measure ecs_softbody and its peers on the same scenes."
    )
    everything = [*NAMES, CROWD, STORAGE]
    parser.add_argument(
        "scenes", nargs="*", metavar="scene", help=f"of {', '.join(everything)} (default: all)"
    )
    parser.add_argument(
        "--peers", nargs="*", choices=list(PEERS), default=list(PEERS), help="default: all"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("benchmark-results"),
        metavar="FOLDER",
        help="where to write",
    )
    parser.add_argument(
        "--quick", action="store_true", help="a few frames of a few scenes, to see that it works"
    )
    parser.add_argument(
        "--limit",
        type=float,
        metavar="SECONDS",
        help=f"CPU time for an engine and scene ({LIMIT:g})",
    )
    arguments = parser.parse_args(argv)
    if arguments.limit is not None and not arguments.limit > 0.0:
        parser.error(f"--limit: {arguments.limit} is not allowed; expected a number above 0")
    arguments.limit = arguments.limit or (QUICK_LIMIT if arguments.quick else LIMIT)
    arguments.scenes = arguments.scenes or (QUICK_SCENES if arguments.quick else everything)
    return arguments


def prepared(name: str, *, quick: bool) -> Scene:
    """Return a scene, with few frames for a quick run."""
    scene = scene_named(name)
    if quick:
        scene.warmup_frames = scene.frames = QUICK_FRAMES
    return scene


def run_scene(
    scene: Scene, peers: list[str], limit: float, failures: list[str] | None = None
) -> list[clock.Result]:
    """Race ours against the peers; the crowd is ours alone, and takes the time that it takes."""
    engines, limit = (["ours"], math.inf) if scene.name == CROWD else (["ours", *peers], limit)
    with warnings.catch_warnings():
        # S1 asks for a little more than 8 substeps carry
        warnings.simplefilter("ignore", StabilityWarning)
        found = [setting for engine in engines for setting in settings(engine, scene)]
        return clock.race(scene, found, limit, failures)


def main(argv: Sequence[str] | None = None) -> None:
    """Run what was asked for, print the rows and write the files."""
    arguments = arguments_of(argv)
    scenes = [prepared(name, quick=arguments.quick) for name in arguments.scenes if name != STORAGE]
    report = Report(quick=arguments.quick)
    report.missing = [line for peer in arguments.peers if (line := missing(peer))]
    peers = [peer for peer in arguments.peers if not missing(peer)]
    for line in report.missing:
        print(line)
    print(HEAD, flush=True)
    for scene in scenes:
        for result in run_scene(scene, peers, arguments.limit, report.missing):
            report.results.append(result)
            print(row(result), flush=True)
        if scene.name == "S1":
            report.limit = c_reference.measure(scene)
            report.springs = len(scene.pairs)
            if report.limit is None:
                report.missing.append(
                    "no C compiler was found, so there is no physical limit; install cc"
                )
        # a long run that is broken off leaves what it found
        report.write(arguments.out)
    if STORAGE in arguments.scenes:
        report.storage = storage.costs(quick=arguments.quick, pymunk="pymunk" in peers)
    if (line := plot.missing()) is not None:
        report.missing.append(line)
    else:
        plot.draw(report.results, arguments.out)
    report.write(arguments.out)
    print("\n" + report.as_markdown(with_rows=False) + f"\nWritten to {arguments.out.resolve()}")


if __name__ == "__main__":
    main()
