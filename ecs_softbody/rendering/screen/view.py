"""View: the part of the world that one picture shows, and where it is in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats


@dataclass(frozen=True)
class View:
    """The camera of one picture: a centre [m], a visible height [m] and the size of the picture
    [pixels].
    """

    center: tuple[float, float]  # Middle of the visible part [m]
    height: float  # Visible height [m]
    width_px: int
    height_px: int

    @cached_property
    def scale(self) -> float:
        """Pixels per metre."""
        return self.height_px / self.height

    @property
    def width(self) -> float:
        """Visible width [m]."""
        return self.height * self.width_px / self.height_px

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Visible part of the world: left, bottom, right, top [m]."""
        (x, y) = self.center
        width = 0.5 * self.width
        height = 0.5 * self.height
        return x - width, y - height, x + width, y + height

    @cached_property
    def origin(self) -> tuple[float, float]:
        """Where the world's origin is [pixels]."""
        x, y = self.center
        return 0.5 * self.width_px - self.scale * x, 0.5 * self.height_px - self.scale * y

    def to_pixels(self, points: ArrayLike) -> Floats:
        """Return world points [m], shape (..., 2), as pixels; the origin is at the bottom left, y
        up.
        """
        pixels: Floats = np.multiply(points, self.scale, dtype=np.float64)
        pixels += self.origin
        return pixels

    def to_world(self, pixels: ArrayLike) -> Floats:
        """Return pixels (origin at the bottom left, y up), shape (..., 2), as world points [m]."""
        middle = (0.5 * self.width_px, 0.5 * self.height_px)
        return (np.asarray(pixels, np.float64) - middle) / self.scale + self.center
