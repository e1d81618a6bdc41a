"""Screen: the interface of the screens shown in a window."""

from __future__ import annotations

from typing import Protocol

from ecs_softbody.play.input.controls import Controls
from ecs_softbody.rendering.picture import Picture


class Screen(Protocol):
    """A screen that a window can show: a session, or a menu."""

    exit_requested: bool

    @property
    def is_still(self) -> bool:
        """Whether the picture is static until the next input."""

    def frame(self, controls: Controls) -> None:
        """Run one frame."""

    def picture(self, width_px: int, height_px: int, alpha: float, into: Picture | None) -> Picture:
        """Return the picture."""
