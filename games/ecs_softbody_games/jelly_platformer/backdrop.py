"""Backdrop: wooded hills before the sky of the theme; they move slower than what is near."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.indices import arange
from ecs_softbody.rendering import Layer, Picture, palette

HILLS = (
    # Parallax, height of the crest and its waves [points], share of the ground's colour.
    (0.38, 130.0, 48.0, 0.35),
    (0.52, 60.0, 34.0, 0.8),
)
PINES = 26
SAMPLES = 49
"""Points of a crest."""
Floats = NDArray[np.float64]


class Backdrop:
    """Draws the far layers; every place in it comes from one seed."""

    def __init__(self, seed: int = 5) -> None:
        random = np.random.default_rng(seed)
        self._phases = random.uniform(0.0, 6.3, (len(HILLS), 3))
        pines = random.uniform((0.0, 26.0), (1.0, 58.0), (PINES, 2))
        self._pines = [pines[number :: len(HILLS)].T.copy() for number in range(len(HILLS))]
        """Of each hill: places, as shares of the width, and heights [points], (2, N)."""

    def draw(self, picture: Picture) -> None:
        """Add them."""
        theme = picture.theme
        for number, (parallax, crest, waves, share) in enumerate(HILLS):
            colour = palette.mixed(theme.hills[-1].colour, theme.ground, share)
            self._draw_hill(picture, number, parallax, crest, waves, colour)

    def _draw_hill(
        self,
        picture: Picture,
        number: int,
        parallax: float,
        crest: float,
        waves: float,
        colour: palette.Colour,
    ) -> None:
        per_metre = picture.height / picture.view.height
        offset = picture.view.center[0] * per_metre * parallax
        rise = crest - (picture.view.center[1] - 3.0) * per_metre * parallax * 0.5
        share, tall = self._pines[number]
        span = picture.width + 120.0
        x = np.concatenate((_across(picture.width), (share * span - offset) % span - 60.0))
        height = rise + waves * self._ridge(number, x + offset)
        ridge, feet = np.empty((2, SAMPLES, 2))
        ridge[:, 0], ridge[:, 1] = x[:SAMPLES], height[:SAMPLES]
        crest_px = picture.to_pixels(ridge, "screen")
        feet[:, 0] = crest_px[:, 0]
        feet[:, 1] = -4.0
        layer = Layer.FAR + number
        tint = palette.rgba(colour)
        picture.mesh(layer).add_band(crest_px, feet, tint, tint)
        picture.stroke(ridge, 0.4 / picture.point, colour, layer=layer, space="screen")
        pines = _pines(x[SAMPLES:], height[SAMPLES:] - 4.0, tall * (1.05 + 0.35 * number))
        corners = picture.to_pixels(pines, "screen").reshape(-1, 2)
        picture.mesh(layer).add_fill(corners, arange(len(corners)).reshape(3, -1).T, tint)

    def _ridge(self, number: int, x: Floats) -> Floats:
        a, b, c = self._phases[number]
        scale = 0.0046 + 0.0012 * number
        ridge: Floats = (
            np.sin(scale * x + a)
            + 0.5 * np.sin(2.3 * scale * x + b)
            + 0.22 * np.sin(5.1 * scale * x + c)
        )
        return ridge


@lru_cache(maxsize=4)
def _across(width: float) -> Floats:
    """Return where the points of a crest are in a picture of this width [points]."""
    return np.linspace(-4.0, width + 4.0, SAMPLES)


def _pines(place: Floats, foot: Floats, height: Floats) -> Floats:
    """Return the corners of N small pines: all left ones, all right ones, all tops (3, N, 2)
    [points].
    """
    corners = np.empty((3, len(place), 2))
    corners[0, :, 0] = place - 0.26 * height
    corners[1, :, 0] = place + 0.26 * height
    corners[2, :, 0] = place
    corners[:2, :, 1] = foot
    corners[2, :, 1] = foot + height
    return corners
