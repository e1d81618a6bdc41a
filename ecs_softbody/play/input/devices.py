"""Devices: the state of the player's keyboard, mouse and controllers, frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.names import Device
from ecs_softbody.play.input.pads import Pads


class Devices:
    """Turns events into controls. The stage reports events, and calls `next_frame` after each
    frame.

    Args:
        answered: the stage's own key handlers, by key name; the game does not see these keys.

    Attributes:
        controls: the player's input in this frame.
        pads: the game controllers; they are plugged in and out at any time.
    """

    def __init__(self, answered: Mapping[str, Callable[[], object]] | None = None) -> None:
        self.controls = Controls()
        self.pads = Pads()
        self._hand: Device = "keyboard"
        self._answered = answered or {}
        self._again: list[str] = []
        """Presses of keys already pressed in this frame: each one belongs to a later frame."""
        self.pads.controls = self.controls

    @property
    def are_used(self) -> bool:
        """Whether there was a press, a release or a wheel turn since the last frame."""
        return bool(self.controls.pressed or self.controls.released or self.controls.scroll)

    def begin(self) -> None:
        """Begin another screen with all keys up; device in hand, mouse and sticks stay as they
        are.
        """
        before = self.controls
        self.controls = Controls(
            device=before.device,
            family=before.family,
            pointer_screen=before.pointer_screen,
            axes=dict(before.axes),
        )
        self.pads.controls = self.controls
        self._again.clear()

    def next_frame(self) -> None:
        """Go on to the next frame."""
        controls = self.controls
        waiting = self._again
        self._again = []
        controls.pressed.clear()
        controls.released.clear()
        controls.scroll = 0.0
        for name in waiting:
            if name in controls.pressed:
                self._again.append(name)
                continue
            controls.pressed.add(name)
            if name not in controls.held:
                controls.released.add(name)

    def hold(self, device: Device) -> None:
        """Attribute keys and mouse to the keyboard, or to touch, from now on."""
        if device != self._hand:
            self._hand = self.controls.device = device

    def press(self, name: str) -> None:
        """Note that a key or mouse button went down."""
        if name in self._answered:
            self._answered[name]()
            return
        self.controls.device = self._hand
        self.controls.held.add(name)
        if name in self.controls.pressed:
            self._again.append(name)
        self.controls.pressed.add(name)

    def release(self, name: str) -> None:
        """Note that a key or button went up; releases of presses on another screen, or in another
        window, are ignored.
        """
        if name in self.controls.held:
            self.controls.held.discard(name)
            self.controls.released.add(name)

    def let_go(self) -> None:
        """Release everything: another window has the keyboard focus now.

        Controllers keep reporting.
        """
        for name in tuple(self.controls.held):
            self.release(name)
        self._again.clear()
