"""Resting: how many pictures a second are worth drawing, and the sleep between two of them."""

from __future__ import annotations

import time
from typing import Any


def most_pictures(window: Any) -> float:
    """Return how many pictures a second are worth drawing: one for each refresh of the screen, and a few to spare."""
    mode = window.screen.get_mode()
    return max(1.1 * float(mode.rate or 0.0), 120.0) if mode else 120.0


def rest(started: float, length: float) -> None:
    """Sleep where vsync does not: no picture is shorter than `length` [s]."""
    spare = length - (time.perf_counter() - started)
    if spare > 0.0:
        time.sleep(spare)
