"""A game of 300 bodies, in a window, without the inspector and with it: CPU times of a frame, by
what they are for.

xvfb-run -a python benchmarks/inspector.py [--picture shot.png] [--bodies 300]

Times are those of the thread in which the game runs. Drawing and showing are the work of the
graphics card: where that is simulated, the thread works for it, or waits. So the last lines measure
a frame of which no pixel is drawn (everything else is done, up to the calls of OpenGL), and tell
how many of these there are in a second.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from PIL import Image
from pyglet import gl

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.inspector.panel.inspector import Inspector
from ecs_softbody.parallel.machine import thread_time
from ecs_softbody.play import Controls, Game, Session
from ecs_softbody.play.timing.game_clock import FRAME
from ecs_softbody.play.window import GameWindow

FRAMES = 60
BUDGET = 1000.0 / 60.0


class Crowd(Game):
    """Soft squares that hop about on a floor."""

    name = "crowd"
    bodies = 300
    pauses_alone = False

    def start(self) -> None:
        """Make them."""
        self.close()
        self.sim = Simulation(world="crowd", substeps=4)
        columns = round((2.0 * self.bodies) ** 0.5)
        self.sim.spawn(StaticCollider([(-2, 60), (-2, 0), (columns + 1, 0), (columns + 1, 60)]))
        self.camera.height = 1.0 * columns
        self.camera.jump_to((0.85 * columns - 2.0, 0.4 * columns))  # left of the panel
        self.hop = 0
        self.heroes = []
        for number in range(self.bodies):
            row, column = divmod(number, columns)
            self.heroes.append(
                self.sim.spawn(
                    *blueprints.box((1.0 * column, 1.0 + row), (0.6, 0.6), rows=3, columns=3)
                )
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
        """Time every call of a method of this object, or of all of this class."""
        run: Callable[..., Any] = getattr(owner, method)

        def timed(*given: Any, **options: Any) -> Any:
            started = thread_time()
            found = run(*given, **options)
            self.times.setdefault(name, []).append(1e3 * (thread_time() - started))
            return found

        setattr(owner, method, timed)


def measure(bodies: int, picture: str) -> None:
    """Print the table."""
    Crowd.bodies = bodies
    window = GameWindow(size=(1280, 720))
    watch = Stopwatch()
    session = Session(Crowd())
    session.restart()  # without the start screen
    window.show(session, until=lambda: True)
    watch.around(session.game.sim, "step", "of that, the physics alone")
    watch.around(session, "picture", "of that, what is in the picture")
    watch.around(session, "frame", "of that, the game with its physics")
    watch.around(window._backend, "draw", "of that, drawing the picture with OpenGL")
    watch.around(window.handle, "flip", "of that, showing it")
    watch.around(window.handle, "dispatch_events", "of that, keys and mouse")
    watch.around(Inspector, "follow", "of that, plots and moments for back")
    watch.around(Inspector, "draw", "of that, the panel")
    print("| what | CPU time of a frame, median | share of 1/60 s |\n| --- | ---: | ---: |")
    play(window, watch, f"{bodies} bodies, without the inspector")
    window.inspect()
    for _ in range(3):
        window.tick(FRAME)
    click(window, session.game)
    play(window, watch, f"{bodies} bodies, with the inspector")
    gl.glEnable(gl.GL_RASTERIZER_DISCARD)
    play(window, watch, "the same, but no pixel is drawn")
    gl.glDisable(gl.GL_RASTERIZER_DISCARD)
    if picture:
        window.draw(session)
        Image.fromarray(np.ascontiguousarray(window.pixels()[::1, :, :3])).save(picture)
    window.close()
    session.close()


def play(window: GameWindow, watch: Stopwatch, title: str) -> None:
    """Play some frames and print what they took."""
    for frame in range(FRAMES + 20):
        if frame == 20:
            watch.times.clear()
            begun = time.perf_counter()
        started = thread_time()
        window.tick(FRAME)
        watch.times.setdefault("all", []).append(1e3 * (thread_time() - started))
    rate = FRAMES / (time.perf_counter() - begun)
    for name, times in sorted(watch.times.items()):
        took = median(times)
        label = f"{title}: {rate:.0f} frames a second" if name == "all" else name
        print(f"| {label} | {took:.1f} ms | {100 * took / BUDGET:.0f} % |", flush=True)


def click(window: GameWindow, game: Game) -> None:
    """Choose the body in the middle with the mouse, as one who looks does."""
    place = game.sim.get(game.heroes[len(game.heroes) // 2], Particles).position.mean(axis=0)
    x, y = (
        float(each) * window.handle.height / 720.0 for each in game.camera.world_to_screen(place)
    )
    window.handle.dispatch_event("on_mouse_press", round(x), round(y), 1, 0)
    window.tick(FRAME)
    window.handle.dispatch_event("on_mouse_release", round(x), round(y), 1, 0)


def main() -> None:
    """Read the arguments."""
    # of bodies that are as soft as 4 substeps let them be
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--bodies", type=int, default=300)
    parser.add_argument("--picture", default="", help="where to write a picture of the window")
    given = parser.parse_args()
    measure(given.bodies, given.picture)


if __name__ == "__main__":
    main()
