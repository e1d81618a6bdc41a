"""Pads: a browser's game controllers, with pyglet's controller events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

BUTTONS = {
    0: "a", 1: "b", 2: "x", 3: "y", 4: "leftshoulder", 5: "rightshoulder", 8: "back", 9: "start",
    10: "leftstick", 11: "rightstick",
}  # fmt: skip
"""Buttons by number in the browsers' standard mapping."""
STICKS = {"leftstick": (0, 1), "rightstick": (2, 3)}
"""Numbers of the sticks' axes: to the right, and down."""
TRIGGERS = {"lefttrigger": 6, "righttrigger": 7}
UP, DOWN, LEFT, RIGHT = 12, 13, 14, 15
"""Numbers of the cross's buttons."""
SONY = ("054c", "sony", "playstation", "dualshock", "dualsense")
MICROSOFT = ("045e", "xbox", "xinput", "microsoft")


class WebPad:
    """One controller.

    Args:
        name: the browser's name for it.

    Attributes:
        type: its button labels, by pyglet's name for them: "PS", "XB" or "GENERIC".
    """

    def __init__(self, name: str) -> None:
        small = name.lower()
        is_sony = any(word in small for word in SONY)
        is_microsoft = any(word in small for word in MICROSOFT)
        self.type = "PS" if is_sony else "XB" if is_microsoft else "GENERIC"
        self._handlers: dict[str, Callable[..., object]] = {}
        self._before: dict[tuple[str, ...], object] = {}

    def open(self) -> None:
        """Do nothing: it is always open."""

    def push_handlers(self, **handlers: Callable[..., object]) -> None:
        """Call these handlers from now on, by event name."""
        self._handlers = handlers

    def remove_handlers(self, **_: Callable[..., object]) -> None:
        """Remove all handlers."""
        self._handlers = {}

    def read(self, axes: list[float], held: list[bool], far: list[float]) -> None:
        """Report the changes since the last call.

        Args:
            axes: positions of its sticks, from -1 to 1.
            held: which buttons are down, by the browser's numbers.
            far: how far each of them is pressed, from 0 to 1.
        """

        def down(number: int) -> bool:
            return number < len(held) and held[number]

        for number, name in BUTTONS.items():
            self._tell(
                ("on_button_press" if down(number) else "on_button_release", name), ("button", name)
            )
        for name, (right, below) in STICKS.items():
            if below < len(axes):
                self._tell(("on_stick_motion", name, (axes[right], -axes[below])), ("stick", name))
        for name, number in TRIGGERS.items():
            self._tell(
                ("on_trigger_motion", name, far[number] if number < len(far) else 0.0),
                ("trigger", name),
            )
        cross = (down(RIGHT) - down(LEFT), down(UP) - down(DOWN))
        self._tell(("on_dpad_motion", cross), ("cross",))

    def _tell(self, event: tuple[Any, ...], part: tuple[str, ...]) -> None:
        """Call the handler of an event if this part of the controller has changed."""
        if self._before.get(part) == event:
            return
        self._before[part] = event
        name, *values = event
        if name in self._handlers:
            self._handlers[name](self, *values)
