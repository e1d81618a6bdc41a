"""What `web.py` runs in a page and natively: a game that plays itself, and how long each frame and
picture takes.
"""

from __future__ import annotations

import time
from typing import Any

from ecs_softbody.cli.games import find_game, find_games
from ecs_softbody.play import Session
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.web.backend import WebBackend

SIZE = (1280, 720)


class Nothing:
    """In place of the page: draws nothing."""

    def __getattr__(self, name: str) -> Any:
        """Return what takes everything."""
        return lambda *values: None


class Play:
    """Plays a game from its start.

    Args:
        name: of the game.
        script: what `makeBackend` of `page.js` returns; None: nothing is drawn.

    Attributes:
        times: for each frame how long it took, and how long the picture and its calls took [ms].
    """

    def __init__(self, name: str, script: Any = None) -> None:
        self._session = Session(find_game(name, find_games()), autopilot=True)
        self._picture = Picture(*SIZE)
        self._backend = WebBackend(script or Nothing())
        self.times: list[tuple[float, float]] = []

    def one(self) -> None:
        """Play a frame, and draw a picture."""
        began = time.perf_counter()
        self._session.frame()
        drawing = time.perf_counter()
        self._backend.draw(self._session.picture(*SIZE, 1.0, self._picture))
        self.times.append((1e3 * (drawing - began), 1e3 * (time.perf_counter() - drawing)))

    def state(self) -> str:
        """Return the positions of all particles, as hexadecimal digits of their digest."""
        import hashlib

        from ecs_softbody import Particles

        rows = self._session.game.sim.buffers[Particles].rows
        return hashlib.sha256(rows["position"].tobytes()).hexdigest()[:16]

    def close(self) -> None:
        """End the game."""
        self._session.close()
