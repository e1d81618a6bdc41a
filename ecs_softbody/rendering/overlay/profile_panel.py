"""The panel of the debug overlay that shows where the time of a frame goes."""

from __future__ import annotations

import re

from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.texts.table import translated

MOST_ROWS = 6
"""Processors that are shown by name, the longest ones; the others are one row."""
LEFT = 14.0
"""Left side of the panel [points]."""
RIGHT = 254.0
"""Right side of the panel [points]."""
TOP = 304.0
"""Distance of the panel from the upper edge of the screen [points]."""
LINE = 22.0
"""Height of a line [points]."""
BEFORE_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Places in the name of a class where a word begins."""


def draw_profile(picture: Picture, mean: dict[str, float], frame: float) -> None:
    """Add a panel: milliseconds of the longest processors, as numbers and as bars, in the order in
    which they run.
    """
    rows = longest(mean, frame)
    top = picture.height - TOP
    picture.panel((LEFT, top - LINE * (len(rows) + 1) - 20), (RIGHT, top), layer=Layer.DEBUG + 1)
    most = max([took for _, took in rows] + [1e-9])
    for index, (name, took) in enumerate([("frame of physics, ms", frame), *rows]):
        y = top - 28 - LINE * index
        if index:
            end = LEFT + 8 + (RIGHT - LEFT - 16) * min(took / most, 1.0)
            picture.rectangle(
                (LEFT + 8, y - 5),
                (end, y + LINE - 8),
                picture.theme.key_cap,
                layer=Layer.DEBUG + 2,
                space="screen",
            )
        colour = palette.TEXT_DIM if index else palette.TEXT_ACCENT
        picture.text(
            translated(name), (LEFT + 14, y), size=16, colour=colour, layer=Layer.DEBUG + 3
        )
        picture.text(f"{took:.2f}", (RIGHT - 14, y), size=16, align="right", layer=Layer.DEBUG + 3)


def longest(mean: dict[str, float], frame: float) -> list[tuple[str, float]]:
    """Return (name for people, milliseconds) of the processors that take longest, and of the rest
    together.
    """
    whole = {name: took for name, took in mean.items() if ": " not in name}
    kept = sorted(whole, key=lambda name: whole[name], reverse=True)[:MOST_ROWS]
    rows = [(readable(name), took) for name, took in whole.items() if name in kept]
    return [*rows, ("the rest", max(frame - sum(took for _, took in rows), 0.0))]


def readable(name: str) -> str:
    """Return "spring force" for "SpringForceProcessor"."""
    return BEFORE_CAPITAL.sub(" ", name.removesuffix("Processor") or name).lower()
