"""What lies over a game: keys, help, settings, the start, the pause, the end."""

from __future__ import annotations

import math
from functools import partial
from typing import Protocol

from ecs_softbody.play.game import Game
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.hints import game_hints
from ecs_softbody.play.screens import overlays
from ecs_softbody.play.screens.best import best_words
from ecs_softbody.play.screens.keybar import Bar, marks_of
from ecs_softbody.play.screens.level_map import LevelMap
from ecs_softbody.play.screens.problems import draw_problems
from ecs_softbody.play.screens.settings_screen import SettingsScreen
from ecs_softbody.play.settings import Settings
from ecs_softbody.rendering.picture import Picture


class Running(Protocol):
    """What a session says of itself."""

    game: Game
    settings: Settings
    level_map: LevelMap
    settings_shown: SettingsScreen | None
    autopilot: bool
    slow: bool
    help_shown: bool

    @property
    def state(self) -> str:
        """Whether it is played, or what else."""


def draw_screens(session: Running, picture: Picture, controls: Controls, frame: int) -> None:
    """Draw what a session shows over its game, in a frame."""
    game = session.game
    pulse = 0.5 + 0.5 * math.sin(frame * 0.09)
    hints = partial(game_hints, bindings=game.bindings, controls=controls)
    bar = Bar(picture, controls, marks_of(slow=session.slow, silent=game.sounds.muted))
    if session.settings_shown is not None:
        session.settings_shown.draw(picture, bar)
    elif session.help_shown:
        overlays.draw_help(picture, hints([*game.keys, *game.more_keys]), bar)
    elif session.state == "title":
        room = session.level_map.height(picture, game)
        line = overlays.draw_title(
            picture, game.title, game.tagline, hints(game.keys), pulse, bar, below=room
        )
        session.level_map.draw(picture, line, game, pulse)
        overlays.draw_notice(picture, game.saves.notice or session.settings.saves.notice)
    elif session.state == "paused":
        overlays.draw_paused(picture, bar, levels=len(game.levels) > 1)
    elif session.state in ("won", "lost"):
        following = session.state == "won" and game.has_next_level
        words = game.outcome_text(), best_words(game)
        overlays.draw_outcome(
            picture, session.state == "won", words, pulse, bar, following=following
        )
    elif bar.marks or not session.autopilot:
        bar.draw(
            *(
                ([], [])
                if session.autopilot
                else (hints(game.keys), [("p", "keys.pause"), ("h", "keys.all")])
            )
        )
    draw_problems(picture, game.scene_source.problems, game.scene_source.problems_are)
