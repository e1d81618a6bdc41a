"""Presses keys of a window."""

from __future__ import annotations

from ecs_softbody.play import FRAME
from ecs_softbody.play.window import GameWindow


def typed(window: GameWindow, *symbols: str) -> None:
    """Press and release keys the way the system does: events that are queued, then dispatched."""
    from pyglet.window import key

    for symbol in symbols:
        window.handle.dispatch_event("on_key_press", getattr(key, symbol), 0)
        window.tick(FRAME)
        window.handle.dispatch_event("on_key_release", getattr(key, symbol), 0)
        window.tick(FRAME)
