"""The player's best result in the current game, in words."""

from __future__ import annotations

from ecs_softbody.play.game import Game
from ecs_softbody.play.game_class import level_words_of
from ecs_softbody.play.saves import Saves
from ecs_softbody.rendering.texts.table import say, translated


def best_words(game: Game) -> str:
    """Return the player's best result in this level, or in a game without levels; "" for none
    yet.
    """
    if len(game.levels) > 1:
        return translated(level_words_of(game, game.level_number)[1])
    result = best_result(type(game), game.saves)
    return say("menu.best", result=result) if result else ""


def best_result(game: type[Game], saves: Saves) -> str:
    """Return the best result in a game's saves, formatted for its card; "" for a missing or invalid
    one.
    """
    key, written = game.best_result
    best = saves.number(key, None)
    try:
        return "" if best is None else written.format(best)
    except ValueError:  # a fraction in a format for whole numbers
        return ""
