"""Sounds: plays sounds and music, as `game.sounds`; silent without a sound device.

Sounds are arrays of samples (waves.py). Volume, pitch and place in the picture are worked into a
copy of them, which a Media (media.py) plays.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.errors import FieldError
from ecs_softbody.play.sound.loops import Loops
from ecs_softbody.play.sound.media import Media, Player, PygletMedia, end_player
from ecs_softbody.play.sound.recipes import LOOPS, MELODIES, RATE, SOUND_NAMES, VARIANTS, SoundName
from ecs_softbody.play.sound.theme_music import ThemeMusic
from ecs_softbody.play.sound.waves import Wave, limited, resampled, stereo, synthesised, wave_of
from ecs_softbody.validation import check_number, check_point, did_you_mean

MOST_AT_ONCE = 12
"""Number of sounds that play at once."""
VARIED = 0.08
"""Random relative variation in the pitch of built-in sounds."""
PAN = 0.8
"""Pan of a sound at the edge of the picture; 1 is one loudspeaker only."""
FADE = 0.5
"""Distance from the edge of the picture, in picture widths, at which a sound is half as loud."""


THEME_MUSIC = "theme music"


class Sounds:
    """Plays built-in sounds and a game's own; silent before `open`."""

    def __init__(self) -> None:
        self.muted = False
        self.hushed = False
        """Whether sounds are muted and not noted for now: the game plays itself behind the start
        screen.
        """
        self.volume = 1.0
        """Loudness of all sounds, 0 to 1: the player's choice."""
        self.played: list[str] = []
        """Names of the latest requested sounds, at most 32, even if inaudible."""
        self.music = ""
        """Name of the music that plays, "" for none."""
        self._music_volume = 0.6
        self._master = 1.0
        self._added: dict[str, Wave] = {}
        self._media: Media | None = None
        self._players: list[tuple[float, Player, float]] = []
        self._loops = Loops()
        self._theme_music = ThemeMusic()
        self._music_player: Player | None = None
        self._music_share = 1.0
        self._center = 0.0
        self._half_width = 8.0
        self._random = np.random.default_rng(5)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all sounds."""
        return (*SOUND_NAMES, *(name for name in self._added if name not in SOUND_NAMES))

    @property
    def music_volume(self) -> float:
        """Loudness of the music, 0 to 1: the player's choice."""
        return self._music_volume

    @music_volume.setter
    def music_volume(self, value: float) -> None:
        self._music_volume = check_number("Sounds", "music_volume", value, minimum=0.0)
        self._set_music_volume()

    @property
    def master(self) -> float:
        """Loudness of everything, 0 to 1: sounds and music are multiplied by it."""
        return self._master

    @master.setter
    def master(self, value: float) -> None:
        self._master = check_number("Sounds", "master", value, minimum=0.0)
        self._set_music_volume()

    @property
    def music_player(self) -> Player | None:
        """The player of the current music, None without one."""
        return self._music_player

    def open(self, media: Media | None = None) -> bool:
        """Enable sound from now on; False, and no error, if there is no way to play it.

        Args:
            media: makes players and sources; pyglet's by default.
        """
        try:
            self._media = media or PygletMedia()
        except Exception:
            return False
        if self.music:
            self.play_music(self.music, volume=self._music_share)
        return self._media is not None

    def add(self, name: str, source: ArrayLike | str | Path, *, rate: int = RATE) -> None:
        """Add a sound or a piece of music, or replace the one with that name.

        Args:
            name: to play it by.
            source: samples from -1 to 1, shape (count,) or (count, 2); or the path of a .wav, .ogg,
                .mp3 or .flac file.
            rate: samples per second of an array.

        Raises:
            ValueError: for samples of another shape, not finite or beyond -1 to 1, or a file of
                another kind.
            FileNotFoundError: when there is no such file.
            RuntimeError: when no installed decoder can read such a file.
        """
        if not isinstance(name, str) or not name:
            raise FieldError("Sounds.add", "name", name, "a text")
        self._added[name] = wave_of(name, source, rate)

    def play(
        self,
        name: str,
        *,
        volume: float = 1.0,
        pitch: float = 1.0,
        vary: float = 0.0,
        at: ArrayLike | None = None,
    ) -> None:
        """Play a sound.

        Args:
            name: one of `names`.
            volume: 0 to 1.
            pitch: 1 as made, 2 an octave up; 0.25 to 4.
            vary: maximum random change of pitch, relative: 0.1 keeps steps and coins from sounding
                all alike. Built-in sounds except melodies always vary by 0.08, and have three
                variants.
            at: place in the world [m]: pans the sound, and attenuates it outside the picture.

        Raises:
            ValueError: for an unknown name.
        """
        self._check(name)
        _check_numbers("play", volume=volume, pitch=pitch, vary=vary)
        place = None if at is None else check_point("play", "at", at)
        if self.hushed:
            return
        self.played = [*self.played[-31:], name]
        if self.muted or self._media is None:
            return
        own = name not in self._added and name not in MELODIES
        vary = max(vary, VARIED) if own else vary
        change = 1.0 + float(self._random.uniform(-vary, vary)) if vary else 1.0
        pan, near = (0.0, 1.0) if place is None else self._heard_from(float(place[0]))
        loud = (
            min(max(volume, 0.0), 1.0)
            * min(max(self.volume, 0.0), 1.0)
            * min(self.master, 1.0)
            * near
        )
        if loud < 0.01:
            return
        self._forget_ended()
        wave = self._wave(
            name, int(self._random.integers(VARIANTS)) if own and name not in LOOPS else 0
        )
        loud = limited(wave.samples, loud, sum(peak for _, _, peak in self._players))
        samples = stereo(resampled(wave.samples, min(max(pitch * change, 0.25), 4.0)), loud, pan)
        until = time.monotonic() + len(samples) / wave.rate
        peak = loud * float(np.abs(wave.samples).max())
        try:
            self._players.append((until, self._media.source(samples, wave.rate).play(), peak))
        except Exception:
            self._media = None

    def hum(self, name: str, *, volume: float = 1.0, pitch: float = 1.0) -> None:
        """Loop a sound for as long as this is called in every frame: a motor, wheels, wind, water.

        Args:
            name: "roll", "engine", "wind" or "water", or a sound that the game has added.
            volume: 0 to 1; it may change from call to call.
            pitch: 1 as made, 2 an octave up; 0.25 to 4.

        Raises:
            ValueError: for an unknown name.
        """
        self._check(name)
        _check_numbers("hum", volume=volume, pitch=pitch)
        if self.muted or self.hushed or self._media is None:
            return
        loud = min(max(volume, 0.0), 1.0) * min(max(self.volume, 0.0), 1.0) * min(self.master, 1.0)
        if not self._loops.ask(
            self._media, name, self._wave(name), loud, min(max(pitch, 0.25), 4.0)
        ):
            self._media = None

    def play_theme(self, chords: tuple[tuple[int, ...], ...]) -> None:
        """Play the quiet music of a theme, unless the game plays its own music; none without
        chords.

        Args:
            chords: keys of each chord, 69 is the a of 440 Hz and 12 are an octave; they take turns
                in a minute.
        """
        self._theme_music.choose(chords)

    def play_music(self, name: str, *, volume: float = 1.0) -> None:
        """Loop a sound as the music until `stop_music`, scaled by the player's music volume.

        Raises:
            ValueError: for an unknown name.
        """
        self._check(name)
        self.stop_music()
        self.music = name
        self._music_share = min(max(volume, 0.0), 1.0)
        if self._media is None:
            return
        try:
            player = self._media.Player()
            wave = self._wave(name)
            player.queue(self._media.source(stereo(wave.samples, 1.0, 0.0), wave.rate))
            player.loop = True
            self._music_player = player
            self._set_music_volume()
            player.play()
        except Exception:
            self._media = self._music_player = None

    def stop_music(self) -> None:
        """Stop the music."""
        self.music = ""
        if self._music_player is not None:
            end_player(self._music_player)
            self._music_player = None

    def listen(self, center: float, width: float) -> None:
        """Place the listener in the middle of the picture, given its centre [m] and width [m]; a
        session does this.
        """
        self._center = center
        self._half_width = max(0.5 * width, 1e-6)
        self._loops.go_on()
        if (
            self._media is not None
            and self.music in ("", THEME_MUSIC)
            and (made := self._theme_music.take()) is not None
        ):
            self._added[THEME_MUSIC] = made
            self.play_music(THEME_MUSIC)

    def toggle_mute(self) -> None:
        """Toggle the sound."""
        self.muted = not self.muted
        self._set_music_volume()
        if self.muted:
            for _, player, _ in self._players:
                end_player(player)
            self._players.clear()
            self._loops.end()

    def close(self) -> None:
        """Stop all sounds."""
        self.stop_music()
        for _, player, _ in self._players:
            end_player(player)
        self._players.clear()
        self._loops.end()
        self._media = None

    def _check(self, name: str) -> None:
        if name not in self.names:
            hint = did_you_mean(name, self.names)
            raise FieldError("Sounds", "name", name, ", ".join(self.names), hint=hint)

    def _wave(self, name: str, variant: int = 0) -> Wave:
        """Return a sound of the game, or a built-in one."""
        return (
            self._added[name]
            if name in self._added
            else synthesised(cast(SoundName, name), variant)
        )

    def _heard_from(self, x: float) -> tuple[float, float]:
        """Return the pan, -1 to 1, and the volume of a sound at a horizontal position."""
        share = (x - self._center) / self._half_width
        outside = max(abs(share) - 1.0, 0.0) / 2.0
        return PAN * min(max(share, -1.0), 1.0), 1.0 / (1.0 + (outside / FADE) ** 2)

    def _forget_ended(self) -> None:
        """Release the players that have ended, and the oldest one if there are too many."""
        now = time.monotonic()
        keep = [entry for entry in self._players if entry[0] + 0.1 > now]
        keep = keep[max(0, len(keep) + 1 - MOST_AT_ONCE) :]
        for entry in self._players:
            if entry not in keep:
                end_player(entry[1])
        self._players = keep

    def _set_music_volume(self) -> None:
        if self._music_player is not None:
            loud = self._music_share * min(self._music_volume, 1.0) * min(self._master, 1.0)
            self._music_player.volume = 0.0 if self.muted else loud


def _check_numbers(asked: str, **numbers: float) -> None:
    """Raise ValueError for invalid numbers even without a sound device: tests find the error, not
    players.
    """
    for name, value in numbers.items():
        check_number(asked, name, value)
