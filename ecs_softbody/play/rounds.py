"""Rounds: what a game tells of each one, so that it can be played again."""

from __future__ import annotations

from typing import Any, Protocol

from ecs_softbody.play.input.controls import Controls


class RoundRecorder(Protocol):
    """What a game tells of a round: `Recorder` makes a replay of it."""

    def begin_round(self, game: Any) -> None:
        """Another round begins."""

    def note(self, controls: Controls, *, standing: bool) -> Controls:
        """Return what the game is to see of what the player does in a frame."""

    def note_state(self, game: Any) -> None:
        """A frame has been played."""
