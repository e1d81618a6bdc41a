"""Glass: on-screen touch buttons of a page, derived from a game's actions and keys."""

from __future__ import annotations

from ecs_softbody.play.game import Game
from ecs_softbody.play.input.hints import glass_label
from ecs_softbody.play.input.names import KEYS, device_of, label

Buttons = list[dict[str, str]]
"""For each button its label, its key, and its place: "left", "right" or "corner"."""
CORNER: Buttons = [
    {"label": "II", "key": "p", "side": "corner"},
    {"label": "✕", "key": "escape", "side": "corner"},
]
WAYS = ("left", "right", "up", "down")
"""Direction keys under the left thumb, in order."""
ARROWS = {label(way): way for way in WAYS}
MENU: Buttons = [
    {"label": label(way), "key": way, "side": "left"} for way in WAYS
] + [{"label": "OK", "key": "enter", "side": "right"}, CORNER[1]]  # fmt: skip
"""Buttons of screens without a game."""


def glass_of(game: Game | None) -> Buttons:
    """Return the buttons for a game, or for another screen: None.

    The buttons are the game's actions, and the other directions and keys in its list of keys. Axes
    and arrows stand at the left, the others at the right. Mouse input needs no buttons: a finger
    acts as the mouse.
    """
    if game is None:
        return MENU
    found: dict[str, tuple[str, str]] = {}
    told = [key for key, _ in game.keys]
    axes = [
        name
        for name in ("horizontal", "vertical")
        if name in told and name not in game.bindings.named
    ]
    for part in game.bindings.parts() + [name + end for name in axes for end in "-+"]:
        keys = [key for key in game.bindings.keys(part) if device_of(key) == "keyboard"]
        if keys and not keys[0].startswith("mouse_"):
            found.setdefault(
                keys[0],
                (glass_label(part, keys[0]), "left" if part.endswith(("-", "+")) else "right"),
            )
    for text in told:
        keys = [ARROWS.get(word, word.lower()) for word in text.split()]
        if text not in game.bindings.named and all(key in KEYS for key in keys):
            for key in keys:
                found.setdefault(key, (label(key), "left" if key in WAYS else "right"))
    places = {(key, "left"): place for place, key in enumerate(WAYS)}
    order = sorted(found, key=lambda key: places.get((key, found[key][1]), len(places)))
    return [{"label": found[key][0], "key": key, "side": found[key][1]} for key in order] + CORNER
