"""History: the last seconds of a game, to go back to any moment of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from ecs_softbody.play.replay.game_snapshot import GameSnapshot
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


class HistoryEntry(NamedTuple):
    """A snapshot and what is kept with it."""

    frame: int
    snapshot: GameSnapshot
    beside: Any
    """State outside of the game that is restored with it."""


class History:
    """Keeps moments of a session. Call `note` after its frames.

    Args:
        session: the session.
        beside: returns further state to keep with a snapshot, such as the pending edits.
        put_back: restores that state when the game has gone back to its moment.
    """

    def __init__(
        self, session: Session, beside: Callable[[], Any], put_back: Callable[[Any], None]
    ) -> None:
        self._session = session
        self._beside = beside
        self._put_back = put_back
        self._snapshots: deque[HistoryEntry] = deque()
        self._spacing = float(SPACING)
        self.problem = ""
        """Why this game cannot be rewound, or empty."""

    def __len__(self) -> int:
        return len(self._snapshots)

    def note(self) -> None:
        """Keep a snapshot when enough frames have passed since the last one."""
        game = self._session.game
        if self._snapshots and self._snapshots[-1].snapshot.sim is not game.sim:
            self.clear()
        if self.problem:
            return
        if not self._snapshots:
            self._keep()
            return
        if game.sim.frame - self._snapshots[-1].frame >= self._spacing:
            self._keep()

    def _keep(self) -> None:
        game = self._session.game
        try:
            snapshot = GameSnapshot(game, self._session.drag)
        except (TypeError, ValueError) as error:  # objects that no snapshot can hold
            self.problem = str(error)
            return
        self._snapshots.append(HistoryEntry(game.sim.frame, snapshot, self._beside()))
        self._spacing = max(SPACING, snapshot.nbytes / BYTES_A_FRAME)
        while (game.sim.frame - self._snapshots[0].frame) * FRAME > SECONDS:
            self._snapshots.popleft()

    def ages(self) -> list[float]:
        """Return how long before the latest moment each one was [s], the oldest first; none in a
        new world.
        """
        if not self._snapshots or self._snapshots[-1].snapshot.sim is not self._session.game.sim:
            return []
        return [(self._latest - frame) * FRAME for frame, _, _ in self._snapshots]

    def now(self) -> int:
        """Return the number of the moment that is nearest to now."""
        frame = self._session.game.sim.frame
        return min(
            range(len(self._snapshots)),
            key=lambda number: abs(self._snapshots[number].frame - frame),
        )

    def age_of_now(self) -> float:
        """Return how long before the latest moment the world is now [s]: 0 unless it was
        gone back.
        """
        return (self._latest - self._session.game.sim.frame) * FRAME

    @property
    def _latest(self) -> int:
        return max(self._session.game.sim.frame, self._snapshots[-1].frame)

    def go_to(self, number: int) -> None:
        """Go to a moment; later ones, and the present one, stay until the game goes on from here.

        Raises:
            ValueError: if the game has been restarted since.
        """
        session = self._session
        entry = self._snapshots[number]
        frame = self._session.game.sim.frame
        # The present moment is kept before the world goes back: it is to be reached again.
        if frame > self._snapshots[-1].frame:
            self._keep()
        elif entry.frame != frame == self._snapshots[-1].frame:
            # The world may have been changed since then.
            self._snapshots.pop()
            self._keep()
        entry.snapshot.restore()
        self._put_back(entry.beside)
        if session.game.outcome is None and session.state in ("won", "lost"):
            session.state = "playing"

    def set_beside(self, change: Callable[[Any], Any]) -> None:
        """Change the additional state of all snapshots."""
        self._snapshots = deque(
            entry._replace(beside=change(entry.beside)) for entry in self._snapshots
        )

    def forget_later(self) -> None:
        """Forget the snapshots after the current frame, because the game takes another course."""
        frame = self._session.game.sim.frame
        while self._snapshots and self._snapshots[-1].frame > frame:
            self._snapshots.pop()

    def clear(self) -> None:
        """Forget everything."""
        self._snapshots.clear()
        self.problem = ""
