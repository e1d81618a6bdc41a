"""Backdrop: wooded hills before the sky of the theme; they move slower than what is near."""

from __future__ import annotations

import numpy as np

from ecs_softbody.rendering import Layer, Picture, palette

HILLS = (
    # parallax, height of the crest and its waves in points, share of the ground's colour
    (0.38, 130.0, 48.0, 0.35),
    (0.52, 60.0, 34.0, 0.8),
)
PINES = 26


class Backdrop:
    """Draws the far layers; every place in it comes from one seed."""

    def __init__(self, seed: int = 5) -> None:
        random = np.random.default_rng(seed)
        self._phases = random.uniform(0.0, 6.3, (len(HILLS), 3))
        self._pines = random.uniform((0.0, 26.0), (1.0, 58.0), (PINES, 2))

    def draw(self, picture: Picture) -> None:
        """Add them."""
        theme = picture.theme
        for number, (parallax, crest, waves, share) in enumerate(HILLS):
            colour = palette.mixed(theme.hills[-1].colour, theme.ground, share)
            self._draw_hill(picture, number, parallax, crest, waves, colour)

    def _draw_hill(
        self, picture: Picture, number: int, parallax: float, crest: float, waves: float, colour: palette.Colour
    ) -> None:
        per_metre = picture.height / picture.view.height
        x = np.linspace(-4.0, picture.width + 4.0, 49)
        offset = picture.view.center[0] * per_metre * parallax
        rise = crest - (picture.view.center[1] - 3.0) * per_metre * parallax * 0.5
        ridge = np.column_stack((x, rise + waves * self._ridge(number, x + offset)))
        layer, tint = Layer.FAR + number, palette.rgba(colour)
        crest_px = picture.to_pixels(ridge, "screen")
        picture.mesh(layer).add_band(crest_px, np.column_stack((crest_px[:, 0], np.full(len(x), -4.0))), tint, tint)
        picture.stroke(ridge, 0.4 / picture.point, colour, layer=layer, space="screen")
        self._draw_pines(picture, number, offset, rise, waves, colour)

    def _ridge(self, number: int, x: np.ndarray) -> np.ndarray:
        a, b, c = self._phases[number]
        scale = 0.0046 + 0.0012 * number
        ridge: np.ndarray = (
            np.sin(scale * x + a) + 0.5 * np.sin(2.3 * scale * x + b) + 0.22 * np.sin(5.1 * scale * x + c)
        )
        return ridge

    def _draw_pines(
        self, picture: Picture, number: int, offset: float, rise: float, waves: float, colour: palette.Colour
    ) -> None:
        """Set small pines on a ridge, as triangles of one fill."""
        span = picture.width + 120.0
        half = slice(number, None, len(HILLS))
        share, height = self._pines[half].T
        position = (share * span - offset) % span - 60.0
        height = height * (1.05 + 0.35 * number)
        foot = rise + waves * self._ridge(number, position + offset) - 4.0
        left = np.column_stack((position - 0.26 * height, foot))
        right = np.column_stack((position + 0.26 * height, foot))
        top = np.column_stack((position, foot + height))
        corners = picture.to_pixels(np.concatenate((left, right, top)), "screen")
        count = len(position)
        rows = np.arange(count)
        triangles = np.column_stack((rows, rows + count, rows + 2 * count))
        picture.mesh(Layer.FAR + number).add_fill(corners, triangles, palette.rgba(colour))
