"""The command `ecs-softbody replay`: plays a replay, or finds where it diverges from the
recording.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ecs_softbody.cli.games import UnknownGame, find_game, find_games, installed_game
from ecs_softbody.cli.stopping import reporting_failure
from ecs_softbody.files import check_place
from ecs_softbody.play import Game, NoDisplay, play
from ecs_softbody.play.game import game_from
from ecs_softbody.play.replay.autosaving_recorder import AutosavingRecorder
from ecs_softbody.play.replay.player import ReplayPlayer
from ecs_softbody.play.replay.replay import Recorder, Replay
from ecs_softbody.play.session import Session

OK = 0
DIVERGED = 1
ENDING = ".replay"


def replay(arguments: argparse.Namespace) -> int:
    """Play a replay without a window, and report the result."""
    found = Replay.load(arguments.file)
    game = _game_of(found, arguments)
    needed = found.differing_versions(game)
    if needed:
        print(f"This replay needs {'; '.join(needed)}.")
    with reporting_failure(game):
        player = ReplayPlayer(game, found)
        try:
            divergence = player.verify()
        finally:
            player.game.close()
    seconds = found.frames / 60.0
    if divergence is None:
        print(
            f"{arguments.file}: {found.frames} frames ({seconds:.1f} s) of {found.game}, the "
            "same in every frame."
        )
        return OK
    what = ", ".join(divergence.components) or "something that has no short hash"
    print(f"{arguments.file}: differs from frame {divergence.frame} on: {what}.")
    return DIVERGED if arguments.verify else OK


def _game_of(found: Replay, arguments: argparse.Namespace) -> type[Game]:
    """Return the game of a replay: the requested one, else the one it names, if installed."""
    if arguments.game is not None:
        return find_game(arguments.game, find_games())
    try:
        return installed_game(found.game, find_games())
    except UnknownGame as unknown:
        raise UnknownGame(
            f"{arguments.file}: {unknown}. One of a file is named: ecs-softbody replay "
            f"{arguments.file} --game FILE.py"
        ) from unknown


def check_target(target: Path) -> None:
    """Raise ValueError if the file cannot be written: before the game is played, not after."""
    folder = target.absolute().parent
    if not folder.is_dir():
        raise ValueError(f"cannot write {str(target)!r}: there is no folder {str(target.parent)!r}")
    if target.is_dir():
        raise ValueError(f"cannot write {str(target)!r}: it is a folder")
    try:
        check_place(target)
    except OSError as error:
        why = f"nothing can be written in {str(target.parent)!r} ({error.strerror or error})"
        raise ValueError(f"cannot write {str(target)!r}: {why}") from None


def play_and_record(kind: type[Game], target: Path) -> int:
    """Play a game in a window, and write the replay of its last round, which survives a crash."""
    check_target(target)
    with reporting_failure(kind):
        game = game_from("play", kind)
    game.recorder = AutosavingRecorder(target)
    try:
        play(game)
    except NoDisplay as missing:
        raise NoDisplay(
            f"{missing}\nSo nobody can play, and there is no replay; the scripted player makes one "
            f"without a display: ecs-softbody record GAME --out {target}"
        ) from None
    finally:
        if game.recorder.replay is not None:
            written = game.recorder.finish()
            print(f"{written.resolve()} ({written.stat().st_size / 1e3:.1f} kB)")
    return OK


def record_replay(kind: type[Game], target: Path, seconds: float) -> int:
    """Let a game play itself, and write its replay."""
    check_target(target)
    with reporting_failure(kind):
        game = game_from("record", kind)
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
