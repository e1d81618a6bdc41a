"""Games: from packages with the entry point `ecs_softbody.games`, and from files and modules."""

from __future__ import annotations

import importlib
import importlib.util
import os
import reprlib
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TypeGuard

from ecs_softbody.cli.scene_files import game_of_scene
from ecs_softbody.errors import FieldError
from ecs_softbody.play import Game
from ecs_softbody.play.game_class import check_attributes
from ecs_softbody.play.launch.failure import print_traceback, reason_of
from ecs_softbody.play.scene_source import can_be_opened
from ecs_softbody.reading import part_of_map
from ecs_softbody.validation import did_you_mean

GROUP = "ecs_softbody.games"
HOW = "A game of your own is played with: ecs-softbody play FILE.py"


class UnknownGame(LookupError):  # noqa: N818 - a mistake of the user's, told as it is
    """No game has this name; the message lists the existing games."""


class UnknownName(UnknownGame):
    """No game, file or module has this name."""


def find_games() -> dict[str, EntryPoint]:
    """Return the installed games by name, in alphabetical order, without importing them."""
    return {
        entry.name: entry
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    }


def installed_game(name: str, games: dict[str, EntryPoint]) -> type[Game]:
    """Return the class of an installed game. For names from files: only that game's package is
    imported.

    Args:
        name: any text.
        games: the installed games.

    Raises:
        UnknownGame: if none has this name; the message shows the beginning of a long name.
        RuntimeError: if its package cannot be loaded, or its entry point is no Game.
    """
    if name not in games:
        raise UnknownGame(f"the game {reprlib.repr(name)} is not installed")
    return _installed(name, games[name])


def find_game(name: str, games: dict[str, EntryPoint]) -> type[Game]:
    """Return the class of the game named by the user, importing its file or module.

    Args:
        name: one of the games, or a file `stars.py`, a scene file `hills.toml`, a map, drawing or
            picture `hills.tmx`, or `package.module`; `:Class` behind these chooses one.
        games: the installed games.

    Raises:
        UnknownGame: if there is no game of this name.
        RuntimeError: if its package or file cannot be loaded, or has no Game.
    """
    if name in games:
        return _installed(name, games[name])
    if can_be_opened(name):
        return game_of_scene(Path(name))
    place, _, chosen = name.rpartition(":") if _has_class(name) else (name, "", "")
    if (
        place.endswith(".py")
        or any(mark in place for mark in (os.sep, "/"))
        or Path(place).is_dir()
    ):
        return _chosen(_module_of_file(Path(place)), chosen, name)
    if "." in place or chosen:
        return _chosen(_module_of_name(place), chosen, name)
    hint = did_you_mean(name, games)
    known = ", ".join(games) or "none is installed; install this package with: pip install -e ."
    raise UnknownName(f"there is no game {name!r}{hint}. The games are: {known}. {HOW}")


def _has_class(name: str) -> bool:
    """Return whether a class follows a colon; the colon of a drive, as in C:\\stars.py, does not
    count.
    """
    return (
        ":" in name and name.rpartition(":")[2].isidentifier() and len(name.rpartition(":")[0]) > 1
    )


def _installed(name: str, entry: EntryPoint) -> type[Game]:
    try:
        found = entry.load()
    except Exception as error:
        raise RuntimeError(
            f"the game {name!r} ({entry.value}) cannot be loaded: {error}"
        ) from error
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise RuntimeError(
            f"the game {name!r} ({entry.value}) is no subclass of ecs_softbody.play.Game"
        )
    return found


def _module_of_file(path: Path) -> ModuleType:
    """Import a file, or the folder of a package, by its name; its parent folder becomes
    importable.
    """
    if not path.exists():
        folder = path.absolute().parent
        files = sorted(file.name for file in folder.glob("*.py")) if folder.is_dir() else []
        hint = did_you_mean(path.name, files)
        raise UnknownGame(f"there is no file {str(path)!r} in {Path.cwd()}{hint}")
    if path.is_dir() and (path / path.absolute().name / "__init__.py").exists():
        # This is a project folder that contains the package of the same name.
        path = path / path.absolute().name
    if path.is_dir() and not (path / "__init__.py").exists():
        raise UnknownGame(f"the folder {str(path)!r} is no package: it has no __init__.py. {HOW}")
    parts = [path.stem]
    folder = path.absolute().parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    sys.path.insert(0, str(folder))
    if len(parts) > 1 or path.is_dir():
        return _imported(".".join(parts), str(path))
    # A file may have the name of an existing module, such as random.py, so it is loaded by path.
    made = importlib.util.spec_from_file_location(path.stem, path.absolute())
    if instead := part_of_map(path.suffix):
        raise UnknownGame(f"{str(path)!r} cannot be opened by itself{instead}")
    if made is None or made.loader is None:
        raise UnknownGame(f"{str(path)!r} is no file of Python. {HOW}")
    module = importlib.util.module_from_spec(made)
    if path.stem not in sys.modules:
        sys.modules[path.stem] = module
    try:
        made.loader.exec_module(module)
    except Exception as error:
        raise _broken(str(path), error) from error
    return module


def _module_of_name(name: str) -> ModuleType:
    """Import a module by its name, also from the current folder."""
    sys.path.insert(0, str(Path.cwd()))
    return _imported(name, name)


def _imported(name: str, asked: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise UnknownGame(f"there is no module {name!r}: {error}. {HOW}") from error
        raise _broken(asked, error) from error
    except Exception as error:
        raise _broken(asked, error) from error


def _broken(asked: str, error: Exception) -> RuntimeError:
    """Print the traceback of a broken module, and return one sentence about it."""
    print_traceback(error)
    return RuntimeError(f"{asked} cannot be loaded: {reason_of(error)}")


def _chosen(module: ModuleType, chosen: str, asked: str) -> type[Game]:
    """Return the Game class of this name in a module, or its only one."""
    games: dict[str, type[Game]] = {
        name: found for name, found in vars(module).items() if _is_game(found)
    }
    if chosen:
        if chosen in games:
            return games[chosen]
        raise UnknownGame(
            f"there is no game {chosen!r} in {asked.rpartition(':')[0]}; expected a subclass of "
            f"ecs_softbody.play.Game. It has {_list(games)}"
        )
    package = module.__name__.split(".")[0]
    here = [found for found in games.values() if found.__module__.split(".")[0] == package] or [
        *games.values()
    ]
    last = [
        game
        for game in here
        if not any(other is not game and issubclass(other, game) for other in here)
    ]
    if len(last) == 1:
        return last[0]
    if not last:
        raise UnknownGame(
            f"{asked} has no game: expected a subclass of ecs_softbody.play.Game in it. A "
            "program that opens its own "
            "window with play or show is started with python"
        )
    raise UnknownGame(
        f"{asked} has {_list(games)}; choose one: ecs-softbody play {asked}:{last[0].__name__}"
    )


def _is_game(found: object) -> TypeGuard[type[Game]]:
    return isinstance(found, type) and issubclass(found, Game) and found is not Game


def _list(games: dict[str, type[Game]]) -> str:
    return ", ".join(sorted(games)) or "none"


def loadable(games: dict[str, EntryPoint]) -> dict[str, type[Game]]:
    """Load all games for the menu; one that is broken is told and left out."""
    loaded = {}
    for name in games:
        try:
            game = find_game(name, games)
            check_attributes(game)
            loaded[name] = game
        except (RuntimeError, FieldError) as error:
            print(f"ecs-softbody: {error}", file=sys.stderr)
    return loaded
