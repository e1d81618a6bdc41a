"""Loops: sounds that play for as long as they are requested in every frame."""

from __future__ import annotations

from ecs_softbody.play.sound.media import Media, Player, end_player
from ecs_softbody.play.sound.waves import Wave, stereo

SILENT = 0.01
"""Minimum volume to start a loop."""
PATIENCE, SHARE = 3, 0.25
"""Frames without a request before a loop fades, and its fraction of the way to its volume per
frame.
"""


class Loops:
    """A player for each looping sound."""

    def __init__(self) -> None:
        self._players: dict[str, Player] = {}
        self._volumes: dict[str, float] = {}
        self._waited: dict[str, int] = {}

    def ask(self, media: Media, name: str, wave: Wave, volume: float, pitch: float) -> bool:
        """Request a sound for this frame; False if the device is gone."""
        try:
            player = self._players.get(name)
            if player is None:
                if volume < SILENT:
                    return True
                player = self._players[name] = media.Player()
                player.queue(media.source(stereo(wave.samples, 1.0, 0.0), wave.rate))
                player.loop = True
                player.volume = 0.0
                self._volumes[name] = 0.0
                player.play()
            self._volumes[name] += SHARE * (volume - self._volumes[name])
            player.volume = self._volumes[name]
            player.pitch = pitch
        except Exception:
            return False
        self._waited[name] = 0
        return True

    def go_on(self) -> None:
        """Advance by one frame: sounds no longer asked for fade out and end."""
        for name in list(self._players):
            self._waited[name] += 1
            if self._waited[name] > PATIENCE:
                self._volumes[name] *= 1.0 - SHARE
                self._players[name].volume = self._volumes[name]
                if self._volumes[name] < SILENT:
                    end_player(self._players.pop(name))

    def end(self) -> None:
        """Stop all loops at once."""
        for player in self._players.values():
            end_player(player)
        self._players.clear()
