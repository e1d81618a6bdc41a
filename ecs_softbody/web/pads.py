"""Pads: a game controller of a browser, with the events that pyglet's have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SONY = ("054c", "sony", "playstation", "dualshock", "dualsense")
MICROSOFT = ("045e", "xbox", "xinput", "microsoft")


class WebPad:
    """One controller.

    Args:
        name: what the browser calls it.

    Attributes:
        type: whose letters are on its buttons, as pyglet says it.
    """

    def __init__(self, name: str) -> None:
        small = name.lower()
        is_sony = any(word in small for word in SONY)
        is_microsoft = any(word in small for word in MICROSOFT)
        self.type = "PS" if is_sony else "XB" if is_microsoft else "GENERIC"
        self._handlers: dict[str, Callable[..., object]] = {}

    def open(self) -> None:
        """It is open."""

    def push_handlers(self, **handlers: Callable[..., object]) -> None:
        """Call these from now on, by the names of events."""
        self._handlers = handlers

    def remove_handlers(self, **_: Callable[..., object]) -> None:
        """Call nothing any more."""
        self._handlers = {}

    def tell(self, event: str, *values: Any) -> None:
        """Call what hears an event."""
        if event in self._handlers:
            self._handlers[event](self, *values)
