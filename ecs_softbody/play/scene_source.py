"""SceneSource: a game's scene file: its path, its changes, and its last valid version.

While a maker edits the file, the game goes on: Reloading (reloading.py) begins another round when
the file has changed and is valid; with errors in it, the last valid version stays.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ecs_softbody.scenes.importers import can_be_imported
from ecs_softbody.scenes.loading import Made, prepare, prepare_tree
from ecs_softbody.scenes.problems import Problem, SceneError
from ecs_softbody.scenes.source_tree import SourceTree

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

    level: int  # Its number, from 0
    path: Path
    parts: Sequence[Any]  # Parts of the game's own that the scene may use
    problems: tuple[Problem, ...]  # Why it could not begin
    files: tuple[Path, ...]  # All files that the scene reads
    stamp: Stamp  # Of these files, then


class SceneSource:
    """Reads a game's scene file, and finds its changes; `Reloading` begins the rounds.

    Args:
        game: the class of the game; file names are relative to its file, or a base class's file.

    Attributes:
        another: path and parts of a file that a round is beginning with, if it is not that of the
            last round.
        waiting: a level that could not begin with its file.
    """

    def __init__(self, game: type[Any]) -> None:
        self._game = game
        self.another: tuple[Path, Sequence[Any]] | None = None
        self.waiting: Waiting | None = None
        # The scene of the round: its file, parts, all files that it reads, and their stamp.
        self._path: Path | None = None
        self._parts: Sequence[Any] = ()
        self._files: tuple[Path, ...] = ()
        self._stamp: Stamp = ()
        # The content of the last valid version, and of the one before; the scene that the next
        # round begins with, if it is prepared already; errors of the present files.
        self._right: SourceTree | None = None
        self._before: SourceTree | None = None
        self._next: Made | None = None
        self._problems: tuple[Problem, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Errors in the current file, or in the file of a level that cannot begin; the game
        continues.
        """
        return self.waiting.problems if self.waiting is not None else self._problems

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
        self._right = made.spec.tree
        self._watch(made.spec.tree.files)
        return made

    def _prepare_another(self, found: Path, parts: Sequence[Any]) -> Made:
        """Read a file other than the last round's; if it is wrong, the last round's state is
        kept.
        """
        self.another = (found, parts)
        made = prepare(found, parts)
        self._path = found
        self._parts = parts
        self._problems = ()
        self.waiting = None
        self._before = None
        self._right = made.spec.tree
        self._watch(made.spec.tree.files)
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

    def waiting_for(self, level: int, error: Exception) -> Waiting:
        """Return a level that cannot begin with its file, which was opened last."""
        assert self.another is not None
        path, parts = self.another
        files = error.files if isinstance(error, SceneError) else self._files
        watched = tuple(dict.fromkeys([path, *files]))
        return Waiting(level, path, parts, _problems_of(error, path), watched, stamp_of(watched))

    def is_corrected(self, waiting: Waiting) -> bool:
        """Return whether the files of a level that could not begin have changed, and are valid."""
        if (stamp := stamp_of(waiting.files)) == waiting.stamp:
            return False
        try:
            prepare(waiting.path, waiting.parts)
        except SceneError as error:
            files = tuple(dict.fromkeys([waiting.path, *error.files]))
            stamp = stamp if files == waiting.files else stamp_of(files)
            self.waiting = dataclasses.replace(
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
        self._watch(self._next.spec.tree.files)
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
