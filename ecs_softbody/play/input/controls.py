"""Controls: the player's input in one frame; and what keeps or hides some of it between frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from ecs_softbody.errors import FieldTypeError
from ecs_softbody.play.input.actions import Bindings
from ecs_softbody.play.input.names import KEYS, Device, Family
from ecs_softbody.validation import unknown_attribute

ANY = Bindings({})
"""Default meaning of names until a game has declared its actions."""
OTHER_WORDS = {
    "is_down": "is_pressed", "down": "held", "key_down": "is_pressed",
    "just_pressed": "was_pressed", "is_just_pressed": "was_pressed",
    "just_released": "was_released", "mouse": "pointer", "get_axis": "axis", "x": "horizontal",
    "y": "vertical", "keys": "held",
}  # fmt: skip
"""Names in other libraries."""


@dataclass(slots=True)
class Controls:
    """The player's input in one frame.

    A name is an action of the game ("jump") or a key: `left right up down space enter escape tab
    backspace delete shift ctrl`, `a` to `z`, `0` to `9`, `plus minus comma period slash`, `f1` to
    `f12`, `mouse_left mouse_middle mouse_right`; on a controller `pad_a pad_b pad_x pad_y pad_lb
    pad_rb pad_lt pad_rt pad_ls pad_rs pad_start pad_back`, `pad_left pad_right pad_up pad_down`
    (the cross), `stick_left` and so on (the left stick, pushed far).

    A scripted player or a test may write names of actions into the sets, and axes into `axes`:
    `Controls(pressed={"jump"}, axes={"move": 0.5})`.

    Attributes:
        held: keys and buttons that are down.
        pressed: keys and buttons that went down since the last frame.
        released: keys and buttons that went up since the last frame.
        pointer: position of the mouse in the world [m].
        pointer_screen: position of the mouse on the screen, in points (origin at the bottom left).
        scroll: turns of the wheel, up is positive.
        axes: positions of sticks and triggers, -1 to 1, by name: `stick_x stick_y right_stick_x
            right_stick_y pad_lt pad_rt`.
        device: the device used last: "keyboard" (with the mouse), "pad", or "touch".
        family: button labels of the controller: "XB", "PS" or "GENERIC".
        actions: the game's actions and their keys; a session sets them.
    """

    held: set[str] = field(default_factory=set)
    pressed: set[str] = field(default_factory=set)
    released: set[str] = field(default_factory=set)
    pointer: tuple[float, float] = (0.0, 0.0)
    pointer_screen: tuple[float, float] = (0.0, 0.0)
    scroll: float = 0.0
    axes: dict[str, float] = field(default_factory=dict)
    device: Device = "keyboard"
    family: Family = "GENERIC"
    actions: Bindings = field(default=ANY, repr=False, compare=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Raise AttributeError with a suggestion."""
            raise unknown_attribute("Controls", name, dir(Controls), OTHER_WORDS)

    def is_pressed(self, *names: str) -> bool:
        """Return whether any of these actions or keys is down, or was for a moment since the last
        frame.

        Raises:
            ValueError: for a name that is neither an action of the game nor a key.
        """
        return self._any_of(names, self.held | self.pressed)

    def is_held(self, *names: str) -> bool:
        """Return the same as `is_pressed`."""
        return self.is_pressed(*names)

    def was_pressed(self, *names: str) -> bool:
        """Return whether any of these actions or keys went down since the last frame; errors as
        `is_pressed`.
        """
        return self._any_of(names, self.pressed)

    def was_released(self, *names: str) -> bool:
        """Return whether any of these actions or keys went up since the last frame; errors as
        `is_pressed`.
        """
        return self._any_of(names, self.released)

    def axis(self, name: str) -> float:
        """Return an axis, -1 to 1: a stick's position, or -1, 0, 1 from keys; the larger one
        counts.

        Raises:
            ValueError: when the game has no axis of this name.
        """
        if name in self.axes:
            return min(max(self.axes[name], -1.0), 1.0)
        self.actions.check_axis(name)
        keys = float(self.is_pressed(name + "+")) - float(self.is_pressed(name + "-"))
        sticks = (self.axes.get(stick, 0.0) for stick in self.actions.keys(name + "~"))
        return max((keys, *sticks), key=abs)

    @property
    def horizontal(self) -> float:
        """-1 to 1 from the arrow keys, A and D, or a controller."""
        return self.axis("horizontal")

    @property
    def vertical(self) -> float:
        """-1 to 1 from the arrow keys, S and W, or a controller."""
        return self.axis("vertical")

    def copied(self) -> Controls:
        """Return a copy."""
        return Controls(
            set(self.held),
            set(self.pressed),
            set(self.released),
            self.pointer,
            self.pointer_screen,
            self.scroll,
            dict(self.axes),
            self.device,
            self.family,
            self.actions,
        )

    def gone_on(self) -> Controls:
        """Return what is left for another frame of the world: what is down and pushed still."""
        left = self.copied()
        left.pressed.clear()
        left.released.clear()
        left.scroll = 0.0
        return left

    def _any_of(self, names: tuple[str, ...], down: set[str]) -> bool:
        found = False
        for name in names:
            found = name in down or (name not in KEYS and self._has(name, down)) or found
        return found

    def _has(self, name: str, down: set[str]) -> bool:
        if (
            self.actions is ANY
            and name not in ("horizontal", "vertical")
            and not self.actions.keys(name)
        ):
            # A test or a scripted player does not know the game's actions.
            return False
        return not down.isdisjoint(self.actions.all_keys(name))


class BufferedPresses:
    """Keeps presses and releases for the next frame of the world: those while it stood still, or
    between two of its slow frames.
    """

    def __init__(self) -> None:
        self._pressed: set[str] = set()
        self._released: set[str] = set()

    def keep(self, controls: Controls) -> None:
        """Keep the presses and releases of this frame of the screen, and drop the earlier ones."""
        self._pressed = set(controls.pressed)
        self._released = set(controls.released)

    def forget(self) -> None:
        """Drop all."""
        self._pressed = set()
        self._released = set()

    def give(self, controls: Controls) -> None:
        """Add the kept presses and releases to a frame's controls, then forget them."""
        controls.pressed |= self._pressed
        controls.released |= self._released
        self.forget()


class Withheld:
    """Hides keys that are down while a screen covers the game, until they are released.

    Space on the start screen is no jump, however long it is held.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._axes: set[str] = set()

    def left_of(self, controls: Controls, *, covered: bool) -> Controls:
        """Return the game's share of the input; `covered` tells whether a screen covered it in this
        frame.

        The game sees the release of a key only if it saw the press, with no screen in between.
        """
        if covered:
            self._names = controls.held | controls.pressed | controls.released
            self._axes = {name for name, value in controls.axes.items() if value}
        else:
            self._names -= controls.pressed  # released, and pressed again
            self._axes = {name for name in self._axes if controls.axes.get(name)}
        if not self._names and not self._axes:
            return controls
        left = controls.copied()
        for names in (left.held, left.pressed, left.released):
            names.difference_update(self._names)
        for name in self._axes:
            left.axes.pop(name, None)
        self._names &= controls.held
        return left


def check_controls(asked: str, controls: object) -> None:
    """Raise TypeError unless `controls` are Controls; an `autopilot` that returns nothing gives
    None.
    """
    if not isinstance(controls, Controls):
        raise FieldTypeError(asked, "", controls, "Controls. Controls() does nothing")
    for name in ("held", "pressed", "released"):
        if not isinstance(names := getattr(controls, name), set):
            raise FieldTypeError("Controls", name, names, "a set of names: {'jump'}")
    if not isinstance(controls.axes, dict):
        raise FieldTypeError("Controls", "axes", controls.axes, "a dict: {'move': 0.5}")
