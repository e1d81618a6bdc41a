"""Devices: what the player's keyboard, mouse and controllers do in a window, from one frame to the next."""

from __future__ import annotations

from typing import Any

from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.names import MOUSE
from ecs_softbody.play.input.pads import Pads
from ecs_softbody.play.input.x_keys import XKeys


class Devices:
    """Turns events into controls. The window tells what happens, and calls `next_frame` after each frame.

    Args:
        window: the pyglet window.

    Attributes:
        controls: what the player does in this frame.
        pads: the game controllers; they are plugged in and out at any time.
    """

    def __init__(self, window: Any) -> None:
        self.controls, self.pads = Controls(), Pads()
        self._keys = XKeys(window) if XKeys.can_hear(window) else None
        self._again: list[str] = []
        """Presses of keys that were pressed in this frame already: each one belongs to another frame."""
        self.pads.controls = self.controls
        self.pads.open()

    @property
    def are_used(self) -> bool:
        """Whether something was pressed, let go or turned since the last frame."""
        return bool(self.controls.pressed or self.controls.released or self.controls.scroll)

    def begin(self) -> None:
        """Begin with no key down, on another screen; device in hand, mouse and sticks stay as they are."""
        before = self.controls
        self.controls = Controls(
            device=before.device, family=before.family, pointer_screen=before.pointer_screen, axes=dict(before.axes)
        )
        self.pads.controls = self.controls
        self._again.clear()

    def next_frame(self) -> None:
        """Go on to the next frame."""
        controls, waiting, self._again = self.controls, self._again, []
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

    def press(self, name: str) -> None:
        """Note that a key or a button of the mouse went down."""
        self.controls.device = "keyboard"
        self.controls.held.add(name)
        if name in self.controls.pressed:
            self._again.append(name)
        self.controls.pressed.add(name)

    def release(self, name: str) -> None:
        """Note that a key or a button went up; of what went down on another screen, or in another window, nothing."""
        if name in self.controls.held:
            self.controls.held.discard(name)
            self.controls.released.add(name)

    def let_go(self) -> None:
        """Let go of everything: another window has the keys now. Controllers tell what they do all the same."""
        for name in tuple(self.controls.held):
            self.release(name)
        self._again.clear()
        if self._keys is not None:
            self._keys.forget()

    def look(self) -> None:
        """Find out what is down: another window had the keys."""
        if self._keys is not None:
            self._keys.look()

    def look_in_new_window(self) -> None:
        """Let go of what may have been let go unseen: for the system the window is another one now."""
        if self._keys is None:
            self.let_go()
            return
        for name in MOUSE:
            self.release(name)
        self._keys.look()
