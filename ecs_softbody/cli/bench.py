"""`ecs-softbody bench`: frame times of a scene, or of a game played by its scripted player."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint

import numpy as np

from ecs_softbody import Simulation
from ecs_softbody.cli.games import UnknownGame, UnknownName, find_game
from ecs_softbody.cli.progress import ProgressLine
from ecs_softbody.cli.scenes import SCENES
from ecs_softbody.cli.stopping import reporting_failure
from ecs_softbody.play import Game, Session
from ecs_softbody.play.replay.game_snapshot import simulations_of
from ecs_softbody.play.session import PartTimes
from ecs_softbody.rendering import Picture
from ecs_softbody.rendering.screen.points import USUAL_SIZE
from ecs_softbody.validation import did_you_mean

WARM_UP_FRAMES = 60
FRAME_MS = 1000.0 / 60.0


def bench(name: str, games: dict[str, EntryPoint], frames: int, *, profile: bool) -> str:
    """Run a scene or a game and return the measured times, as lines of text.

    Raises:
        UnknownGame: when there is neither a scene nor a game of this name.
        RuntimeError: when a game cannot be loaded, or ends before any measurement.
    """
    if name in SCENES:
        return _bench_scene(name, frames, profile=profile)
    try:
        game = find_game(name, games)
    except UnknownName as unknown:
        hint = did_you_mean(name, [*SCENES, *games])
        known = (
            f"The scenes are: {', '.join(SCENES)}; the games are: "
            f"{', '.join(games) or 'none is installed'}"
        )
        raise UnknownGame(f"there is no scene or game {name!r}{hint}. {known}") from unknown
    with reporting_failure(game):
        return _bench_game(game, frames, profile=profile)


def _bench_scene(name: str, frames: int, *, profile: bool) -> str:
    sim = SCENES[name]()
    try:
        _warm_up(sim)
        for _ in range(WARM_UP_FRAMES):
            sim.step()
        _measure(sim, frames, profile=profile)
        spent = [_time(sim.step) for _ in range(frames)]
        return _told(f"{name}, a frame of physics", spent, [sim], profile=profile)
    finally:
        sim.close()


def _bench_game(game: type[Game], frames: int, *, profile: bool) -> str:
    """Play from the start until the game ends; if a game restarts itself, measure from its
    restart.
    """
    session = Session(game(), autopilot=True)
    spent: list[float] = []
    drawn: list[float] = []
    picture = Picture(*USUAL_SIZE)
    measured: Simulation | None = None
    try:
        _warm_up(session.game.sim)
        for number in range(WARM_UP_FRAMES + frames):
            if session.state != "playing":
                break
            if number >= WARM_UP_FRAMES and session.game.sim is not measured:
                measured = session.game.sim
                for sim in simulations_of(session.game):
                    _measure(sim, frames, profile=profile)
                session.parts = PartTimes()
            took = _time(session.frame)
            made = _time(lambda: session.picture(*USUAL_SIZE, into=picture).triangles())
            if number >= WARM_UP_FRAMES:
                spent.append(took)
                drawn.append(made)
        if not spent:
            raise RuntimeError(
                f"the game {game.name!r} ended within {WARM_UP_FRAMES} frames; nothing was measured"
            )
        ended = "" if session.state == "playing" else f" (it was {session.state} then)"
        what = f"{game.name}, a frame of the game without its picture{ended}"
        lines = [_told(what, spent, simulations_of(session.game), profile=profile)]
        middle, high = np.percentile(drawn, (50, 95))
        lines.append(
            f"its picture, {USUAL_SIZE[0]} x {USUAL_SIZE[1]}, before OpenGL: median "
            f"{middle:.2f} ms (95 in 100 below {high:.2f}, longest {max(drawn):.2f})"
        )
        both = np.add(spent, drawn)
        middle, high = np.percentile(both, (50, 95))
        lines.append(
            f"both together: median {middle:.2f} ms (95 in 100 below {high:.2f}, busiest "
            f"moment {both.max():.2f})"
        )
        return "\n".join([*lines, *([str(session.parts)] if profile else [])])
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


def _told(what: str, spent: list[float], sims: Sequence[Simulation], *, profile: bool) -> str:
    middle, high = np.percentile(spent, (50, 95))
    lines = [
        f"{what}: {len(spent)} frames after {WARM_UP_FRAMES}",
        f"median {middle:.2f} ms (95 in 100 below {high:.2f}, longest {max(spent):.2f}), "
        f"{FRAME_MS / middle:.1f} times as fast as real time",
    ]
    for sim in sims:
        counts = ", ".join(f"{count} {name}" for name, count in sim.profiler.counts.items())
        lines += ["", str(sim.profiler)] if profile else [counts]
    return "\n".join(lines)
