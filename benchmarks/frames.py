"""Frames of all games, each played whole by its script: how long step, rules and picture take, and
at the busiest.

    python benchmarks/frames.py                          # everything: about a quarter of an hour
    python benchmarks/frames.py jelly-car slingshot      # some games
    python benchmarks/frames.py windy-pond:storm  # a busy scene, see below; a level: jelly-car:2
    python benchmarks/frames.py --tree ../before --out before.json

Every level, track, round, challenge and page is played. Storms, crowds and cuts are played by
scripts of their own. Nothing else runs in the process: no window, no sound, no driver. The picture
is what is made before OpenGL, at 1280 x 720. A frame's time is CPU time of the process, and the
smallest of some plays (`--plays`): a play is the same, bit for bit, each time, so that a frame that
is dear by itself is dear in all of them, and one that another program has disturbed is not.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SIZE = (1280, 720)
LONGEST = 5400
"""Frames after which a play ends."""
AFTER_THE_END = 30
"""Frames of the last screen that count, too."""
TOY_FRAMES = 1200
MOST_BALLS = 200
"""That the room of the balls holds."""
PARTS = ("step", "rules", "picture", "all")
BUDGET = {"picture": (3.0, 5.0), "all": (8.0, 14.0)}
"""Of the median and of the busiest frame [ms]."""
Floats = NDArray[np.float64]


class Case(NamedTuple):
    """One play: a game, its level, and what the player does where it is not
    the game's own script.
    """

    game: str
    level: int
    scene: str = ""

    def __str__(self) -> str:
        return f"{self.game}:{self.scene or self.level}"


class Watch:
    """Takes times, within a `with`: of steps, of searches for garbage."""

    def __init__(self, simulation: type[Any]) -> None:
        self.step = self.garbage = 0.0
        self._began = 0.0
        self._simulation = simulation
        self._run = simulation.step
        run = simulation.step

        def timed(sim: Any, *given: Any) -> None:
            began = time.process_time()
            run(sim, *given)
            self.step += time.process_time() - began

        self._timed = timed

    def __enter__(self) -> Watch:
        self._simulation.step = self._timed  # type: ignore[method-assign]
        gc.callbacks.append(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        self._simulation.step = self._run  # type: ignore[method-assign]
        gc.callbacks.remove(self._note)

    def _note(self, phase: str, _: object) -> None:
        if phase == "start":
            self._began = time.process_time()
        else:
            self.garbage += time.process_time() - self._began


def storm(session: Any, frame: int) -> Any:
    """Blow, let it rain, and blast: the pond at its busiest."""
    from ecs_softbody.play import Controls

    held = {"right"} if frame % 240 < 150 else {"left"}
    held.add("up" if frame % 300 < 150 else "down")
    pressed = {"do"} if frame % 12 == 0 else set()
    if frame % 45 == 44:
        pressed.add("mouse_left")
    pointer = (-5.0 + 2.7 * (frame // 45 % 5), -1.0 + 0.7 * (frame // 45 % 3))
    return Controls(held=held | pressed, pressed=pressed, pointer=pointer)


def crowd(session: Any, frame: int) -> Any:
    """Fill the room of the balls with all that it holds, as a player does, kick them, and switch
    gravity.
    """
    from ecs_softbody.play import Controls

    if len(session.game.crowd) < MOST_BALLS and frame < TOY_FRAMES - 300:
        return Controls(held={"plus"}, pressed={"plus"} if frame == 0 else set())
    pressed = {"space"} if frame % 120 == 60 else set()
    if frame % 240 == 200:
        pressed.add(("up", "left", "right", "down")[frame // 240 % 4])
    return Controls(held=set(pressed), pressed=pressed)


def cuts(lines: Callable[[Any, int], tuple[Any, Any] | None]) -> Callable[[Any, int], Any]:
    """Return a player who draws lines with the knife, one in two frames."""

    def player(session: Any, frame: int) -> Any:
        from ecs_softbody.play import Controls

        line = lines(session, frame - frame % 2)
        if line is None:
            return Controls()
        if frame % 2 == 0:
            return Controls(held={"mouse_left"}, pressed={"mouse_left"}, pointer=line[0])
        return Controls(released={"mouse_left"}, pointer=line[1])

    return player


def one_body(session: Any, frame: int) -> tuple[Any, Any] | None:
    """Cut the jelly, which hangs alone, and later its halves."""
    return session.game._fair_line() if frame % 120 == 60 else None


def all_bodies(session: Any, frame: int) -> tuple[Any, Any] | None:
    """Cut through all that lies on the bench, again and again."""
    height = 0.25 + 0.2 * (frame // 120 % 8)
    return ((-7.0, height), (7.0, height + 0.15)) if frame % 120 == 60 else None


def seven_bodies(session: Any, frame: int) -> tuple[Any, Any] | None:
    """Cut four bodies, then four more, then seven at once."""
    if frame == 300 and session.game.cuts != 15:
        print(
            f"the lines cut {session.game.cuts} bodies instead of 15; find others", file=sys.stderr
        )
    return SEVEN.get(frame)


SEVEN = {
    60: ((-7.0, 0.25), (7.0, 0.4)),
    180: ((-7.0, 1.02), (7.0, 0.87)),
    290: ((-7.0, 0.17), (7.0, 0.32)),
}
SCENES: dict[tuple[str, str], Callable[[Any, int], Any]] = {
    ("windy-pond", "storm"): storm,
    ("bouncing-balls", "crowd"): crowd,
    ("cut-and-tear", "cut-one"): cuts(one_body),
    ("cut-and-tear", "cut-all"): cuts(all_bodies),
    ("cut-and-tear", "cut-seven"): cuts(seven_bodies),
}
"""Busy scenes: what their player does in a frame."""


def all_cases() -> Iterator[Case]:
    """Yield every level of every game, and the busy scenes."""
    from included import included_games

    for name, found in included_games().items():
        game = found.load()()
        for level in range(max(1, len(game.levels), len(getattr(game, "pages", ())))):
            yield Case(name, level)
        yield from (Case(name, 0, scene) for of, scene in SCENES if of == name)


def begun(case: Case) -> Any:
    """Return a session of a case, begun."""
    from ecs_softbody.play import Session
    from included import included_games

    game = included_games()[case.game].load()()
    if not hasattr(game, "pages"):
        game.level_number = case.level
    session = Session(game, autopilot=not case.scene)
    if hasattr(game, "pages"):
        game.turn_to(case.level)
    if case.scene:
        session.state = "playing"
    return session


def frames_of(case: Case, watch: Watch, most: int) -> Floats:
    """Play a case, and return step, rules, picture, all, and searches for garbage of each frame,
    shape (F, 5) [ms].
    """
    from ecs_softbody.rendering import Picture

    session = begun(case)
    picture = Picture(*SIZE)
    found = []
    ended = 0
    player = SCENES.get((case.game, case.scene))
    most = min(most, TOY_FRAMES if case.scene or session.game.group != "games" else most)
    session.picture(*SIZE, into=picture).triangles()
    for frame in range(most):
        watch.step = watch.garbage = 0.0
        controls = player(session, frame) if player else None
        began = time.process_time()
        session.frame(controls)
        played = time.process_time()
        session.picture(*SIZE, into=picture).triangles()
        drawn = time.process_time()
        found.append(
            (watch.step, played - began - watch.step, drawn - played, drawn - began, watch.garbage)
        )
        ended += session.state != "playing"
        if ended > AFTER_THE_END:
            break
    session.close()
    return 1e3 * np.array(found)


def fastest_of(case: Case, watch: Watch, plays: int, most: int) -> Floats:
    """Return the smallest time of each frame of some plays, shape (F, 5) [ms]."""
    runs = []
    for _ in range(plays):
        gc.collect()
        runs.append(frames_of(case, watch, most))
    length = min(map(len, runs))
    return np.asarray(np.min([run[:length] for run in runs], axis=0))


def row(case: Case, times: Floats) -> str:
    """Return a line of the table; what is over its budget has an exclamation mark."""
    cells = []
    for part, values in zip(PARTS, times[:, :4].T, strict=True):
        middle, high, longest = (*np.percentile(values, (50, 95)), values.max())
        limits = BUDGET.get(part, (np.inf, np.inf))
        over = "!" if middle > limits[0] or longest > limits[1] else " "
        cells.append(f"{middle:5.2f} {high:5.2f} {longest:6.2f}{over}")
    return (
        f"{case!s:26}{len(times):5} | {'| '.join(cells)}| {times[:, 4].max():5.2f} | "
        f"{int(times[:, 3].argmax())}"
    )


def main() -> None:
    """Print a line for each play."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("games", nargs="*", help="GAME, GAME:LEVEL or GAME:SCENE; none: all")
    options.add_argument(
        "--plays", type=int, default=3, help="of each; the smallest time of a frame counts"
    )
    options.add_argument("--frames", type=int, default=LONGEST, help="at most so many of each play")
    options.add_argument("--tree", type=Path, default=Path(__file__).parents[1], help="a checkout")
    options.add_argument("--out", type=Path, help="a JSON file for the times of all frames")
    given = options.parse_args()
    sys.path[:0] = [str(given.tree), str(given.tree / "games")]
    warnings.simplefilter("ignore")
    from ecs_softbody import Simulation

    kept = {}
    parts = "| ".join(f"{part:20}" for part in PARTS)
    print(f"{'ms: median, 95 %, busiest':26}    n | {parts}|  gc   | busiest at")
    with Watch(Simulation) as watch:
        for case in all_cases():
            if given.games and not {case.game, str(case)} & set(given.games):
                continue
            times = fastest_of(case, watch, given.plays, given.frames)
            kept[str(case)] = times.round(4).tolist()
            print(row(case, times), flush=True)
    if given.out:
        given.out.write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
