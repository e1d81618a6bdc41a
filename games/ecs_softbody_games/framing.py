"""Framing: which part of a scene is seen in a window of any shape."""

from __future__ import annotations

from ecs_softbody.rendering import Camera

Rectangle = tuple[float, float, float, float]

KEY_BAR = 46.0
"""Height of the bar with the keys at the bottom of the screen [points]."""
SKY = 0.6
"""Share of the height to spare in a tall window that is sky; the rest is above and below."""
MOST = 0.35
"""How much higher a view becomes at most, so that panels cover nothing of it."""


def framed(
    view: Rectangle, camera: Camera, *, clear: float | None = None, panel: float = 0.0
) -> Rectangle:
    """Return what a camera shows: a view, in a tall window with more sky than ground.

    Args:
        view: left, bottom, right, top [m] of what is to be seen in any case.
        camera: of this window.
        clear: what is as high as this [m] stays below the panels in the corners of the screen.
        panel: how far down they reach [points].
    """
    left, bottom, right, top = view
    room = camera.screen_height - KEY_BAR
    tall = top - bottom
    spare = (right - left) / camera.aspect * room / camera.screen_height - tall
    highest = top + SKY * max(spare, 0.0)
    if clear is not None and panel < room:
        below = bottom + (clear - bottom) * room / (room - panel)
        highest = max(highest, min(below, top + MOST * tall))
    return left, bottom, right, highest
