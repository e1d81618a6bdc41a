"""How the pond's animals look: foxes on its banks, a duck, and the straw of its nest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.rendering import Layer, Picture, palette

FOX = (226, 122, 52)
BEAK = (242, 132, 36)
WING = (232, 174, 52)
STRAW = ((222, 190, 118), (186, 146, 84), (240, 214, 150), (160, 122, 70))
STRAWS = 26
"""How many there are in a nest."""


def draw_foxes(picture: Picture, places: Sequence[NDArray[np.float64]]) -> None:
    """Draw the heads of foxes on the banks, all but where they look."""
    for place in places:
        for side in (-1.0, 1.0):
            ear = place + np.array(((0.08, 0.22), (0.4, 0.16), (0.38, 0.62))) * (side, 1.0)
            picture.polygon(ear, FOX, outline=palette.darker(FOX, 0.3), layer=Layer.DECOR)
        picture.disc(place, 0.4, FOX, outline=palette.darker(FOX, 0.3), layer=Layer.DECOR)
        picture.ellipse(place - (0.0, 0.16), (0.24, 0.17), palette.EYE_WHITE, layer=Layer.DECOR)
        for side in (-0.18, 0.18):
            picture.disc(np.add(place, (side, 0.08)), 0.09, palette.EYE_WHITE, layer=Layer.DECOR)


def draw_duck(picture: Picture, center: NDArray[np.float64], top: NDArray[np.float64]) -> None:
    """Draw beak, wings and a tuft on a round yellow body, from its middle and its highest point
    [m].
    """
    for side in (-1.0, 1.0):
        picture.ellipse(np.add(center, (0.41 * side, -0.13)), (0.1, 0.19), WING, layer=Layer.EYES)
    picture.ellipse(
        np.add(center, (0.0, -0.11)), (0.2, 0.12), palette.darker(BEAK, 0.35), layer=Layer.EYES + 1
    )
    picture.ellipse(np.add(center, (0.0, -0.09)), (0.18, 0.085), BEAK, layer=Layer.EYES + 1)
    feathers = top + np.array(((-0.16, 0.14), (-0.02, 0.2), (0.12, 0.15)))
    foot = np.tile(top - (0.0, 0.03), (len(feathers), 1))
    picture.segments(foot, feathers, 5.0, WING, layer=Layer.BODIES - 1)


def draw_nest(picture: Picture, bowl: NDArray[np.float64]) -> None:
    """Draw straws along the sides of a nest, and some that stick out; `bowl` is its line [m]."""
    random = np.random.default_rng(5)
    share = random.uniform(0.02, 0.98, STRAWS)
    at = share * (len(bowl) - 1)
    row = np.minimum(at.astype(np.int64), len(bowl) - 2)
    along = bowl[row + 1] - bowl[row]
    middle = bowl[row] + (at - row)[:, None] * along
    along /= np.hypot(along[:, :1], along[:, 1:])
    across = np.stack((-along[:, 1], along[:, 0]), axis=1)
    turn = random.normal(0.0, 0.35, (STRAWS, 1))
    way = along * np.cos(turn) + across * np.sin(turn)
    middle = middle + across * random.uniform(-0.1, 0.1, (STRAWS, 1))
    half = random.uniform(0.2, 0.36, (STRAWS, 1))
    for number, colour in enumerate(STRAW):
        chosen = slice(number, None, len(STRAW))
        ends = (
            middle[chosen] - half[chosen] * way[chosen],
            middle[chosen] + half[chosen] * way[chosen],
        )
        picture.segments(*ends, 4.0, colour, layer=Layer.DECOR)
