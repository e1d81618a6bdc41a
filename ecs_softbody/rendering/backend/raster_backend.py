"""RasterBackend: draws with the rasterizer, without OpenGL and a display: for tests, notebooks and
servers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.rendering.backend.backend import thinned
from ecs_softbody.rendering.backend.rasterizer import drawing
from ecs_softbody.rendering.picture import Picture


class RasterBackend:
    """Keeps the picture that was drawn last; its pixels are made when they are read."""

    def __init__(self) -> None:
        self._image = np.zeros((0, 0, 3), np.uint8)
        self._draw: Callable[[], NDArray[np.uint8]] | None = None

    def draw(self, picture: Picture) -> None:
        """Take a picture as it is now."""
        self._draw = drawing(picture, self._image)

    def read(self, width_px: int, height_px: int) -> NDArray[np.uint8]:
        """Return the last picture drawn, shape (height_px, width_px, 3), rows from the top; black
        where nothing was drawn.
        """
        if self._draw is not None:
            self._image = self._draw()
            self._draw = None
        image = np.zeros((height_px, width_px, 3), np.uint8)
        drawn = self._image[-height_px:, :width_px]
        image[height_px - len(drawn) :, : drawn.shape[1]] = drawn
        return image

    def read_small(self, size: tuple[int, int], small: tuple[int, int]) -> NDArray[np.uint8]:
        """Return the last picture drawn at a smaller size [pixels], shape (height, width, 3), rows
        from the top.
        """
        return thinned(self.read(*size), small)
