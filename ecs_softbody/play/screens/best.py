"""The player's best result in what is played, in words."""

from __future__ import annotations

from ecs_softbody.play.game import Game
from ecs_softbody.rendering.texts.table import say, translated


def best_words(game: Game) -> str:
    """Return what the player has reached at best in this level, or in a game without levels; "" for nothing yet."""
    if len(game.levels) > 1:
        return translated(game.level_words(game.level_number)[1])
    key, written = game.best_result
    best = game.saves.get(key)
    known = isinstance(best, int | float) and not isinstance(best, bool)
    return say("menu.best", result=written.format(best)) if known else ""
