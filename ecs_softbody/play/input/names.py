"""Names of keys, mouse buttons, controller buttons and sticks, and their labels on the screen."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from ecs_softbody.rendering.texts.table import translated

Device = Literal["keyboard", "pad", "touch"]
Family = Literal["XB", "PS", "GENERIC"]
"""Brand of a controller's button labels."""

_SPECIAL = (
    "left right up down space enter escape tab backspace delete shift ctrl plus "
    "minus comma period slash"
)
MOUSE = ("mouse_left", "mouse_middle", "mouse_right", "mouse_other")
PAD_BUTTONS = {
    "a": "pad_a",
    "b": "pad_b",
    "x": "pad_x",
    "y": "pad_y",
    "start": "pad_start",
    "back": "pad_back",
    "guide": "pad_guide",
    "leftshoulder": "pad_lb",
    "rightshoulder": "pad_rb",
    "leftstick": "pad_ls",
    "rightstick": "pad_rs",
}
"""Pyglet's name of a button -> its name here, by place as on an Xbox controller: `pad_a` is the
lowest of the four.
"""
PAD_KEYS = (
    *PAD_BUTTONS.values(), "pad_lt", "pad_rt", "pad_left", "pad_right", "pad_up", "pad_down",
    "stick_left", "stick_right", "stick_up", "stick_down",
)  # fmt: skip
UNPLUGGED = "pad_unplugged"
"""Pressed in the frame in which a controller is unplugged."""
_FUNCTIONS = tuple(f"f{number}" for number in range(1, 13))
KEYS = frozenset(
    (
        *_SPECIAL.split(),
        *"abcdefghijklmnopqrstuvwxyz0123456789",
        *_FUNCTIONS,
        *MOUSE,
        *PAD_KEYS,
        UNPLUGGED,
    )
)
AXES = frozenset(("stick_x", "stick_y", "right_stick_x", "right_stick_y", "pad_lt", "pad_rt"))

_LABELS = {
    "left": "←", "right": "→", "up": "↑", "down": "↓", "plus": "+", "minus": "-", "comma": ",",
    "period": ".", "slash": "/", "escape": "esc", "mouse_left": "mouse",
    "mouse_right": "right mouse", "mouse_middle": "wheel", "pad_start": "Start", "pad_back": "Back",
    "pad_left": "D-pad ←", "pad_right": "D-pad →", "pad_up": "D-pad ↑", "pad_down": "D-pad ↓",
    "stick_left": "Stick ←", "stick_right": "Stick →", "stick_up": "Stick ↑",
    "stick_down": "Stick ↓", "stick_x": "Stick", "stick_y": "Stick", "right_stick_x": "Right stick",
    "right_stick_y": "Right stick", "pad_guide": "Guide",
}  # fmt: skip
_PLAYSTATION = {
    "pad_a": "Cross", "pad_b": "Circle", "pad_x": "Square", "pad_y": "Triangle", "pad_lb": "L1",
    "pad_rb": "R1", "pad_lt": "L2", "pad_rt": "R2", "pad_ls": "L3", "pad_rs": "R3",
    "pad_start": "Options", "pad_back": "Share",
}  # fmt: skip


def device_of(key: str) -> Device:
    """Return the device that has this key; the mouse counts as part of the keyboard."""
    return "pad" if key.startswith(("pad_", "stick_", "right_stick_")) else "keyboard"


def label(key: str, family: Family = "GENERIC") -> str:
    """Return the label of a key: "←", "A", "Cross"."""
    if family == "PS" and key in _PLAYSTATION:
        return translated(_PLAYSTATION[key])
    name = key.removeprefix("pad_")
    return translated(_LABELS.get(key) or (name.upper() if len(name) == 1 or name != key else name))


@lru_cache(maxsize=1)
def known_names() -> tuple[str, ...]:
    """Return the names of all keys, sorted."""
    return tuple(sorted(KEYS))
