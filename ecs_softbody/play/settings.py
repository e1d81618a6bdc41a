"""Settings: the player's choices for all games: volumes, motion, texts, colours, language, keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ecs_softbody.play.save_data.values import is_number, is_text
from ecs_softbody.play.saves import SETTINGS, Saves
from ecs_softbody.rendering.screen.vision import KINDS, Colours
from ecs_softbody.rendering.texts.table import TABLE

if TYPE_CHECKING:
    from ecs_softbody.play.game import Game
    from ecs_softbody.rendering.picture import Picture

TEXT_SIZES = (1.0, 1.25, 1.5, 2.0)
SWITCHES = ("shake", "flashes")
USUAL: dict[str, Any] = {
    "master": 1.0, "shake": True, "flashes": True, "text size": 1.0, "colours": "usual",
    "language": "",
}  # fmt: skip
"""Defaults of the player's settings; the other volumes default to each game's."""
RECENT = 12
"""Length of the list of recently played games."""


class Settings:
    """Applies the player's settings to a game, and saves changes.

    `Settings()` reads and writes nothing, so tests control their settings. `of_the_player` opens
    the file.
    """

    def __init__(self) -> None:
        self.saves = Saves(SETTINGS, file=SETTINGS)
        self._known: dict[str, Any] = {}
        """The game's volumes as last applied or saved: another window may have saved others
        since.
        """

    @classmethod
    def of_the_player(cls, game: Game | None = None, *, autopilot: bool = False) -> Settings:
        """Return the player's settings, and open their saves of a game, unless a scripted player
        plays.
        """
        settings = cls()
        settings.saves.open()
        TABLE.use(settings.language)
        if game is not None and not autopilot:
            game.saves.open()
            settings.note_played(game.name)
        return settings

    @property
    def text_size(self) -> float:
        """Scale of texts, 1 by default."""
        return cast(float, self.get("text size"))

    @property
    def colours(self) -> Colours:
        """Palette for normal or colour-blind vision."""
        return cast(Colours, self.get("colours"))

    @property
    def language(self) -> str:
        """The short name of a language, "" for the system's."""
        return cast(str, self.get("language"))

    @property
    def played(self) -> list[str]:
        """Names of the played games, the latest first."""
        return self.saves.texts("played")

    def note_played(self, name: str) -> None:
        """Record that a game is played now."""

        def with_it(played: Any) -> list[Any]:
            others = (
                [other for other in played if other != name] if isinstance(played, list) else []
            )
            return [name, *others][:RECENT]

        self.saves.change("played", with_it)

    def get(self, name: str) -> Any:
        """Return a setting by its name in `USUAL`; an invalid value in the file counts as
        missing.
        """
        value = self.saves.get(name)
        return value if _is_allowed(name, value) else USUAL[name]

    def choose(self, name: str, value: Any) -> None:
        """Save a setting by its name in `USUAL`.

        Raises:
            ValueError: for a value that is not allowed.
        """
        if not _is_allowed(name, value):
            raise ValueError(f"settings: {name} = {value!r} is not allowed")
        self.saves[name] = value

    def apply(self, game: Game, *, keys: bool = True) -> None:
        """Give a game the player's settings, and their keys unless a scripted player uses the
        game's.
        """
        sounds = game.sounds
        sounds.muted = self.saves.flag("muted", sounds.muted)
        sounds.volume = float(self.saves.number("volume", sounds.volume, 0.0, 1.0))
        sounds.music_volume = float(
            self.saves.number("music volume", sounds.music_volume, 0.0, 1.0)
        )
        self._known = _volumes(game)
        self.apply_now(game)
        if keys and (chosen := self.saves.table("keys")):
            game.bindings.load(chosen.get(game.name))

    def apply_now(self, game: Game) -> None:
        """Give a game the settings it does not set itself: master volume, shake, flashes,
        language.
        """
        game.sounds.master = self.get("master")
        game.camera.shakes = self.get("shake")
        game.flashes = self.get("flashes")
        game.effects.flashes = self.get("flashes")

    def prepare(
        self, picture: Picture, game: Game, width_px: int, height_px: int, *, covered: bool = False
    ) -> None:
        """Begin a picture of this size [pixels] with the player's texts and colours, filled by the
        game's camera.

        A game that does its own layout keeps its own text size, except while `covered` by a screen.
        """
        own = game.lays_out_itself and not covered
        picture.text_size = 0.0 if own else self.text_size
        picture.colours = self.colours
        picture.clear(width_px, height_px)
        game.camera.fill(picture.width, picture.height)

    def keep(self, game: Game) -> None:
        """Save the current volumes and keys of a game."""
        for name, value in _volumes(game).items():
            if value != self._known.get(name):
                self.saves[name] = value
        self._known = _volumes(game)
        chosen = game.bindings.saved()
        kept = self.saves.table("keys").get(game.name)
        if chosen != (kept or {}):
            self.saves.change(
                "keys",
                lambda every: {**(every if isinstance(every, dict) else {}), game.name: chosen},
            )


def _volumes(game: Game) -> dict[str, Any]:
    """Return the sound settings of a game that the player may have changed, by their saved
    names.
    """
    return {
        "muted": game.sounds.muted,
        "volume": game.sounds.volume,
        "music volume": game.sounds.music_volume,
    }


def _is_allowed(name: str, value: Any) -> bool:
    """Return whether a value is allowed for a setting."""
    if name == "text size":
        return is_number(value) and value in TEXT_SIZES
    if name == "colours":
        return value in KINDS
    if name == "language":
        return is_text(value)
    if name in SWITCHES:
        return isinstance(value, bool)
    return is_number(value, 0.0, 1.0)
