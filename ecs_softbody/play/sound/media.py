"""Media: interfaces to sound output, and pyglet's; pages and tests bring their own."""

from __future__ import annotations

from pathlib import Path
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


class PygletMedia:
    """Plays sounds through pyglet: the default of `Sounds.open`.

    Raises an exception if pyglet is missing.
    """

    def __init__(self) -> None:
        self._media = _pyglet_media()

    def Player(self) -> Any:  # noqa: N802
        """Return a new player."""
        return self._media.Player()

    def source(self, samples: NDArray[np.int16], rate: int) -> Any:
        """Return a source of one wave."""
        from pyglet.media.codecs.base import AudioData, AudioFormat
        from pyglet.media.codecs.base import Source as PygletSource

        source = PygletSource()
        source.audio_format = AudioFormat(
            channels=samples.shape[1], sample_size=16, sample_rate=rate
        )
        left = [samples.tobytes()]

        def get_audio_data(num_bytes: int, compensation_time: float = 0.0) -> Any:
            data = left[0][:num_bytes]
            left[0] = left[0][num_bytes:]
            return AudioData(data, len(data), 0.0, len(data) / (4.0 * rate), []) if data else None

        source.get_audio_data = get_audio_data
        return self._media.StaticSource(source)


def decode(path: Path, longest: float) -> tuple[bytes, int, int, int]:
    """Return a file's samples, channels, bytes per sample, and rate; decoding stops soon after
    `longest` [s].

    Raises:
        Exception: of any type, if pyglet has no decoder for the file on this machine.
    """
    source = _pyglet_media().load(str(path), streaming=True)
    form = source.audio_format
    parts: list[bytes] = []
    most = longest * form.bytes_per_second
    while (
        (part := source.get_audio_data(65536)) is not None
        and part.length
        and 65536 * len(parts) <= most
    ):
        parts.append(bytes(part.data)[: part.length])
    return b"".join(parts), form.channels, form.sample_size // 8, int(form.sample_rate)


def _pyglet_media() -> Any:
    """Return pyglet.media, imported without pyglet's hidden window."""
    import pyglet

    pyglet.options.shadow_window = False
    import pyglet.media

    return pyglet.media
