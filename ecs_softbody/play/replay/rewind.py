"""Rewind: the last seconds of a game, played backwards as a part of it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ecs_softbody.play.replay.moment import Moment
from ecs_softbody.play.timing import garbage
from ecs_softbody.play.timing.game_clock import FRAME
from ecs_softbody.validation import check_count, check_number

if TYPE_CHECKING:
    from ecs_softbody.play.game import Game


class Rewind:
    """Keeps the last seconds of a game. Make one in `start`, call `note` in `after_step`, and
    `back` in `update`.

    Args:
        game: the game; its `sim` is there already.
        seconds: how far back it goes [s].
        every: keep one frame of so many: a moment of a large game takes some milliseconds. Where
            `back` is called with as many frames in each frame, time turns back as evenly as with
            all of them.

    Raises:
        ValueError: for a length that is not above 0, or a number of frames below 1.
    """

    def __init__(self, game: Game, seconds: float = 5.0, *, every: int = 1) -> None:
        length = check_number("Rewind", "seconds", seconds, above=0.0)
        self._every = check_count("Rewind", "every", every)
        self._game = game
        self._sim = game.sim
        self._moments: deque[Moment | None] = deque(maxlen=max(2, round(length / FRAME)))
        self._last: Moment | None = None
        self.uses = 0
        """How often the game went back."""
        game.rewinds.append(self)

    @property
    def seconds(self) -> float:
        """How far back it goes now [s]."""
        return len(self._moments) * FRAME

    @property
    def nbytes(self) -> int:
        """Bytes of what is kept."""
        return sum(moment.nbytes for moment in self._moments if moment is not None)

    def prepare(self) -> None:
        """Look at all that the game has, before its first frame: the first moment is then taken as
        fast as others.
        """
        if self._last is None and self._game.sim is self._sim:
            with garbage.kept_for_long():
                self._last = Moment(self._game)

    def note(self) -> None:
        """Keep the moment after this frame."""
        if self._game.sim is not self._sim:
            self.clear()
        last = [self._moments[-1 - n] for n in range(min(self._every - 1, len(self._moments)))]
        if any(moment is not None for moment in last):
            self._moments.append(None)
            return
        # a thousand objects: a search through a second's worth of them takes 3 ms
        with garbage.kept_for_long():
            self._last = Moment(self._game, before=self._last)
        self._moments.append(self._last)

    def back(self, frames: int = 2) -> bool:
        """Go back so many frames, or as far as it goes; False where nothing is left. One frame
        follows as ever.

        Raises:
            ValueError: for a number of frames below 1.
        """
        check_count("Rewind.back", "frames", frames)
        if self._game.sim is not self._sim:
            self.clear()
        found = None
        for _ in range(min(frames + 1, len(self._moments))):
            found = self._moments.pop()
        while found is None and self._moments:
            found = self._moments.pop()
        if found is None:
            return False
        found.restore()
        self.uses += 1
        return True

    @property
    def kept(self) -> tuple[Moment | None, ...]:
        """What is kept, for `put_back`."""
        return tuple(self._moments)

    def put_back(self, kept: tuple[Moment | None, ...]) -> None:
        """Keep this instead, when a replay goes to another frame; None is a moment that nothing
        goes back to.
        """
        self._moments.clear()
        self._moments.extend(kept)
        self._sim = self._game.sim

    def clear(self) -> None:
        """Forget everything."""
        self._moments.clear()
        self._last = None
        self._sim = self._game.sim
