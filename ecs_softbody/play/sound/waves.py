"""Waves: built-in sounds, and a game's own sounds from arrays or files."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import math
import subprocess
import wave
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.errors import FieldError
from ecs_softbody.indices import arange
from ecs_softbody.play.sound.media import decode
from ecs_softbody.play.sound.recipes import RATE, SoundName, make

FILES = (".wav", ".ogg", ".mp3", ".flac")
"""Endings of the files that a sound may be read from."""
MARKS = {b"OggS": "ogg", b"fLaC": "flac", b"ID3": "mp3", b"\xff": "mp3", b"\0": "mp3"}
"""Magic bytes of sound files and their formats, regardless of file names."""
LONGEST = 1200.0  # s
RATES = (1000, 200_000)
"""Allowed sample rates [1/s]."""
KNEE, TOP, LEAST_ROOM = 1.0, 1.3, 0.1
"""Sum of peaks at which sounds start to be reduced, its limit, and the minimum share of each
sound.
"""
LONGEST_DECODING = 60.0
"""Timeout [s] of ffmpeg for a file; the longest sound takes a few seconds."""
DECODED_RATE = 44100
"""Sample rate of sounds decoded by ffmpeg [1/s]."""
Samples = NDArray[np.float32]
"""From -1 to 1, shape (count,) or (count, 2) for left and right."""


class Wave(NamedTuple):
    """A sound that can be played."""

    samples: Samples
    rate: int
    """Samples per second."""


def wave_of(name: str, source: ArrayLike | str | Path, rate: int = RATE) -> Wave:
    """Return a wave made of an array, or read from a file.

    Args:
        name: the sound's name, for errors.
        source: samples from -1 to 1, shape (count,) or (count, 2); or the path of a .wav, .ogg,
            .mp3 or .flac file.
        rate: samples per second of an array.

    Raises:
        ValueError: for samples of another shape, that are not finite or go beyond -1 to 1, or a
            file of another kind.
        FileNotFoundError: when there is no such file.
        RuntimeError: when no installed decoder can read such a file.
    """
    if isinstance(source, str | Path):
        samples, rate = _read(Path(source))
    else:
        samples = _checked(name, source, rate)
    if len(samples) / rate > LONGEST:
        length = f"{len(samples) / rate:.0f} s"
        raise FieldError(f"sound {name!r}", "", source, f"at most {LONGEST:.0f} s", in_words=length)
    return Wave(np.asarray(samples, np.float32), rate)


def _checked(name: str, source: ArrayLike, rate: int) -> NDArray[Any]:
    """Return a game's samples, or raise ValueError."""
    samples = np.asarray(source)
    if samples.dtype == np.int16:
        samples = samples / 32768.0
    if samples.dtype.kind not in "fiu" or not (
        samples.ndim == 1 or (samples.ndim == 2 and samples.shape[1] == 2)
    ):
        raise FieldError(
            f"sound {name!r}",
            "",
            samples,
            "numbers from -1 to 1, shape (count,) or (count, 2)",
            in_words=f"an array of shape {samples.shape} and type {samples.dtype}",
        )
    if not len(samples) or not np.isfinite(samples).all() or np.abs(samples).max() > 1.0:
        allowed = "at least one sample, all of them finite and from -1 to 1"
        raise FieldError(f"sound {name!r}", "", samples, allowed)
    if not isinstance(rate, int) or not RATES[0] <= rate <= RATES[1]:
        allowed = f"{RATES[0]} to {RATES[1]} samples per second"
        raise FieldError(f"sound {name!r}", "", rate, allowed, in_words=f"rate {rate!r}")
    return samples


def resampled(samples: Samples, speed: float) -> Samples:
    """Return a wave played `speed` times as fast, at a pitch higher by the same factor."""
    if speed == 1.0:
        return samples
    count = max(round(len(samples) / speed), 1)
    places = np.minimum(arange(count) * speed, len(samples) - 1)
    before = places.astype(np.int64)
    after = np.minimum(before + 1, len(samples) - 1)
    share = (places - before).astype(np.float32).reshape(-1, *(1,) * (samples.ndim - 1))
    return np.asarray(samples[before] * (1.0 - share) + samples[after] * share, np.float32)


def stereo(samples: Samples, volume: float, pan: float) -> NDArray[np.int16]:
    """Return the samples for the two loudspeakers, shape (count, 2): `pan` -1 is left only, 0 both,
    1 right only.
    """
    gains = 32000.0 * volume * np.array((min(1.0, 1.0 - pan), min(1.0, 1.0 + pan)), np.float32)
    return np.asarray(samples.reshape(len(samples), -1) * gains, np.int16)


def limited(samples: Samples, loudness: float, others: float) -> float:
    """Return the permitted loudness of a sound, so that the sum of all sounds stays within full
    scale: a soft knee.

    Args:
        samples: the sound to play.
        loudness: its volume, 0 to 1.
        others: sum of the peaks of the sounds already playing.
    """
    peak = loudness * float(np.abs(samples).max(initial=0.0))
    if peak + others <= KNEE or peak <= 0.0:
        return loudness
    return loudness * max((_soft(peak + others) - _soft(others)) / peak, LEAST_ROOM)


def _soft(total: float) -> float:
    """Return a sum of peaks limited by a soft knee."""
    over = (total - KNEE) / (TOP - KNEE)
    return total if over <= 0.0 else KNEE + (TOP - KNEE) * math.tanh(over)


def _read(path: Path) -> tuple[NDArray[Any], int]:
    """Return the samples of a file and its rate."""
    if path.suffix.lower() not in FILES:
        allowed = f"a name that ends in {', '.join(FILES)}"
        raise FieldError("", "", path, allowed, in_words=f"sound file {path.name!r}")
    if not path.is_file():
        raise FileNotFoundError(f"there is no sound file {str(path)!r}")
    if path.suffix.lower() == ".wav":
        return _read_wav(path)
    kind = _kind_of(path)
    decoded = _read_with_pyglet(path) or _read_with_ffmpeg(path, kind)
    if decoded is None:
        raise RuntimeError(
            f"nothing here can read {path.name!r}: install what does with pip install "
            "'ecs-softbody[video]', "
            "or save it as a .wav file"
        )
    return decoded


def _kind_of(path: Path) -> str:
    """Return a file's format by its first bytes: decoders would also read playlists given as
    sounds, and the files they list.
    """
    with path.open("rb") as file:
        begin = file.read(4)
    for mark, kind in MARKS.items():
        if begin.startswith(mark):
            return kind
    raise ValueError(
        f"sound file {path.name!r} is none of {', '.join(FILES)}, whatever its name says"
    )


def _read_wav(path: Path) -> tuple[NDArray[Any], int]:
    try:
        with wave.open(str(path), "rb") as file:
            channels, width, rate, count = file.getparams()[:4]
            # Streamed files give no valid length.
            count = min(count, path.stat().st_size // max(channels * width, 1))
            _check_length(path, count, rate)
            data = file.readframes(count)
    except (wave.Error, EOFError, RuntimeError) as error:
        # A RuntimeError means that a chunk exceeds the file.
        said = str(error) or "it ends too early"
        raise ValueError(
            f"sound file {path.name!r} cannot be read: {said}; expected PCM: whole numbers of "
            "8 to 32 bits"
        ) from error
    return _samples(path, data, channels, width), rate


def _check_length(path: Path, count: int, rate: int) -> None:
    """Raise ValueError for an impossible sample rate or length, before the samples are read."""
    if not RATES[0] <= rate <= RATES[1]:
        raise ValueError(
            f"sound file {path.name!r} has a rate of {rate} samples per second; expected "
            f"{RATES[0]} to {RATES[1]}"
        )
    if count / rate > LONGEST:
        raise ValueError(
            f"sound file {path.name!r}: {count / rate:.0f} s is too long; expected at most "
            f"{LONGEST:.0f} s"
        )


def _samples(path: Path, data: bytes, channels: int, width: int) -> NDArray[Any]:
    """Return samples from -1 to 1, decoded from integers of 1 to 4 bytes; one column for each of
    two channels.
    """
    if not 1 <= width <= 4:
        raise ValueError(f"sound file {path.name!r} has samples of {width} bytes; expected 1 to 4")
    if width == 1:
        samples = np.frombuffer(data, np.uint8).astype(np.float32) / 128.0 - 1.0
    elif width == 3:
        raw = np.frombuffer(data[: len(data) // 3 * 3], np.uint8).reshape(-1, 3).astype(np.int32)
        samples = ((raw[:, 0] << 8) | (raw[:, 1] << 16) | (raw[:, 2] << 24)).astype(np.float32)
        samples /= 2.0**31
    else:
        kind = {2: "<i2", 4: "<i4"}[width]
        whole = np.frombuffer(data[: len(data) // width * width], kind)
        samples = whole.astype(np.float32)
        samples /= float(2 ** (8 * width - 1))
    if channels not in (1, 2) or len(samples) < channels:
        raise ValueError(
            f"sound file {path.name!r} has {channels} channels and {len(samples)} samples; "
            "expected 1 or 2"
        )
    return samples if channels == 1 else samples[: len(samples) // 2 * 2].reshape(-1, 2)


def _read_with_pyglet(path: Path) -> tuple[NDArray[Any], int] | None:
    """Return the samples of a file decoded by pyglet, None if it has no decoder for it on this
    machine.
    """
    try:
        data, channels, width, rate = decode(path, LONGEST)
        return _samples(path, data, channels, width), rate
    except Exception:
        return None


def _read_with_ffmpeg(path: Path, kind: str) -> tuple[NDArray[Any], int] | None:
    """Return the samples of a file decoded by the ffmpeg of the extra `video`, None if it is
    missing.
    """
    if importlib.util.find_spec("imageio_ffmpeg") is None:
        return None
    command = [importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe(), "-v", "error"]
    command += ["-protocol_whitelist", "file", "-f", kind, "-i", f"file:{path}"]
    command += ["-f", "s16le", "-ac", "2", "-ar", str(DECODED_RATE), "-t", str(LONGEST + 1.0), "-"]
    try:
        run = subprocess.run(command, capture_output=True, check=False, timeout=LONGEST_DECODING)
    except subprocess.TimeoutExpired:
        raise ValueError(f"sound file {path.name!r} cannot be read: it takes too long") from None
    if run.returncode != 0 or not run.stdout:
        raise ValueError(
            f"sound file {path.name!r} cannot be read: it is broken, or holds no sound"
        )
    return _samples(path, run.stdout, 2, 2), DECODED_RATE


@functools.cache
def synthesised(name: SoundName, variant: int = 0) -> Wave:
    """Return a variant of a built-in sound, cached and read-only."""
    made = make(name, variant).astype(np.float32)
    made.flags.writeable = False
    return Wave(made, RATE)
