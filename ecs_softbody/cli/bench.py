"""`ecs-softbody bench`: how long a frame takes, of a scene or of a game that its scripted player plays."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable
from importlib.metadata import EntryPoint

import numpy as np

from ecs_softbody import Simulation
from ecs_softbody.cli.games import UnknownGame, find_game
from ecs_softbody.cli.progress import ProgressLine
from ecs_softbody.cli.scenes import SCENES
from ecs_softbody.play import Game, Session

WARM_UP_FRAMES = 60
FRAME_MS = 1000.0 / 60.0


def bench(name: str, games: dict[str, EntryPoint], frames: int, *, profile: bool) -> str:
    """Run a scene or a game and return what it took, as lines of text.

    Raises:
        UnknownGame: when there is neither a scene nor a game of this name.
        RuntimeError: when a game cannot be loaded, or ends before anything was measured.
    """
    if name in SCENES:
        return _bench_scene(name, frames, profile=profile)
    if name not in games:
        near = difflib.get_close_matches(name, [*SCENES, *games], 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        known = f"The scenes are: {', '.join(SCENES)}; the games are: {', '.join(games) or 'none is installed'}"
        raise UnknownGame(f"there is no scene or game {name!r}.{hint} {known}")
    return _bench_game(find_game(name, games), frames, profile=profile)


def _bench_scene(name: str, frames: int, *, profile: bool) -> str:
    sim = SCENES[name]()
    try:
        _warm_up(sim)
        for _ in range(WARM_UP_FRAMES):
            sim.step()
        _measure(sim, frames, profile=profile)
        spent = [_time(sim.step) for _ in range(frames)]
        return _told(f"{name}, a frame of physics", spent, sim, profile=profile)
    finally:
        sim.close()


def _bench_game(game: type[Game], frames: int, *, profile: bool) -> str:
    """Play from the start, as long as the game goes on; a game that starts itself afresh is measured from there."""
    session = Session(game(), autopilot=True)
    spent: list[float] = []
    measured: Simulation | None = None
    try:
        _warm_up(session.game.sim)
        for number in range(WARM_UP_FRAMES + frames):
            if session.state != "playing":
                break
            if number >= WARM_UP_FRAMES and session.game.sim is not measured:
                measured = session.game.sim
                _measure(measured, frames, profile=profile)
            took = _time(session.frame)
            if number >= WARM_UP_FRAMES:
                spent.append(took)
        if not spent:
            raise RuntimeError(f"the game {game.name!r} ended within {WARM_UP_FRAMES} frames; nothing was measured")
        ended = "" if session.state == "playing" else f" (it was {session.state} then)"
        what = f"{game.name}, a frame of the game without its picture{ended}"
        return _told(what, spent, session.game.sim, profile=profile)
    finally:
        session.close()


def _warm_up(sim: Simulation) -> None:
    with ProgressLine() as progress:
        sim.warmup(lambda done, total, name: progress(done, total, f"preparing: {name}"))


def _measure(sim: Simulation, frames: int, *, profile: bool) -> None:
    sim.profiler.enabled = profile
    sim.profiler.window = frames


def _time(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - started)


def _told(what: str, spent: list[float], sim: Simulation, *, profile: bool) -> str:
    middle, high = np.percentile(spent, (50, 95))
    lines = [
        f"{what}: {len(spent)} frames after {WARM_UP_FRAMES}",
        f"{middle:.2f} ms (95 in 100 below {high:.2f}, longest {max(spent):.2f}), "
        f"{FRAME_MS / middle:.1f} times as fast as real time",
    ]
    if profile:
        return "\n".join([*lines, "", str(sim.profiler)])
    return "\n".join([*lines, ", ".join(f"{count} {name}" for name, count in sim.profiler.counts.items())])
