"""Snapshots, rollbacks and replays: times and sizes, as a table; pymunk's pickle beside them in the
same run.

python benchmarks/snapshots.py [--minutes 10]
"""

from __future__ import annotations

import argparse
import pickle
import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.play import Game, Recorder, ReplayPlayer
from ecs_softbody_games.jelly_car import JellyCar
from ecs_softbody_games.jelly_platformer import JellyPlatformer
from peers.ours_runner import Ours
from scenes import scene_named

FRAME = 1.0 / 60.0
RUNS = 30


def heap(count: int, substeps: int = 8, frames: int = 90, threads: int = 1) -> Simulation:
    """Return a heap of blobs that comes down for so many frames: after 90 it has just landed."""
    sim = Simulation(world=f"heap of {count}", substeps=substeps, threads=threads)
    columns = max(4, round((2 * count) ** 0.5))
    width = 0.95 * columns
    sim.spawn(StaticCollider([(-1, 90), (-1, 0), (width, 0), (width, 90)]))
    for number in range(count):
        row, column = divmod(number, columns)
        sim.spawn(*blueprints.blob((0.95 * column, 0.6 + 0.9 * row), 0.4))
    return run(sim, frames)


def run(sim: Simulation, frames: int) -> Simulation:
    """Step so many frames, and return it."""
    for _ in range(frames):
        sim.step(FRAME)
    return sim


def milliseconds(
    action: Callable[[], object], before: Callable[[], object] = lambda: None
) -> float:
    """Return the median time of an action, as a clock shows it: several threads may share it."""
    times = []
    for _ in range(RUNS):
        before()
        started = time.perf_counter()
        action()
        times.append(1e3 * (time.perf_counter() - started))
    return median(times)


def row(what: str, *cells: str) -> None:
    """Print a line of the table."""
    print(f"| {what} | " + " | ".join(cells) + " |", flush=True)


def measure_snapshots(count: int, frames: int, threads: int) -> None:
    """Time snapshots of a heap, one in every frame, and copying as many bytes in memory."""
    sim = heap(count, frames=frames, threads=threads)
    particles = sim.buffers[Particles].rows.count
    sizes: list[float] = []
    sim.snapshot()
    taken = milliseconds(lambda: sizes.append(sim.snapshot().nbytes), lambda: sim.step(FRAME))
    snapshot: Any = sim.snapshot()
    restored = milliseconds(lambda: sim.restore(snapshot), lambda: sim.step(FRAME))
    block = np.ones(int(median(sizes)) // 8)
    copied = milliseconds(block.copy)
    file = len(snapshot.to_bytes())
    what = f"{count} blobs after {frames} frames, threads={threads}, {particles} particles"
    row(f"{what}: snapshot", f"{taken:.2f} ms", f"{median(sizes) / particles:.0f} bytes a particle")
    row(
        "the same: restore",
        f"{restored:.2f} ms",
        f"{file / particles:.0f} bytes a particle in a file",
    )
    row("the same: a copy of as many bytes", f"{copied:.2f} ms", f"{block.nbytes / 1e6:.1f} MB")
    sim.close()


def measure_rollbacks(frames: int = 8) -> None:
    """Time going back some frames and playing them again, in worlds of 100 blobs from the easiest
    to the hardest.
    """
    for substeps in (4, 8):
        resting = heap(100, substeps, frames=1200)
        measure_rollback(f"100 blobs in a heap that sleeps, {substeps} substeps", resting, frames)
    measure_rollback(
        "100 blobs of S2_100 (nothing sleeps), 8 substeps",
        run(Ours(scene_named("S2_100")).sim, 120),
        frames,
    )
    for substeps in (4, 8):
        resting = heap(100, substeps, frames=600)
        resting.sleeping = False
        measure_rollback(
            f"100 blobs in a heap at rest, nothing sleeps, {substeps} substeps", resting, frames
        )
    for substeps in (4, 8):
        measure_rollback(
            f"100 blobs in a heap that has just landed, {substeps} substeps",
            heap(100, substeps),
            frames,
        )


def measure_rollback(what: str, sim: Simulation, frames: int) -> None:
    """Time going back some frames of a world and playing them again, with snapshots."""
    moments = []
    for _ in range(frames):
        moments.append(sim.snapshot())
        sim.step(FRAME)

    def roll_back() -> None:
        sim.restore(moments[0])
        for number in range(frames):
            moments[number] = sim.snapshot()
            sim.step(FRAME)

    took = milliseconds(roll_back)
    played = milliseconds(lambda: run(sim, frames), lambda: sim.restore(moments[0]))
    row(
        f"{what}: {frames} frames back and played again",
        f"{took:.1f} ms",
        f"{played:.1f} ms are the steps",
    )
    sim.close()


def measure_replay(kind: type[Game], minutes: float) -> None:
    """Record a game, and seek in it."""
    frames = round(3600 * minutes)
    name = kind.name
    game = kind()
    game.recorder = recorder = Recorder()
    game.begin()
    for _ in range(frames):
        game.advance(game.autopilot())
    replay = recorder.finished()
    game.close()
    size = len(replay.to_bytes()) * 3600 / replay.frames
    player = ReplayPlayer(kind, replay)
    player.prepare()
    chance = random.Random(1)
    times = []
    for _ in range(150):
        frame = chance.randrange(replay.frames + 1)
        started = time.process_time()
        player.seek(frame)
        times.append(1e3 * (time.process_time() - started))
    row(
        f"{name}, {replay.frames / 3600:.1f} minutes: seek a frame, median",
        f"{median(times):.1f} ms",
        f"{size / 1000:.0f} kB a minute",
    )
    row(
        "the same: the worst of 150",
        f"{max(times):.1f} ms",
        f"{player.nbytes / 1e6:.0f} MB while it is looked at",
    )
    player.game.close()


def measure_pymunk(count: int) -> None:
    """Time what pymunk takes for as many discs, each one body."""
    try:
        import pymunk
    except ImportError:
        print("pymunk is not installed")
        return
    space = pymunk.Space()
    space.gravity = 0, -9.81
    for number in range(count):
        body = pymunk.Body(1.0, 1.0)
        body.position = 0.95 * (number % 40), 0.95 * (number // 40)
        space.add(body, pymunk.Circle(body, 0.4))
    for _ in range(10):
        space.step(FRAME)
    data = pickle.dumps(space)
    size = f"{len(data) / count:.0f} bytes a body"
    row(
        f"pymunk, {count} rigid discs: pickle",
        f"{milliseconds(lambda: pickle.dumps(space)):.1f} ms",
        size,
    )
    row("the same: back", f"{milliseconds(lambda: pickle.loads(data)):.1f} ms", "")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=1.0, help="length of the replay")
    minutes = parser.parse_args().minutes
    row("what", "time, median", "size")
    row("---", "---:", "---:")
    for count, frames, threads in (
        (100, 90, 1),
        (1000, 90, 1),
        (1000, 90, 2),
        (1000, 600, 1),
        (1000, 600, 2),
    ):
        measure_snapshots(count, frames, threads)
    measure_rollbacks()
    for kind in (JellyCar, JellyPlatformer):
        measure_replay(kind, minutes)
    measure_pymunk(1000)


if __name__ == "__main__":
    main()
