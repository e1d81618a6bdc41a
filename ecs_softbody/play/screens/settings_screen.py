"""SettingsScreen: volumes, and the keys of a game's actions."""

from __future__ import annotations

from ecs_softbody.play.game import RESERVED_KEYS, Game
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.names import UNPLUGGED, device_of, label
from ecs_softbody.play.screens.overlays import Bar, cap_width, draw_dim, draw_key
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture

ROW, TOP, SHOWN = 48.0, 540.0, 9
"""Height of a row, place of the first one [points], and how many are shown at once."""
WIDTH = 880.0
STEP = 0.1
TAKEN = RESERVED_KEYS | {"pad_start", UNPLUGGED, "stick_left", "stick_right", "stick_up", "stick_down", "mouse_other"}
"""What cannot be chosen for an action."""
SOUND, VOLUME, MUSIC, RESET = "sound", "volume of sounds", "volume of music", "all keys as they were"


class SettingsScreen:
    """A list of rows over the game. `frame` answers keys until the player leaves it."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.selected = 0
        self.waiting = False
        """Whether the next key is the new one of the selected action."""
        self.message = ""
        self._pointer = (0.0, 0.0)
        self._width = 1280.0

    @property
    def _list_width(self) -> float:
        return min(WIDTH, self._width - 24.0)

    @property
    def rows(self) -> list[str]:
        """What stands on the rows: settings of sound, parts of actions, the way back."""
        parts = self.game.bindings.parts()
        return [SOUND, VOLUME, MUSIC, *parts, *([RESET] if parts else [])]

    def frame(self, controls: Controls) -> bool:
        """Answer the keys of one frame; False when the player has left."""
        if self.waiting:
            self._take_key(controls)
            return True
        if controls.was_pressed("escape", "o", "pad_b", "pad_y"):
            return False
        step = controls.was_pressed("down", "pad_down", "stick_down") - controls.was_pressed("up", "pad_up", "stick_up")
        if step:
            self.selected, self.message = (self.selected + step) % len(self.rows), ""
        clicked = self._point(controls)
        side = int(controls.was_pressed("right", "pad_right", "stick_right"))
        side -= controls.was_pressed("left", "pad_left", "stick_left")
        self._change(self.rows[self.selected], side, clicked or controls.was_pressed("enter", "space", "pad_a"))
        return True

    def _change(self, row: str, side: int, chosen: bool) -> None:
        """Change the selected row: volumes to a side, everything else when it is chosen."""
        sounds = self.game.sounds
        if row == SOUND and (side or chosen):
            sounds.toggle_mute()
        elif row == VOLUME and side:
            sounds.volume = _stepped(sounds.volume, side)
        elif row == MUSIC and side:
            sounds.music_volume = _stepped(sounds.music_volume, side)
        elif row == RESET and chosen:
            self.game.bindings.reset()
            self.message = "All keys are as the game has them."
        elif chosen and row in self.game.bindings.parts():
            self.waiting, self.message = True, ""
            return
        if (side or chosen) and row in (SOUND, VOLUME, RESET):
            sounds.play("click")

    def _take_key(self, controls: Controls) -> None:
        """Take the first key that goes down for the selected action; escape leaves it as it was."""
        down = sorted(controls.pressed - {UNPLUGGED})
        if not down:
            return
        if "escape" in down:
            self.waiting = False
            return
        key = down[0]
        if key in TAKEN:
            self.message = f"{label(key, controls.family)} cannot be chosen: the game is run with it."
            return
        self.game.bindings.choose(self.rows[self.selected], key)
        self.waiting = False

    def _point(self, controls: Controls) -> bool:
        """Select the row under the mouse when that moves; return whether it is clicked."""
        x, y = controls.pointer_screen
        clicked = controls.was_pressed("mouse_left")
        moved = controls.pointer_screen != self._pointer
        self._pointer = controls.pointer_screen
        number = int((TOP + 0.65 * ROW - y) // ROW)
        if abs(x - 0.5 * self._width) > 0.5 * self._list_width or not 0 <= number < len(self._visible()):
            return False
        if moved or clicked:
            self.selected = self._visible()[number]
        return clicked

    def _visible(self) -> range:
        """Return the numbers of the rows that are shown."""
        count = min(SHOWN, len(self.rows))
        first = min(max(self.selected - SHOWN // 2, 0), len(self.rows) - count)
        return range(first, first + count)

    def draw(self, picture: Picture, bar: Bar) -> None:
        """Draw the rows, and in the bar what can be done."""
        self._width = picture.width
        draw_dim(picture, 1.5)
        x = 0.5 * picture.width
        picture.text("Settings", (x, 622), size=64, align="center", layer=Layer.SCREEN)
        for place, number in enumerate(self._visible()):
            self._draw_row(picture, bar.controls, number, TOP - ROW * place)
        if self.message:
            picture.text(self.message, (x, 84), size=22, colour=palette.TEXT_ACCENT, align="center", layer=Layer.SCREEN)
        if self.waiting:
            bar.draw([], [("esc", "leave it as it is")] if bar.controls.device == "keyboard" else [])
        else:
            ways = (
                [("↑ ↓", "choose"), ("← →", "volume")] if bar.controls.device == "keyboard" else [("Stick", "choose")]
            )
            bar.draw(ways, [("enter", "change"), ("esc", "back")])

    def _draw_row(self, picture: Picture, controls: Controls, number: int, y: float) -> None:
        row, chosen = self.rows[number], number == self.selected
        width = self._list_width
        left, share = 0.5 * (picture.width - width), width / WIDTH
        size = 26.0 * min(1.0, 1.3 * share)
        if chosen:
            low, high = (left, y - 0.3 * ROW), (left + width, y + 0.6 * ROW)
            picture.panel(low, high, outline=palette.GOLD, corner=12, layer=Layer.SCREEN - 1)
        picture.text(self._title(row), (left + 24 * share, y), size=size, layer=Layer.SCREEN + 1)
        middle, end = left + 370 * share, left + 640 * share
        value, colour = self._value(row), palette.TEXT_ACCENT
        if chosen and self.waiting:
            value, colour = "press a key or a button", palette.GOLD
        if value:
            picture.text(value, (middle, y), size=size, colour=colour, layer=Layer.SCREEN + 1)
            return
        for device, x, edge in (("keyboard", middle, end), ("pad", end, left + width)):
            for key in self.game.bindings.keys(row):
                text = label(key, controls.family)
                if device_of(key) == device and x + cap_width(picture, text, 0.8 * size) < edge:
                    x += draw_key(picture, text, x, y, 0.8 * size, Layer.SCREEN) + 6  # noqa: PLW2901 - one after another

    def _title(self, row: str) -> str:
        """Return a row's words: the ends of an axis are its two sides."""
        if row[-1] not in "-+":
            return row
        keys = [key for key in self.game.bindings.keys_of_the_game(row) if key in ("left", "right", "up", "down")]
        return f"{row[:-1]} {label(keys[0]) if keys else row[-1]}"

    def _value(self, row: str) -> str:
        """Return what a setting is now, "" for actions."""
        sounds = self.game.sounds
        values = {
            SOUND: "off" if sounds.muted else "on",
            VOLUME: f"{sounds.volume:.0%}",
            MUSIC: f"{sounds.music_volume:.0%}",
        }
        return values.get(row, "")


def _stepped(value: float, side: int) -> float:
    return round(min(max(value + STEP * side, 0.0), 1.0), 2)
