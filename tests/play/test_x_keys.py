"""What pyglet makes of X's events of keys, with events as X sends them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ecs_softbody.play.input.x_keys import PRESS, RELEASE, XKeys
from ecs_softbody.play.window import GameWindow
from tests.helpers.internals import display_and_view

pytestmark = [pytest.mark.window, pytest.mark.skipif("sys.platform != 'linux'")]
SPACE = "space"
SHIFT = "Shift_L"
ONE = "1"
SHIFTED = 1
"""The state of an event while shift is down."""


class Wire:
    """Sends events of keys to a window, and notes what it tells of them."""

    def __init__(self, window: GameWindow) -> None:
        from pyglet.libs.x11 import xlib

        self.handle = window.handle
        self.told: list[tuple[str, int]] = []
        self._xlib = xlib
        self.handle.push_handlers(
            on_key_press=lambda symbol, modifiers: self.told.append(("press", symbol)),
            on_key_release=lambda symbol, modifiers: self.told.append(("release", symbol)),
        )

    def send(self, kind: int, name: str, state: int = 0) -> None:
        event = self._xlib.XEvent()
        (display, view) = display_and_view(self.handle)
        symbol = self._xlib.XStringToKeysym(name.encode())
        event.type = kind
        event.xkey.display = display
        event.xkey.window = view
        event.xkey.keycode = self._xlib.XKeysymToKeycode(display, symbol)
        event.xkey.state = state
        self.handle.dispatch_platform_event_view(event)
        self.read()

    def read(self) -> None:
        """Have the window tell what waits, and nothing that X says of other windows."""
        self.handle.dispatch_pending_events()

    def new(self) -> list[tuple[str, int]]:
        told = self.told[:]
        self.told.clear()
        return told


@pytest.fixture
def wire() -> Iterator[Wire]:
    window = GameWindow(size=(320, 180))
    assert XKeys.can_hear(window.handle)
    yield Wire(window)
    window.close()


def test_a_repeat_is_no_press(wire: Wire) -> None:
    for kind in (PRESS, PRESS, PRESS, RELEASE, PRESS, RELEASE):
        wire.send(kind, SPACE)
    assert wire.new() == [("press", 32), ("release", 32), ("press", 32), ("release", 32)]


def test_what_was_told_as_pressed_is_told_as_let_go_whatever_shift_does(wire: Wire) -> None:
    from pyglet.window import key

    for _ in range(2):
        wire.send(PRESS, SHIFT)
        wire.send(PRESS, ONE, SHIFTED)
        wire.send(RELEASE, SHIFT, SHIFTED)
        wire.send(RELEASE, ONE)
        assert wire.new() == [
            ("press", key.LSHIFT),
            ("press", key.EXCLAMATION),
            ("release", key.LSHIFT),
            ("release", ord("1")),
            ("release", key.EXCLAMATION),
        ]


def test_a_key_that_is_up_is_told_as_let_go_and_may_be_pressed_again(wire: Wire) -> None:
    wire.send(PRESS, SPACE)
    wire.handle.dispatch_event("on_activate")  # X has no key down
    wire.read()
    wire.send(PRESS, SPACE)
    assert wire.new() == [("press", 32), ("release", 32), ("press", 32)]


def test_in_another_window_keys_are_up(wire: Wire) -> None:
    wire.send(PRESS, SPACE)
    wire.handle.dispatch_event("on_deactivate")
    wire.read()
    wire.send(PRESS, SPACE)
    assert wire.new() == [("press", 32), ("press", 32)]
