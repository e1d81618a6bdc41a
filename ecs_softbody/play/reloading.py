"""Reloading: wraps a game that has opened a scene file: a round begins anew when the file changes,
and a level whose file is wrong leads back to the level before.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol

from ecs_softbody.play.launch.failure import print_traceback
from ecs_softbody.play.scene_source import SceneSource
from ecs_softbody.play.screens.problems import draw_problems
from ecs_softbody.play.wrapping import Wrapped
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.scenes.problems import SceneError

LOOK_EVERY = 15  # frames after which the files are checked for changes


class Rounds(Protocol):
    """A game, as its rounds are begun."""

    level_number: int

    def begin(self) -> None:
        """Start a round of the level."""


class Reloading:
    """A wrapper of one game.

    Args:
        game: the game.
        source: its scene files.
        level: number of the level that began last, None before the first one.
    """

    def __init__(self, game: Rounds, source: SceneSource, level: int | None) -> None:
        self._level = level
        self._game = game
        self._source = source
        self._frames = 0

    def begun(self, level: int) -> None:
        """Note the level to return to if another one cannot begin."""
        self._level = level
        self._source.another = None

    def before(self, session: Wrapped) -> None:
        """Check the files now and then, and begin a round when they have changed and are valid."""
        self._source.another = None
        self._frames += 1
        if self._frames % LOOK_EVERY == 0 and self.begins_anew():
            session.meet_round()

    def rescue(self, session: Wrapped, error: Exception) -> bool:
        """Restart the previous level if another level could not begin; return whether it
        restarted.

        The source's `problems` then lists the errors, and `begins_anew` moves on to that level once
        its file is fixed.
        """
        game = self._game
        if self._source.another is None or self._level is None:
            return False
        if not isinstance(error, SceneError):
            print_traceback(error)
        waiting = self._source.waiting_for(game.level_number, error)
        game.level_number = self._level
        with suppress(Exception):
            game.begin()
        if self._source.another is not None:
            return False
        self._source.waiting = waiting
        session.meet_round()
        return True

    def draw(self, picture: Picture) -> None:
        """List the errors of the files over the game."""
        source = self._source
        title = "problems.said" if source.waiting is None else "problems.level"
        draw_problems(picture, source.problems, title)

    def begins_anew(self) -> bool:
        """Begin a round if a file of the scene has changed and is valid; return whether it did.

        If the round cannot begin with it, the previous version is used again, and `problems` says
        why. A level that could not begin is started once its files are fixed.
        """
        game = self._game
        source = self._source
        if source.waiting is not None and source.is_corrected(source.waiting):
            game.level_number = source.waiting.level
            game.begin()
            return True
        if not source.takes_change():
            return False
        try:
            game.begin()
        except Exception as error:
            if not source.can_fall_back:
                raise
            print_traceback(error)
            source.fall_back(error)
            game.begin()
        return True
