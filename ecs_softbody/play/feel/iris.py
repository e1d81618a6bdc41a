"""Iris: a round opening that closes on a point at the end of a round, and opens at the next
start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour, rgba

if TYPE_CHECKING:
    from ecs_softbody.rendering.picture import Picture

INK: Colour = (10, 9, 22)
"""Colour around the opening."""
CORNERS = 64
"""Corners that the circle is drawn with."""
LAYER = Layer.HUD - 5
"""Over the world, below texts."""


class Iris:
    """Open at first; `begin` opens or closes it over a moment, and a closed iris stays closed."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Open at once."""
        # Middle of the opening [m]; time since it began to move, and how long that takes [s];
        # whether it closes.
        self._place = (0.0, 0.0)
        self._age = 0.0
        self._seconds = 0.0
        self._closing = False

    def begin(self, place: tuple[float, float], seconds: float, *, closing: bool) -> None:
        """Close on a place [m], or open from there, in `seconds`."""
        self._place = place
        self._age = 0.0
        self._seconds = seconds
        self._closing = closing

    def advance(self, dt: float) -> None:
        """Advance by one frame [s]."""
        self._age += dt

    @property
    def opening(self) -> float:
        """Openness, 0 to 1."""
        share = min(self._age / self._seconds, 1.0) if self._seconds > 0.0 else 1.0
        if self._closing:
            return 1.0 - share * share * (3.0 - 2.0 * share)
        return share**1.5 if self._seconds > 0.0 else 1.0

    def draw(self, picture: Picture) -> None:
        """Cover the picture outside the opening."""
        opening = self.opening
        if opening >= 1.0:
            return
        middle = picture.to_pixels(self._place)
        size = np.array((picture.width_px, picture.height_px))
        reach = float(np.hypot(*(0.5 * size + np.abs(middle - 0.5 * size))))
        turns = np.linspace(0.0, 2.0 * np.pi, CORNERS + 1)
        circle = np.column_stack((np.cos(turns), np.sin(turns)))
        hole = middle + opening * reach * circle
        ink = rgba(INK)
        picture.mesh(LAYER).add_band(middle + 1.5 * reach * circle, hole, ink, ink)
        picture.stroke(picture.view.to_world(hole), 3.0, INK, layer=LAYER)
