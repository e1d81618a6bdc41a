"""How the little planet looks: its air, its craters, its night side, and the clouds of gas far
behind it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.rendering import Layer, Picture, palette, themes

PLANET = themes.SPACE.ground
HAZE, HAZE_COLOUR = 1.55, (*palette.TEAL[:3], 70)
"""How far the air reaches, in radii of the planet."""
NIGHT, TERMINATORS = (8, 10, 34, 44), (-0.2, 0.1, 0.38, 0.64)
"""The colour of the side away from the sun, and where it begins, again and again, in radii from the
middle.
"""
RIM = (190, 244, 232, 150)
CLOUDS = (
    ((-5.6, 2.6), (5.2, 2.3), (96, 60, 190, 58)),
    ((-3.0, 4.0), (4.0, 1.6), (190, 74, 150, 40)),
    ((5.4, -2.2), (5.0, 2.6), (40, 96, 170, 54)),
    ((7.0, 0.2), (3.4, 2.0), (150, 70, 190, 42)),
    ((1.0, 0.6), (6.5, 4.4), (44, 50, 140, 40)),
)
"""Middles, radii [m] and colours of clouds of gas."""
CRATERS = (
    (-0.8, 0.9, 0.42),
    (0.9, 0.3, 0.6),
    (-0.3, -1.1, 0.5),
    (-1.5, -0.3, 0.28),
    (1.1, -1.3, 0.3),
    (0.3, 1.6, 0.24),
)
"""Middles and sizes [m]."""


def draw_planet(picture: Picture, radius: float) -> None:
    """Draw all of a planet of a radius [m] that does not move."""
    for place, radii, colour in CLOUDS:
        picture.ellipse(place, radii, colour, softness=1.0, layer=Layer.FAR - 1)
    reach = HAZE * radius
    picture.ellipse((0.0, 0.0), (reach, reach), HAZE_COLOUR, softness=0.6, layer=Layer.FAR)
    light = np.array(picture.theme.light)
    for x, y, size in CRATERS:
        low = np.array((x, y)) + 0.1 * size * light
        picture.disc((x, y), size, palette.darker(PLANET, 0.34), layer=Layer.GROUND + 1)
        picture.disc(low, 0.88 * size, palette.lighter(PLANET, 0.1), layer=Layer.GROUND + 1)
        picture.disc(
            low - 0.07 * size * light,
            0.8 * size,
            palette.darker(PLANET, 0.16),
            layer=Layer.GROUND + 1,
        )
    for begin in TERMINATORS:
        picture.polygon(crescent(radius - 0.03, -light, begin), NIGHT, layer=Layer.GROUND + 2)
    turn = np.linspace(-1.15, 1.15, 40)
    rim = (radius - 0.045) * (
        np.cos(turn)[:, None] * light + np.sin(turn)[:, None] * (-light[1], light[0])
    )
    picture.stroke(rim, 0.07, RIM, metres=True, layer=Layer.GROUND + 2)


def crescent(radius: float, away: NDArray[np.float64], begin: float) -> NDArray[np.float64]:
    """Return the outline of what lies in the shade of a ball of a radius [m], shape (N, 2).

    Args:
        radius: of the ball.
        away: direction away from the light, of length 1.
        begin: where the shade begins in this direction, in radii.
    """
    turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 40)
    outer = np.cos(turn)
    inner = begin * np.cos(turn[::-1])
    along = np.concatenate((outer, inner[1:-1]))[:, None]
    across = np.concatenate((np.sin(turn), np.sin(turn[::-1])[1:-1]))[:, None]
    outline: NDArray[np.float64] = radius * (along * away + across * np.array((-away[1], away[0])))
    return outline
