"""Pace: the number of world frames per screen frame, and their interpolation."""

from __future__ import annotations

import math

from ecs_softbody.simulation.clock import MOST_FRAMES_AT_ONCE

ROUNDING = 1e-9


class Pace:
    """Turns a speed (1 is normal, 0.25 slow, 0 stopped) into whole frames.

    The speed may change at any time.
    """

    def __init__(self) -> None:
        self._ahead = 0.0  # fraction of the last world frame not shown yet
        self._rate = 0.0

    def due(self, rate: float) -> int:
        """Return the number of world frames in the next screen frame at this speed."""
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
        """Show the end of the last frame, without motion."""
        self._ahead = self._rate = 0.0

    def alpha(self, alpha: float) -> float:
        """Return the visible fraction of the world's last frame, `alpha` of the way through the
        screen's frame.
        """
        return min(max(1.0 - self._ahead - self._rate * (1.0 - alpha), 0.0), 1.0)
