"""Rounds: a game's reports about each round, for replays."""

from __future__ import annotations

from typing import Any, Protocol

from ecs_softbody.play.input.controls import Controls


class RoundRecorder(Protocol):
    """Receives a game's reports about a round: `Recorder` makes a replay of them."""

    def begin_round(self, game: Any) -> None:
        """Another round begins."""

    def note(self, controls: Controls, *, standing: bool) -> Controls:
        """Return the controls that the game is to see, given the player's."""

    def note_state(self, game: Any) -> None:
        """A frame has been played."""
