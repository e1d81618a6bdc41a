"""Opening: an inspector for a window, or one sentence about a missing package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ecs_softbody.play.launch.tools import ToolMissing

if TYPE_CHECKING:
    from ecs_softbody.inspector.panel.inspector import Inspector
    from ecs_softbody.play.window import GameWindow

MISSING = (
    "the inspector needs imgui-bundle, which is in the extra `inspector`: pip "
    "install 'ecs-softbody[inspector]'"
)
"""Message where imgui-bundle is not installed."""


def check_installed() -> None:
    """Check that the packages of the inspector are installed.

    Raises:
        ToolMissing: if the extra is missing; the message names it.
    """
    try:
        from imgui_bundle import imgui  # noqa: F401
    except ImportError as error:
        raise ToolMissing(MISSING) from error


def open_inspector(window: GameWindow) -> Inspector:
    """Return an inspector that lies over a window.

    Raises:
        ToolMissing: if the extra is missing; the message names it.
    """
    check_installed()
    from imgui_bundle import imgui

    from ecs_softbody.inspector.panel.inspector import Inspector

    return Inspector(window, imgui)
