"""How the bench looks: the boards of the wall behind it, and the tools that hang there, all in its
own dim brown.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.indices import arange
from ecs_softbody.rendering import Layer, Picture, palette

SHADE = (34, 20, 18, 90)
TOOL = (46, 28, 24, 205)
SHINE = (255, 214, 150, 26)
BOARDS, HALF_WALL = (1.1, 2.6, 4.1, 5.6), 7.0
"""Heights at which two boards meet, and half the width of the wall [m]."""
SAW_AT = (-3.3, 3.2)
SQUARE_AT = (4.75, 2.1)
HAMMER_AT = (6.0, 2.9)
BACK = ((1.5, 0.3), (0.0, 0.5))
TEETH = 12
SQUARE = ((0.0, 0.0), (0.95, 0.0), (0.95, 0.16), (0.16, 0.16), (0.16, 1.25), (0.0, 1.25))
HEAD = ((-0.42, 0.0), (0.3, 0.0), (0.44, 0.12), (0.3, 0.26), (-0.42, 0.26))
"""Places and outlines [m]."""


def draw_wall(picture: Picture) -> None:
    """Draw boards and tools behind everything that moves."""
    for below, width, colour in ((0.0, 3.0, SHADE), (0.05, 2.0, SHINE)):
        left = np.column_stack(
            (np.full(len(BOARDS), -HALF_WALL, np.float64), np.subtract(BOARDS, below))
        )
        picture.segments(left, left * (-1.0, 1.0), width, colour, layer=Layer.FAR)
    _draw_saw(picture, SAW_AT)
    picture.polygon(np.add(SQUARE, SQUARE_AT), TOOL, layer=Layer.FAR + 1)
    top = np.add(HAMMER_AT, (0.0, 1.25))
    picture.stroke(np.array((HAMMER_AT, top)), 0.13, TOOL, metres=True, layer=Layer.FAR + 1)
    picture.polygon(np.add(HEAD, top), TOOL, layer=Layer.FAR + 1)


def _draw_saw(picture: Picture, at: ArrayLike) -> None:
    x = np.linspace(0.0, 1.5, 2 * TEETH + 1)
    edge = np.column_stack((x, 0.08 * x - 0.08 * (arange(len(x)) % 2)))
    picture.polygon(np.add(np.concatenate((edge, BACK)), at), TOOL, layer=Layer.FAR + 1)
    picture.disc(np.add(at, (-0.16, 0.26)), 0.3, TOOL, layer=Layer.FAR + 1)
    picture.disc(np.add(at, (-0.18, 0.26)), 0.13, palette.faded(SHINE, 1.0), layer=Layer.FAR + 1)
