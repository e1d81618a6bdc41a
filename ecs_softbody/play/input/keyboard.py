"""Keyboard: names of keys and buttons that do not depend on pyglet."""

from __future__ import annotations

from functools import lru_cache

BUTTONS = {1: "mouse_left", 2: "mouse_middle", 4: "mouse_right"}

_RENAMED = {
    "RETURN": "enter",
    "NUM_ENTER": "enter",
    "LSHIFT": "shift",
    "RSHIFT": "shift",
    "LCTRL": "ctrl",
    "RCTRL": "ctrl",
    "NUM_ADD": "plus",
    "EQUAL": "plus",
    "PLUS": "plus",
    "NUM_SUBTRACT": "minus",
    "MINUS": "minus",
}
_PLAIN = ("LEFT", "RIGHT", "UP", "DOWN", "SPACE", "ESCAPE", "TAB", "BACKSPACE", "DELETE", "COMMA", "PERIOD", "SLASH")


@lru_cache(maxsize=1)
def _names() -> dict[int, str]:
    from pyglet.window import key

    names = {getattr(key, name): name.lower() for name in _PLAIN}
    names |= {getattr(key, name): new for name, new in _RENAMED.items()}
    names |= {getattr(key, letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    for digit in "0123456789":
        names |= {getattr(key, f"_{digit}"): digit, getattr(key, f"NUM_{digit}"): digit}
    names |= {getattr(key, f"F{number}"): f"f{number}" for number in range(1, 13)}
    return names


def key_name(symbol: int) -> str:
    """Return the name of a pyglet key symbol, "" for a key that no game needs."""
    return _names().get(symbol, "")
