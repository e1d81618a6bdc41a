"""Settings: what a player has chosen for all games: volumes, mute, keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ecs_softbody.play.saves import Saves

if TYPE_CHECKING:
    from ecs_softbody.play.game import Game


class Settings:
    """Puts what the player has chosen into a game, and keeps it when it changes.

    `Settings()` reads and writes nothing: a test has the settings that it makes. `of_the_player` opens the file.
    """

    def __init__(self) -> None:
        self.saves = Saves("settings")

    @classmethod
    def of_the_player(cls, game: Game, *, autopilot: bool = False) -> Settings:
        """Return the player's settings, and open what he has reached in a game; a scripted player reaches nothing."""
        settings = cls()
        settings.saves.open()
        if not autopilot:
            game.saves.open()
        return settings

    def apply(self, game: Game, *, keys: bool = True) -> None:
        """Give a game the player's volumes, and his keys unless a scripted player uses those of the game."""
        sounds = game.sounds
        sounds.muted = self.saves.get("muted", sounds.muted) is True
        sounds.volume = _share(self.saves.get("volume"), sounds.volume)
        sounds.music_volume = _share(self.saves.get("music volume"), sounds.music_volume)
        chosen = self.saves.get("keys")
        if keys and isinstance(chosen, Mapping):
            game.bindings.load(chosen.get(game.name))

    def keep(self, game: Game) -> None:
        """Keep the volumes and keys that a game has now."""
        sounds = game.sounds
        self.saves["muted"] = sounds.muted
        self.saves["volume"] = sounds.volume
        self.saves["music volume"] = sounds.music_volume
        keys = self.saves.get("keys")
        every: dict[str, Any] = dict(keys) if isinstance(keys, Mapping) else {}
        if game.bindings.saved() or game.name in every:
            every[game.name] = game.bindings.saved()
            self.saves["keys"] = every


def _share(value: Any, otherwise: float) -> float:
    """Return a number from 0 to 1, or another one where a file holds something else."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0.0 <= value <= 1.0
    return float(value) if good else otherwise
