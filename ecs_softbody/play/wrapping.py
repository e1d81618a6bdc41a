"""Wrapper: something that acts around the frames of a game, outside of what a frame is.

A game has a list of them, `Game.wrappers`: empty unless the game uses something that needs one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ecs_softbody.rendering.picture import Picture

if TYPE_CHECKING:
    from ecs_softbody.play.session import Session


class Wrapper(Protocol):
    """Called by a session around the frames and over the pictures of its game."""

    def before(self, session: Session) -> None:
        """Act before a frame."""

    def rescue(self, session: Session, error: Exception) -> bool:
        """Deal with an exception of a frame; return False if it has to stop the game."""

    def draw(self, picture: Picture) -> None:
        """Draw over everything else."""
