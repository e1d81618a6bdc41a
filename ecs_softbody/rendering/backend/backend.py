"""Backend: draws a picture and returns its pixels, on any rendering target."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.rendering.picture import Picture


class Backend(Protocol):
    """Draws pictures. `GLBackend` does it with OpenGL, `RasterBackend` into an array."""

    def draw(self, picture: Picture) -> None:
        """Draw a picture over all that was drawn before."""

    def read(self, width_px: int, height_px: int) -> NDArray[np.uint8]:
        """Return the last picture drawn, shape (height_px, width_px, 3), rows from the top."""

    def read_small(self, size: tuple[int, int], small: tuple[int, int]) -> NDArray[np.uint8]:
        """Return the last picture drawn at `size`, reduced to `small` (width, height) [pixels];
        else as `read`.
        """


def thinned(image: NDArray[np.uint8], small: tuple[int, int]) -> NDArray[np.uint8]:
    """Return every so manieth pixel of an image (height, width, 3), so that it is about `small`
    (width, height).
    """
    step = max(1, -(-image.shape[1] // small[0]))
    return np.ascontiguousarray(image[step // 2 :: step, step // 2 :: step])
