"""History: the last seconds of a game, to go back to any moment of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from ecs_softbody.play.replay.moment import Moment
from ecs_softbody.play.session import Session
from ecs_softbody.play.timing.game_clock import FRAME

SPACING = 6
"""Frames from one moment that is kept to the next, at least."""
SECONDS = 10.0
"""How far back moments are kept [s]."""
BYTES_A_FRAME = 250_000
"""Memory budget per frame [bytes]; larger worlds keep fewer moments, so that 10 s take at most
150 MB.
"""


class Kept(NamedTuple):
    """A moment."""

    frame: int
    moment: Moment
    beside: Any
    """State outside of the game that is restored with it."""


class History:
    """Keeps moments of a session. Call `note` after its frames.

    Args:
        session: the session.
        beside: returns further state to keep with a moment, such as the pending edits.
        put_back: restores that state when the game has gone back to its moment.
    """

    def __init__(
        self, session: Session, beside: Callable[[], Any], put_back: Callable[[Any], None]
    ) -> None:
        self._session = session
        self._beside = beside
        self._put_back = put_back
        self._moments: deque[Kept] = deque()
        self._spacing = float(SPACING)
        self.problem = ""
        """Why this game cannot be rewound, or empty."""

    def __len__(self) -> int:
        return len(self._moments)

    def note(self) -> None:
        """Keep the moment when enough frames have passed since the last one."""
        game = self._session.game
        if self._moments and self._moments[-1].moment.sim is not game.sim:
            self.clear()
        if self.problem:
            return
        if not self._moments:
            self._keep()
            return
        if game.sim.frame - self._moments[-1].frame >= self._spacing:
            self._keep()

    def _keep(self) -> None:
        game = self._session.game
        try:
            moment = Moment(game, self._session.drag)
        except (TypeError, ValueError) as error:  # objects that no snapshot can hold
            self.problem = str(error)
            return
        self._moments.append(Kept(game.sim.frame, moment, self._beside()))
        self._spacing = max(SPACING, moment.nbytes / BYTES_A_FRAME)
        while (game.sim.frame - self._moments[0].frame) * FRAME > SECONDS:
            self._moments.popleft()

    def ages(self) -> list[float]:
        """Return how long before the latest moment each one was [s], the oldest first; none in a
        new world.
        """
        if not self._moments or self._moments[-1].moment.sim is not self._session.game.sim:
            return []
        return [(self._latest - frame) * FRAME for frame, _, _ in self._moments]

    def now(self) -> int:
        """Return the number of the moment that is nearest to now."""
        frame = self._session.game.sim.frame
        return min(
            range(len(self._moments)), key=lambda number: abs(self._moments[number].frame - frame)
        )

    def age_of_now(self) -> float:
        """Return how long before the latest moment the world is now [s]: 0 unless it was
        gone back.
        """
        return (self._latest - self._session.game.sim.frame) * FRAME

    @property
    def _latest(self) -> int:
        return max(self._session.game.sim.frame, self._moments[-1].frame)

    def go_to(self, number: int) -> None:
        """Go to a moment; later ones, and the present one, stay until the game goes on from here.

        Raises:
            ValueError: if the game has been restarted since.
        """
        session = self._session
        kept = self._moments[number]
        frame = self._session.game.sim.frame
        # The present moment is kept before the world goes back: it is to be reached again.
        if frame > self._moments[-1].frame:
            self._keep()
        elif kept.frame != frame == self._moments[-1].frame:
            # The world may have been changed since then.
            self._moments.pop()
            self._keep()
        kept.moment.restore()
        self._put_back(kept.beside)
        if session.game.outcome is None and session.state in ("won", "lost"):
            session.state = "playing"

    def set_beside(self, change: Callable[[Any], Any]) -> None:
        """Change the additional state of all moments."""
        self._moments = deque(kept._replace(beside=change(kept.beside)) for kept in self._moments)

    def forget_later(self) -> None:
        """Forget the moments after the current frame, because the game takes another course."""
        frame = self._session.game.sim.frame
        while self._moments and self._moments[-1].frame > frame:
            self._moments.pop()

    def clear(self) -> None:
        """Forget everything."""
        self._moments.clear()
        self.problem = ""
