"""Rewind: play the last seconds of a game backwards, as part of the game."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ecs_softbody.errors import FieldTypeError
from ecs_softbody.play.replay.game_snapshot import GameSnapshot
from ecs_softbody.play.timing import garbage
from ecs_softbody.play.timing.game_clock import FRAME
from ecs_softbody.simulation import Simulation
from ecs_softbody.validation import check_count, check_number

if TYPE_CHECKING:
    from ecs_softbody.play.game import Game


class Rewind:
    """Keeps the last seconds of a game. Create one in `start`, call `note` in `after_step`, and
    `back` in `update`.

    Args:
        game: the game; its `sim` is there already.
        seconds: length of the kept time [s].
        every: keep one frame in `every`: a snapshot of a large game takes some milliseconds.
            Calling `back` with `every` frames in each frame rewinds as evenly as keeping all
            frames.

    Raises:
        ValueError: for a length that is not above 0, or a number of frames below 1.
    """

    def __init__(self, game: Game, seconds: float = 5.0, *, every: int = 1) -> None:
        if not isinstance(getattr(game, "sim", None), Simulation):
            raise FieldTypeError("Rewind", "game", game, "a Game that has its `sim`")
        length = check_number("Rewind", "seconds", seconds, above=0.0)
        self._every = check_count("Rewind", "every", every)
        self._game = game
        self._sim = game.sim
        # An entry for each frame, None where no snapshot was kept.
        self._snapshots: deque[GameSnapshot | None] = deque(maxlen=max(2, round(length / FRAME)))
        # The newest snapshot: the next one shares what has not changed.
        self._last: GameSnapshot | None = None
        self.uses = 0
        """Number of times the game went back."""
        game.rewinds.append(self)

    @property
    def seconds(self) -> float:
        """Length of the time it can go back now [s]."""
        return len(self._snapshots) * FRAME

    @property
    def nbytes(self) -> int:
        """Size of the snapshots [bytes]."""
        return sum(snapshot.nbytes for snapshot in self._snapshots if snapshot is not None)

    def prepare(self) -> None:
        """Inspect the game's state before its first frame, so that the first snapshot is as fast as
        the others.
        """
        if self._last is None and self._game.sim is self._sim:
            with garbage.kept_for_long():
                self._last = GameSnapshot(self._game)

    def note(self) -> None:
        """Keep a snapshot after this frame."""
        if self._game.sim is not self._sim:
            self.clear()
        last = [self._snapshots[-1 - n] for n in range(min(self._every - 1, len(self._snapshots)))]
        if any(snapshot is not None for snapshot in last):
            self._snapshots.append(None)
            return
        # A snapshot has a thousand objects: the collector takes 3 ms for a second's worth of them.
        with garbage.kept_for_long():
            self._last = GameSnapshot(self._game, before=self._last)
        self._snapshots.append(self._last)

    def back(self, frames: int = 2) -> bool:
        """Go back by `frames`, or as far as possible; False if nothing is left. The current frame
        still runs afterwards.

        Raises:
            ValueError: for a number of frames below 1.
        """
        check_count("Rewind.back", "frames", frames)
        if self._game.sim is not self._sim:
            self.clear()
        found = None
        for _ in range(min(frames + 1, len(self._snapshots))):
            found = self._snapshots.pop()
        while found is None and self._snapshots:
            found = self._snapshots.pop()
        if found is None:
            return False
        found.restore()
        self.uses += 1
        return True

    @property
    def kept(self) -> tuple[GameSnapshot | None, ...]:
        """The snapshots, for `put_back`."""
        return tuple(self._snapshots)

    def put_back(self, kept: tuple[GameSnapshot | None, ...]) -> None:
        """Replace the snapshots, when a replay goes to another frame; None is a snapshot that is
        never restored.
        """
        self._snapshots.clear()
        self._snapshots.extend(kept)
        self._sim = self._game.sim

    def clear(self) -> None:
        """Drop all snapshots."""
        self._snapshots.clear()
        self._last = None
        self._sim = self._game.sim
