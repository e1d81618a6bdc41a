"""XKeys: the keys that are down in an X window, identified by their places on the keyboard."""

from __future__ import annotations

from functools import partial
from typing import Any

PRESS, RELEASE = 2, 3
"""Event numbers of X for key presses and releases."""
PLACES = 256
"""Number of keyboard places: X counts them in a byte."""


class EverySymbol(set[int]):
    """A set that contains every symbol."""

    def __contains__(self, symbol: object) -> bool:
        return True


class XKeys:
    """Makes a pyglet window report each key press once, and each release of a reported press.

    X repeats the press of a held key. pyglet treats a press as a repeat while the key's symbol is
    in its set of pressed keys. The symbol stays there if X sent the release to another window, or
    if shift was released first, so that the release has another symbol: the next press is lost.
    Here a key is its place on the keyboard, regardless of its symbol, and `look` asks X which
    places are down.

    Args:
        window: a pyglet window for which `can_hear` is true.
    """

    def __init__(self, window: Any) -> None:
        self._window = window
        self._told: dict[int, int] = {}
        """Places that are down, each with the symbol of its reported press; 0 if unreported."""
        for handlers in (window._event_handlers, window._view_event_handlers):
            for number in (PRESS, RELEASE):
                handlers[number] = partial(
                    self._press if number == PRESS else self._release, handlers[number]
                )

    @staticmethod
    def can_hear(window: Any) -> bool:
        """Return whether it is an X window, for which pyglet drops repeats: windows of other
        systems lose no keys.
        """
        return type(window).__module__ == "pyglet.window.xlib" and hasattr(window, "pressed_keys")

    def forget(self) -> None:
        """Consider all keys up: other windows have the focus now."""
        self._told.clear()

    def look(self) -> None:
        """Synchronise with the keys that are down.

        A key released unseen is reported as released; a key pressed unseen counts as held, and is
        not reported.
        """
        from pyglet.libs.x11 import xlib

        states = (xlib.c_char * (PLACES // 8))()
        xlib.XQueryKeymap(self._window._x_display, states)
        down = {place for place in range(PLACES) if states.raw[place // 8] >> place % 8 & 1}
        for place in self._told.keys() - down:
            self._tell_release(self._told.pop(place))
        for place in down - self._told.keys() - self._pending():
            self._told[place] = 0

    def _pending(self) -> set[int]:
        """Return places with unread press events: X has them down already, and they are no
        repeats.
        """
        from pyglet.libs.x11 import xlib

        places = set()

        def note(display: Any, event: Any, argument: Any) -> int:
            if event.contents.type == PRESS:
                places.add(event.contents.xkey.keycode)
            return 0  # leave it in the queue

        kind = xlib.XCheckIfEvent.argtypes[2]
        xlib.XCheckIfEvent(self._window._x_display, xlib.XEvent(), kind(note), None)
        return places

    def _press(self, handle: Any, event: Any) -> None:
        """Let pyglet's handler report a press, unless its key is down already. For that the set of
        pressed keys is one that has every symbol, or none.
        """
        place = event.xkey.keycode
        symbols = set[int]()
        is_repeat = place in self._told
        self._window.pressed_keys = EverySymbol() if is_repeat else symbols
        if not is_repeat and place:  # input methods send text as a key of place 0
            self._told[place] = 0
        handle(event)
        # The handler may have toggled full screen, and the key may have been released meanwhile.
        if symbols and place in self._told:
            self._told[place] = next(iter(symbols))

    def _release(self, handle: Any, event: Any) -> None:
        symbol = self._told.pop(event.xkey.keycode, 0)
        self._window.pressed_keys = symbols = {symbol}
        handle(event)
        if symbols:  # pyglet removes the symbol when it reports the release
            self._tell_release(symbol)

    def _tell_release(self, symbol: int) -> None:
        if symbol:
            self._window.dispatch_event("on_key_release", symbol, 0)
