"""Media: interfaces to sound output: pyglet's is in `pyglet_media`, pages and tests bring their
own.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Player(Protocol):
    """Plays sources. Any exception it raises means that its device is gone."""

    loop: bool
    volume: float
    pitch: float

    def queue(self, source: Any) -> None:
        """Play a source next."""

    def play(self) -> None:
        """Start or continue."""

    def pause(self) -> None:
        """Pause."""

    def delete(self) -> None:
        """Release the player."""


class Source(Protocol):
    """One wave, ready to play."""

    def play(self) -> Player:
        """Play it at once, and return its player."""


class Media(Protocol):
    """Makes players, and sources for them."""

    def source(self, samples: NDArray[np.int16], rate: int) -> Source:
        """Return a source of one wave: shape (count, 2) for left and right, `rate` samples per
        second.
        """

    def Player(self) -> Player:  # noqa: N802 - as in pyglet.media
        """Return a new player."""


def end_player(player: Player) -> None:
    """Stop a player; ignore one whose device is gone."""
    try:
        player.pause()
        player.delete()
    except Exception:
        return
