"""A game of 300 bodies with the inspector over it, in a window: CPU times of a frame by what they are for, as a table.

xvfb-run -a python benchmarks/inspector.py [--picture shot.png] [--bodies 300]

The graphics card may be simulated on the processor; the time of that counts as the picture's and the panel's.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from imgui_bundle import imgui
from PIL import Image

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.inspector.panel.inspector import Inspector
from ecs_softbody.play import Controls, Game, Session
from ecs_softbody.play.timing.game_clock import FRAME
from ecs_softbody.play.window import GameWindow

FRAMES = 60
BUDGET = 1000.0 / 60.0


class Crowd(Game):
    """Soft squares that hop about on a floor."""

    name = "crowd"
    bodies = 300

    def start(self) -> None:
        """Make them."""
        self.close()
        self.sim = Simulation(world="crowd", substeps=4)
        columns = round((2.0 * self.bodies) ** 0.5)
        self.sim.spawn(StaticCollider([(-2, 60), (-2, 0), (columns + 1, 0), (columns + 1, 60)]))
        self.hop, self.heroes = 0, []
        for number in range(self.bodies):
            row, column = divmod(number, columns)
            self.heroes.append(
                self.sim.spawn(*blueprints.box((1.0 * column, 1.0 + row), (0.6, 0.6), rows=3, columns=3))
            )

    def update(self, controls: Controls, dt: float) -> None:
        """Let one of them hop in every frame, so that the whole heap keeps moving."""
        self.hop = (self.hop + 7) % len(self.heroes)
        self.sim.get(self.heroes[self.hop], Particles).velocity[:, 1] += 2.0


class Stopwatch:
    """CPU times of calls."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}

    def around(self, owner: Any, method: str, name: str) -> None:
        """Time every call of a method of this object."""
        run: Callable[..., Any] = getattr(owner, method)

        def timed(*given: Any, **options: Any) -> Any:
            started = time.process_time()
            found = run(*given, **options)
            self.times.setdefault(name, []).append(1e3 * (time.process_time() - started))
            return found

        setattr(owner, method, timed)


def measure(bodies: int, picture: str) -> None:
    """Print the table."""
    Crowd.bodies = bodies
    window, watch = GameWindow(size=(1280, 720)), Stopwatch()
    session = Session(Crowd())
    window._screen = session
    print("| what | CPU time of a frame, median | share of 1/60 s |\n| --- | ---: | ---: |")
    for shown in (False, True):
        if shown:
            window._tool = inspector = Inspector(window, imgui)
            inspector.meet(session)
            inspector.inspection.select(session.game.heroes[bodies // 2])
            watch.around(inspector, "draw", "of that, the panel")
        watch.times.clear()
        watch.around(session.game.sim, "step", "of that, the physics") if not shown else None
        for frame in range(FRAMES + 20):
            if frame == 20:
                watch.times.clear()
            started = time.process_time()
            window.tick(FRAME)
            watch.times.setdefault("all", []).append(1e3 * (time.process_time() - started))
        title = f"{bodies} bodies, {'with' if shown else 'without'} the inspector"
        for name, times in sorted(watch.times.items()):
            took = median(times)
            print(f"| {title if name == 'all' else name} | {took:.1f} ms | {100 * took / BUDGET:.0f} % |", flush=True)
    if picture:
        window.draw(session)
        Image.fromarray(np.ascontiguousarray(window.pixels()[::1, :, :3])).save(picture)
    window.close()
    session.close()


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bodies", type=int, default=300)
    parser.add_argument("--picture", default="", help="where to write a picture of the window")
    given = parser.parse_args()
    measure(given.bodies, given.picture)


if __name__ == "__main__":
    main()
