"""Jolts: short camera motions: shakes, kicks, and the push-in towards a place under strain."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

SHAKE_TIME = 0.12
"""Time [s] in which a shake dies down to about a third."""
KICK_TIME = 0.09
"""Time [s] in which a kick dies down to about a third."""
PUSH_TIME = 0.35
"""Time [s] in which a push covers about two thirds of its way."""
SHAKEN = 0.018
"""Way of the view at a shake of strength 1, as a share of its height."""
KICKED = 0.02
"""Way of the view at a kick of strength 1, as a share of its height."""
PUSHED = 0.14
"""Share of the view that a whole push-in leaves out; it moves the middle by no more than half of
that.
"""

Seen = tuple[float, float, float]
"""Middle x, y [m] and height [m] of a view."""


class Jolts:
    """Offsets of a view that die down by themselves; all of them are shares of the
    visible height.
    """

    def __init__(self) -> None:
        self._time = 0.0
        self.clear()

    def clear(self) -> None:
        """Be still at once."""
        # Strength of the shake; offset of the kick, in visible heights; push-in now, and as wished
        # for the next frame, 0 to 1; and where it leans in on [m].
        self._shake = 0.0
        self._kick = (0.0, 0.0)
        self._push = 0.0
        self._wish = 0.0
        self._place = (0.0, 0.0)

    def shake(self, strength: float) -> None:
        """Shake for a moment; 1 is a strong hit, and the strongest one counts."""
        self._shake = min(max(self._shake, strength), 1.5)

    def kick(self, direction: ArrayLike, strength: float) -> None:
        """Jump in a direction, and come back."""
        x, y = np.asarray(direction, np.float64).tolist()
        share = min(max(strength, 0.0), 1.5) * KICKED / max(math.hypot(x, y), 1e-9)
        self._kick = (share * x, share * y)

    def push_in(self, place: ArrayLike, share: float) -> None:
        """Lean in on a place [m] by a share of 0 to 1, until the next frame."""
        x, y = np.asarray(place, np.float64).tolist()
        self._place = (x, y)
        self._wish = min(max(share, 0.0), 1.0)

    def advance(self, dt: float) -> None:
        """Advance by a frame [s]: all jolts decay, and the push-in glides to the value wished since
        the last frame.
        """
        self._shake *= math.exp(-dt / SHAKE_TIME)
        fading = math.exp(-dt / KICK_TIME)
        self._kick = (self._kick[0] * fading, self._kick[1] * fading)
        self._push += (self._wish - self._push) * (1.0 - math.exp(-dt / PUSH_TIME))
        self._time += dt
        if dt > 0.0:
            self._wish = 0.0

    def seen(self, x: float, y: float, height: float, width: float) -> Seen:
        """Return the view that is seen instead of one with this middle and these sizes [m]."""
        left_out = PUSHED * self._push
        if left_out > 1e-4:
            reach = 0.5 * left_out
            x += min(max(left_out * (self._place[0] - x), -reach * width), reach * width)
            y += min(max(left_out * (self._place[1] - y), -reach * height), reach * height)
        amplitude = SHAKEN * height * self._shake * self._shake
        x += amplitude * math.sin(61.0 * self._time) + height * self._kick[0]
        y += amplitude * math.sin(73.0 * self._time + 1.3) + height * self._kick[1]
        return x, y, height * (1.0 - left_out) if left_out > 1e-4 else height
