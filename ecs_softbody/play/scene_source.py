"""SceneSource: the scene file of a game: where it is, whether it has changed, and the last one that was right."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ecs_softbody.scenes.doors import can_be_imported
from ecs_softbody.scenes.loading import Made, prepare, prepare_tree
from ecs_softbody.scenes.problems import Problem, SceneError
from ecs_softbody.scenes.trees import Tree

Stamp = tuple[tuple[str, int, int], ...]
"""Name, time of change [ns] and size of files."""


def is_scene(path: Any) -> bool:
    """Return whether something is the name of a scene file."""
    return isinstance(path, str | Path) and str(path).lower().endswith((".toml", ".json"))


def can_be_opened(path: Any) -> bool:
    """Return whether something is the name of a scene file, or of a map, drawing or picture."""
    return is_scene(path) or (isinstance(path, str | Path) and can_be_imported(Path(path)))


class SceneSource:
    """Reads the scene file of one game, again when it has changed.

    Args:
        game: the class of the game; names of files are beside the file that it is written in.

    Attributes:
        problems: what is wrong with the file as it is now; the game goes on with the one before.
    """

    def __init__(self, game: type[Any]) -> None:
        self._game = game
        self._path: Path | None = None
        self._parts: Sequence[Any] = ()
        self._files: tuple[Path, ...] = ()
        self._stamp: Stamp = ()
        self._right: Tree | None = None
        self._before: Tree | None = None
        self._next: Made | None = None
        self.problems: tuple[Problem, ...] = ()

    def find(self, path: str | Path) -> Path:
        """Return where a scene file is."""
        file = getattr(sys.modules.get(self._game.__module__), "__file__", None)
        return Path(path) if Path(path).is_absolute() or not file else Path(file).parent / path

    def prepare(self, path: str | Path, parts: Sequence[Any]) -> Made:
        """Read a scene file. While one that was changed is wrong, rounds begin with the one before.

        Raises:
            SceneError: with everything that is wrong in the file.
        """
        found = self.find(path)
        made, self._next = self._next, None
        if found != self._path:
            made, self._right, self._before, self.problems = None, None, None, ()
        if made is None and self.problems and self._right is not None:
            return prepare_tree(self._right, parts)
        if made is None:
            try:
                made = prepare(found, parts)
            except SceneError as error:
                if self._right is None:
                    raise
                self._watch(error.files)
                self.problems = error.problems
                return prepare_tree(self._right, parts)
        self._path, self._parts = found, parts
        self._before, self._right = self._right, made.plan.tree
        self._watch(made.plan.tree.files)
        return made

    def read(self, path: str | Path, parts: Sequence[Any]) -> tuple[dict[str, list[Any]], dict[str, Any]]:
        """Return what a file holds as `scenes.read` does, for a game that builds its own world of it.

        As with `Game.open_scene` the round begins anew when the file changes, and one that is wrong is told.

        Raises:
            SceneError: with everything that is wrong in the file.
        """
        return self.prepare(path, parts).contents

    def begins_anew(self, game: Any) -> bool:
        """Begin a round of the game when a file of its scene has changed and is right; return whether it did.

        Where the round cannot be begun with it, the one before is taken again, and `problems` says why.
        """
        if not self.takes_change():
            return False
        try:
            game.begin()
        except Exception as error:
            if not self.can_fall_back:
                raise
            self.fall_back(error)
            game.begin()
        return True

    def takes_change(self) -> bool:
        """Return whether a file of the scene has changed and is right: then a new round takes it.

        Where it is wrong, `problems` says how, and nothing changes.
        """
        if self._path is None or _stamp(self._files) == self._stamp:
            return False
        try:
            self._next = prepare(self._path, self._parts)
        except SceneError as error:
            self.problems = error.problems
            self._watch(error.files)
            return False
        self.problems = ()
        self._watch(self._next.plan.tree.files)
        return True

    def accept(self) -> None:
        """Take the files as they are now for known: a tool of the game has written them, and the round goes on."""
        self.problems = ()
        self._watch(self._files)

    def fall_back(self, error: Exception) -> None:
        """Go back to the scene before: the game cannot begin with this one."""
        said = " ".join(str(error).split())
        name = self._path.name if self._path else ""
        self.problems = (Problem(name, 0, "", f"the game cannot begin with it: {type(error).__name__}: {said}"),)
        self._right = self._before

    @property
    def can_fall_back(self) -> bool:
        """Whether there is a scene before."""
        return self._before is not None

    def _watch(self, files: Iterable[Path]) -> None:
        self._files = tuple(dict.fromkeys([*files, *([self._path] if self._path else [])]))
        self._stamp = _stamp(self._files)


def _stamp(files: Iterable[Path]) -> Stamp:
    """Return what changes when files do; a file that is missing has none."""
    found = []
    for path in files:
        with suppress(OSError, ValueError):
            status = path.stat()
            found.append((str(path), status.st_mtime_ns, status.st_size))
    return tuple(found)
