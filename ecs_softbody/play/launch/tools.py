"""Tools: overlays over the game in a window, such as the inspector.

They are loaded on demand.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

INSPECTOR = "ecs_softbody.inspector.opening"
"""Module of the inspector, imported by name: it looks into games, so its room is above this one."""


class ToolMissing(RuntimeError):  # noqa: N818 - it names a missing part, not a mistake
    """A tool cannot be opened; the message says in one sentence what to install, and how."""


class Tool(Protocol):
    """An overlay over the game in a window."""

    shown: bool

    def meet(self, screen: Any) -> None:
        """Look at the window's current screen."""

    def follow(self, frame_ms: float) -> None:
        """Record the work of the frames; the last one took `frame_ms` [ms]."""

    def draw(self) -> None:
        """Draw over the picture."""

    def close(self) -> None:
        """Release its resources."""


def check_inspector() -> None:
    """Raise ToolMissing if the inspector cannot be opened."""
    import_module(INSPECTOR).check_installed()


def open_inspector(window: Any) -> Tool:
    """Return the inspector of a window, or raise ToolMissing."""
    tool: Tool = import_module(INSPECTOR).open_inspector(window)
    return tool
