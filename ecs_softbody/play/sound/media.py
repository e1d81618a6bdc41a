"""Players: what pyglet plays samples with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.play.sound.waves import pyglet_media


def source_of(samples: NDArray[np.int16], rate: int) -> Any:
    """Return a pyglet source of one wave."""
    media = pyglet_media()
    from pyglet.media.codecs.base import AudioData, AudioFormat, Source

    source = Source()
    source.audio_format = AudioFormat(channels=samples.shape[1], sample_size=16, sample_rate=rate)
    left = [samples.tobytes()]

    def get_audio_data(num_bytes: int, compensation_time: float = 0.0) -> Any:
        data, left[0] = left[0][:num_bytes], left[0][num_bytes:]
        return AudioData(data, len(data), 0.0, len(data) / (4.0 * rate), []) if data else None

    source.get_audio_data = get_audio_data
    return media.StaticSource(source)


def end_player(player: Any) -> None:
    """Stop a player; one whose device is gone is left alone."""
    try:
        player.pause()
        player.delete()
    except Exception:
        return
