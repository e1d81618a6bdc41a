"""Layer: what covers what in a picture; and the words for where texts stand in it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, NamedTuple

from ecs_softbody.errors import FieldError
from ecs_softbody.rendering.texture import Texture

Space = Literal["world", "screen"]
"""Unit of positions: metres of the world, or points of the screen from its lower left corner."""
Align = Literal["left", "center", "right"]
VerticalAlign = Literal["top", "middle", "baseline", "bottom"]


class Layer(IntEnum):
    """Drawing order: a larger layer covers a smaller one. Any whole number is a layer."""

    BACKGROUND = 0
    """Sky, sun, stars and hills."""
    FAR = 10
    """Weather, between the background and the ground."""
    GROUND = 20
    SHADOWS = 30
    DECOR = 35
    """Shapes that a game draws without naming a layer."""
    BODIES = 40
    EYES = 45
    EFFECTS = 50
    """Particles of effects, and marks of the mouse."""
    DEBUG = 60
    """The debug overlay."""
    HUD = 80
    """Texts and panels over the game."""
    SCREEN = 90
    """Menus and screens over all else."""


SHIFTS: dict[str, float] = {"left": 0.0, "center": 0.5, "right": 1.0}
"""Fraction of its width by which a text is shifted to the left of its place."""
LIFTS: dict[str, float] = {"top": 0.74, "middle": 0.36, "baseline": 0.0, "bottom": -0.22}
"""Fraction of its size by which the baseline of a text is below its place."""


def standing(align: str, vertical: str) -> tuple[float, float]:
    """Return the shares of its width and of its size by which a text is moved; ValueError for other
    words.
    """
    for name, value, known in (("align", align, SHIFTS), ("vertical", vertical, LIFTS)):
        if value not in known:
            raise FieldError("text", name, value, f"one of {', '.join(known)}")
    return SHIFTS[align], LIFTS[vertical]


@dataclass(frozen=True, slots=True)
class Text:
    """A text that a picture shows, kept so that tests and tools can read it."""

    text: str
    place: tuple[float, float]
    """Where its baseline begins [points]."""
    size: float
    """Height of the font [points]."""
    layer: int


class Run(NamedTuple):
    """Triangles of a picture that are drawn in one go, with one texture or with none: the indices
    [first, first + length).
    """

    texture: Texture | None
    repeats: bool
    first: int
    length: int
