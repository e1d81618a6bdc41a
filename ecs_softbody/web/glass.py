"""Glass: touch buttons of a page: a game's actions while it is played, else the session's keys."""

from __future__ import annotations

from typing import Literal

from ecs_softbody.play.game import Game
from ecs_softbody.play.input.hints import glass_label
from ecs_softbody.play.input.names import KEYS, device_of, label
from ecs_softbody.play.input.session_keys import PAUSE, RESTART, SETTINGS
from ecs_softbody.play.session import Session
from ecs_softbody.play.stage import Screen
from ecs_softbody.rendering.texts.table import say

Mode = Literal["menu", "over", "title", "playing", "paused", "won", "lost"]
"""The state of a session, a screen "over" it or over the menu, or a screen without a session."""
Buttons = list[dict[str, str]]
"""For each button its label, its key, and its place: "left", "right", "corner" or "middle"."""
WAYS = ("left", "right", "up", "down")
"""Direction keys under the left thumb, in order."""
ARROWS = {label(way): way for way in WAYS}
WORDS = {
    PAUSE: "keys.pause", RESTART: "keys.restart", "backspace": "keys.map",
    SETTINGS: "keys.settings",
    "f11": "keys.full_screen", "escape": "keys.leave",
}  # fmt: skip
"""Keys of the session, and the key of the text that says what each does."""
CORNER: dict[Mode, str] = {"title": f"{SETTINGS} f11 escape", "playing": PAUSE}
MIDDLE: dict[Mode, str] = {
    "menu": f"{SETTINGS} f11", "over": "escape",
    "paused": f"{RESTART} backspace {SETTINGS} f11 escape", "won": f"{RESTART} escape",
    "lost": "escape",
}  # fmt: skip
"""Keys of the session that have a button; on other screens than these, a tap is enough."""


def mode_of(screen: Screen) -> Mode:
    """Return what a finger meets on a screen."""
    if getattr(screen, "settings_shown", None) is not None or getattr(screen, "help_shown", False):
        return "over"
    return screen.state if isinstance(screen, Session) else "menu"


def glass_of(mode: Mode, game: Game | None = None) -> Buttons:
    """Return the buttons that a screen has on the glass; only a game that is played has those of
    the game.
    """
    levels = game is not None and len(game.levels) > 1
    own = buttons_of_game(game) if mode == "playing" and game is not None else []
    session = [(key, "corner") for key in CORNER.get(mode, "").split()]
    session += [
        (key, "middle") for key in MIDDLE.get(mode, "").split() if levels or key != "backspace"
    ]
    words = WORDS if mode != "over" else {"escape": "keys.back"}
    return own + [{"label": say(words[key]), "key": key, "side": side} for key, side in session]


def buttons_of_game(game: Game) -> Buttons:
    """Return the buttons for a game that is played.

    The buttons are the game's actions, and the other directions and keys in its list of keys. Axes
    and arrows stand at the left, the others at the right. Mouse input needs no buttons: a finger
    acts as the mouse.
    """
    found: dict[str, tuple[str, str]] = {}
    shown_keys = [key for key, _ in game.keys if key not in game.by_pointer]
    axes = [
        name
        for name in ("horizontal", "vertical")
        if name in shown_keys and name not in game.bindings.named
    ]
    for part in game.bindings.parts() + [name + end for name in axes for end in "-+"]:
        keys = [key for key in game.bindings.keys(part) if device_of(key) == "keyboard"]
        if keys and not keys[0].startswith("mouse_") and part.rstrip("-+") not in game.by_pointer:
            found.setdefault(
                keys[0],
                (glass_label(part, keys[0]), "left" if part.endswith(("-", "+")) else "right"),
            )
    for text in shown_keys:
        keys = [ARROWS.get(word, word.lower()) for word in text.split()]
        if text not in game.bindings.named and all(key in KEYS for key in keys):
            for key in keys:
                found.setdefault(key, (label(key), "left" if key in WAYS else "right"))
    places = {(key, "left"): place for place, key in enumerate(WAYS)}
    order = sorted(found, key=lambda key: places.get((key, found[key][1]), len(places)))
    return [{"label": found[key][0], "key": key, "side": found[key][1]} for key in order]
