"""Points: the unit of all sizes on the screen; how many pixels one has in a window of any size."""

from __future__ import annotations

USUAL_SIZE = (1280, 720)
"""Width and height of a window, or a picture of a game, whose size nobody has chosen [pixels]."""
USUAL_HEIGHT = 720.0
"""Height of the screen [points] in a window that is wide enough, with texts of the usual size."""
LEAST_WIDTH = 640.0
"""Minimum width of every screen [points]: everything drawn on it has to fit."""
LEAST_HEIGHT = 360.0
"""Minimum height of every screen [points]."""
LEAST_POINT = 0.45
"""In small windows a point is no smaller than this [pixels]: letters stay legible."""


def pixels_per_point(width_px: int, height_px: int, text_size: float = 1.0) -> float:
    """Return how many pixels a point has.

    Args:
        width_px, height_px: of the picture [pixels].
        text_size: the choice of the player, 1 for the usual size; reduced if the window is too
            small for it; 0 for a screen that is 720 points high whatever its width.
    """
    if text_size == 0.0:
        return height_px / USUAL_HEIGHT
    usual = max(min(height_px / USUAL_HEIGHT, width_px / LEAST_WIDTH), LEAST_POINT)
    return min(usual * text_size, width_px / LEAST_WIDTH, height_px / LEAST_HEIGHT)
