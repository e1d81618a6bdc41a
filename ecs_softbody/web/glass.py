"""Glass: the buttons that a page draws for fingers, found in the actions that a game has declared."""

from __future__ import annotations

from ecs_softbody.play.input.actions import Bindings
from ecs_softbody.play.input.names import device_of, label
from ecs_softbody.rendering.texts.table import translated

Buttons = list[dict[str, str]]
"""For each one what stands on it, the key that it presses, and its place: "left", "right" or "corner"."""
CORNER: Buttons = [{"label": "✕", "key": "escape", "side": "corner"}, {"label": "II", "key": "p", "side": "corner"}]
MENU: Buttons = [
    {"label": label(key), "key": key, "side": "left"} for key in ("left", "up", "down", "right")
] + [{"label": "OK", "key": "enter", "side": "right"}, CORNER[0]]  # fmt: skip
"""For screens that are no game."""


def glass_of(bindings: Bindings | None) -> Buttons:
    """Return the buttons for a game with these actions, or for another screen: None.

    Axes stand at the left, buttons at the right. What only the mouse does needs none: a finger is the mouse.
    """
    if bindings is None:
        return MENU
    buttons: Buttons = []
    for part in bindings.parts():
        keys = [key for key in bindings.keys(part) if device_of(key) == "keyboard" and not key.startswith("mouse_")]
        if keys and not any(button["key"] == keys[0] for button in buttons):
            is_end = part.endswith(("-", "+"))
            name = label(keys[0]) if is_end else translated(part)
            buttons.append({"label": name, "key": keys[0], "side": "left" if is_end else "right"})
    return buttons + CORNER
