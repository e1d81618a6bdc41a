"""Previews: small moving pictures of games for the menu: each game plays itself."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from ecs_softbody.play.game import Game
from ecs_softbody.play.session import Session
from ecs_softbody.play.timing.game_clock import FRAME
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.texture import Texture, texture_of

SIZE = (320, 180)
"""Size of a preview [pixels]."""
BEFORE = 70
"""Frames that a game plays before its still picture is taken."""
EVERY = 6
"""Frames of the game in focus between two of its pictures: ten a second."""
LATEST = 10
"""Frames of the menu after which a slower game is drawn anyway."""
RESTING = 24
"""Frames of focus before a game's preview starts to move: passing over a card starts nothing."""
LIVING = 1200
"""Frames that the preview keeps moving, 20 s: an unattended menu costs nothing."""
SHARE = 0.25
"""Maximum share of a core for the game in focus; a demanding game plays slower."""
BUDGET = 0.005
"""Maximum time [s] for still pictures in one frame."""


class Previews:
    """Still pictures of all games, made a few milliseconds at a time, and one live game.

    Args:
        games: by name, in the order of their pictures.
    """

    def __init__(self, games: dict[str, type[Game]]) -> None:
        self.games = games
        self.pictures: dict[str, Texture] = {}
        """The latest picture of each game; games without a picture yet are missing."""
        self._making = self._stills()
        self._live: Session | None = None
        self._focus = ""
        self._rested = 0
        self._broken = set[str]()
        # These are the frames of the live game since its last picture, and the menu frame of that
        # picture.
        self._played = 0
        self._drawn_at = 0
        self._owed = 0.0  # time [s] taken in advance
        self._picture = Picture(*SIZE)

    @property
    def is_complete(self) -> bool:
        """Whether every game has a picture, or has failed to make one."""
        return self.games.keys() <= self.pictures.keys() | self._broken

    def frame(self, focus: str) -> bool:
        """Play one frame of the game in focus, and make more still pictures; return whether
        anything changed.
        """
        if focus != self._focus:
            self.rest()
            self._focus = focus
        self._rested += 1
        changed = False
        until = time.perf_counter() + BUDGET
        while not self.is_complete and time.perf_counter() < until:
            changed = next(self._making, False) or changed
        if RESTING < self._rested < LIVING and focus in self.pictures:
            changed = self._live_on() or changed
        return changed

    def wake(self) -> None:
        """Let the game in focus play on: the player is there."""
        self._rested = min(self._rested, RESTING + 1) if self._rested > 0 else self._rested

    def rest(self) -> None:
        """Close the live game: another one is in focus, or a game is played."""
        if self._live is not None:
            self._live.close()
        self._live = None
        self._rested = 0
        self._focus = ""
        self._played = 0
        self._drawn_at = 0
        self._owed = 0.0

    def _live_on(self) -> bool:
        """Play one frame of the game in focus, unless it has used its share of time; return whether
        it was drawn.
        """
        self._owed -= SHARE * FRAME
        if self._owed > 0.0:
            return False
        started = time.perf_counter()
        drawn = False
        try:
            if self._live is None:
                self._live = _started(self.games[self._focus])
                self._drawn_at = self._rested
            _play(self._live)
            self._played += 1
            drawn = self._played >= EVERY or self._rested - self._drawn_at >= LATEST
            if drawn:
                self.pictures[self._focus] = self._drawn(self._live)
                self._played = 0
                self._drawn_at = self._rested
        except Exception:
            # Exceptions of a game are reported when it is played; here its last picture stays.
            self._broken.add(self._focus)
            self.rest()
            self._rested = -(10**9)
            return False
        self._owed = max(self._owed, 0.0) + time.perf_counter() - started
        return drawn

    def _stills(self) -> Iterator[bool]:
        """Make one picture after another; yields often, and True after each picture."""
        for name, game in self.games.items():
            session = None
            try:
                session = _started(game)
                for _ in range(BEFORE):
                    _play(session)
                    yield False
                self.pictures[name] = self._drawn(session)
                yield True
            except Exception:  # as above
                self._broken.add(name)
            finally:
                if session is not None:
                    session.close()

    def _drawn(self, session: Session) -> Texture:
        """Return the picture of a game, without its HUD."""
        camera = session.game.camera
        whole = session.game.card_view
        if whole is not None:
            left, bottom, right, top = whole
            camera.height = max(top - bottom, (right - left) / camera.aspect)
            camera.jump_to((0.5 * (left + right), 0.5 * (bottom + top)))
        picture = session.picture(*SIZE, into=self._picture)
        picture.hide(Layer.HUD, Layer.SCREEN + 10)
        return texture_of("Previews", draw_image(picture))


def _started(game: type[Game]) -> Session:
    made = game()
    made.sounds.hushed = True
    return Session(made, autopilot=True)


def _play(session: Session) -> None:
    """Play one frame; a game that has ended restarts."""
    session.frame()
    if session.state != "playing":
        session.restart()


def in_order(games: dict[str, type[Game]], first: Iterable[str]) -> dict[str, type[Game]]:
    """Return games with those named in `first` before the others."""
    names = [name for name in first if name in games]
    return {name: games[name] for name in [*names, *(name for name in games if name not in names)]}
