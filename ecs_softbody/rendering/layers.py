"""Layers of a picture, and the words for where things stand in it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, NamedTuple

from ecs_softbody.rendering.texture import Texture

Space = Literal["world", "screen"]
Align = Literal["left", "center", "right"]
VerticalAlign = Literal["top", "middle", "baseline", "bottom"]


class Layer(IntEnum):
    """Drawing order: a larger layer covers a smaller one. Any whole number is a layer."""

    BACKGROUND = 0
    FAR = 10
    GROUND = 20
    SHADOWS = 30
    DECOR = 35
    BODIES = 40
    EYES = 45
    EFFECTS = 50
    DEBUG = 60
    HUD = 80
    SCREEN = 90


@dataclass(frozen=True, slots=True)
class Text:
    """A text that a picture shows, kept so that tests and tools can read it."""

    text: str
    place: tuple[float, float]
    size: float
    layer: int


class Run(NamedTuple):
    """Triangles that are drawn with one picture, or with none: indices [first, first + length)."""

    texture: Texture | None
    repeats: bool
    first: int
    length: int
