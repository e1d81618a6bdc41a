"""Attract: a game that plays itself behind its start screen."""

from __future__ import annotations

from ecs_softbody.play.game import Game
from ecs_softbody.play.input.pads import Pads


def play_by_itself(game: Game) -> None:
    """Let the scripted player play one frame of a game, without sound, rumble or saving."""
    number = game.level_number
    pads = game.pads
    recorder = game.recorder
    game.pads = Pads()
    game.sounds.hushed = True
    game.recorder = None
    try:
        with game.saves.untouched():
            game.advance(game.autopilot())
            if game.outcome is not None or game.level_number != number:
                game.level_number = number
                game.begin()
    finally:
        game.pads = pads
        game.sounds.hushed = False
        game.recorder = recorder
