"""Window: a stage in a pyglet window, drawn with OpenGL at the rate of the screen."""

from __future__ import annotations

import sys
import time
from typing import Any

from ecs_softbody.play.input.names import MOUSE
from ecs_softbody.play.input.x_keys import XKeys
from ecs_softbody.play.launch.tools import Tool, open_inspector
from ecs_softbody.play.opening import hear_end, most_pictures, open_backend, open_window
from ecs_softbody.play.sound.sounds import Sounds
from ecs_softbody.play.stage import Stage
from ecs_softbody.play.timing.game_clock import FRAME
from ecs_softbody.rendering.screen.points import USUAL_SIZE

BUTTONS = {1: "mouse_left", 2: "mouse_middle", 4: "mouse_right"}
"""Pyglet's number of a mouse button -> its name in games."""
_PLAIN = (
    "left",
    "right",
    "up",
    "down",
    "space",
    "escape",
    "tab",
    "backspace",
    "delete",
    "comma",
    "period",
    "slash",
)
SYMBOLS = {
    "RETURN": "enter", "NUM_ENTER": "enter", "LSHIFT": "shift", "RSHIFT": "shift", "LCTRL": "ctrl",
    "RCTRL": "ctrl", "NUM_ADD": "plus", "EQUAL": "plus", "PLUS": "plus", "NUM_SUBTRACT": "minus",
    "MINUS": "minus", **{name.upper(): name for name in (*_PLAIN, *"abcdefghijklmnopqrstuvwxyz")},
    **{f"{pad}_{digit}": digit for pad in ("", "NUM") for digit in "0123456789"},
    **{f"F{number}": f"f{number}" for number in range(1, 13)},
}  # fmt: skip
"""Pyglet's name of a key -> the name used in games; other keys are unused."""


def pyglet_names() -> dict[int, str]:
    """Return key names by pyglet's key codes."""
    from pyglet.window import key

    return {getattr(key, symbol): name for symbol, name in SYMBOLS.items()}


class GameWindow(Stage):
    """A window that shows one screen at a time.

    Args:
        title: of the window.
        size: width and height [pixels].
        visible: False keeps it hidden, for tests.

    Raises:
        NoDisplay: when no window can be opened.
    """

    def __init__(
        self,
        title: str = "Soft bodies",
        *,
        size: tuple[int, int] = USUAL_SIZE,
        visible: bool = True,
    ) -> None:
        self._window = open_window(title, size, visible)
        super().__init__(self._window, open_backend(self._window), title)
        self._names = pyglet_names()
        self._most_pictures = most_pictures(self._window)
        self._window.push_handlers(self)
        hear_end(self._window, self._lose)
        self._keys = XKeys(self._window) if XKeys.can_hear(self._window) else None
        self.pads.open()

    @property
    def handle(self) -> Any:
        """The pyglet window."""
        return self._window

    def holds(self, symbol: int, is_key: bool) -> bool:
        """Return whether the game has a key, or a mouse button, down."""
        name = self._names.get(symbol) if is_key else BUTTONS.get(symbol, "mouse_other")
        return name in self._devices.controls.held

    def take_events(self) -> None:
        """Dispatch the system's events, and those found by pyglet's threads: controllers, ends of
        sounds.
        """
        from pyglet import app, clock

        self._window.dispatch_events()
        if sys.platform != "darwin":
            # This reads the controllers' devices.
            app.platform_event_loop.step(0.0)
        app.platform_event_loop.dispatch_posted_events()
        clock.tick()

    def rest(self) -> None:
        """Sleep if vsync does not wait: pictures follow at most at the screen's rate."""
        length = FRAME if self._stillness.lasts else 1.0 / self._most_pictures
        spare = length - (self.now() - self._started)
        if spare > 0.0:
            time.sleep(spare)

    def open_sounds(self, sounds: Sounds) -> None:
        """Open a game's sound output through pyglet."""
        sounds.open()

    def leave(self) -> None:
        """Release all keys and pause: another window has the focus now."""
        super().leave()
        if self._keys is not None:
            self._keys.forget()

    def come_back(self) -> None:
        """Find out which keys are down: other windows had the focus meanwhile."""
        super().come_back()
        if self._keys is not None:
            self._keys.look()

    def switch_full_screen(self) -> None:
        """Toggle full screen; for the system it is a different window afterwards."""
        if self._keys is None:
            super().switch_full_screen()
            return
        self._window.set_fullscreen(not self._window.fullscreen)
        for name in MOUSE:
            self.release(name)
        self._keys.look()

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        """Handle the press of a key."""
        if name := self._names.get(symbol):
            self.press(name)
        return True

    def on_key_release(self, symbol: int, modifiers: int) -> bool:
        """Handle the release of a key."""
        self.release(self._names.get(symbol, ""))
        return True

    def on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> None:
        """Handle a movement of the mouse."""
        scale = self.size_px[1] / max(self._window.height, 1)
        self.point(x * scale, y * scale)

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        """Handle a movement of the mouse with a button down."""
        self.on_mouse_motion(x, y, dx, dy)

    def on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> None:
        """Handle the press of a mouse button."""
        self.on_mouse_motion(x, y, 0, 0)
        self.press(BUTTONS.get(button, "mouse_other"))

    def on_mouse_release(self, x: int, y: int, button: int, modifiers: int) -> None:
        """Handle the release of a mouse button."""
        self.on_mouse_motion(x, y, 0, 0)
        self.release(BUTTONS.get(button, "mouse_other"))

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        """Handle a turn of the wheel."""
        self.scroll(scroll_y)

    def on_deactivate(self) -> None:
        """Pause when the window loses the focus."""
        self.leave()

    def on_activate(self) -> None:
        """Continue when the window gets the focus."""
        self.come_back()

    def on_hide(self) -> None:
        """Pause and stop drawing while the window is minimised."""
        self.hide()

    def on_show(self) -> None:
        """Redraw."""
        self.unhide()

    def on_expose(self) -> None:
        """Redraw an uncovered area."""
        self.wake()

    def on_resize(self, width: int, height: int) -> None:
        """Redraw at the new size."""
        self.wake()

    def on_close(self) -> bool:
        """Close after this picture."""
        self.close()
        return True

    def _open_inspector(self) -> Tool:
        return open_inspector(self)

    def _lose(self) -> None:
        """Mark as closed: the window no longer exists, and must not be touched."""
        self.closed = True
        self._window.switch_to = self._window.flip = self._window.dispatch_events = lambda: None
