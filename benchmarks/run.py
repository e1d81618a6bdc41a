"""Compare ecs_softbody with pymunk on the same scenes, frame by frame in the same process.

    python benchmarks/run.py [S1 S2_10 S2_100 S2_1000 ...]

Prints a Markdown table: CPU milliseconds of a frame (median), the ratio, and how well each one keeps bodies apart
(overlap over radius, 95th percentile of the pairs that touch) and springs at their length (shortest and longest
over rest).
"""

from __future__ import annotations

import platform
import sys
import time

import numba
import numpy as np
from numpy.typing import NDArray
from peers import Ours, Pymunk, Runner
from scenes import Scene, blobs, spring_grid


def scene_named(name: str) -> Scene:
    """Return the scene called S1 or S2_<number of blobs>."""
    if name == "S1":
        return spring_grid()
    if name.startswith("S2_") and name[3:].isdigit():
        return blobs(int(name[3:]))
    raise SystemExit(f"unknown scene {name!r}; expected S1 or S2_<number of blobs>")


def times(runners: list[Runner], scene: Scene) -> list[float]:
    """Step all runners in turn and return the median CPU time of a frame of each [ms]."""
    for _ in range(scene.warmup_frames):
        for runner in runners:
            runner.step()
    spent = np.empty((len(runners), scene.frames))
    for frame in range(scene.frames):
        for number, runner in enumerate(runners):
            start = time.process_time()
            runner.step()
            spent[number, frame] = time.process_time() - start
    return [float(value) for value in 1e3 * np.median(spent, axis=1)]


def overlap(scene: Scene, place: NDArray[np.float64]) -> float:
    """Return the 95th percentile of (2 r - distance) / r over the pairs of different bodies that touch."""
    if not scene.room_width:
        return 0.0
    reach = 2.0 * scene.radius
    order = np.argsort(place[:, 0])
    sorted_place, sorted_body = place[order], scene.body[order]
    found = []
    for step in range(1, len(place)):
        near = sorted_place[step:, 0] - sorted_place[:-step, 0] < reach
        if not near.any():
            break
        first = np.flatnonzero(near)
        apart = np.linalg.norm(sorted_place[first] - sorted_place[first + step], axis=1)
        touching = (apart < reach) & (sorted_body[first] != sorted_body[first + step])
        found.append((reach - apart[touching]) / scene.radius)
    values = np.concatenate(found) if found else np.zeros(0)
    return float(np.percentile(values, 95)) if len(values) else 0.0


def stretch(scene: Scene, place: NDArray[np.float64]) -> tuple[float, float]:
    """Return the smallest and the largest length of a spring over its rest length."""
    ends = place[scene.pairs]
    ratio = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / scene.rest_length
    return float(ratio.min()), float(ratio.max())


def main(names: list[str]) -> None:
    """Run the scenes and print the table."""
    print(f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}, one thread\n")
    print("| scene | engine | CPU ms/frame | over ours | overlap p95 / r | stretch |")
    print("|---|---|---|---|---|---|")
    for name in names:
        scene = scene_named(name)
        runners: list[Runner] = [Ours(scene), Pymunk(scene, 1), Pymunk(scene, 10)]
        spent = times(runners, scene)
        for runner, took in zip(runners, spent, strict=True):
            place = runner.positions()
            low, high = stretch(scene, place)
            print(
                f"| {scene.name} | {runner.label} | {took:.3g} | {took / spent[0]:.2f} | {overlap(scene, place):.3f} "
                f"| {low:.2f} to {high:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:] or ["S1", "S2_10", "S2_100"])
