"""Reports a game's exception on the command line, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ecs_softbody.play import Game, GameStopped
from ecs_softbody.play.game_class import title_of
from ecs_softbody.play.launch.failure import is_of_game, print_traceback, reason_of
from ecs_softbody.scenes import SceneError


@contextmanager
def reporting_failure(game: type[Game]) -> Iterator[None]:
    """Print the maker's lines of an exception of this game, and raise GameStopped with one
    sentence.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, SceneError) or not is_of_game(error):
            raise
        print_traceback(error)
        raise GameStopped(f"{title_of(game)} has stopped: {reason_of(error)}") from error
