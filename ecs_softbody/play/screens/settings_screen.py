"""SettingsScreen: volumes, motion, texts, colours, language, and the keys of a game's actions."""

from __future__ import annotations

from typing import Any

from ecs_softbody.play.game import RESERVED_KEYS, Game
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.names import UNPLUGGED, device_of, label
from ecs_softbody.play.input.session_keys import SETTINGS
from ecs_softbody.play.screens.keybar import EDGE, UNDER_GLASS, Bar, cap_width, draw_key, fitting
from ecs_softbody.play.screens.overlays import draw_dim, unit_of
from ecs_softbody.play.settings import TEXT_SIZES, Settings
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.screen.points import USUAL_SIZE
from ecs_softbody.rendering.screen.vision import KINDS
from ecs_softbody.rendering.texts.table import TABLE, say, translated

ROW = 42.0
"""Height of a row [points]."""
WIDTH = 880.0
"""Largest width of the rows [points]."""
STEP = 0.1
"""Step of a volume, 0 to 1."""
BACK = 34.0
"""A click so near to where the values begin [points], where the ‹ is, goes back."""
TAKEN = RESERVED_KEYS | {
    "pad_start",
    UNPLUGGED,
    "stick_left",
    "stick_right",
    "stick_up",
    "stick_down",
    "mouse_other",
}
"""Keys that cannot be bound to actions."""
# Names of rows, which are those of the settings.
SOUND = "sound"
MASTER = "master"
VOLUME = "volume"
MUSIC = "music volume"
SHARES = (MASTER, VOLUME, MUSIC)
RESET = "reset keys"
OWN = ("shake", "flashes", "text size", "colours", "language")
"""Settings that do not belong to a game, by their names in the file."""
# Keys that move through the rows, and change their values.
WAYS_UP = ("up", "pad_up", "stick_up")
WAYS_DOWN = ("down", "pad_down", "stick_down")
WAYS_LEFT = ("left", "pad_left", "stick_left")
WAYS_RIGHT = ("right", "pad_right", "stick_right")


class SettingsScreen:
    """A list of rows over a game, or over the menu.

    `frame` handles keys until the player leaves it.
    """

    def __init__(self, game: Game | None, settings: Settings) -> None:
        self.game = game
        self.settings = settings
        self.selected = 0
        self.waiting = False
        """Whether the next key is bound to the selected action."""
        self.message = ""
        self._by_touch = False
        self._pointer = (0.0, 0.0)
        self._values_from = 0.0
        self._width = float(USUAL_SIZE[0])
        self._top = 600.0
        self._shown = 9

    @property
    def _list_width(self) -> float:
        return min(WIDTH, self._width - EDGE)

    @property
    def parts(self) -> list[str]:
        """Parts of actions that can be bound to keys; fingers have no keys."""
        return [] if self.game is None or self._by_touch else self.game.bindings.parts()

    @property
    def rows(self) -> list[str]:
        """The rows: settings by name, parts of actions, the way back."""
        sounds = [] if self.game is None else [SOUND, VOLUME, MUSIC]
        return [
            *sounds[:1],
            MASTER,
            *sounds[1:],
            *OWN,
            *self.parts,
            *([RESET] if self.parts else []),
        ]

    def frame(self, controls: Controls) -> bool:
        """Handle the keys of one frame; False when the player has left."""
        if self.waiting:
            self._take_key(controls)
            return True
        self._by_touch = controls.device == "touch"
        self.selected = min(self.selected, len(self.rows) - 1)
        if controls.was_pressed("escape", SETTINGS, "pad_b", "pad_y"):
            return False
        step = (
            controls.was_pressed(*WAYS_DOWN)
            - controls.was_pressed(*WAYS_UP)
            - round(controls.scroll)
        )
        if step:
            self.selected = (self.selected + step) % len(self.rows)
            self.message = ""
        clicked = self._point(controls)
        side = int(controls.was_pressed(*WAYS_RIGHT)) - controls.was_pressed(*WAYS_LEFT)
        if clicked and abs(controls.pointer_screen[0] - self._values_from) < BACK:
            side = -1
        self._change(
            self.rows[self.selected],
            side,
            clicked or controls.was_pressed("enter", "space", "pad_a"),
        )
        return True

    def _change(self, row: str, side: int, chosen: bool) -> None:
        """Change the selected row: to the left or right, or to the next value when confirmed."""
        if not (side or chosen):
            return
        if row in self.parts:
            self.waiting = chosen
            self.message = ""
            return
        if row == RESET and self.game is not None and chosen:
            self.game.bindings.reset()
            self.message = say("settings.keys_reset")
        elif row in SHARES:
            self._change_volume(row, side or 1)
        elif row == SOUND and self.game is not None:
            self.game.sounds.toggle_mute()
        elif row in OWN:
            values = self._values(row)
            number = values.index(self.settings.get(row)) if self.settings.get(row) in values else 0
            self.settings.choose(row, values[(number + (side or 1)) % len(values)])
            TABLE.use(self.settings.language)
        if self.game is not None:
            self.settings.apply_now(self.game)
            self.game.sounds.play("click")

    def _change_volume(self, row: str, side: int) -> None:
        value = round(min(max(self._share(row) + STEP * side, 0.0), 1.0), 2)
        if row == MASTER:
            self.settings.choose(MASTER, value)
        elif self.game is not None and row == VOLUME:
            self.game.sounds.volume = value
        elif self.game is not None:
            self.game.sounds.music_volume = value

    def _share(self, row: str) -> float:
        if row == MASTER or self.game is None:
            return float(self.settings.get(MASTER))
        return self.game.sounds.volume if row == VOLUME else self.game.sounds.music_volume

    @staticmethod
    def _values(row: str) -> tuple[Any, ...]:
        """Return the possible values of a setting, in the order of their selection."""
        if row == "language":
            return ("", *TABLE.languages)
        return {"text size": TEXT_SIZES, "colours": KINDS}.get(row, (True, False))

    def _take_key(self, controls: Controls) -> None:
        """Bind the first pressed key to the selected action; escape leaves it unchanged."""
        down = sorted(controls.pressed - {UNPLUGGED})
        if not down or self.game is None:
            return
        if "escape" in down:
            self.waiting = False
            return
        key = down[0]
        if key in TAKEN:
            self.message = say("settings.key_taken", key=label(key, controls.family))
            return
        self.game.bindings.choose(self.rows[self.selected], key)
        self.waiting = False

    def _point(self, controls: Controls) -> bool:
        """Select the row under a moved mouse; return whether it is clicked."""
        x, y = controls.pointer_screen
        clicked = controls.was_pressed("mouse_left")
        moved = controls.pointer_screen != self._pointer
        self._pointer = controls.pointer_screen
        number = int((self._top + 0.65 * ROW - y) // ROW)
        if abs(x - 0.5 * self._width) > 0.5 * self._list_width or not 0 <= number < len(
            self._visible()
        ):
            return False
        if moved or clicked:
            self.selected = self._visible()[number]
        return clicked

    def _visible(self) -> range:
        """Return the numbers of the visible rows."""
        count = min(self._shown, len(self.rows))
        first = min(max(self.selected - count // 2, 0), len(self.rows) - count)
        return range(first, first + count)

    def draw(self, picture: Picture, bar: Bar) -> None:
        """Draw the rows, and the available keys in the bar."""
        unit = unit_of(picture)
        x = 0.5 * picture.width
        draw_dim(picture, 1.5)
        keyboard = bar.controls.device == "keyboard"
        if self.waiting:
            foot = bar.draw([], [("esc", "keys.as_it_is")] if keyboard else [])
        elif bar.controls.device == "touch":
            foot = bar.draw([], [("enter", "keys.change")]) + UNDER_GLASS
        else:
            ways = (
                [("↑ ↓", "keys.choose"), ("← →", "keys.change")]
                if keyboard
                else [(say("key.stick"), "keys.choose")]
            )
            foot = bar.draw(
                [(key, say(what)) for key, what in ways],
                [("enter", "keys.change"), ("esc", "keys.back")],
            )
        heading = say("settings.title")
        line = picture.height - 98.0 * unit
        size = fitting(picture, heading, 64 * unit)
        picture.text(heading, (x, line), size=size, align="center", layer=Layer.SCREEN)
        self._width = picture.width
        self._top = line - 36.0 - 34.0 * unit
        self._shown = max(3, int((self._top - foot - 34.0) // ROW) + 1)
        shown = self._visible()
        for place, number in enumerate(shown):
            self._draw_row(picture, bar.controls, number, self._top - ROW * place)
        for more, y in (
            (shown.start > 0, self._top + 30.0),
            (shown.stop < len(self.rows), foot + 2.0),
        ):
            if more:
                tip = y + (12.0 if y > self._top else -2.0)
                corners = [(x - 9.0, y + 5.0), (x + 9.0, y + 5.0), (x, tip)]
                picture.polygon(corners, palette.TEXT_DIM, layer=Layer.SCREEN, space="screen")
        if self.message:
            size = fitting(picture, self.message, 22)
            picture.panel((0, foot), (picture.width, foot + 44), corner=0, layer=Layer.SCREEN + 2)
            colour = palette.TEXT_ACCENT
            picture.text(
                self.message,
                (x, foot + 14.0),
                size=size,
                colour=colour,
                align="center",
                layer=Layer.SCREEN + 3,
            )

    def _draw_row(self, picture: Picture, controls: Controls, number: int, y: float) -> None:
        row = self.rows[number]
        chosen = number == self.selected
        width = self._list_width
        left = 0.5 * (picture.width - width)
        share = width / WIDTH
        if chosen:
            low = (left, y - 0.3 * ROW)
            high = (left + width, y + 0.65 * ROW)
            picture.panel(low, high, outline=palette.GOLD, corner=12, layer=Layer.SCREEN - 1)
        title = self._title(row)
        middle = left + 400 * share
        end = left + 660 * share
        self._values_from = middle
        size = fitting(picture, title, 25.0, middle - left - 34 * share)
        picture.text(title, (left + 24 * share, y), size=size, layer=Layer.SCREEN + 1)
        value = self._value(row)
        colour = palette.TEXT_ACCENT
        if chosen and self.waiting:
            value = say("settings.press")
            colour = palette.GOLD
        if value:
            value = f"‹ {value} ›" if chosen and not self.waiting else value
            size = fitting(picture, value, 25.0, left + width - middle - 12)
            picture.text(value, (middle, y), size=size, colour=colour, layer=Layer.SCREEN + 1)
            return
        if self.game is None or row == RESET:
            return
        for device, x, edge in (("keyboard", middle, end), ("pad", end, left + width)):
            for key in self.game.bindings.keys(row):
                text = label(key, controls.family)
                if device_of(key) == device and x + cap_width(picture, text, 18.0) < edge:
                    x += draw_key(picture, text, x, y, 18.0, Layer.SCREEN) + 6  # noqa: PLW2901 - one after another

    def _title(self, row: str) -> str:
        """Return a row's title: the bar's description of the action; an axis has a row for each of
        its two sides.
        """
        if row not in self.parts:
            return say(f"settings.{row.replace(' ', '_')}")
        action = row.rstrip("-+")
        name = translated(dict(self.game.keys if self.game else ()).get(action, action))
        if row[-1] not in "-+" or self.game is None:
            return name
        keys = [
            key
            for key in self.game.bindings.keys_of_the_game(row)
            if key in ("left", "right", "up", "down")
        ]
        return f"{name} {label(keys[0]) if keys else label('right' if row[-1] == '+' else 'left')}"

    def _value(self, row: str) -> str:
        """Return the text of a setting's current value, "" for actions."""
        if row in SHARES:
            return f"{self._share(row):.0%}"
        if row == SOUND and self.game is not None:
            return say("settings.off" if self.game.sounds.muted else "settings.on")
        if row not in OWN:
            return ""
        value = self.settings.get(row)
        if row == "language":
            return TABLE.languages.get(value, say("settings.of_the_system"))
        if isinstance(value, bool):
            return say("settings.on" if value else "settings.off")
        return f"{value:.0%}" if row == "text size" else say(f"settings.colours_{value}")
