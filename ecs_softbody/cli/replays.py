"""The command `ecs-softbody replay`: plays a replay, or finds out where it differs from what was recorded."""

from __future__ import annotations

import argparse
from pathlib import Path

from ecs_softbody.cli.games import find_game, find_games
from ecs_softbody.play import Game, play
from ecs_softbody.play.replay.player import ReplayPlayer
from ecs_softbody.play.replay.replay import Recorder, Replay
from ecs_softbody.play.session import Session

OK, DIVERGED = 0, 1


def replay(arguments: argparse.Namespace) -> int:
    """Play a replay without a window, and say what became of it."""
    found = Replay.load(arguments.file)
    game = find_game(arguments.game or found.game, find_games())
    needed = found.differing_versions(game)
    if needed:
        print(f"This replay needs {'; '.join(needed)}.")
    player = ReplayPlayer(game, found)
    try:
        divergence = player.verify()
    finally:
        player.game.close()
    seconds = found.frames / 60.0
    if divergence is None:
        print(f"{arguments.file}: {found.frames} frames ({seconds:.1f} s) of {found.game}, the same in every frame.")
        return OK
    what = ", ".join(divergence.components) or "something that has no short hash"
    print(f"{arguments.file}: differs from frame {divergence.frame} on: {what}.")
    return DIVERGED if arguments.verify else OK


def play_and_record(kind: type[Game], target: Path) -> int:
    """Play a game in a window, and write the replay of its last round."""
    game = kind()
    game.recorder = Recorder()
    try:
        play(game)
    finally:
        if game.recorder.replay is not None:
            written = game.recorder.finished().save(target)
            print(f"{written.resolve()} ({written.stat().st_size / 1e3:.1f} kB)")
    return OK


def record_replay(game_name: str, target: Path, seconds: float) -> int:
    """Let a game play itself, and write the replay."""
    game = find_game(game_name, find_games())()
    game.recorder = Recorder()
    session = Session(game, autopilot=True)
    try:
        for _ in range(round(60.0 * seconds)):
            session.frame()
            if session.state != "playing":
                break
        written = game.recorder.finished().save(target)
    finally:
        session.close()
    print(f"{written.resolve()} ({written.stat().st_size / 1e3:.1f} kB)")
    return OK
