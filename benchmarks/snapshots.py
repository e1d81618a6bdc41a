"""Snapshots: how long they take each way and how large they are; a rollback; pymunk's pickle beside them.

python benchmarks/snapshots.py
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints

FRAME = 1.0 / 60.0
RUNS = 30


def heap(count: int, substeps: int = 8) -> Simulation:
    """Return a heap of blobs that has come down."""
    sim = Simulation(world=f"heap of {count}", substeps=substeps)
    columns = max(4, round((2 * count) ** 0.5))
    width = 0.95 * columns
    sim.spawn(StaticCollider([(-1, 90), (-1, 0), (width, 0), (width, 90)]))
    for number in range(count):
        row, column = divmod(number, columns)
        sim.spawn(*blueprints.blob((0.95 * column, 0.6 + 0.9 * row), 0.4))
    for _ in range(90):
        sim.step(FRAME)
    return sim


def milliseconds(action: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    """Return the median time of an action."""
    times = []
    for _ in range(RUNS):
        before()
        started = time.perf_counter()
        action()
        times.append(1e3 * (time.perf_counter() - started))
    return median(times)


def measure_snapshots(count: int) -> None:
    """Print times and sizes of the snapshots of a heap."""
    sim = heap(count)
    particles = sim.buffers[Particles].rows.count
    snapshot: Any = sim.snapshot()
    taken = milliseconds(sim.snapshot, lambda: sim.step(FRAME))
    snapshot = sim.snapshot()
    restored = milliseconds(lambda: sim.restore(snapshot), lambda: sim.step(FRAME))
    sim.step(FRAME)
    snapshot = sim.snapshot()
    data = snapshot.to_bytes()
    print(f"{count} blobs, {particles} particles: snapshot {taken:.2f} ms, restore {restored:.2f} ms, "
          f"{snapshot.nbytes / particles:.0f} bytes a particle, {len(data) / particles:.0f} in a file")  # fmt: skip
    sim.close()


def measure_rollback(count: int, frames: int, substeps: int) -> None:
    """Print how long it takes to go back some frames and to play them again with snapshots."""
    sim = heap(count, substeps)
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
    print(f"{frames} frames of {count} blobs rolled back and played again ({substeps} substeps): {took:.1f} ms")
    sim.close()


def measure_pymunk(count: int) -> None:
    """Print what pymunk takes for the same number of rings of bodies and springs."""
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
    print(f"pymunk, {count} rigid discs: pickle {milliseconds(lambda: pickle.dumps(space)):.1f} ms, "
          f"back {milliseconds(lambda: pickle.loads(data)):.1f} ms, copy {milliseconds(space.copy):.1f} ms, "
          f"{len(data) / count:.0f} bytes a body")  # fmt: skip


def main() -> None:
    """Print everything."""
    for count in (100, 1000):
        measure_snapshots(count)
    for substeps in (4, 8):
        measure_rollback(100, 8, substeps)
    measure_pymunk(1000)


if __name__ == "__main__":
    main()
