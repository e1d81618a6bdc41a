"""Game files: the files of a maker's folder that go into a page with a game.

Hidden files, links to other places, and files that look like keys or passwords are never included.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import NamedTuple

from ecs_softbody.play import Game
from ecs_softbody.play.scene_source import can_be_opened
from ecs_softbody.web.making.archive import IMPORTED, Files
from ecs_softbody.web.making.modules import NEVER

OURS = "ecs_softbody_games"
BESIDE = "game_of_page"
"""Folder for a game in one file, and for the files beside it."""
ENDINGS = {
    ".toml", ".json", ".tmx", ".tmj", ".tsx", ".tsj", ".tx", ".tj", ".ldtk", ".svg", ".png",
    ".webp", ".jpg", ".jpeg", ".gif", ".bmp", ".wav", ".ogg", ".mp3", ".flac", ".ttf", ".otf",
}  # fmt: skip
"""Endings of files beside it that it may read."""
MOST_BYTES = 64_000_000
"""Maximum size of a game's files."""
SECRET = re.compile(
    r"id_(rsa|dsa|ecdsa|ed25519).*|.*\.(pem|key|p12|pfx|jks|kdbx|asc|gpg|ppk|keystore)"
    r"|.*(secret|credential|passw|token|service[-_]?account).*\.(json|toml|txt|ya?ml|ini|cfg|csv)",
    re.IGNORECASE,
)
"""Names of files that must not be published."""
PRESENT = {"ecs_softbody", OURS, "numpy", "PIL", "js", "pyodide", *IMPORTED}
"""Packages in a page besides Python's own."""
ABSENT = {name for name in NEVER if "." not in name} | {"lzma", "ssl"}
"""Modules of the standard library that a page's Python lacks."""


class GameFiles(NamedTuple):
    """The files a page needs of a game."""

    name: str
    """Name by which a page finds the game, as `ecs-softbody play` does."""
    files: Files
    notes: list[str]
    """Sentences for the maker about files left out and modules missing in the page."""


def files_of_game(game: type[Game], asked: str, games: dict[str, EntryPoint]) -> GameFiles:
    """Return the files a page needs of a game.

    An included game needs nothing. For a package, all its files are taken. For a game in one file,
    these are taken: the file, the modules beside it that it imports, the scenes, pictures and
    sounds beside it, and any other file, or folder of such files, beside it that its code names.

    Raises:
        ValueError: if they exceed the maximum size of a page.
    """
    place, chosen = _without_class(asked)
    top = game.__module__.partition(".")[0]
    if can_be_opened(asked):
        found = _Found(Path(asked))
        name = f"{BESIDE}/{Path(asked).name}"
    elif place.endswith(".py") and not (Path(place).absolute().parent / "__init__.py").exists():
        found = _Found(Path(place))
        name = f"{BESIDE}/{Path(place).name}{chosen}"
    elif top == OURS:
        return GameFiles(asked if asked in games else f"{game.__module__}:{game.__name__}", {}, [])
    elif hasattr(sys.modules[top], "__path__"):
        found = _Found(None)
        found.take_folder(Path(sys.modules[top].__path__[0]), top)
        name = f"{game.__module__}:{game.__name__}"
    else:
        path = Path(str(sys.modules[top].__file__))
        found = _Found(path)
        name = f"{BESIDE}/{path.name}:{game.__name__}"
    if (size := sum(path.stat().st_size for path in found.paths.values())) > MOST_BYTES:
        raise ValueError(
            f"the files of {asked} have {size / 1e6:.0f} MB; a page may have "
            f"{MOST_BYTES / 1e6:.0f} MB"
        )
    return GameFiles(
        name, {name: path.read_bytes() for name, path in found.paths.items()}, found.notes()
    )


def _without_class(asked: str) -> tuple[str, str]:
    """Return a file or a module, and ":Class" or ""."""
    place, colon, chosen = asked.rpartition(":")
    return (place, colon + chosen) if chosen.isidentifier() and len(place) > 1 else (asked, "")


class _Found:
    """Files to include, by their names in the page.

    Args:
        path: of a game in one file, None for a package.
    """

    def __init__(self, path: Path | None) -> None:
        self.paths: dict[str, Path] = {}
        self._left: list[str] = []
        self._missed: dict[str, str] = {}
        self._folder = path and path.absolute().parent
        if path is not None and self._folder is not None:
            self._take(f"{BESIDE}/{path.name}", path.absolute(), self._folder)
            self._take_beside(self._folder)

    def notes(self) -> list[str]:
        """Return sentences about files left out and modules missing in the page."""
        left = [
            (
                f"{name.removeprefix(f'{BESIDE}/')} is left out: it is a link to another place, "
                "or looks like a secret"
            )
            for name in self._left
        ]
        return left + [
            (
                f"{file} imports {module}, which is not in the page: the game stops there unless "
                "it does without"
            )
            for module, file in self._missed.items()
        ]

    def take_folder(self, folder: Path, top: str, endings: set[str] | None = None) -> None:
        """Add the files of a folder except hidden ones and caches, with the given endings or all;
        names begin with `top`.
        """
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            is_cache = any(part.startswith(".") or part == "__pycache__" for part in inside.parts)
            if (
                path.is_file()
                and not is_cache
                and (endings is None or path.suffix.lower() in endings)
            ):
                self._take(f"{top}/{inside.as_posix()}", path, folder)

    def _take(self, name: str, path: Path, folder: Path) -> None:
        """Add a file from a folder; follow the imports of a Python file."""
        if name in self.paths or name in self._left:
            return
        if SECRET.fullmatch(path.name) or not path.resolve().is_relative_to(folder.resolve()):
            self._left.append(name)
            return
        self.paths[name] = path
        if path.suffix == ".py":
            for module in _imported(path):
                self._meet(module, path)

    def _meet(self, module: str, file: Path) -> None:
        """Add a module imported by a file if it lies beside the game; note a module missing in the
        page.
        """
        beside = self._folder and self._folder / module
        if beside and beside.with_suffix(".py").is_file():
            self._take(f"{BESIDE}/{module}.py", beside.with_suffix(".py"), beside.parent)
        elif beside and beside.is_dir() and any(beside.glob("**/*.py")):
            self.take_folder(beside, f"{BESIDE}/{module}")
        elif any(name.startswith(f"{module}/") for name in self.paths):
            return  # the package itself
        elif module in ABSENT or not (module in PRESENT or module in sys.stdlib_module_names):
            self._missed.setdefault(module, file.name)

    def _take_beside(self, folder: Path) -> None:
        """Add the files beside a game that it may read."""
        named = {
            word for path in self.paths.values() if path.suffix == ".py" for word in _named(path)
        }
        for path in sorted(folder.iterdir()):
            if path.name.startswith((".", "__")):
                continue
            if (
                path.is_file()
                and (path.suffix.lower() in ENDINGS or path.name in named)
                and path.suffix != ".py"
            ):
                self._take(f"{BESIDE}/{path.name}", path, folder)
            elif path.is_dir() and path.name in named:
                self.take_folder(path, f"{BESIDE}/{path.name}", ENDINGS | {".txt", ".csv"})


def _tree(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        # The file may be for another Python version; importing it reports the error.
        return ast.Module([], [])


def _imported(path: Path) -> Iterator[str]:
    """Yield the top-level names of the modules that a file imports."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _named(path: Path) -> Iterator[str]:
    """Yield the parts of possible paths in a file's texts."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from node.value.split("/")
