"""Media: the part of `pyglet.media` used by `Sounds`, by the Web Audio of `page.js`."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.web.backend import address


class SoundScript(Protocol):
    """The object returned by `makeSound` of `page.js`."""

    def buffer(self, address: int, frames: int, rate: int) -> Any: ...  # noqa: D102
    def player(self) -> Any: ...  # noqa: D102


class WebMedia:
    """Plays samples in a browser.

    Args:
        script: the page's side, or a stand-in for it.
    """

    def __init__(self, script: SoundScript) -> None:
        self._script = script

    def source(self, samples: NDArray[np.int16], rate: int) -> Source:
        """Return a source of samples, shape (N, 2); the browser keeps a copy of them."""
        frames = np.ascontiguousarray(samples, np.int16)
        return Source(self, self._script.buffer(address(frames), len(frames), rate))

    def Player(self) -> Player:  # noqa: N802 - pyglet's name
        """Return a player of one source."""
        return Player(self._script.player())


class Source:
    """Samples held by the browser."""

    def __init__(self, media: WebMedia, buffer: Any) -> None:
        self._media = media
        self.buffer = buffer

    def play(self) -> Player:
        """Play it once, and return its player."""
        player = self._media.Player()
        player.queue(self)
        player.play()
        return player


class Player:
    """Plays one source; volume and pitch may change while it plays."""

    def __init__(self, script: Any) -> None:
        self._script = script
        self._source: Source | None = None
        self._volume = 1.0
        self._pitch = 1.0
        self.loop = False

    def queue(self, source: Source) -> None:
        """Set the source to play."""
        self._source = source

    def play(self) -> None:
        """Start."""
        if self._source is not None:
            self._script.start(self._source.buffer, self.loop, self._volume, self._pitch)

    def pause(self) -> None:
        """Stop: browsers cannot resume a stopped sound."""
        self._script.end()

    def delete(self) -> None:
        """Do nothing: there is nothing to release."""

    @property
    def volume(self) -> float:
        """Loudness, 0 to 1."""
        return self._volume

    @volume.setter
    def volume(self, value: float) -> None:
        self._volume = value
        self._script.volume(value)

    @property
    def pitch(self) -> float:
        """1 as made, 2 an octave up."""
        return self._pitch

    @pitch.setter
    def pitch(self, value: float) -> None:
        self._pitch = value
        self._script.pitch(value)
