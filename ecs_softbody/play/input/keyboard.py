"""Keyboard: names of keys and buttons independent of pyglet, and their pyglet names."""

from __future__ import annotations

BUTTONS = {1: "mouse_left", 2: "mouse_middle", 4: "mouse_right"}
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
