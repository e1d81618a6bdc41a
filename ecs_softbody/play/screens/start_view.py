"""View of the world on the start screen, between its words and its keys."""

from __future__ import annotations

from ecs_softbody.rendering.screen.view import View

LOW, HIGH, BELOW_MAP = 0.29, 0.63, 0.48
"""Fractions of the height between which nothing is written; a map of levels leaves less room."""


def start_view(
    rectangle: tuple[float, float, float, float],
    width_px: int,
    height_px: int,
    *,
    levels: bool = False,
) -> View:
    """Return a view [m] of a picture of this size [pixels] that fits a rectangle [m] into the area
    without text.
    """
    left, bottom, right, top = rectangle
    high = BELOW_MAP if levels else HIGH
    height = height_px / min(width_px / (right - left), (high - LOW) * height_px / (top - bottom))
    middle = 0.5 * (left + right), 0.5 * (bottom + top) + height * (0.5 - 0.5 * (LOW + high))
    return View(middle, height, width_px, height_px)
