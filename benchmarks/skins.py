"""Measure skins: a picture of 1024 x 1024 pixels that becomes a skin, and 400 skinned blobs in a
frame.

    python benchmarks/skins.py [--frames N]

The frame is what the CPU does beside the driver: from the particles to the triangles that are
handed to OpenGL.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from ecs_softbody import Simulation, blueprints
from ecs_softbody.imports import picture
from ecs_softbody.rendering import Picture, Skin, View, WorldPainter

SIZE = (1280, 720)
SIDE = 20
PIXELS = 1024


def a_picture(folder: Path) -> Path:
    """Write a round picture with a soft edge and noise."""
    place = np.linspace(-1.0, 1.0, PIXELS)
    x, y = np.meshgrid(place, place)
    image = np.random.default_rng(0).integers(0, 255, (PIXELS, PIXELS, 4)).astype(np.uint8)
    image[:, :, 3] = np.clip((0.95 - np.hypot(x, y)) * 2000.0, 0, 255)
    path = folder / "round.png"
    Image.fromarray(image).save(path)
    return path


def milliseconds(call: Callable[[], object], count: int) -> list[float]:
    """Return the CPU time of each call [ms]."""
    found = []
    for _ in range(count):
        started = time.process_time()
        call()
        found.append(1e3 * (time.process_time() - started))
    return found


def main() -> None:
    """Print what each takes."""
    parser = argparse.ArgumentParser(description="Measure skins.")
    parser.add_argument("--frames", type=int, default=300)
    frames = parser.parse_args().frames
    with tempfile.TemporaryDirectory() as folder:
        path = a_picture(Path(folder))
        (skin_ms,) = milliseconds(lambda: Skin(path), 1)
        body_ms = min(milliseconds(lambda: picture(path, (0, 0)), 3))
        sim = Simulation(world="skins")
        for number in range(SIDE * SIDE):
            sim.spawn(*blueprints.blob((number % SIDE, number // SIDE), 0.45), Skin(path))
    sim.step(1.0 / 60.0)
    painter = WorldPainter()
    shown = Picture(*SIZE)

    def frame() -> None:
        shown.clear(*SIZE, View((0.5 * SIDE, 0.5 * SIDE), 1.1 * SIDE, *SIZE))
        painter.draw(sim, shown)
        shown.triangles()

    (first,) = milliseconds(frame, 1)
    times = milliseconds(frame, frames)
    print(f"a skin of {PIXELS} x {PIXELS} pixels    {skin_ms:7.1f} ms")
    print(f"a body of the same picture      {body_ms:7.1f} ms")
    print(f"{SIDE * SIDE} skinned blobs, first frame  {first:7.1f} ms")
    print(
        f"{SIDE * SIDE} skinned blobs, a frame      {statistics.median(times):7.2f} ms "
        f"(fastest {min(times):.2f})"
    )
    print(f"draw calls with a picture       {sum(run.texture is not None for run in shown.runs):7}")


if __name__ == "__main__":
    main()
