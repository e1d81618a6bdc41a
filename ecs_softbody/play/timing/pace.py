"""Pace: how many frames of the world one frame of the screen runs, and which moment of them is
seen.
"""

from __future__ import annotations

import math

from ecs_softbody.simulation.clock import MOST_FRAMES_AT_ONCE

ROUNDING = 1e-9


class Pace:
    """Turns a speed (1 is usual, 0.25 slow, 0 stands still) into whole frames.

    Speeds may change at any time.
    """

    def __init__(self) -> None:
        self._ahead = 0.0  # share of the last frame of the world that was not seen yet
        self._rate = 0.0

    def due(self, rate: float) -> int:
        """Return how many frames of the world the next frame of the screen runs at this speed."""
        self._rate = rate
        if rate <= self._ahead + ROUNDING:
            self._ahead = max(self._ahead - rate, 0.0)
            return 0
        count = math.ceil(rate - self._ahead - ROUNDING)
        if count > MOST_FRAMES_AT_ONCE:
            self._ahead = 0.0
            return MOST_FRAMES_AT_ONCE
        self._ahead = max(self._ahead + count - rate, 0.0)
        return count

    def show_whole_frame(self) -> None:
        """Let the end of the last frame be seen, and nothing move."""
        self._ahead = self._rate = 0.0

    def alpha(self, alpha: float) -> float:
        """Return which share of the world's last frame is seen, `alpha` of the way through the
        screen's frame.
        """
        return min(max(1.0 - self._ahead - self._rate * (1.0 - alpha), 0.0), 1.0)
