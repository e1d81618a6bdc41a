"""Meals: what the creatures of the muscles lab eat, where it is, and how it looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.rendering import Layer, Picture, palette

NEAR = 0.3
"""So near to its skin a creature gets a meal [m]."""
LEAF = (72, 170, 84)
FLY = (38, 66, 96)
GRAIN = (250, 206, 84)
TURN = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
LEAF_EDGE = np.column_stack((0.22 * np.cos(TURN), 0.13 * np.sin(TURN) * (1.0 + 0.5 * np.cos(TURN))))
LEAF_VEIN = np.array(((-0.26, 0.0), (0.18, 0.0)))
"""From its middle [m]."""


@dataclass(slots=True)
class Meal:
    """One meal: the name of the creature that likes it, and where it is [m]."""

    eater: str
    place: tuple[float, float]
    eaten: bool = False

    def is_reached_by(self, skin: NDArray[np.float64]) -> bool:
        """Return whether a skin, shape (N, 2) [m], is near enough."""
        return bool((np.hypot(*(skin - self.place).T) < NEAR).any())


def all_of(rows: Sequence[Sequence[object]]) -> list[Meal]:
    """Return the meals of a scene file: eater, x, y [m]."""
    return [Meal(str(eater), (float(str(x)), float(str(y)))) for eater, x, y in rows]


def draw_meal(picture: Picture, meal: Meal, colour: palette.Colour, frame: int) -> None:
    """Draw a leaf, a fly or a grain that hovers, in a ring of the colour of who likes it."""
    phase = 0.06 * frame + 2.0 * meal.place[0]
    place = np.add(meal.place, (0.0, 0.05 * np.sin(phase)))
    picture.disc(
        place, 0.3, palette.faded(colour, 0.3), outline=colour, outline_width=2.5, layer=Layer.DECOR
    )
    if meal.eater == "worm":
        picture.polygon(
            place + LEAF_EDGE,
            LEAF,
            outline=palette.darker(LEAF),
            outline_width=2.0,
            layer=Layer.EFFECTS,
        )
        picture.stroke(place + LEAF_VEIN, 2.0, palette.darker(LEAF), layer=Layer.EFFECTS)
    elif meal.eater == "frog":
        wing = 0.05 + 0.04 * abs(np.sin(9.0 * phase))
        for side in (-0.11, 0.11):
            picture.ellipse(
                np.add(place, (side, 0.1)),
                (0.11, wing),
                palette.faded(palette.TEXT, 0.8),
                layer=Layer.EFFECTS,
            )
        picture.ellipse(place, (0.11, 0.09), FLY, layer=Layer.EFFECTS)
    else:
        picture.ellipse(place, (0.1, 0.14), palette.darker(GRAIN, 0.35), layer=Layer.EFFECTS)
        picture.ellipse(place, (0.075, 0.115), GRAIN, layer=Layer.EFFECTS)
