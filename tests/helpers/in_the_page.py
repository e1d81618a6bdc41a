"""What tests run in the Python of a page: it asks the scripted player of a game what to press, and
presses nothing.
"""

from __future__ import annotations

import json
from typing import Any

from ecs_softbody.cli.games import find_game, find_games
from ecs_softbody.play import Controls, Game
from ecs_softbody.play.input.names import device_of
from ecs_softbody.play.launch.playing import playing
from ecs_softbody.play.session import Session
from ecs_softbody.web.stage import WebStage

TICK = 1.0 / 64.0
"""Time from one picture to the next [s]: less than a frame, so that no two frames lie between two
pictures.
"""


class Prompter:
    """Tells from outside of a game what its scripted player wants, so that real keys can be
    pressed.

    The scripted player is asked once for each frame of the world, after the frame before, as a
    session would.

    Args:
        stage: of the page; its clock goes on with `tell` alone.
    """

    def __init__(self, stage: WebStage) -> None:
        self._stage = stage
        self._time = 0.0
        self._game: Game | None = None
        self._is_due = False
        self._wanted = Controls()
        self._frames = 0
        stage.now = lambda: self._time

    def begin(self, name: str) -> None:
        """Have the page show another game."""
        game = find_game(name, find_games())
        self._stage.begin(lambda stage: playing(game, stage))

    def tell(self) -> str:
        """Let the clock go on, and return what is to be done before the next picture, as JSON."""
        self._time += TICK
        screen = self._stage.screen
        if not isinstance(screen, Session):
            return json.dumps({"state": "", "game": ""})
        game = screen.game
        self._meet(game)
        again: set[str] = set()
        if screen.state != "playing":
            self._wanted = Controls()
        elif self._is_due and not game.is_waiting:
            self._is_due = False
            self._wanted = game.autopilot()
            again = self._named(game, self._wanted.pressed)
        return json.dumps(
            {
                "state": screen.state,
                "game": game.name,
                "frames": self._frames,
                "pointer": self._pointer(game),
                "keys": sorted(self._keys(game)),
                "again": sorted(again),
                "muted": game.sounds.muted,
                "saved": {key: repr(value) for key, value in game.saves.as_dict().items()},
            }
        )

    def _meet(self, game: Game) -> None:
        """See every frame of a game that the session plays."""
        if game is self._game:
            return
        self._game = game
        self._frames = 0
        self._is_due = False
        advance = game.advance

        def counted(controls: Controls, **given: Any) -> None:
            advance(controls, **given)
            screen = self._stage.screen
            if isinstance(screen, Session) and screen.state == "playing":
                self._frames += 1
                self._is_due = True

        game.advance = counted  # type: ignore[method-assign]

    def _keys(self, game: Game) -> set[str]:
        """Return the keys and buttons of the mouse that are to be down."""
        pushed = {
            axis + "+-"[value < 0.0]
            for axis, value in self._wanted.axes.items()
            if abs(value) > 0.5
        }
        return self._named(game, self._wanted.held | self._wanted.pressed | pushed)

    def _named(self, game: Game, names: set[str]) -> set[str]:
        """Return the first key of each of these actions; a key is its own."""
        all_keys = (game.bindings.keys(name) or (name,) for name in names)
        return {next(key for key in keys if device_of(key) == "keyboard") for keys in all_keys}

    def _pointer(self, game: Game) -> tuple[float, float]:
        """Return where the mouse is to be, in pixels of the page from the upper left."""
        point = self._stage.pixels_per_point
        x, y = game.camera.world_to_screen(self._wanted.pointer)
        return float(x) * point, self._stage.size_px[1] - float(y) * point
