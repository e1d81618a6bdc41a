"""Two checkouts run the same scenes, in turn: how long a frame takes in this tree, over another
one.

    git worktree add ../before v0.1.0
    python benchmarks/against.py ../before                # S1, S2_10, S2_100, S2_1000, S3_1000, S4
    python benchmarks/against.py ../before S2_10 --rounds 60
    python benchmarks/against.py . --numba        # the library over numba, same level of processor

Each tree has a process of its own. They take short turns, so that both meet the same machine, and
run the same frames as long as no law has changed. What counts is the CPU time of a turn; the ratio
is the median over all pairs of turns, with its quartiles.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parents[1]
SCENES = ("S1", "S2_10", "S2_100", "S2_1000", "S3_1000", "S4")
LEVEL = {"ECS_SOFTBODY_CPU": "x86-64-v3"} if platform.machine() == "x86_64" else {}
NUMBA = {"ECS_SOFTBODY_KERNELS": "numba"}
if LEVEL:
    NUMBA |= {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
TURN = 30
"""Frames of a turn."""
WORKER = """
import gc, sys, time, warnings
tree, benchmarks, scene = sys.argv[1:]
sys.path[:0] = [tree, benchmarks]
warnings.simplefilter("ignore")
from peers.ours_runner import settings
from quality import quality_of
from scenes import scene_named
scene = scene_named(scene)
runner = settings(scene)[0][1]()
for _ in range(scene.warmup_frames):
    runner.step()
gc.collect()
gc.freeze()
print("ready", flush=True)
for line in sys.stdin:
    if line.strip() == "quality":
        print(quality_of(scene, runner.positions()), flush=True)
        continue
    frames = int(line)
    started = time.process_time()
    for _ in range(frames):
        runner.step()
    print((time.process_time() - started) / frames, flush=True)
"""


class Tree:
    """A process that runs a scene with the package of one checkout."""

    def __init__(self, tree: Path, scene: str, **settings: str) -> None:
        command = [sys.executable, "-c", WORKER, str(tree), str(HERE / "benchmarks"), scene]
        environment = {**os.environ, **settings}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self._answer()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline().strip()
        if not answer:
            raise SystemExit("a tree could not run the scene")
        return answer

    def ask(self, question: str) -> str:
        """Send a line and return the answer."""
        assert self._process.stdin is not None
        print(question, file=self._process.stdin, flush=True)
        return self._answer()

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    """Print a line a scene."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("before", type=Path, help="the other checkout")
    options.add_argument(
        "scenes",
        nargs="*",
        default=SCENES,
        help=f"some of {', '.join(SCENES)}, or others like them",
    )
    options.add_argument("--rounds", type=int, default=60, help="turns of each")
    options.add_argument(
        "--numba", action="store_true", help="the other checkout compiles its kernels by numba"
    )
    given = options.parse_args()
    for scene in given.scenes:
        trees = [
            Tree(given.before.resolve(), scene, **(NUMBA if given.numba else {})),
            Tree(HERE, scene, **LEVEL),
        ]
        spent = []
        for number in range(given.rounds):
            order = (0, 1) if number % 2 == 0 else (1, 0)
            times = {which: float(trees[which].ask(str(TURN))) for which in order}
            spent.append((times[0], times[1]))
        before, now = np.array(spent).T
        low, middle, high = np.percentile(now / before, (25, 50, 75))
        print(
            f"{scene:8} before {1e3 * np.median(before):8.4f} ms  now "
            f"{1e3 * np.median(now):8.4f} ms  "
            f"ratio {middle:.3f} ({low:.3f} to {high:.3f})",
            flush=True,
        )
        for tree, name in zip(trees, ("before", "now"), strict=True):
            print(f"         {name}: {tree.ask('quality')}", flush=True)
            tree.close()


if __name__ == "__main__":
    main()
