"""Hints: key labels for the device in the player's hand."""

from __future__ import annotations

from ecs_softbody.play.input.actions import Bindings
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.names import device_of, label
from ecs_softbody.play.input.session_keys import PAUSE, RESTART, SETTINGS
from ecs_softbody.rendering.texts.table import translated

SESSION_BUTTONS = {
    "space": "pad_a",
    "enter": "pad_a",
    "esc": "pad_b",
    PAUSE: "pad_start",
    RESTART: "pad_back",
    SETTINGS: "pad_y",
}
"""Keys of the session, and the equivalent controller buttons; the others need a keyboard."""

BY_TOUCH = {"space": "tap", "enter": "tap"}
"""Keys of the session, and their touch gestures; the others have on-screen buttons."""
OF_MOUSE = {"mouse": "finger", "click": "tap"}
"""Labels of mouse input, and their equivalents for touch."""

Keys = list[tuple[str, str]]


def keys_text(bindings: Bindings, name: str, controls: Controls) -> str:
    """Return the label of an action's binding on the device in hand: "← →", "space", "Stick", "A";
    "" for an unbound action.

    On touch screens the label is the action's name, as on the on-screen button.
    """
    if bindings.is_axis(name):
        sticks = bindings.keys(name + "~")
        if controls.device == "pad" and sticks:
            return label(sticks[0], controls.family)
        ends = [part_text(bindings, name + end, controls) for end in ("-", "+")]
        return " ".join(end for end in (ends if ends != ["↓", "↑"] else ends[::-1]) if end)
    return part_text(bindings, name, controls)


def part_text(bindings: Bindings, part: str, controls: Controls) -> str:
    """Return the label of the first key of the device in hand for a part of an action."""
    by_touch = controls.device == "touch"
    for key in bindings.keys(part):
        if device_of(key) == ("keyboard" if by_touch else controls.device):
            return glass_label(part, key) if by_touch else label(key, controls.family)
    return ""


def glass_label(part: str, key: str) -> str:
    """Return the label of the on-screen button for a part of an action that this key triggers."""
    if key.startswith("mouse_"):
        return translated(OF_MOUSE["mouse"])
    return label(key) if part.endswith(("-", "+")) else translated(part)


def game_hints(keys: Keys, bindings: Bindings, controls: Controls) -> Keys:
    """Return a game's list of keys with each action replaced by its current binding."""
    found = []
    for key, meaning in keys:
        text = (
            keys_text(bindings, key, controls)
            if key in bindings.named or bindings.is_axis(key)
            else key
        )
        if controls.device == "touch":
            text = OF_MOUSE.get(text, text)
        if text:
            found.append((translated(text), translated(meaning)))
    return found


def session_hints(keys: Keys, controls: Controls) -> Keys:
    """Return the session's keys, or the equivalent controller buttons."""
    if controls.device == "keyboard":
        return [(translated(key), meaning) for key, meaning in keys]
    if controls.device == "touch":
        return [(translated(BY_TOUCH[key]), meaning) for key, meaning in keys if key in BY_TOUCH]
    return [
        (label(SESSION_BUTTONS[key], controls.family), meaning)
        for key, meaning in keys
        if key in SESSION_BUTTONS
    ]
