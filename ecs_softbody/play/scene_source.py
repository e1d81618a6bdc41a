"""SceneSource: a game's scene file: its path, its changes, and its last valid version."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ecs_softbody.play.launch.failure import print_traceback
from ecs_softbody.scenes.doors import can_be_imported
from ecs_softbody.scenes.loading import Made, prepare, prepare_tree
from ecs_softbody.scenes.problems import Problem, SceneError
from ecs_softbody.scenes.trees import Tree

Stamp = tuple[tuple[str, int, int], ...]
"""Name, modification time [ns] and size of each file."""


def is_scene(path: Any) -> bool:
    """Return whether a value is the name of a scene file."""
    return isinstance(path, str | Path) and str(path).lower().endswith((".toml", ".json"))


def can_be_opened(path: Any) -> bool:
    """Return whether a value is the name of a scene file, or of a map, drawing or picture."""
    return is_scene(path) or (isinstance(path, str | Path) and can_be_imported(Path(path)))


@dataclass(frozen=True)
class Waiting:
    """A level that could not begin: it is retried when one of its files changes."""

    level: int
    path: Path
    parts: Sequence[Any]
    problems: tuple[Problem, ...]
    files: tuple[Path, ...]
    stamp: Stamp


class SceneSource:
    """Reads a game's scene file, and reloads it on changes.

    Args:
        game: the class of the game; file names are relative to its file, or a base class's file.
    """

    def __init__(self, game: type[Any]) -> None:
        self._game = game
        self._level: int | None = None
        self._another: tuple[Path, Sequence[Any]] | None = None
        self._waiting: Waiting | None = None
        self._path: Path | None = None
        self._parts: Sequence[Any] = ()
        self._files: tuple[Path, ...] = ()
        self._stamp: Stamp = ()
        self._right: Tree | None = None
        self._before: Tree | None = None
        self._next: Made | None = None
        self._problems: tuple[Problem, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Errors in the current file, or in the file of a level that cannot begin; the game
        continues.
        """
        return self._waiting.problems if self._waiting is not None else self._problems

    @property
    def problems_are(self) -> str:
        """Key of the text that tells the player the effect of the problems."""
        return "problems.said" if self._waiting is None else "problems.level"

    def find(self, path: str | Path) -> Path:
        """Return the path of a scene file: beside the game's class, or beside one of its base
        classes.
        """
        places = [self._beside(kind, path) for kind in self._game.__mro__]
        found = [place for place in places if place is not None]
        return next((place for place in found if place.exists()), found[0] if found else Path(path))

    @staticmethod
    def _beside(kind: type, path: str | Path) -> Path | None:
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        return Path(file).parent / path if file else None

    def prepare(self, path: str | Path, parts: Sequence[Any]) -> Made:
        """Read a scene file. While a changed file is wrong, rounds begin with its previous version.

        Raises:
            SceneError: with all errors in the file.
        """
        found = self.find(path)
        made = self._next
        self._next = None
        if found != self._path:
            return self._prepare_another(found, parts)
        if made is None and self._problems and self._right is not None:
            return prepare_tree(self._right, parts)
        if made is None:
            try:
                made = prepare(found, parts)
            except SceneError as error:
                if self._right is None:
                    raise
                self._watch(error.files)
                self._problems = error.problems
                return prepare_tree(self._right, parts)
        self._before = self._right
        self._right = made.plan.tree
        self._watch(made.plan.tree.files)
        return made

    def _prepare_another(self, found: Path, parts: Sequence[Any]) -> Made:
        """Read a file other than the last round's; if it is wrong, the last round's state is
        kept.
        """
        self._another = (found, parts)
        made = prepare(found, parts)
        self._path = found
        self._parts = parts
        self._problems = ()
        self._waiting = None
        self._before = None
        self._right = made.plan.tree
        self._watch(made.plan.tree.files)
        return made

    def read(
        self, path: str | Path, parts: Sequence[Any]
    ) -> tuple[dict[str, list[Any]], dict[str, Any]]:
        """Return a file's contents as `scenes.read` does, for a game that builds its own world.

        As with `Game.open_scene`, the round restarts when the file changes, and errors in it are
        reported.

        Raises:
            SceneError: with all errors in the file.
        """
        return self.prepare(path, parts).contents

    def begins_anew(self, game: Any) -> bool:
        """Begin a round of the game if a file of its scene has changed and is valid; return whether
        it did.

        If the round cannot begin with it, the previous version is used again, and `problems` says
        why. A level that could not begin is started once its files are fixed.
        """
        if self._waiting is not None and self._is_mended(self._waiting):
            game.level_number = self._waiting.level
            with self.going_back(game):
                game.begin()
            return True
        if not self.takes_change():
            return False
        try:
            game.begin()
        except Exception as error:
            if not self.can_fall_back:
                raise
            print_traceback(error)
            self.fall_back(error)
            game.begin()
        return True

    def has_begun(self, level: int) -> None:
        """Note that a round of a level has begun: the level to return to if the next one cannot
        begin.
        """
        self._level = level
        self._another = None

    def going_back(self, game: Any) -> GoingBack:
        """Return the context manager for code that may begin another level of the game: see
        `GoingBack`.
        """
        self._another = None
        return GoingBack(self, game)

    def goes_back(self, game: Any, error: Exception) -> bool:
        """Restart the previous level if another level could not begin; return whether it
        restarted.
        """
        if self._another is None or self._level is None:
            return False
        if not isinstance(error, SceneError):
            print_traceback(error)
        path, parts = self._another
        files = error.files if isinstance(error, SceneError) else self._files
        watched = tuple(dict.fromkeys([path, *files]))
        waiting = Waiting(
            game.level_number, path, parts, _problems_of(error, path), watched, stamp_of(watched)
        )
        game.level_number = self._level
        with suppress(Exception):
            game.begin()
        if self._another is not None:
            return False
        self._waiting = waiting
        return True

    def _is_mended(self, waiting: Waiting) -> bool:
        """Return whether the files of a level that could not begin have changed, and are valid."""
        if (stamp := stamp_of(waiting.files)) == waiting.stamp:
            return False
        try:
            prepare(waiting.path, waiting.parts)
        except SceneError as error:
            files = tuple(dict.fromkeys([waiting.path, *error.files]))
            stamp = stamp if files == waiting.files else stamp_of(files)
            self._waiting = dataclasses.replace(
                waiting, problems=error.problems, files=files, stamp=stamp
            )
            return False
        return True

    def takes_change(self) -> bool:
        """Return whether a file of the scene has changed and is valid, so that a new round uses it.

        If it is wrong, `problems` lists its errors, and nothing changes.
        """
        if self._path is None or stamp_of(self._files) == self._stamp:
            return False
        try:
            self._next = prepare(self._path, self._parts)
        except SceneError as error:
            self._problems = error.problems
            self._watch(error.files)
            return False
        self._problems = ()
        self._watch(self._next.plan.tree.files)
        return True

    def accept(self) -> None:
        """Mark the current files as known: a tool of the game has written them, and the round
        continues.
        """
        self._problems = ()
        self._watch(self._files)

    def fall_back(self, error: Exception) -> None:
        """Return to the previous scene: the game cannot begin with the current one."""
        self._problems = _problems_of(error, self._path or Path())
        self._right = self._before

    @property
    def can_fall_back(self) -> bool:
        """Whether there is a previous scene."""
        return self._before is not None

    def _watch(self, files: Iterable[Path]) -> None:
        self._files = tuple(dict.fromkeys([*files, *([self._path] if self._path else [])]))
        self._stamp = stamp_of(self._files)


class GoingBack:
    """Restarts the previous level if the file of another level is wrong.

    The source's `problems` then lists the errors, and `begins_anew` moves on to that level once its
    file is fixed. The exception propagates if there is no previous level, or it cannot begin
    either.
    """

    def __init__(self, source: SceneSource, game: Any) -> None:
        self._source = source
        self._game = game

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> bool:
        return isinstance(error, Exception) and self._source.goes_back(self._game, error)


def _problems_of(error: Exception, path: Path) -> tuple[Problem, ...]:
    """Return the problems that keep a game from beginning with a file."""
    if isinstance(error, SceneError):
        return error.problems
    said = " ".join(str(error).split())
    return (
        Problem(path.name, 0, "", f"the game cannot begin with it: {type(error).__name__}: {said}"),
    )


def stamp_of(files: Iterable[Path]) -> Stamp:
    """Return the stamps of files, which change with them; missing files have none."""
    found = []
    for path in files:
        with suppress(OSError, ValueError):
            status = path.stat()
            found.append((str(path), status.st_mtime_ns, status.st_size))
    return tuple(found)
