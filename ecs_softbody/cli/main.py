"""The command `ecs-softbody`: play, record, list, measure and prepare games."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ecs_softbody
from ecs_softbody.cli.arguments import path
from ecs_softbody.cli.games import UnknownGame, find_game, find_games, loadable
from ecs_softbody.cli.progress import ProgressLine
from ecs_softbody.cli.replays import ENDING, check_target, play_and_record, record_replay, replay
from ecs_softbody.cli.stopping import reporting_failure
from ecs_softbody.cli.web import add_commands
from ecs_softbody.play import Game, GameStopped, NoDisplay, play
from ecs_softbody.play.launch.playing import choose_and_play
from ecs_softbody.scenes import SceneError

DEMO_GAME = "jelly-platformer"
DEMO_SECONDS = 12.0
MOST_FRAMES = 100_000
OK = 0
STOPPED = 1
WRONG = 2
CLOSED = 141
GAME = (
    "name of a game (see `ecs-softbody games`), a file such as stars.py, hills.toml "
    "or map.tmx, or package.module:Class"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: the process's) and return its exit status."""
    arguments = _parser().parse_args(argv)
    try:
        status = int(arguments.run(arguments))
        print(end="", flush=True)
        return status
    except SceneError as wrong:
        print(wrong, file=sys.stderr)  # its lines, as `check` prints them
        return WRONG
    except BrokenPipeError:
        # Python writes the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED  # the reader of the output has read enough, as `head` does
    except (UnknownGame, OSError, RuntimeError, ValueError) as error:
        print(f"ecs-softbody: {_said(error)}", file=sys.stderr)
        return WRONG
    except (GameStopped, NoDisplay) as stopped:
        print(f"ecs-softbody: {stopped}", file=sys.stderr)
        return STOPPED
    except KeyboardInterrupt:
        return 130


def _said(error: Exception) -> str:
    """Return an error's message, without the system's error number."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ecs-softbody", description="Games made of soft bodies.")
    parser.add_argument(
        "--version", action="version", version=f"ecs-softbody {ecs_softbody.__version__}"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    to_play = commands.add_parser("play", help="play a game; without its name, choose one")
    to_play.add_argument("game", nargs="?", help=GAME)
    to_play.add_argument(
        "--replay", type=path, metavar="FILE", help="write what is played: the last round"
    )
    to_play.add_argument(
        "--inspect", action="store_true", help="show the inspector over the game (F2 hides it)"
    )
    to_play.set_defaults(run=_play)
    bring = commands.add_parser(
        "import", help="show what a Tiled map, an LDtk project, an SVG or a picture becomes"
    )
    bring.add_argument("file", help="a .tmx, .tmj, .ldtk, .svg or .png file")
    bring.add_argument("--out", type=path, metavar="FILE.png", help="draw it into this file")
    bring.set_defaults(run=_import)
    make = commands.add_parser("new", help="make a small game of your own: a package with tests")
    make.add_argument(
        "name", help="its folder, such as mygame; the last part is the name of the package"
    )
    make.set_defaults(run=_new)
    record = commands.add_parser(
        "record", help="let a game play itself into a .gif, .png, .mp4, .webm or .replay file"
    )
    record.add_argument("game", help=GAME)
    record.add_argument(
        "--out", type=path, metavar="FILE", help="file to write (default: GAME.gif)"
    )
    record.add_argument(
        "--seconds", type=_seconds, default=DEMO_SECONDS, metavar="S", help="length (default: 12)"
    )
    record.add_argument(
        "--size", type=_size, default=(640, 360), metavar="WxH", help="pixels (default: 640x360)"
    )
    record.add_argument(
        "--rate", type=int, default=20, metavar="N", help="pictures per second (default: 20)"
    )
    record.set_defaults(run=_record)
    check = commands.add_parser(
        "check", help="tell everything that is wrong with scene files, line by line"
    )
    check.add_argument("files", nargs="+", type=path, metavar="FILE", help="a .toml or .json file")
    check.add_argument("--game", metavar="NAME", help="allow the parts of this game, too")
    check.set_defaults(run=_check)
    schema = commands.add_parser("schema", help="print the JSON Schema of scene files, for editors")
    schema.add_argument("--game", metavar="NAME", help="with the parts of this game")
    schema.set_defaults(run=_schema)
    replays = commands.add_parser(
        "replay", help="play a replay again, and find out whether it is the same"
    )
    replays.add_argument(
        "file",
        type=path,
        help="a file that `record --out x.replay` or `play --replay x.replay` wrote",
    )
    replays.add_argument(
        "--verify", action="store_true", help="exit with 1 where it differs, and say where first"
    )
    replays.add_argument("--game", help=f"{GAME}; by default the one that the replay names")
    replays.set_defaults(run=replay)
    add_commands(commands, GAME)
    commands.add_parser("games", help="list the games").set_defaults(run=_list)
    bench = commands.add_parser(
        "bench", help="measure the frames of a scene, or of a game that plays itself"
    )
    bench.add_argument("name", nargs="?", help=f"a scene, or {GAME}; without it, all scenes")
    bench.add_argument(
        "--frames", type=_frames, default=240, metavar="N", help="frames to measure (default: 240)"
    )
    bench.add_argument("--profile", action="store_true", help="show what every processor takes")
    bench.set_defaults(run=_bench)
    commands.add_parser(
        "warmup", help="compile everything now, so that games start at once"
    ).set_defaults(run=_warm_up)
    return parser


def _import(arguments: argparse.Namespace) -> int:
    from ecs_softbody.cli.importing import describe

    print(describe(arguments.file, arguments.out))
    return OK


def _play(arguments: argparse.Namespace) -> int:
    if arguments.inspect and arguments.replay is not None:
        raise ValueError(
            "--inspect cannot be used with --replay: what the inspector changes is in no replay"
        )
    games = find_games()
    chosen = None if arguments.game is None else find_game(arguments.game, games)
    if arguments.replay is not None:
        if chosen is None:
            raise ValueError("--replay needs the name of a game before it")
        return play_and_record(chosen, arguments.replay)
    try:
        if chosen is not None:
            play(chosen, inspect=arguments.inspect)
        else:
            choose_and_play(loadable(games), inspect=arguments.inspect)
    except NoDisplay as missing:
        print(missing)
        return _demo(chosen or find_game(DEMO_GAME, games))
    return OK


def _demo(game: type[Game]) -> int:
    """Record a self-playing game as a GIF in the current folder."""
    print(f"Without a window, {game.title} plays by itself into a picture file:")
    return _record_to(game, Path(f"{game.name}.gif"), DEMO_SECONDS, (640, 360), 20)


def _record(arguments: argparse.Namespace) -> int:
    game = find_game(arguments.game, find_games())
    target = arguments.out or Path(f"{game.name}.gif")
    if target.suffix.lower() == ENDING:
        return record_replay(game, target, arguments.seconds)
    return _record_to(game, target, arguments.seconds, arguments.size, arguments.rate)


def _record_to(
    game: type[Game], target: Path, seconds: float, size: tuple[int, int], rate: int
) -> int:
    from ecs_softbody.play.recording import ENDINGS, record

    if target.suffix.lower() not in ENDINGS:
        known = ", ".join((*ENDINGS, ENDING))
        raise ValueError(f"cannot write {target.name!r}: the file must end in {known}")
    check_target(target)
    started = time.perf_counter()
    with reporting_failure(game), ProgressLine() as progress:
        written = record(game, target, seconds=seconds, size=size, rate=rate, progress=progress)
    took = time.perf_counter() - started
    print(f"{written.resolve()} ({written.stat().st_size / 1e6:.1f} MB, made in {took:.0f} s)")
    return OK


def _list(arguments: argparse.Namespace) -> int:
    games = find_games()
    for name in games:
        try:
            print(f"{name:20} {find_game(name, games).tagline}")
        except RuntimeError as error:
            print(f"{name:20} {error}")
    return OK


def _check(arguments: argparse.Namespace) -> int:
    from ecs_softbody.cli.scene_files import check_files

    return STOPPED if check_files(arguments.files, _parts_of(arguments.game)) else OK


def _schema(arguments: argparse.Namespace) -> int:
    from ecs_softbody.cli.scene_files import schema_text

    print(schema_text(_parts_of(arguments.game)))
    return OK


def _parts_of(game: str | None) -> Sequence[Any]:
    """Return the parts that a game's scenes may use."""
    return () if game is None else find_game(game, find_games()).parts


def _new(arguments: argparse.Namespace) -> int:
    from ecs_softbody.cli.new import make_game

    for line in make_game(Path(arguments.name)):
        print(line)
    return OK


def _bench(arguments: argparse.Namespace) -> int:
    from ecs_softbody.cli.bench import bench
    from ecs_softbody.cli.scenes import SCENES

    games = find_games()
    for name in SCENES if arguments.name is None else [arguments.name]:
        print(
            bench(name, games, arguments.frames, profile=arguments.profile), end="\n\n", flush=True
        )
    return OK


def _warm_up(arguments: argparse.Namespace) -> int:
    from ecs_softbody.rendering.warmup import prepare_everything

    started = time.perf_counter()
    with ProgressLine() as progress:
        for done, total, name in prepare_everything():
            progress(done, total, f"preparing: {name}")
    print(f"Ready ({time.perf_counter() - started:.1f} s).")
    return OK


def _frames(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_FRAMES:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not allowed; expected a whole number from 1 to {MOST_FRAMES}"
        )
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value <= 3600.0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not allowed; expected a number above 0 and at most 3600"
        )
    return value


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a size; expected WIDTHxHEIGHT such as 640x360"
        )
    return int(width), int(height)
