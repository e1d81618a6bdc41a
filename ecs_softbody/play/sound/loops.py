"""Loops: sounds that go round for as long as they are asked for in every frame."""

from __future__ import annotations

from ecs_softbody.play.sound.media import Media, Player, end_player
from ecs_softbody.play.sound.waves import Wave, stereo

SILENT = 0.01
"""Quieter loops are not begun."""
PATIENCE, SHARE = 3, 0.25
"""Frames without a call after which one fades, and the share of the way to its volume that it goes
in a frame.
"""


class Loops:
    """A player for each sound that goes round."""

    def __init__(self) -> None:
        self._players: dict[str, Player] = {}
        self._volumes: dict[str, float] = {}
        self._waited: dict[str, int] = {}

    def ask(self, media: Media, name: str, wave: Wave, volume: float, pitch: float) -> bool:
        """Let a sound be heard in this frame; False where the device is gone."""
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
        """Be silent at once."""
        for player in self._players.values():
            end_player(player)
        self._players.clear()
