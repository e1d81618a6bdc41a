"""Web on the command line: the folder of a page with a game, and the link of a scene."""

from __future__ import annotations

import argparse
import http.server
import sys
import tempfile
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from ecs_softbody.cli.games import find_game, find_games
from ecs_softbody.play import Game
from ecs_softbody.play.scene_source import can_be_opened
from ecs_softbody.web.links import scene_to_text
from ecs_softbody.web.making.archive import Files, files_below
from ecs_softbody.web.making.kernels import kernels_folder
from ecs_softbody.web.making.pins import PYODIDE, runtime_of
from ecs_softbody.web.making.writing import Shown, site_files, write_folder, write_zip

PORT = 8000
LOCAL = "http://localhost:{}/"
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}
"""Browsers run what is of these types only; what the system calls such files may be something else."""
OURS = "ecs_softbody_games"
BESIDE = "game_of_page"
"""Folder for a game that is one file, and for what lies beside it."""
ENDINGS = {
    ".toml", ".json", ".tmx", ".tmj", ".tsx", ".tsj", ".tx", ".tj", ".ldtk", ".svg", ".png", ".webp", ".jpg", ".jpeg",
    ".gif", ".bmp", ".wav", ".ogg", ".mp3", ".flac", ".ttf", ".otf",
}  # fmt: skip
"""Of files beside it that it may want to read."""
MOST_BYTES = 64_000_000
"""Of a game."""
THUMBNAIL = ((640, 360), 3.0)
"""Size [pixels], and how long the game plays before [s]."""


def add_commands(commands: Any, game_help: str) -> None:
    """Add the commands `web` and `share`."""
    web = commands.add_parser("web", help="write a folder that runs a game in a browser")
    web.add_argument("game", help=game_help)
    web.add_argument("--out", type=Path, metavar="FOLDER", help="folder to write (default: the game's name and -web)")
    web.add_argument(
        "--pyodide", default="", metavar="ADDRESS|FOLDER",
        help=f"where the browser's Python comes from (default: the makers of Pyodide, version {PYODIDE}); a folder "
        "with a whole Pyodide becomes part of the page, which then needs no network",
    )  # fmt: skip
    web.add_argument("--zip", action="store_true", help="write a .zip beside the folder as well, for itch.io")
    web.add_argument("--serve", action="store_true", help="show it on this machine until Ctrl-C")
    web.add_argument(
        "--port", type=int, default=PORT, metavar="N", help="where --serve shows it (default: %(default)s)"
    )
    web.set_defaults(run=write_page)
    share = commands.add_parser("share", help="print the link that opens a scene file in a page")
    share.add_argument("file", type=Path, help="a .toml or .json file")
    share.add_argument(
        "--page", default=LOCAL.format(PORT), metavar="ADDRESS", help="of a page made by `web` (default: %(default)s)"
    )
    share.set_defaults(run=share_scene)


def write_page(arguments: argparse.Namespace) -> int:
    """Write the folder of a page, tell what is in it, and show it where that is asked."""
    runtime = runtime_of(arguments.pyodide)
    games = find_games()
    game = find_game(arguments.game, games)
    name, files = files_of_game(game, arguments.game, games)
    shown = Shown(game.title, game.tagline, thumbnail(game), name, files)
    made = site_files(shown, runtime, kernels_folder())
    folder = arguments.out or Path(f"{game.name}-web")
    write_folder(made, folder)
    size = sum(len(content) for content in made.values())
    print(f"{folder.resolve()} ({len(made)} files, {size / 1e6:.1f} MB): put it on any host of files")
    if arguments.zip:
        archive = folder.with_name(f"{folder.name}.zip")
        write_zip(made, archive)
        print(f"{archive.resolve()} ({archive.stat().st_size / 1e6:.1f} MB)")
    if arguments.serve:
        serve(folder, arguments.port)
    else:
        print(f"To see it here: ecs-softbody web {arguments.game} --serve")
    return 0


def share_scene(arguments: argparse.Namespace) -> int:
    """Check a scene file as any other one, and print its link and how long that is."""
    from ecs_softbody import scenes
    from ecs_softbody.cli.scene_files import check_files

    if scenes.check(arguments.file):
        check_files([arguments.file])
        return 1
    link = f"{arguments.page}#scene={scene_to_text(arguments.file.read_bytes())}"
    print(link)
    print(f"{len(link)} letters")
    return 0


class Handler(http.server.SimpleHTTPRequestHandler):
    """Sends files, and says nothing of those that are there."""

    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, **TYPES}  # noqa: RUF012 - Python's own

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Errors are told by `log_error`."""


class Server(http.server.ThreadingHTTPServer):
    """Serves one folder; a browser that has had enough of a file is no error."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of everything but a connection that was closed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def serve(folder: Path, port: int) -> None:
    """Serve a folder on this machine until Ctrl-C.

    Raises:
        ValueError: where the port cannot be had.
    """
    try:
        server = Server(("127.0.0.1", port), partial(Handler, directory=str(folder)))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"--port: {port} cannot be had ({reason}); name another one, from 1024 to 65535") from None
    with server:
        print(f"{LOCAL.format(port)} until Ctrl-C", file=sys.stderr, flush=True)
        server.serve_forever()


def thumbnail(game: type[Game]) -> bytes:
    """Return a picture of a game that plays itself, a PNG."""
    from ecs_softbody.play.recording import record

    size, seconds = THUMBNAIL
    with tempfile.TemporaryDirectory() as folder:
        return record(game, Path(folder) / "thumbnail.png", seconds=seconds, size=size).read_bytes()


def files_of_game(game: type[Game], asked: str, games: dict[str, EntryPoint]) -> tuple[str, Files]:
    """Return the name by which a page finds a game, and its files below the packages there.

    An included game has none. Of a package all files are taken; of a game that is one file that one, the modules
    beside it that it has imported, and the scenes, pictures and sounds beside it.

    Raises:
        ValueError: where they are larger than a page may be.
    """
    module = sys.modules[game.__module__]
    top = game.__module__.partition(".")[0]
    if can_be_opened(asked):
        path = Path(asked)
        name, files = f"{BESIDE}/{path.name}", {f"{BESIDE}/{path.name}": path.read_bytes(), **_beside(path)}
    elif top == OURS:
        return (asked if asked in games else f"{game.__module__}:{game.__name__}"), {}
    elif hasattr(sys.modules[top], "__path__"):
        name, files = f"{game.__module__}:{game.__name__}", dict(files_below(Path(sys.modules[top].__path__[0]), top))
    else:
        path = Path(str(module.__file__))
        name = f"{BESIDE}/{path.name}:{game.__name__}"
        files = {f"{BESIDE}/{path.name}": path.read_bytes(), **_beside(path), **_imported_beside(path)}
    if (size := sum(map(len, files.values()))) > MOST_BYTES:
        raise ValueError(f"the files of {asked} have {size / 1e6:.0f} MB; a page may have {MOST_BYTES / 1e6:.0f} MB")
    return name, files


def _beside(path: Path) -> Files:
    """Return the files beside one that a game may read."""
    found = (each for each in sorted(path.absolute().parent.iterdir()) if each.suffix.lower() in ENDINGS)
    return {f"{BESIDE}/{each.name}": each.read_bytes() for each in found if each.is_file()}


def _imported_beside(path: Path) -> Files:
    """Return the modules and packages beside a file that were imported with it."""
    folder = path.absolute().parent
    files: Files = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and "." not in name and Path(file).is_relative_to(folder):
            inside = Path(file).relative_to(folder)
            if len(inside.parts) == 1:
                files[f"{BESIDE}/{inside.name}"] = Path(file).read_bytes()
            elif inside.parts == (name, "__init__.py"):
                files |= {f"{BESIDE}/{each}": content for each, content in files_below(folder / name, name)}
    return files
