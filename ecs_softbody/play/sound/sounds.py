"""Sounds: made by the program at start, played through pyglet where there is a sound device, silent elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

SoundName = Literal["squish", "hop", "coin", "hurt", "win", "lose", "bounce", "click", "pop"]
SOUND_NAMES: tuple[SoundName, ...] = ("squish", "hop", "coin", "hurt", "win", "lose", "bounce", "click", "pop")
RATE = 22050
MOST_AT_ONCE = 8


class Sounds:
    """Plays the named sounds; before `open`, and without a device, `play` does nothing."""

    def __init__(self) -> None:
        self.muted = False
        self.played: list[str] = []
        """Names of the latest sounds asked for, at most 32: what would be heard."""
        self._sources: dict[str, Any] = {}
        self._players: list[Any] = []

    def open(self) -> bool:
        """Make all sounds ready; False, and no error, where there is no way to play them."""
        try:
            import pyglet

            pyglet.options.shadow_window = False
            from pyglet.media import StaticSource
            from pyglet.media.codecs.base import AudioData, AudioFormat, Source
        except Exception:
            return False
        for name in SOUND_NAMES:
            wave = np.clip(synthesised(name) * 32000.0, -32000.0, 32000.0).astype(np.int16)
            try:
                self._sources[name] = StaticSource(_source(Source, AudioData, AudioFormat, wave))
            except Exception:
                self._sources.clear()
                return False
        return True

    def play(self, name: SoundName, *, volume: float = 1.0, pitch: float = 1.0) -> None:
        """Play a sound: volume 0 to 1, pitch 1 as made, 2 an octave up."""
        if name not in SOUND_NAMES:
            raise ValueError(f"sound {name!r} is not known; the sounds are {', '.join(SOUND_NAMES)}")
        self.played = [*self.played[-31:], name]
        if self.muted or not self._sources:
            return
        self._players = [player for player in self._players if player.playing]
        if len(self._players) >= MOST_AT_ONCE:
            return
        try:
            player = self._sources[name].play()
            player.volume = min(max(volume, 0.0), 1.0)
            player.pitch = min(max(pitch, 0.25), 4.0)
        except Exception:
            self._sources.clear()
            return
        self._players.append(player)

    def toggle_mute(self) -> None:
        """Switch the sound off, or on again."""
        self.muted = not self.muted
        if self.muted:
            for player in self._players:
                player.pause()
            self._players.clear()


def _source(source_type: Any, data_type: Any, format_type: Any, wave: NDArray[np.int16]) -> Any:
    """Return a pyglet source that hands out one wave."""
    source = source_type()
    source.audio_format = format_type(channels=1, sample_size=16, sample_rate=RATE)
    source._duration = len(wave) / RATE
    left = [wave.tobytes()]

    def get_audio_data(num_bytes: int, compensation_time: float = 0.0) -> Any:
        data, left[0] = left[0][:num_bytes], left[0][num_bytes:]
        if not data:
            return None
        return data_type(data, len(data), 0.0, len(data) / (2 * RATE), [])

    source.get_audio_data = get_audio_data
    return source


def synthesised(name: SoundName) -> NDArray[np.float64]:
    """Return the wave of a sound, numbers from -1 to 1 at 22 050 per second."""
    return RECIPES[name]()


def _melody(notes: tuple[float, ...]) -> NDArray[np.float64]:
    last = len(notes) - 1
    return 0.4 * np.concatenate([_tone(note, 0.5 if index == last else 0.13, 4.0) for index, note in enumerate(notes)])


def _decay(count: int, rate: float) -> NDArray[np.float64]:
    time = np.arange(count) / RATE
    attack = np.minimum(1.0, time / 0.004)
    release = np.minimum(1.0, (count - np.arange(count)) / (0.01 * RATE))
    return np.asarray(attack * release * np.exp(-rate * time))


def _tone(pitch: float, duration: float, rate: float) -> NDArray[np.float64]:
    time = np.arange(int(duration * RATE)) / RATE
    wave = np.sin(2 * np.pi * pitch * time) + 0.3 * np.sin(4 * np.pi * pitch * time)
    return np.asarray(0.77 * wave * _decay(len(time), rate))


def _sweep(start: float, end: float, duration: float, rate: float) -> NDArray[np.float64]:
    share = np.linspace(0.0, 1.0, int(duration * RATE))
    phase = 2 * np.pi * np.cumsum(start * (end / start) ** share) / RATE
    return np.asarray((np.sin(phase) + 0.25 * np.sin(2 * phase)) * 0.8 * _decay(len(share), rate))


def _noise(duration: float, smoothing: int, rate: float) -> NDArray[np.float64]:
    count = int(duration * RATE)
    rough = np.random.default_rng(3).standard_normal(count + smoothing)
    smooth = np.convolve(rough, np.full(smoothing, 1.0 / smoothing), mode="valid")[:count]
    return np.asarray(smooth / np.abs(smooth).max() * _decay(count, rate))


RECIPES: dict[SoundName, Callable[[], NDArray[np.float64]]] = {
    "hop": lambda: 0.5 * _sweep(210.0, 520.0, 0.13, 3.0),
    "squish": lambda: 0.45 * _sweep(240.0, 70.0, 0.22, 4.0) + 0.35 * _noise(0.22, 18, 9.0),
    "bounce": lambda: 0.6 * _sweep(190.0, 85.0, 0.16, 6.0),
    "coin": lambda: 0.4 * np.concatenate((_tone(988.0, 0.07, 6.0), _tone(1319.0, 0.28, 9.0))),
    "hurt": lambda: 0.5 * _sweep(420.0, 90.0, 0.3, 4.0) + 0.2 * _noise(0.3, 4, 12.0),
    "pop": lambda: 0.5 * _sweep(320.0, 900.0, 0.07, 5.0),
    "click": lambda: 0.35 * _tone(660.0, 0.05, 30.0),
    "win": lambda: _melody((523.0, 659.0, 784.0, 1047.0)),
    "lose": lambda: _melody((440.0, 392.0, 330.0, 262.0)),
}
