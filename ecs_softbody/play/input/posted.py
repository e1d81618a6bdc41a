"""Posted: what pyglet's threads have found, and hand over when they are asked."""

from __future__ import annotations

import sys


def dispatch_posted() -> None:
    """Let pyglet's threads deliver what they have found: controllers, the ends of sounds."""
    from pyglet import app, clock

    if sys.platform != "darwin":
        app.platform_event_loop.step(0.0)  # the devices of controllers are read in here
    app.platform_event_loop.dispatch_posted_events()
    clock.tick()
