"""Events: forwards pyglet's key and mouse events to Dear ImGui; the game does not get the events
that the inspector handles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OWN_KEYS = frozenset({"F2", "F11", "F12"})
"""Keys that the window itself answers at any time."""
NAMES = {
    "TAB": "tab", "BACKSPACE": "backspace", "RETURN": "enter", "NUM_ENTER": "keypad_enter",
    "ESCAPE": "escape", "INSERT": "insert", "DELETE": "delete", "SPACE": "space",
    "LEFT": "left_arrow", "RIGHT": "right_arrow", "UP": "up_arrow", "DOWN": "down_arrow",
    "PAGEUP": "page_up", "PAGEDOWN": "page_down", "HOME": "home", "END": "end",
    "LCTRL": "left_ctrl", "RCTRL": "right_ctrl", "LSHIFT": "left_shift", "RSHIFT": "right_shift",
    "LALT": "left_alt", "RALT": "right_alt", "LCOMMAND": "left_super", "RCOMMAND": "right_super",
}  # fmt: skip
MODIFIERS = {"ctrl": "mod_ctrl", "shift": "mod_shift", "alt": "mod_alt", "super": "mod_super"}
"""Names of the modifier keys in Dear ImGui."""
BUTTONS = {1: 0, 4: 1, 2: 2}
"""Mouse buttons of Dear ImGui by pyglet's."""
HANDLED = True
"""Return value of a handler: no other one gets the event."""


class Events:
    """Handlers to push on a pyglet window, above the game's.

    Args:
        imgui: the module.
        window: the pyglet window.
        enter: makes the context of Dear ImGui the current one.
        holds: whether the game has a key or a button down: then its release is for the game, too.
        click: called with a place in the window where the world was clicked; True keeps the click
            from the game.
    """

    def __init__(
        self,
        imgui: Any,
        window: Any,
        enter: Callable[[], None],
        holds: Callable[[int, bool], bool],
        click: Callable[[int, int, int], bool],
    ) -> None:
        self._imgui = imgui
        self._window = window
        self._enter = enter
        self._holds = holds
        self._click = click
        self.shown = False
        """While False, all events go to the game."""
        self.over: Callable[[float, float], bool] = lambda x, y: False
        """Whether a place [pixels from the top left] is in the inspector."""
        self._keys = _keys_of(imgui)

    @property
    def _pixels(self) -> tuple[float, float]:
        """Pixels of the picture for one unit of the window's coordinates, across and up."""
        (width, height) = self._window.get_framebuffer_size()
        (wide, high) = self._window.get_size()
        return width / max(wide, 1), height / max(high, 1)

    def _io(self) -> Any:
        self._enter()
        return self._imgui.get_io()

    def _place(self, x: float, y: float) -> tuple[float, float]:
        across, up = self._pixels
        return x * across, (self._window.get_size()[1] - y) * up

    def _takes_mouse(self, io: Any, x: float, y: float) -> bool:
        return bool(io.want_capture_mouse) or self.over(*self._place(x, y))

    def on_key_press(self, symbol: int, modifiers: int) -> bool | None:
        """Handle a key while something is typed or dragged."""
        return self._key(symbol, True)

    def on_key_release(self, symbol: int, modifiers: int) -> bool | None:
        """Handle the release of a key that the game does not hold."""
        taken = self._key(symbol, False)
        return None if self._holds(symbol, True) else taken

    def _key(self, symbol: int, down: bool) -> bool | None:
        from pyglet.window import key

        if not self.shown or key.symbol_string(symbol) in OWN_KEYS:
            return None
        io = self._io()
        taken = bool(io.want_text_input or io.want_capture_keyboard)
        if (name := self._keys.get(symbol)) is not None:
            io.add_key_event(name[0], down)
            if name[1] is not None:
                io.add_key_event(name[1], down)
        return HANDLED if taken else None

    def on_text(self, text: str) -> bool | None:
        """Handle typed text."""
        if not self.shown:
            return None
        io = self._io()
        for letter in text:
            if letter.isprintable():
                io.add_input_character(ord(letter))
        return HANDLED if io.want_text_input else None

    def on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> bool | None:
        """Follow the mouse; the game does not see it while it is over the inspector."""
        if not self.shown:
            return None
        io = self._io()
        io.add_mouse_pos_event(*self._place(x, y))
        return HANDLED if self._takes_mouse(io, x, y) else None

    def on_mouse_drag(
        self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int
    ) -> bool | None:
        """Track a drag; drags that began in the game stay there."""
        if not self.shown:
            return None
        io = self._io()
        io.add_mouse_pos_event(*self._place(x, y))
        ours = bool(io.want_capture_mouse) and not any(
            self._holds(one, False) for one in BUTTONS if buttons & one
        )
        return HANDLED if ours else None

    def on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> bool | None:
        """Handle a click on the inspector; a click on the world selects the entity there and also
        reaches the game.
        """
        if not self.shown:
            return None
        io = self._io()
        io.add_mouse_pos_event(*self._place(x, y))
        taken = self._takes_mouse(io, x, y)
        io.add_mouse_button_event(BUTTONS.get(button, 2), True)
        if not taken:
            taken = self._click(x, y, button)
        return HANDLED if taken else None

    def on_mouse_release(self, x: int, y: int, button: int, modifiers: int) -> bool | None:
        """Handle the release of a button that the game does not hold."""
        if not self.shown:
            return None
        io = self._io()
        io.add_mouse_button_event(BUTTONS.get(button, 2), False)
        return None if self._holds(button, False) else HANDLED

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> bool | None:
        """Scroll the inspector."""
        if not self.shown:
            return None
        io = self._io()
        io.add_mouse_wheel_event(scroll_x, scroll_y)
        return HANDLED if self._takes_mouse(io, x, y) else None

    def on_mouse_leave(self, x: int, y: int) -> None:
        """Note that the mouse is elsewhere."""
        if self.shown:
            self._io().add_mouse_pos_event(-1e6, -1e6)

    def on_deactivate(self) -> None:
        """Let go of all keys when another window comes to the front."""
        if self.shown:
            io = self._io()
            io.clear_input_keys()
            io.clear_input_mouse()


def _keys_of(imgui: Any) -> dict[int, tuple[Any, Any]]:
    """Return Dear ImGui's keys by pyglet's, each with its modifier, if it is one."""
    from pyglet.window import key

    names = {getattr(key, name): other for name, other in NAMES.items()}
    names |= {getattr(key, letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    names |= {getattr(key, f"_{digit}"): f"_{digit}" for digit in "0123456789"}
    names |= {getattr(key, f"NUM_{digit}"): f"keypad{digit}" for digit in "0123456789"}
    modifiers = {
        f"{side}_{name}": one for name, one in MODIFIERS.items() for side in ("left", "right")
    }
    return {
        symbol: (
            getattr(imgui.Key, name),
            getattr(imgui.Key, modifiers[name]) if name in modifiers else None,
        )
        for symbol, name in names.items()
    }
