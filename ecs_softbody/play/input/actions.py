"""Actions: named player actions ("jump", "move"), and the keys, buttons and sticks bound to
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ecs_softbody.errors import FieldError, FieldTypeError
from ecs_softbody.play.input.names import AXES, KEYS, device_of, known_names
from ecs_softbody.validation import check_text, did_you_mean


def _checked(owner: str, names: Iterable[str], allowed: frozenset[str] = KEYS) -> tuple[str, ...]:
    """Return key names; ValueError for the first unknown one, with the closest known name."""
    checked = tuple(names)
    for name in checked:
        if not isinstance(name, str):
            raise FieldTypeError(owner, "keys", name, "names of keys, each a text: 'space'")
        if name not in allowed:
            kind = "an axis of a controller" if allowed is AXES else "a key"
            hint = did_you_mean(name, allowed) or f"; the names are {', '.join(sorted(allowed))}"
            raise ValueError(f"{owner}: {name!r} is not the name of {kind}{hint}")
    return checked


class Button:
    """A binary action: `Button("space", "up", "pad_a")`.

    Args:
        keys: names of keys, mouse buttons and controller buttons; any of them triggers it.
    """

    def __init__(self, *keys: str) -> None:
        self.parts = {"": _checked("Button", keys)}


class Axis:
    """An action between -1 and 1: `Axis("left", "right")`; a stick gives values in between.

    Args:
        negative: keys towards -1, separated by spaces: "left a pad_left".
        positive: keys towards 1.
        stick: axes of a controller: "stick_x", or "pad_rt" for a trigger, several separated by
            spaces.
    """

    def __init__(self, negative: str, positive: str, stick: str = "") -> None:
        self.parts = {
            "-": _checked("Axis", _words("negative", negative)),
            "+": _checked("Axis", _words("positive", positive)),
            "~": _checked("Axis", _words("stick", stick), AXES),
        }


def _words(field: str, names: str) -> list[str]:
    """Return the names in an argument of an Axis."""
    if not isinstance(names, str):
        raise FieldTypeError("Axis", field, names, "names of keys in one text: 'left a'")
    return names.split()


HORIZONTAL = Axis("left a pad_left", "right d pad_right", "stick_x")
VERTICAL = Axis("down s pad_down", "up w pad_up", "stick_y")
"""Default bindings of `controls.horizontal` and `controls.vertical`; a game's actions of these
names replace them.
"""


def _is_name_of_an_action(name: object) -> bool:
    """Return whether an action may have this name."""
    return (
        isinstance(name, str)
        and name != ""
        and name not in KEYS
        and name not in AXES
        and not any(letter in name for letter in " +-~")
    )


class Bindings:
    """The current key bindings of the actions: the game's defaults, or the player's choice.

    Args:
        actions: name -> Button or Axis.
        reserved: keys that no action may have.
        owner: whose actions they are, for errors.

    Raises:
        ValueError: for a name that is a key's name or contains a space or one of `+-~`; for a
            reserved key.
        TypeError: when an action is neither a Button nor an Axis.
    """

    def __init__(
        self,
        actions: Mapping[str, Button | Axis],
        reserved: frozenset[str] = frozenset(),
        *,
        owner: str = "actions",
    ) -> None:
        for name, action in actions.items():
            if not _is_name_of_an_action(name):
                raise FieldError(owner, "", name, "a word that is no name of a key: 'jump'")
            if not isinstance(action, Button | Axis):
                raise FieldTypeError(owner, name, action, "Button(...) or Axis(...)")
            taken = sorted(key for keys in action.parts.values() for key in keys if key in reserved)
            if taken:
                uses = ", ".join(sorted(reserved))
                hint = f": the session uses {uses}"
                raise FieldError(owner, name, taken[0], "another key", hint=hint)
        self.named = tuple(actions)
        """Names of the game's own actions."""
        both = {"horizontal": HORIZONTAL, "vertical": VERTICAL, **actions}
        self._asked = {
            name + part: keys
            for name, action in both.items()
            for part, keys in action.parts.items()
        }
        self._chosen: dict[str, tuple[str, ...]] = {}

    def parts(self) -> list[str]:
        """Return the parts that can be bound to keys: "jump", "move-", "move+"."""
        return [
            name + part
            for name in self.named
            for part in ("", "-", "+")
            if name + part in self._asked
        ]

    def keys(self, part: str) -> tuple[str, ...]:
        """Return the keys of a part of an action; empty for an unknown part."""
        return self._chosen.get(part, self._asked.get(part, ()))

    def keys_of_the_game(self, part: str) -> tuple[str, ...]:
        """Return the game's default keys of a part, regardless of the player's choice."""
        return self._asked.get(part, ())

    def all_keys(self, name: str) -> tuple[str, ...]:
        """Return the keys of a button, or of both ends of an axis, or the key itself; ValueError
        for any other name.
        """
        check_text("controls", "name", name)
        if name in KEYS:
            return (name,)
        if name in self._asked:
            return self.keys(name)
        if name + "-" not in self._asked:
            raise ValueError(self._unknown(name))
        return self.keys(name + "-") + self.keys(name + "+")

    def is_axis(self, name: str) -> bool:
        """Return whether an axis of this name exists."""
        return name + "~" in self._asked

    def check_axis(self, name: str) -> None:
        """Raise ValueError for an unknown axis."""
        check_text("controls", "name", name)
        if not self.is_axis(name):
            raise ValueError(self._unknown(name))

    def choose(self, part: str, key: str) -> None:
        """Bind one key to a part of an action, replacing all others of the same device; other
        actions lose it.
        """
        if part not in self.parts():
            raise ValueError(
                f"there is no action {part!r}; the actions are {', '.join(self.parts())}"
            )
        _checked("choose", (key,))
        device = device_of(key)
        kept = tuple(name for name in self.keys(part) if device_of(name) != device)
        for other in self.parts():
            if key in self.keys(other):
                self._chosen[other] = tuple(name for name in self.keys(other) if name != key)
        self._chosen[part] = (key, *kept) if device == "keyboard" else (*kept, key)

    def reset(self) -> None:
        """Reset all bindings to the game's defaults."""
        self._chosen.clear()

    def saved(self) -> dict[str, list[str]]:
        """Return the player's bindings, for a file."""
        return {part: list(keys) for part, keys in self._chosen.items()}

    def load(self, saved: Any) -> None:
        """Load the bindings that `saved` returned; unknown parts and keys are ignored."""
        self.reset()
        if not isinstance(saved, Mapping):
            return
        for part, keys in saved.items():
            if part in self.parts() and isinstance(keys, list):
                self._chosen[part] = tuple(
                    key for key in keys if isinstance(key, str) and key in KEYS
                )

    def _unknown(self, name: str) -> str:
        known = [*self.named, *known_names(), "horizontal", "vertical"]
        hint = did_you_mean(name, known)
        actions = ", ".join(self.named) or "none: list them in the attribute `actions` of the game"
        return f"controls: there is no action or key {name!r}{hint}. The actions are {actions}"
