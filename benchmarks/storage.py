"""What it costs to spawn or delete a body in every frame, and to step bodies that touch nothing.

    python benchmarks/storage.py [number of blobs]

Prints CPU milliseconds (medians) for blobs of 24 particles.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable

import numpy as np

from ecs_softbody import Simulation, blueprints

FRAMES = 60
PITCH = 1.5


def time_of(run: Callable[[], object]) -> float:
    """Return the CPU time of a call [ms]."""
    start = time.process_time()
    run()
    return 1e3 * (time.process_time() - start)


def crowd(count: int) -> tuple[Simulation, list[int]]:
    """Return a simulation of blobs that do not touch, without gravity, after its first step."""
    sim = Simulation(gravity=(0.0, 0.0), world=f"crowd {count}", sleeping=False)
    columns = math.ceil(math.sqrt(count))
    entities = [
        sim.spawn(*blueprints.blob(((number % columns) * PITCH, (number // columns) * PITCH), 0.5))
        for number in range(count)
    ]
    sim.step()
    return sim, entities


def costs(count: int) -> tuple[float, float, float]:
    """Return the time of a frame [ms], and what spawning and deleting one blob in it adds; medians, taken in turn."""
    sim, entities = crowd(count)

    def spawn() -> None:
        entities.append(sim.spawn(*blueprints.blob((-10.0, 0.0), 0.5)))
        sim.step()

    def delete() -> None:
        sim.despawn(entities.pop())
        sim.step()

    spent = np.array([[time_of(sim.step), time_of(spawn), time_of(delete)] for _ in range(FRAMES)])
    frame, spawning, deleting = np.median(spent, axis=0)
    sim.close()
    return float(frame), float(spawning - frame), float(deleting - frame)


def main(count: int) -> None:
    """Print the costs."""
    frame, spawning, deleting = costs(count)
    print(f"{count} blobs of 24 particles, nothing touches: {frame:.2f} ms a frame of 8 substeps")
    print(f"spawning one more in every frame adds {spawning:.2f} ms, deleting one {deleting:.2f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
