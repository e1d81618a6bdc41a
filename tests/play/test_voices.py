"""What sounds are made of: a band that small loudspeakers give back, variants, loops, quiet music,
a soft limit.
"""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any

import numpy as np
import pytest

from ecs_softbody.play import Controls, Session, Sounds
from ecs_softbody.play.sound.loops import PATIENCE
from ecs_softbody.play.sound.recipes import (
    LOOPS,
    MELODIES,
    RATE,
    SOUND_NAMES,
    VARIANTS,
    SoundName,
    make,
)
from ecs_softbody.play.sound.theme_music import PAD_RATE, PAD_TIME, pad
from ecs_softbody.play.sound.waves import limited
from ecs_softbody.rendering import themes
from ecs_softbody_games.jelly_car.game import JellyCar

MIDDLE = 700.0
"""Small loudspeakers give back little below this [Hz]."""


class FakePlayer:
    """A player that keeps what it was told."""

    made: list[FakePlayer] = []  # noqa: RUF012

    def __init__(self) -> None:
        self.volume = self.pitch = 1.0
        self.loop = self.playing = self.deleted = False
        FakePlayer.made.append(self)

    def queue(self, source: Any) -> None:
        self.source = source

    def play(self) -> None:
        self.playing = True

    def pause(self) -> None:
        self.playing = False

    def delete(self) -> None:
        self.deleted = True


class FakeMedia:
    """Media without a device; sources are arrays."""

    Player = FakePlayer

    def source(self, samples: np.ndarray, rate: int) -> FakeSource:
        return FakeSource(samples)


@pytest.fixture
def players(monkeypatch: pytest.MonkeyPatch) -> list[FakePlayer]:
    """The players that are made from now on."""
    monkeypatch.setattr(FakePlayer, "made", [])
    return FakePlayer.made


class FakeSource:
    """Samples that can be played."""

    def __init__(self, samples: np.ndarray) -> None:
        self.samples = samples

    def play(self) -> FakePlayer:
        player = FakePlayer()
        player.queue(self)
        return player


@pytest.mark.parametrize("name", SOUND_NAMES)
@pytest.mark.parametrize("variant", range(VARIANTS))
def test_a_tenth_of_every_sound_is_heard_on_small_loudspeakers(
    name: SoundName, variant: int
) -> None:
    samples = make(name, variant)
    energy = np.abs(np.fft.rfft(samples)) ** 2
    pitch = np.fft.rfftfreq(len(samples), 1.0 / RATE)
    assert energy[pitch > MIDDLE].sum() > 0.1 * energy.sum()
    assert 0.05 < np.abs(samples).max() <= 1.0
    assert abs(samples.mean()) < 0.02
    np.testing.assert_array_equal(samples, make(name, variant))


@pytest.mark.parametrize("name", [name for name in SOUND_NAMES if name not in MELODIES])
def test_variants_differ(name: SoundName) -> None:
    first, *others = (make(name, variant) for variant in range(VARIANTS))
    for other in others:
        assert np.abs(first - other[: len(first)]).max() > 0.02


@pytest.mark.parametrize("name", LOOPS)
def test_loops_go_round_without_a_click(name: SoundName) -> None:
    samples = make(name, 0)
    steps = np.abs(np.diff(samples))
    assert abs(samples[0] - samples[-1]) <= steps.max()


@pytest.mark.parametrize("name", ["bounce", "squish", "pop"])
def test_no_two_sounds_in_a_row_are_alike(players: list[FakePlayer], name: str) -> None:
    sounds = Sounds()
    sounds.open(FakeMedia())
    for _ in range(6):
        sounds.play(name)
    lengths = {len(player.source.samples) for player in players}
    assert len(lengths) >= 4
    assert max(lengths) < 1.2 * min(lengths)


@pytest.mark.parametrize("count", [1, 4, 12, 40])
def test_sounds_make_room_for_each_other(count: int) -> None:
    samples = np.full(100, 0.8, np.float32)
    peaks = []
    for _ in range(count):
        peaks.append(0.8 * limited(samples, 1.0, sum(peaks)))
    assert sum(peaks[:4]) < 1.5
    assert all(earlier >= later - 1e-9 for earlier, later in itertools.pairwise(peaks))
    assert min(peaks) > 0.0
    assert limited(samples, 0.5, 0.0) == 0.5


def test_a_loop_is_heard_for_as_long_as_it_is_asked_for(players: list[FakePlayer]) -> None:
    sounds = Sounds()
    volumes = []
    sounds.open(FakeMedia())
    for frame in range(80):
        if frame < 40:
            sounds.hum("engine", volume=0.5, pitch=1.0 + 0.01 * frame)
        sounds.listen(0.0, 16.0)
        volumes.append(players[0].volume)
    assert len(players) == 1
    assert volumes[0] < volumes[10] < volumes[39] == pytest.approx(0.5, abs=0.01)
    assert players[0].pitch == pytest.approx(1.39)
    assert volumes[40 + PATIENCE] > volumes[45 + PATIENCE] > volumes[-1]
    assert players[0].deleted


@pytest.mark.parametrize("state", ["muted", "hushed", "closed"])
def test_nothing_goes_round_where_nothing_is_heard(players: list[FakePlayer], state: str) -> None:
    sounds = Sounds()
    if state != "closed":
        sounds.open(FakeMedia())
        setattr(sounds, state, True)
    for name in LOOPS:
        sounds.hum(name)
    assert not players
    with pytest.raises(ValueError, match="'hiss' is not allowed; expected squish, hop"):
        sounds.hum("hiss")


@pytest.mark.brief(3)
@pytest.mark.parametrize("theme", [themes.DUSK, themes.SPACE, themes.PAPER])
def test_the_music_of_a_theme_is_quiet_and_goes_round(theme: themes.Theme) -> None:
    samples = pad(theme.chords)
    assert len(samples) == int(PAD_TIME * PAD_RATE)
    level = 20.0 * np.log10(np.sqrt(np.mean(samples.astype(np.float64) ** 2)))
    assert level == pytest.approx(-24.0, abs=0.5)
    assert np.abs(samples).max() < 1.0
    assert abs(samples[0] - samples[-1]) <= 1.01 * np.abs(np.diff(samples)).max()


@pytest.mark.slow
def test_the_music_of_a_theme_is_made_beside_the_game_and_once(players: list[FakePlayer]) -> None:
    sounds = Sounds()
    sounds.listen(0.0, 16.0)
    sounds.play_theme(((57, 60, 64), (53, 57, 60)))
    sounds.listen(0.0, 16.0)
    assert threading.active_count() < 10
    assert not players  # nothing is made where nothing is heard
    sounds.open(FakeMedia())
    for _ in range(600):
        sounds.listen(0.0, 16.0)
        if players:
            break
        time.sleep(0.05)
    for _ in range(5):
        sounds.listen(0.0, 16.0)
    assert len(players) == 1
    assert players[0].loop
    sounds.add("march", 0.1 * np.sin(np.arange(2000)))
    sounds.play_music("march")
    sounds.play_theme(((40, 47),))
    sounds.listen(0.0, 16.0)
    assert sounds.music == "march"


@pytest.mark.slow
def test_the_car_has_a_motor_that_is_heard(players: list[FakePlayer]) -> None:
    session = Session(JellyCar)
    session.game.sounds.open(FakeMedia())
    session.frame(Controls(pressed={"space"}))
    for _ in range(60):
        session.frame(Controls(held={"right"}))
    motor = [
        player for player in players if player.loop and player.pitch > 0.8 and player.volume > 0.1
    ]
    session.close()
    assert motor
    assert all(player.deleted for player in players if player.loop)
