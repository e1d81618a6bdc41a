"""What threads bring: wall time of a frame with one thread and with several, on a free machine and
on a busy one.

    python benchmarks/threads.py [SCENE ...] [--threads 2] [--busy 3] [--frames 120]

Stretches of frames of all ways take turns, so that they meet the same machine. `as chosen` is what
a game gets.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from peers.ours_runner import Ours
from scenes import SUBSTEPS, scene_named

SCENES = ("S2_100", "S2_1000", "S3_10000")
STRETCH = 20
"""Frames of one way in a row: on a busy machine the pauses of a process do not fall on the frame
that causes them.
"""


class Always:
    """A choice that has fallen: every frame is run by all threads."""

    def begin(self) -> bool:
        """Share the frame."""
        return True

    def end(self) -> None:
        """Learn nothing."""


def spin() -> None:
    """Keep a core busy."""
    while True:
        pass


@contextmanager
def busy_machine(processes: int) -> Iterator[None]:
    """Keep cores busy with other processes."""
    others = [
        multiprocessing.get_context("spawn").Process(target=spin, daemon=True)
        for _ in range(processes)
    ]
    for other in others:
        other.start()
    time.sleep(1.0 if others else 0.0)
    try:
        yield
    finally:
        for other in others:
            other.terminate()


def measure(name: str, threads: int, frames: int) -> list[float]:
    """Return the milliseconds of a frame with one thread, always shared, and as chosen: means of
    wall time.
    """
    ways: list[Ours] = []
    for number, (count, always) in enumerate(((1, False), (threads, True), (threads, False))):
        scene = scene_named(name)
        scene.name = f"{name} {number}"
        way = Ours(scene, SUBSTEPS)
        way.sim.threads = count
        if always:
            way.sim._threads.choice = Always()  # type: ignore[assignment]
        ways.append(way)
    taken = np.zeros(len(ways))
    order = np.random.default_rng(1)
    for stretch in range(-scene.warmup_frames // STRETCH, frames // STRETCH):
        for number in order.permutation(len(ways)):
            start = time.perf_counter()
            for _ in range(STRETCH):
                ways[number].step()
            if stretch >= 0:
                taken[number] += time.perf_counter() - start
    positions = [way.positions() for way in ways]
    if not all(np.array_equal(positions[0], others) for others in positions):
        raise AssertionError(f"{name}: threads changed the numbers")
    for way in ways:
        way.close()
    return [1e3 * float(total) / (frames // STRETCH * STRETCH) for total in taken]


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scenes", nargs="*", default=SCENES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--busy", type=int, default=3)
    parser.add_argument("--frames", type=int, default=120)
    chosen = parser.parse_args()
    print("| scene | machine | one thread, ms | always shared | as chosen | one / chosen |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in chosen.scenes:
        for processes in (0, chosen.busy):
            with busy_machine(processes):
                one, shared, auto = measure(name, chosen.threads, chosen.frames)
            machine = f"{processes} busy processes" if processes else "free"
            print(
                (
                    f"| {name} | {machine} | {one:.2f} | {shared:.2f} | {auto:.2f} | "
                    f"{one / auto:.2f} "
                    "|"
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
