"""Sounds: waves of one's own, files, sides and pitch;
asked for where nothing can be heard as well.
"""

from __future__ import annotations

import importlib.util
import subprocess
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecs_softbody.play import Sounds
from ecs_softbody.play.sound.recipes import SOUND_NAMES
from ecs_softbody.play.sound.sounds import MOST_AT_ONCE
from ecs_softbody.play.sound.waves import RATE, resampled, stereo, synthesised, wave_of


class FakePlayer:
    """A player that says what it was told."""

    def __init__(self) -> None:
        self.volume = self.pitch = 1.0
        self.loop = self.playing = self.deleted = False
        self.sources: list[Any] = []

    def queue(self, source: Any) -> None:
        self.sources.append(source)

    def play(self) -> None:
        self.playing = True

    def pause(self) -> None:
        self.playing = False

    def delete(self) -> None:
        self.deleted = True


class FakeMedia:
    """Media without a device, that keep what they would play."""

    Player = FakePlayer

    def __init__(self) -> None:
        self.heard: list[np.ndarray] = []
        self.players: list[FakePlayer] = []

    def source(self, samples: np.ndarray, rate: int) -> FakeSource:
        assert rate == RATE
        return FakeSource(self, samples)


class FakeSource:
    """Samples that can be played."""

    def __init__(self, media: FakeMedia, samples: np.ndarray) -> None:
        self.media = media
        self.samples = samples

    def play(self) -> FakePlayer:
        self.media.heard.append(self.samples)
        self.media.players.append(FakePlayer())
        return self.media.players[-1]


@pytest.fixture
def heard() -> tuple[Sounds, FakeMedia]:
    """Sounds that write into a fake device what they would play."""
    media = FakeMedia()
    sounds = Sounds()
    assert sounds.open(media)
    return sounds, media


def tone(seconds: float = 0.2, pitch: float = 440.0, rate: int = RATE) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * pitch * np.arange(int(seconds * rate)) / rate)


def pitch_of(samples: np.ndarray, rate: int = RATE) -> float:
    spectrum = np.abs(np.fft.rfft(samples, 1 << 16))
    return float(spectrum.argmax() * rate / (1 << 16))


def write_wav(path: Path, samples: np.ndarray, rate: int, width: int) -> Path:
    columns = samples.reshape(len(samples), -1)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(columns.shape[1])
        file.setsampwidth(width)
        file.setframerate(rate)
        if width == 1:
            data = np.round(columns * 127 + 128).astype(np.uint8).tobytes()
        else:
            whole = np.round(columns * (2 ** (8 * width - 1) - 1)).astype("<i4")
            data = whole.view(np.uint8).reshape(-1, 4)[:, :width].tobytes()
        file.writeframes(data)
    return path


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("rate", [8000, 22050, 44100, 48000])
@pytest.mark.parametrize("channels", [1, 2])
def test_a_wav_file_of_any_kind_keeps_its_pitch_length_and_loudness(
    tmp_path: Path, width: int, rate: int, channels: int
) -> None:
    samples = tone(0.5, 500.0, rate)
    path = write_wav(
        tmp_path / "x.wav",
        samples if channels == 1 else np.column_stack((samples, -samples)),
        rate,
        width,
    )
    read, found_rate = wave_of("x", path)
    assert found_rate == rate
    assert read.ndim == channels
    left = read if channels == 1 else read[:, 0]
    assert len(left) == pytest.approx(0.5 * rate, abs=2)
    assert pitch_of(left, rate) == pytest.approx(500.0, abs=1.0)
    assert np.abs(left).max() == pytest.approx(0.5, abs=0.02)
    if channels == 2:
        np.testing.assert_allclose(read[:, 1], -left, atol=0.02)


@pytest.mark.skipif(
    importlib.util.find_spec("imageio_ffmpeg") is None,
    reason="makes the .ogg file with the extra video",
)
@pytest.mark.parametrize("ending", [".ogg", ".flac", ".mp3"])
def test_a_packed_file_is_read(tmp_path: Path, ending: str) -> None:
    import imageio_ffmpeg

    plain = write_wav(tmp_path / "x.wav", tone(0.5, 500.0, 44100), 44100, 2)
    packed = tmp_path / f"x{ending}"
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", str(plain), str(packed)]
    subprocess.run(command, check=True)
    read, rate = wave_of("x", packed)
    left = read if read.ndim == 1 else read[:, 0]
    assert len(left) == pytest.approx(0.5 * rate, abs=0.1 * rate)
    assert pitch_of(left, rate) == pytest.approx(500.0, abs=5.0)


@pytest.mark.parametrize("ending", [".ogg", ".flac", ".mp3"])
def test_a_list_of_other_files_is_no_sound(tmp_path: Path, ending: str) -> None:
    """ffmpeg takes such a text for a sound, whatever its name, and reads the files in it."""
    write_wav(tmp_path / "secret.wav", tone(0.1, 500.0, 44100), 44100, 2)
    (tmp_path / f"x{ending}").write_text("ffconcat version 1.0\nfile secret.wav\n")
    with pytest.raises(ValueError, match=rf"sound file 'x\{ending}' is none of"):
        wave_of("x", tmp_path / f"x{ending}")


@pytest.mark.skipif(
    importlib.util.find_spec("imageio_ffmpeg") is None, reason="reads with the extra video"
)
@pytest.mark.slow
def test_a_broken_packed_file_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.ogg").write_bytes(b"OggS" + bytes(100))
    with pytest.raises(
        ValueError, match=r"^sound file 'x\.ogg' cannot be read: it is broken, or holds no sound$"
    ):
        wave_of("x", tmp_path / "x.ogg")


@pytest.mark.slow
def test_a_packed_file_that_nothing_reads_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.ogg").write_bytes(b"OggS but not really")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RuntimeError, match=r"pip install 'ecs-softbody\[video\]'"):
        wave_of("x", tmp_path / "x.ogg")


@pytest.mark.parametrize("text", [b"", b"RIFF", b"RIFF0000WAVEfmt ", b"no sound at all"])
def test_a_broken_wav_file_is_told(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "x.wav").write_bytes(text)
    with pytest.raises(ValueError, match=r"sound file 'x\.wav'"):
        wave_of("x", tmp_path / "x.wav")


@pytest.mark.parametrize(
    ("source", "error", "said"),
    [
        ("gone.wav", FileNotFoundError, r"no sound file 'gone\.wav'"),
        ("song.xm", ValueError, "ends in .wav, .ogg"),
        (np.zeros((5, 3)), ValueError, r"shape \(5, 3\)"),
        (np.zeros(0), ValueError, "at least one sample"),
        (np.array([0.0, np.nan]), ValueError, "finite"),
        (np.array([0.0, 2.0]), ValueError, "from -1 to 1"),
        (np.array(["a"]), ValueError, "type <U1"),
    ],
)
def test_a_sound_that_cannot_be_is_refused(source: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        Sounds().add("x", source)


@pytest.mark.parametrize(
    "wrong", [{"volume": "x"}, {"pitch": float("nan")}, {"vary": None}, {"at": 5}]
)
def test_a_number_that_is_none_is_told_where_nothing_can_be_heard(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=rf"^play\.{name}: .* is not allowed"):
        Sounds().play("hop", **wrong)


def test_a_sound_of_ones_own_is_played_by_name(heard: tuple[Sounds, FakeMedia]) -> None:
    sounds, media = heard
    sounds.add("beep", tone())
    sounds.add("whole numbers", (tone() * 32767).astype(np.int16))
    sounds.play("beep")
    sounds.play("whole numbers")
    assert sounds.played == ["beep", "whole numbers"]
    np.testing.assert_allclose(media.heard[0], media.heard[1], atol=3)
    assert media.heard[0][:, 0].max() == pytest.approx(0.5 * 32000, rel=0.02)
    with pytest.raises(
        ValueError,
        match=r"Sounds.name: 'bepe' is not allowed \(did you mean beep\?\); expected squish.*beep",
    ):
        sounds.play("bepe")


@pytest.mark.parametrize("pitch", [0.25, 0.5, 1.0, 1.3, 2.0, 4.0])
def test_pitch_is_what_was_asked_for(heard: tuple[Sounds, FakeMedia], pitch: float) -> None:
    sounds, media = heard
    sounds.add("a", tone(0.5))
    sounds.play("a", pitch=pitch)
    assert pitch_of(media.heard[0][:, 0].astype(float)) == pytest.approx(440.0 * pitch, rel=0.01)
    assert len(media.heard[0]) == pytest.approx(0.5 * RATE / pitch, abs=2)


def test_pitch_varies_within_what_was_asked_for(heard: tuple[Sounds, FakeMedia]) -> None:
    sounds, media = heard
    sounds.add("a", tone(0.1))
    for _ in range(40):
        sounds.play("a", vary=0.1)
    lengths = np.array([len(samples) for samples in media.heard]) / (0.1 * RATE)
    assert lengths.min() > 1 / 1.11
    assert lengths.max() < 1 / 0.89
    assert len(set(lengths)) > 20


@pytest.mark.parametrize("pan", [-1.0, -0.5, 0.0, 0.5, 1.0])
def test_pan_leaves_the_near_side_as_it_is(pan: float) -> None:
    left, right = (
        np.abs(stereo(np.full(10, 0.5, np.float32), 1.0, pan).astype(float)).max(axis=0) / 16000.0
    )
    assert left == pytest.approx(min(1.0, 1.0 - pan), abs=1e-3)
    assert right == pytest.approx(min(1.0, 1.0 + pan), abs=1e-3)


@pytest.mark.parametrize("x", [-30.0, -8.0, -4.0, 0.0, 4.0, 8.0, 30.0])
def test_a_sound_comes_from_its_place(heard: tuple[Sounds, FakeMedia], x: float) -> None:
    sounds, media = heard
    sounds.add("a", np.full(100, 0.5))
    sounds.listen(10.0, 16.0)
    sounds.play("a", at=(10.0 + x, 3.0))
    left, right = media.heard[0].astype(float).max(axis=0)
    assert np.sign(right - left) == np.sign(x)
    near = max(left, right) / 16000.0
    assert near == pytest.approx(1.0, abs=0.01) if abs(x) <= 8.0 else near < 0.3


def test_volumes_multiply_and_silence_is_not_played(heard: tuple[Sounds, FakeMedia]) -> None:
    sounds, media = heard
    sounds.add("a", np.full(100, 1.0))
    sounds.volume = 0.5
    sounds.play("a", volume=0.5)
    assert media.heard[0].max() == pytest.approx(8000, abs=2)
    sounds.volume = 0.0
    sounds.play("a")
    sounds.volume = 1.0
    sounds.toggle_mute()
    sounds.play("a")
    assert len(media.heard) == 1
    assert len(sounds.played) == 3


def test_no_more_than_some_sound_at_once_and_none_is_left_behind(
    heard: tuple[Sounds, FakeMedia],
) -> None:
    sounds, media = heard
    for _ in range(100):
        sounds.play("pop")
    assert sum(not player.deleted for player in media.players) == MOST_AT_ONCE
    assert not media.players[-1].deleted, "the latest one is heard"
    sounds.close()
    assert all(player.deleted for player in media.players)


def test_music_goes_round_and_follows_the_players_volume(heard: tuple[Sounds, FakeMedia]) -> None:
    sounds, _ = heard
    sounds.add("song", tone(2.0))
    sounds.play_music("song", volume=0.5)
    player = sounds.music_player
    assert sounds.music == "song"
    assert (player.loop, player.playing, player.volume) == (True, True, pytest.approx(0.5 * 0.6))
    sounds.music_volume = 1.0
    assert player.volume == pytest.approx(0.5)
    sounds.toggle_mute()
    assert player.volume == 0.0
    sounds.toggle_mute()
    assert player.volume == pytest.approx(0.5)
    sounds.play_music("win")
    assert player.deleted
    sounds.stop_music()
    assert (sounds.music, sounds.music_player) == ("", None)


def test_music_asked_for_before_there_is_a_device_begins_with_it() -> None:
    sounds = Sounds()
    sounds.play_music("win", volume=0.3)
    assert sounds.music == "win"
    sounds.open(FakeMedia())
    assert sounds.music_player.playing
    assert sounds.music_player.volume == pytest.approx(0.18)


@pytest.mark.parametrize("name", SOUND_NAMES)
def test_played_faster_a_sound_is_shorter(name: str) -> None:
    samples = synthesised(name).samples  # type: ignore[arg-type]
    assert len(resampled(samples, 2.0)) == pytest.approx(len(samples) / 2, abs=1)
    assert np.abs(resampled(samples, 0.7)).max() <= np.abs(samples).max() + 1e-6
