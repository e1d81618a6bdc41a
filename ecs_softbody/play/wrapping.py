"""Wrapper: something that acts around the frames of a game, outside of what a frame is.

A game has a list of them, `Game.wrappers`: empty unless the game uses something that needs one.
"""

from __future__ import annotations

from typing import Protocol

from ecs_softbody.rendering.picture import Picture


class Wrapped(Protocol):
    """A session, as a wrapper of its game sees it."""

    def meet_round(self) -> None:
        """Show a round of the game that a wrapper has begun."""


class Wrapper(Protocol):
    """Called by a session around the frames and over the pictures of its game."""

    def begun(self, level: int) -> None:
        """Note that a round of a level has begun."""

    def before(self, session: Wrapped) -> None:
        """Act before a frame."""

    def rescue(self, session: Wrapped, error: Exception) -> bool:
        """Deal with an exception of a frame; return False if it has to stop the game."""

    def draw(self, picture: Picture) -> None:
        """Draw over everything else."""
