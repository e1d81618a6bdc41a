"""Tiles: pictures that stand still in the world, many small ones of one large picture: a layer of a
map.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.texture import Texture
from ecs_softbody.simulation import Simulation


@dataclass(frozen=True, eq=False, slots=True)
class Tiles:
    """N pictures of one texture at fixed places; `imports.tiled` makes them of the layers of a map.

    Attributes:
        texture: the texture that contains all of them.
        corners: shape (N, 4, 2), where the corners of each are, around it [m].
        uv: shape (N, 4, 2), where these are in the texture, in shares of its size from the lower
            left corner.
        layer: one of `Layer`, or a number between.
        opacity: 0 to 1.
    """

    texture: Texture
    corners: Floats
    uv: Floats
    layer: int
    opacity: float = 1.0

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return itself: it never changes, and its texture is drawn once for all that share it."""
        return self

    def within(self, bounds: tuple[float, float, float, float]) -> NDArray[np.bool_]:
        """Return which of them touch a box: left, bottom, right, top [m]."""
        left, bottom, right, top = bounds
        low = self.corners.min(axis=1)
        high = self.corners.max(axis=1)
        seen: NDArray[np.bool_] = (high > (left, bottom)).all(axis=1) & (low < (right, top)).all(
            axis=1
        )
        return seen


def draw_tiles(sim: Simulation, picture: Picture) -> None:
    """Add the visible tiles, one mesh for each layer and texture."""
    with sim:
        found = sorted(esper.get_component(Tiles), key=lambda entry: (entry[1].layer, entry[0]))
    for _, tiles in found:
        seen = tiles.within(picture.view.bounds)
        if seen.any():
            tint = np.array((1.0, 1.0, 1.0, tiles.opacity), np.float32)
            points = picture.to_pixels(tiles.corners[seen].reshape(-1, 2))
            picture.mesh(tiles.layer, tiles.texture).add_pictures(points, tiles.uv[seen], tint)
