"""Recipes: synthesis of the built-in sounds: a low body, with a wet or hard band above it for small
loudspeakers.

All are mixed from a few elements: tones, sweeps of pitch, and noise between two frequencies, each
with a decay exp(-rate t). Durations are in seconds, pitches in Hz, rates in 1/s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.indices import arange

Samples = NDArray[np.float64]
"""A wave, RATE numbers for each second, about -1 to 1."""
RATE = 22050
"""Sample rate of generated sounds [1/s]."""
SoundName = Literal[
    "squish",
    "hop",
    "coin",
    "hurt",
    "win",
    "lose",
    "bounce",
    "click",
    "pop",
    "splash",
    "cut",
    "creak",
    "crack",
    "boom",
    "roll",
    "engine",
    "wind",
    "water",
]
SOUND_NAMES: tuple[SoundName, ...] = get_args(SoundName)
LOOPS: tuple[SoundName, ...] = ("roll", "engine", "wind", "water")
"""Sounds that play for as long as they are requested."""
VARIANTS = 3
"""Number of variants of each sound, except loops and melodies."""
LOOP_TIME = 1.6
"""Length of a loop [s]."""
MELODIES = ("coin", "win", "lose", "click")
"""Sounds without variants: each has its own notes."""


class Made(NamedTuple):
    """Random numbers and pitch shift from which a recipe makes its variants."""

    random: np.random.Generator
    shift: float  # relative difference in pitch from the first variant


def make(name: SoundName, variant: int) -> Samples:
    """Return one variant of a sound, from -1 to 1."""
    number = SOUND_NAMES.index(name)
    chance = np.random.default_rng(100 * number + variant)
    made = Made(chance, 1.0 if variant == 0 else float(chance.uniform(0.9, 1.1)))
    samples: Samples = np.clip(RECIPES[name](made), -1.0, 1.0)
    return samples


def _time(duration: float) -> Samples:
    """Return the time of each sample [s]."""
    return arange(int(duration * RATE)) / RATE


def _decay(count: int, rate: float) -> Samples:
    """Return an envelope: a rise in 4 ms, exp(-rate t), and a fall in the last 10 ms."""
    time = arange(count) / RATE
    attack = np.minimum(1.0, time / 0.004)
    release = np.minimum(1.0, (count - arange(count)) / (0.01 * RATE))
    return np.asarray(attack * release * np.exp(-rate * time))


def _tone(pitch: float, duration: float, rate: float) -> Samples:
    """Return a decaying tone with some of its octave."""
    time = _time(duration)
    wave = np.sin(2 * np.pi * pitch * time) + 0.3 * np.sin(4 * np.pi * pitch * time)
    return np.asarray(0.77 * wave * _decay(len(time), rate))


def _sweep(start: float, end: float, duration: float, rate: float) -> Samples:
    """Return a decaying tone whose pitch glides from `start` to `end`."""
    share = np.linspace(0.0, 1.0, int(duration * RATE))
    phase = 2 * np.pi * np.cumsum(start * (end / start) ** share, dtype=np.float64) / RATE
    return np.asarray((np.sin(phase) + 0.25 * np.sin(2 * phase)) * 0.8 * _decay(len(share), rate))


def _band(made: Made, low: float, high: float, duration: float) -> Samples:
    """Return noise between two frequencies [Hz] that loops seamlessly, with amplitude 1 at most."""
    count = int(duration * RATE)
    spectrum = np.fft.rfft(made.random.standard_normal(count))
    pitch = np.fft.rfftfreq(count, 1.0 / RATE)
    spectrum *= np.exp(
        -((np.maximum(low - pitch, 0.0) / (0.3 * low)) ** 2)
        - (np.maximum(pitch - high, 0.0) / high) ** 2
    )
    wave = np.fft.irfft(spectrum, count)
    return np.asarray(wave / np.abs(wave).max())


def _hiss(made: Made, low: float, high: float, duration: float, rate: float) -> Samples:
    """Return decaying noise between two frequencies."""
    wave = _band(made, low, high, duration)
    return wave * _decay(len(wave), rate)


def _wet(made: Made, start: float, end: float, duration: float) -> Samples:
    """Return the wet part of a sound: a formant sweeping down the middle band, with a little of its
    noise.
    """
    voice = _sweep(start * made.shift, end * made.shift, duration, 14.0)
    return 0.8 * voice + 0.5 * _hiss(made, 1000.0, 3000.0, duration, 30.0)


def _mixed(*parts: tuple[float, Samples]) -> Samples:
    """Return the sum of waves that begin together, each with its strength."""
    total = np.zeros(max(len(wave) for _, wave in parts))
    for share, wave in parts:
        total[: len(wave)] += share * wave
    return total


def _melody(notes: tuple[float, ...]) -> Samples:
    """Return short notes one after another, the last one longer."""
    last = len(notes) - 1
    return 0.36 * np.concatenate(
        [
            _mixed((1.0, tone), (0.45, _tone(4.0 * note, len(tone) / RATE, 9.0)))
            for index, note in enumerate(notes)
            for tone in (_tone(note, 0.5 if index == last else 0.13, 4.0),)
        ]
    )


def _engine(made: Made) -> Samples:
    """Return a soft looping motor: pulses with overtones, and a rattle."""
    time = _time(LOOP_TIME)
    wave = sum(np.sin(2 * np.pi * 55.0 * k * time + k * k) / k**0.6 for k in range(1, 24))
    rattle = _band(made, 900.0, 2600.0, LOOP_TIME) * (0.5 + 0.5 * np.sin(2 * np.pi * 27.5 * time))
    return np.asarray(0.12 * wave + 0.2 * rattle)


def _gusts(made: Made, low: float, high: float, pulses: float) -> Samples:
    """Return noise that swells a whole number of times in a loop."""
    time = _time(LOOP_TIME)
    swell = 0.7 + 0.3 * np.sin(2 * np.pi * pulses / LOOP_TIME * time)
    return 0.5 * swell * _band(made, low, high, LOOP_TIME)


def _creak(made: Made) -> Samples:
    """Return creaking wood: a train of clicks that slows down, filtered as through a board."""
    count = int(0.35 * RATE)
    wave = np.zeros(int(0.35 * RATE))
    at = np.cumsum(np.linspace(0.006, 0.022, 24) * made.random.uniform(0.8, 1.2, 24))
    wave[(at[at < 0.33] * RATE).astype(np.int64)] = 1.0
    board = _mixed(
        (1.0, _tone(820.0 * made.shift, 0.03, 90.0)), (0.8, _tone(1630.0 * made.shift, 0.02, 120.0))
    )
    ringing = np.convolve(wave, board)[:count]
    return np.asarray(0.5 * ringing / np.abs(ringing).max() * _decay(count, 3.0))


def _boom(made: Made) -> Samples:
    """Return an explosion: a falling low tone, debris, and a crack."""
    low = _sweep(95.0 * made.shift, 34.0, 0.7, 5.0)
    debris = _hiss(made, 400.0, 2600.0, 0.5, 7.0)
    return _mixed((0.5, low), (0.75, debris), (0.35, _hiss(made, 900.0, 4000.0, 0.1, 40.0)))


RECIPES: dict[SoundName, Callable[[Made], Samples]] = {
    "hop": lambda made: _mixed(
        (0.38, _sweep(230.0 * made.shift, 620.0 * made.shift, 0.13, 3.0)),
        (0.3, _wet(made, 900.0, 1900.0, 0.1)),
    ),
    "squish": lambda made: _mixed(
        (0.3, _sweep(240.0 * made.shift, 80.0, 0.2, 6.0)), (0.42, _wet(made, 1700.0, 500.0, 0.16))
    ),
    "bounce": lambda made: _mixed(
        (0.38, _sweep(210.0 * made.shift, 95.0, 0.14, 8.0)), (0.36, _wet(made, 1500.0, 700.0, 0.1))
    ),
    "coin": lambda made: 0.4 * np.concatenate((_tone(988.0, 0.07, 6.0), _tone(1319.0, 0.28, 9.0))),
    "hurt": lambda made: _mixed(
        (0.36, _sweep(420.0 * made.shift, 110.0, 0.3, 5.0)), (0.4, _wet(made, 1400.0, 600.0, 0.25))
    ),
    "pop": lambda made: _mixed(
        (0.4, _sweep(380.0 * made.shift, 1300.0, 0.07, 5.0)),
        (0.25, _wet(made, 2000.0, 900.0, 0.05)),
    ),
    "click": lambda made: _mixed(
        (0.25, _tone(660.0, 0.05, 30.0)), (0.2, _tone(1980.0, 0.04, 60.0))
    ),
    "win": lambda made: _melody((523.0, 659.0, 784.0, 1047.0)),
    "lose": lambda made: _melody((440.0, 392.0, 330.0, 262.0)),
    "splash": lambda made: _mixed(
        (0.5, _hiss(made, 600.0, 3500.0, 0.45, 8.0)),
        (0.3, _sweep(300.0 * made.shift, 900.0, 0.12, 12.0)),
    ),
    "cut": lambda made: _mixed(
        (0.5, _hiss(made, 2200.0, 6000.0, 0.16, 16.0)), (0.4, _wet(made, 2400.0, 800.0, 0.14))
    ),
    "creak": _creak,
    "crack": lambda made: _mixed(
        (0.6, _hiss(made, 700.0, 5000.0, 0.18, 28.0)), (0.3, _tone(190.0 * made.shift, 0.12, 25.0))
    ),
    "boom": _boom,
    "roll": lambda made: _gusts(made, 250.0, 1100.0, 6.0),
    "engine": _engine,
    "wind": lambda made: _gusts(made, 350.0, 1000.0, 1.0),
    "water": lambda made: _gusts(made, 500.0, 2400.0, 3.0),
}
