"""Music of a theme: quiet, of two chords that crossfade from one to the other, in a loop."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.parallel.machine import can_start_threads
from ecs_softbody.play.sound.waves import Samples, Wave

PAD_TIME = 60.0
"""Length of the loop [s]."""
PAD_RATE = 11025
"""Samples per second."""
LEVEL = 0.063
"""Root mean square level: 24 dB below full scale."""
PIECE = 4096
"""Samples generated at a time."""
SLOW = (5.0, 7.0, 3.0, 4.0)
"""Swells of each note in a loop."""
OVERTONES = ((1, 1.0), (2, 0.35), (3, 0.16), (5, 0.06))
"""Multiples of a note's frequency, and their strengths."""
CONCERT_PITCH = 440.0
"""Frequency of the concert A [Hz]."""
CONCERT_KEY = 69
"""MIDI key of the concert A."""


def pitch_of(key: float) -> float:
    """Return the frequency [Hz] of a MIDI key: 69 is the concert A, 12 keys are an octave."""
    return float(CONCERT_PITCH * 2.0 ** ((key - CONCERT_KEY) / 12.0))


def pad(chords: tuple[tuple[int, ...], ...]) -> NDArray[np.float32]:
    """Return a seamless loop of music: every wave fits a whole number of times.

    Args:
        chords: keys of each chord; the chords fill the loop one after another.
    """
    return leveled(list(pieces(chords)))


def pieces(chords: tuple[tuple[int, ...], ...]) -> Iterator[NDArray[np.float32]]:
    """Yield a loop piece by piece, each generated in a millisecond or two; `leveled` joins them."""
    count = int(PAD_TIME * PAD_RATE)
    for first in range(0, count, PIECE):
        yield _piece(chords, np.arange(first, min(first + PIECE, count), dtype=np.int64), count)


def leveled(made: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return all pieces of a loop, joined, at the music's level."""
    total = np.concatenate(made)
    return np.asarray(total * np.float32(LEVEL / np.sqrt(np.mean(np.square(total)))), np.float32)


def _piece(
    chords: tuple[tuple[int, ...], ...], samples: NDArray[np.int64], count: int
) -> NDArray[np.float32]:
    """Return the signal at some samples of a loop of `count` samples."""
    turn = samples.astype(np.float32) * np.float32(2.0 * np.pi / count)
    total = np.zeros(len(samples), np.float32)
    for number, chord in enumerate(chords):
        place = turn - np.float32(2.0 * np.pi * (number + 0.5) / len(chords))
        share = np.clip(0.5 + 0.75 * len(chords) * np.cos(place) / 2.0, 0.0, 1.0).astype(np.float32)
        for voice, key in enumerate(chord):
            swell = 1.0 + 0.5 * np.sin(SLOW[voice % len(SLOW)] * turn + voice)
            for multiple, strength in OVERTONES:
                rounds = round(pitch_of(key) * multiple * PAD_TIME)
                wave = np.sin(
                    (samples * rounds % count).astype(np.float32) * np.float32(2.0 * np.pi / count)
                )
                total += np.float32(strength / multiple**0.5) * share * swell * wave
    return total


Chords = tuple[tuple[int, ...], ...]
"""MIDI keys of each chord."""


class ThemeMusic:
    """The music of one theme at a time, generated in the background: no picture waits for it.

    Without threads, a little of it is generated with each picture.
    """

    def __init__(self) -> None:
        # The chords that are asked for, those whose music was taken last, and the music made last.
        self._chosen: Chords = ()
        self._given: Chords = ()
        self._made: dict[Chords, Wave] = {}
        # The steps of making music, and whether they are under way.
        self._steps: Iterator[None] = iter(())
        self._working = False

    def choose(self, chords: Chords) -> None:
        """Select the music of these chords."""
        self._chosen = chords

    def take(self) -> Wave | None:
        """Return the selected music, once, when it is ready; the first call starts generating
        it.
        """
        if not self._chosen or self._chosen == self._given:
            return None
        made = self._made.get(self._chosen)
        if made is not None:
            self._given = self._chosen
        elif not self._working:
            self._working = True
            self._steps = self._making(self._chosen)
            if can_start_threads():
                threading.Thread(target=list, args=(self._steps,), daemon=True).start()
        elif not can_start_threads():
            next(self._steps, None)
        return made

    def _making(self, chords: Chords) -> Iterator[None]:
        made: list[Samples] = []
        for piece in pieces(chords):
            made.append(piece)
            yield
        self._made = {chords: Wave(leveled(made), PAD_RATE)}
        self._working = False
