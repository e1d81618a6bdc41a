"""Web on the command line: the folder of a page with a game, and the link of a scene."""

from __future__ import annotations

import argparse
import http.server
import shlex
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from ecs_softbody.cli.arguments import path, port_number
from ecs_softbody.cli.games import find_game, find_games
from ecs_softbody.errors import FieldError
from ecs_softbody.files import check_place
from ecs_softbody.play import Game
from ecs_softbody.reading import reading_within
from ecs_softbody.web.links import MOST_BY_LINK, file_name, scene_to_text
from ecs_softbody.web.making.game_files import BESIDE, GameFiles, files_of_game
from ecs_softbody.web.making.kernels import kernels_folder
from ecs_softbody.web.making.pins import PYODIDE, runtime_of
from ecs_softbody.web.making.writing import Shown, check_folder, site_files, write_folder, write_zip

PORT = 8000
FIRST = "jelly-platformer"
"""The game whose picture a page of all included games has."""
LOCAL = "http://localhost:{}/"
TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".json": "application/json",
}
"""MIME types: browsers accept these files only under these types; the system may map them to
others.
"""
MOST_NAMES = 20
THUMBNAIL = ((640, 360), 3.0)
"""Size of the thumbnail [pixels], and game time before it [s]."""


def add_commands(commands: Any, game_help: str) -> None:
    """Add the commands `web` and `share`."""
    web = commands.add_parser("web", help="write a folder that runs a game in a browser")
    web.add_argument(
        "game", nargs="?", default="", help=f"{game_help} (default: a menu of the included games)"
    )
    web.add_argument(
        "--out",
        type=path,
        metavar="FOLDER",
        help="folder to write (default: the game's name and -web)",
    )
    web.add_argument(
        "--pyodide",
        default="",
        metavar="ADDRESS|FOLDER",
        help="where the browser's Python comes from (default: the makers of Pyodide, version "
        f"{PYODIDE}); a folder "
        "with a whole Pyodide becomes part of the page, which then needs no network",
    )
    web.add_argument(
        "--zip", action="store_true", help="write a .zip beside the folder as well, for itch.io"
    )
    web.add_argument("--serve", action="store_true", help="show it on this machine until Ctrl-C")
    web.add_argument(
        "--port",
        type=port_number,
        default=PORT,
        metavar="N",
        help="where --serve shows it (default: %(default)s)",
    )
    web.set_defaults(run=write_page)
    share = commands.add_parser("share", help="print the link that opens a scene file in a page")
    share.add_argument("file", type=path, help="a .toml or .json file")
    share.add_argument(
        "--page",
        default=LOCAL.format(PORT),
        metavar="ADDRESS",
        help="of a page made by `web` (default: %(default)s)",
    )
    share.set_defaults(run=share_scene)


def write_page(arguments: argparse.Namespace) -> int:
    """Write the folder of a page, list its files, and serve it on request."""
    runtime = runtime_of(arguments.pyodide)
    games = find_games()
    game = find_game(arguments.game or FIRST, games)
    folder = arguments.out or Path(f"{game.name if arguments.game else 'games'}-web")
    _check_places(folder, arguments)
    if arguments.game:
        found = files_of_game(game, arguments.game, games)
        shown = Shown(game.title, game.tagline, thumbnail(game), found.name, found.files)
    else:
        found = GameFiles("", {}, [])
        shown = Shown(
            "Soft bodies",
            "Games, toys and a lab of springs and soft bodies",
            thumbnail(game),
            "",
            {},
        )
    made = site_files(shown, runtime, kernels_folder())
    write_folder(made, folder)
    size = sum(len(content) for content in made.values())
    print(
        f"{folder.resolve()} ({len(made)} files, {size / 1e6:.1f} MB): put it on any host of files"
    )
    if found.files:
        print(f"In it: {listed([name.removeprefix(f'{BESIDE}/') for name in sorted(found.files)])}")
    for note in found.notes:
        print(f"ecs-softbody: {note}", file=sys.stderr)
    if arguments.zip:
        archive = _archive_beside(folder)
        write_zip(made, archive)
        print(f"{archive.resolve()} ({archive.stat().st_size / 1e6:.1f} MB)")
    if arguments.serve:
        serve(folder, arguments.port)
    else:
        asked = [arguments.game] if arguments.game else []
        out = ["--out", str(arguments.out)] if arguments.out else []
        place = ["--pyodide", arguments.pyodide] if arguments.pyodide else []
        print(
            "To see it here: "
            f"{shlex.join(['ecs-softbody', 'web', *asked, *out, *place, '--serve'])}"
        )
    return 0


def _check_places(folder: Path, arguments: argparse.Namespace) -> None:
    """Check where the page goes before it is made, which may take minutes.

    Raises:
        ValueError: if it cannot be written or served there.
        OSError: if the archive cannot be written.
    """
    check_folder(folder)
    if arguments.zip:
        check_place(_archive_beside(folder))
    if arguments.serve:
        _server(folder, arguments.port).server_close()


def _archive_beside(folder: Path) -> Path:
    """Return the path of the archive of a page."""
    whole = folder.resolve() if folder.name in ("", "..") else folder
    return whole.with_name(f"{whole.name}.zip")


def share_scene(arguments: argparse.Namespace) -> int:
    """Check a scene file on disk, and as a page would without other files; print its link and
    length.

    Raises:
        ValueError: if it is too long for a link, or the page's address is invalid.
    """
    from ecs_softbody import scenes
    from ecs_softbody.cli.scene_files import check_files

    if not arguments.page.startswith(("http://", "https://")) or any(
        each in '#<>"' or each.isspace() for each in arguments.page
    ):
        raise FieldError("--page", "", arguments.page, "an address that begins with https://")
    if scenes.check(arguments.file):
        check_files([arguments.file])
        return 1
    content = arguments.file.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        alone = Path(folder) / file_name(content)
        alone.write_bytes(content)
        with reading_within(None, most=MOST_BY_LINK):
            problems = scenes.check(alone)
        for problem in problems:
            raise ValueError(
                f"{arguments.file} cannot be a link, which carries one file with a light scene: "
                f"{problem.path}: {problem.message}"
            )
    link = f"{arguments.page}#scene={scene_to_text(content)}"
    print(link)
    print(f"{len(link)} letters")
    return 0


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files, and logs nothing for successful requests."""

    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, **TYPES}  # noqa: RUF012 - Python's own

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Do nothing: `log_error` reports the errors."""


class Server(http.server.ThreadingHTTPServer):
    """Serves one folder; a connection closed by the browser is no error."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report all errors except closed connections."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def serve(folder: Path, port: int) -> None:
    """Serve a folder on this machine until Ctrl-C.

    Raises:
        ValueError: if the port is not available.
    """
    with _server(folder, port) as server:
        print(f"{LOCAL.format(port)} until Ctrl-C", file=sys.stderr, flush=True)
        server.serve_forever()


def _server(folder: Path, port: int) -> Server:
    """Return a server of a folder on a port; ValueError if the port is not available."""
    try:
        return Server(("127.0.0.1", port), partial(Handler, directory=str(folder)))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(
            f"--port: {port} cannot be had ({reason}); name another one, from 1024 to 65535"
        ) from None


def listed(names: list[str]) -> str:
    """Return names in one line, only the first ones of many."""
    return ", ".join(names[:MOST_NAMES]) + f" and {len(names) - MOST_NAMES} more" * (
        len(names) > MOST_NAMES
    )


def thumbnail(game: type[Game]) -> bytes:
    """Return a picture of a self-playing game, as PNG."""
    from ecs_softbody.play.recording import record

    size, seconds = THUMBNAIL
    with tempfile.TemporaryDirectory() as folder:
        return record(game, Path(folder) / "thumbnail.png", seconds=seconds, size=size).read_bytes()
