"""Backdrop: moon, stars and wooded hills before the framework's own sky; they move slower than what is near."""

from __future__ import annotations

import numpy as np

from ecs_softbody.rendering import Layer, Picture, palette

STARS = 80
MOON = (0.86, 575.0)  # share of the width, and height in points
HILLS = (
    # parallax, height of the crest and its waves in points, colour
    (0.22, 160.0, 55.0, palette.mixed(palette.FAR, palette.GROUND, 0.15)),
    (0.38, 80.0, 38.0, palette.mixed(palette.FAR, palette.GROUND, 0.6)),
)
PINES = 26


class Backdrop:
    """Draws the far layers; every place in it comes from one seed."""

    def __init__(self, seed: int = 5) -> None:
        random = np.random.default_rng(seed)
        self._stars = random.uniform((0.0, 370.0), (1.0, 715.0), (STARS, 2))
        self._star_size = random.uniform(0.7, 1.9, STARS)
        self._star_phase = random.uniform(0.0, 6.3, STARS)
        self._phases = random.uniform(0.0, 6.3, (len(HILLS), 3))
        self._pines = random.uniform((0.0, 26.0), (1.0, 58.0), (PINES, 2))

    def draw(self, picture: Picture, time: float) -> None:
        """Add them; `time` [s] lets the stars twinkle."""
        self._draw_sky(picture, time)
        for number, (parallax, crest, waves, colour) in enumerate(HILLS):
            self._draw_hill(picture, number, parallax, crest, waves, colour)

    def _draw_sky(self, picture: Picture, time: float) -> None:
        drift = picture.view.center[0] * 0.0012
        positions = self._stars.copy()
        positions[:, 0] = (positions[:, 0] - drift) % 1.0 * picture.width
        colours = np.tile(palette.rgba(palette.TEXT), (STARS, 1))
        colours[:, 3] = 0.35 + 0.3 * np.sin(1.7 * time + self._star_phase)
        picture.discs(positions, self._star_size, colours, layer=Layer.BACKGROUND + 1, space="screen")
        moon = (MOON[0] * picture.width, MOON[1])
        glow = palette.faded(palette.SAND, 0.16)
        picture.ellipse(moon, (150.0, 150.0), glow, softness=1.0, layer=Layer.BACKGROUND + 2, space="screen")
        pale = palette.mixed(palette.TEXT, palette.SAND, 0.25)
        picture.disc(moon, 44.0, pale, layer=Layer.BACKGROUND + 2, space="screen")
        craters = moon + np.array(((-14.0, 10.0), (12.0, -8.0), (16.0, 18.0)))
        shade = palette.darker(pale, 0.12)
        picture.discs(craters, (9.0, 12.0, 5.0), shade, layer=Layer.BACKGROUND + 2, space="screen")

    def _draw_hill(
        self, picture: Picture, number: int, parallax: float, crest: float, waves: float, colour: palette.Colour
    ) -> None:
        per_metre = picture.height / picture.view.height
        x = np.linspace(-4.0, picture.width + 4.0, 49)
        offset = picture.view.center[0] * per_metre * parallax
        rise = crest - (picture.view.center[1] - 3.0) * per_metre * parallax * 0.5
        ridge = np.column_stack((x, rise + waves * self._ridge(number, x + offset)))
        corners = np.array([(picture.width + 4.0, -4.0), (-4.0, -4.0)])
        layer = Layer.FAR + number
        picture.polygon(np.concatenate((ridge, corners)), colour, layer=layer, space="screen")
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
