"""KeptPresses: presses and releases while the world stood still, or between two of its slow
frames.
"""

from __future__ import annotations

from ecs_softbody.play.input.controls import Controls


class KeptPresses:
    """Keeps keys for the next frame of the world."""

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
