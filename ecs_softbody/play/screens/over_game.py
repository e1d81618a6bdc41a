"""Screens over a game: keys, help, settings, the start and its view of the world, the pause, the
end.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Protocol

from ecs_softbody.play.game import Game
from ecs_softbody.play.game_class import outcome_text_of
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.hints import game_hints
from ecs_softbody.play.input.session_keys import HELP, PAUSE
from ecs_softbody.play.screens import overlays
from ecs_softbody.play.screens.best import best_words
from ecs_softbody.play.screens.keybar import Bar, marks_of
from ecs_softbody.play.screens.level_map import LevelMap
from ecs_softbody.play.screens.settings_screen import SettingsScreen
from ecs_softbody.play.settings import Settings
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.screen.view import View


class Running(Protocol):
    """A session, as its screens see it."""

    game: Game
    settings: Settings
    level_map: LevelMap
    settings_shown: SettingsScreen | None
    autopilot: bool
    slow: bool
    help_shown: bool

    @property
    def state(self) -> str:
        """The session's state: "title", "playing", "paused", "won" or "lost"."""


def told_keys(game: Game, controls: Controls) -> list[tuple[str, str]]:
    """Return the keys of a game to show; fingers need none for the actions of its pointer."""
    if controls.device != "touch":
        return game.keys
    return [pair for pair in game.keys if pair[0] not in game.by_pointer]


def draw_screens(session: Running, picture: Picture, controls: Controls, frame: int) -> None:
    """Draw a session's current screen over its game, in a frame."""
    game = session.game
    pulse = 0.5 + 0.5 * math.sin(frame * 0.09)
    hints = partial(game_hints, bindings=game.bindings, controls=controls)
    bar = Bar(picture, controls, marks_of(slow=session.slow, silent=game.sounds.muted))
    if session.settings_shown is not None:
        session.settings_shown.draw(picture, bar)
    elif session.help_shown:
        keys = [*told_keys(game, controls), *game.more_keys]
        overlays.draw_help(picture, hints(keys), bar)
    elif session.state == "title":
        room = session.level_map.height(picture, game)
        line = overlays.draw_title(
            picture,
            game.title,
            game.tagline,
            hints(told_keys(game, controls)),
            pulse,
            bar,
            below=room,
        )
        session.level_map.draw(picture, line, game, pulse)
        overlays.draw_notice(picture, game.saves.notice or session.settings.saves.notice)
    elif session.state == "paused":
        overlays.draw_paused(picture, bar, levels=len(game.levels) > 1)
    elif session.state in ("won", "lost"):
        following = session.state == "won" and game.has_next_level
        words = outcome_text_of(game), best_words(game)
        overlays.draw_outcome(
            picture, session.state == "won", words, pulse, bar, following=following
        )
    elif bar.marks or not session.autopilot:
        bar.draw(
            *(
                ([], [])
                if session.autopilot
                else (hints(told_keys(game, controls)), [(PAUSE, "keys.pause"), (HELP, "keys.all")])
            )
        )


LOW, HIGH, BELOW_MAP = 0.29, 0.63, 0.48
"""Fractions of the height between which nothing is written; a map of levels leaves less room."""


def start_view(
    rectangle: tuple[float, float, float, float],
    width_px: int,
    height_px: int,
    *,
    levels: bool = False,
) -> View:
    """Return a view [m] of a picture of this size [pixels] that fits a rectangle [m] into the area
    without text.
    """
    left, bottom, right, top = rectangle
    high = BELOW_MAP if levels else HIGH
    height = height_px / min(width_px / (right - left), (high - LOW) * height_px / (top - bottom))
    middle = 0.5 * (left + right), 0.5 * (bottom + top) + height * (0.5 - 0.5 * (LOW + high))
    return View(middle, height, width_px, height_px)
