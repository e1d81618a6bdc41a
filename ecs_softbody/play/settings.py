"""Settings: what a player has chosen for all games: volumes, motion, texts, colours, language, keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ecs_softbody.play.saves import Saves
from ecs_softbody.rendering.screen.vision import KINDS, Colours
from ecs_softbody.rendering.texts.table import TABLE

if TYPE_CHECKING:
    from ecs_softbody.play.game import Game
    from ecs_softbody.rendering.picture import Picture

TEXT_SIZES = (1.0, 1.25, 1.5, 2.0)
SWITCHES = ("shake", "flashes")
USUAL: dict[str, Any] = {
    "master": 1.0, "shake": True, "flashes": True, "text size": 1.0, "colours": "usual", "language": "",
}  # fmt: skip
"""What is so until the player chooses something else; other volumes are those of a game."""
RECENT = 12
"""How many games are remembered in the order in which they were played."""


class Settings:
    """Puts what the player has chosen into a game, and keeps it when it changes.

    `Settings()` reads and writes nothing: a test has the settings that it makes. `of_the_player` opens the file.
    """

    def __init__(self) -> None:
        self.saves = Saves("settings")

    @classmethod
    def of_the_player(cls, game: Game | None = None, *, autopilot: bool = False) -> Settings:
        """Return the player's settings, and open what he has reached in a game; a scripted player reaches nothing."""
        settings = cls()
        settings.saves.open()
        TABLE.use(settings.language)
        if game is not None and not autopilot:
            game.saves.open()
            settings.note_played(game.name)
        return settings

    @property
    def text_size(self) -> float:
        """How large texts are, 1 usually."""
        return cast(float, self.get("text size"))

    @property
    def colours(self) -> Colours:
        """Whose eyes the colours are for."""
        return cast(Colours, self.get("colours"))

    @property
    def language(self) -> str:
        """The short name of a language, "" for that of the system."""
        return cast(str, self.get("language"))

    @property
    def played(self) -> list[str]:
        """Names of the games that were played, the last one first."""
        found = self.saves.get("played")
        return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []

    def note_played(self, name: str) -> None:
        """Remember that a game is played now."""
        self.saves["played"] = [name, *(other for other in self.played if other != name)][:RECENT]

    def get(self, name: str) -> Any:
        """Return a setting by its name in `USUAL`; a value that a file should not hold counts as none."""
        value = self.saves.get(name)
        return value if _is_allowed(name, value) else USUAL[name]

    def choose(self, name: str, value: Any) -> None:
        """Keep a setting by its name in `USUAL`.

        Raises:
            ValueError: for a value that is not allowed.
        """
        if not _is_allowed(name, value):
            raise ValueError(f"settings: {name} = {value!r} is not allowed")
        self.saves[name] = value

    def apply(self, game: Game, *, keys: bool = True) -> None:
        """Give a game the player's settings, and his keys unless a scripted player uses those of the game."""
        sounds = game.sounds
        sounds.muted = self.saves.get("muted", sounds.muted) is True
        sounds.volume = _share(self.saves.get("volume"), sounds.volume)
        sounds.music_volume = _share(self.saves.get("music volume"), sounds.music_volume)
        self.apply_now(game)
        chosen = self.saves.get("keys")
        if keys and isinstance(chosen, Mapping):
            game.bindings.load(chosen.get(game.name))

    def apply_now(self, game: Game) -> None:
        """Give a game what does not come from it: the master volume, what may shake and blink, the language."""
        game.sounds.master = self.get("master")
        game.camera.shakes, game.flashes = self.get("shake"), self.get("flashes")
        game.effects.flashes = self.get("flashes")

    def prepare(self, picture: Picture, game: Game, width_px: int, height_px: int, *, covered: bool = False) -> None:
        """Begin a picture of this size [pixels] with the player's texts and colours; the game's camera fills it.

        The texts of a game that lays out itself have its own size, but not where it is `covered` by a screen.
        """
        own = game.lays_out_itself and not covered
        picture.text_size, picture.colours = 0.0 if own else self.text_size, self.colours
        picture.clear(width_px, height_px)
        game.camera.fill(picture.width, picture.height)

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


def _is_allowed(name: str, value: Any) -> bool:
    """Return whether a setting may have a value."""
    if name == "text size":
        return isinstance(value, float | int) and not isinstance(value, bool) and value in TEXT_SIZES
    if name == "colours":
        return value in KINDS
    if name == "language":
        return isinstance(value, str)
    if name in SWITCHES:
        return isinstance(value, bool)
    return _share(value, -1.0) >= 0.0


def _share(value: Any, otherwise: float) -> float:
    """Return a number from 0 to 1, or another one where a file holds something else."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0.0 <= value <= 1.0
    return float(value) if good else otherwise
