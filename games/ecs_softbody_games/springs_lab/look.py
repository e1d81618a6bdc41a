"""Look: where everything stands on the screen, in a window of any size,
and the colours of the lab.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ecs_softbody.indices import arange
from ecs_softbody.rendering import Layer, Picture, palette

INK: palette.Colour = (34, 46, 78)
MEASURED: palette.Colour = (220, 62, 84)
LANE_COLOURS: tuple[palette.Colour, ...] = ((220, 62, 84), (226, 140, 20), (128, 84, 216))
"""Of three curves, the colours of their bodies."""
EXACT: palette.Colour = (64, 132, 226)
CARD: palette.Colour = (255, 255, 252, 236)
GOOD: palette.Colour = (24, 132, 76)
BAD: palette.Colour = (200, 60, 40)
SCREEN_HEIGHT = 720.0
KEYS = 1090.0
"""Length of the keys at the bottom in small letters, in the longest language [points]; in a narrow
window they stand in several rows.
"""
KEY_PIXELS, KEY_WIDTH = 0.45, 640.0
"""Where a point would be smaller than this [pixels], the keys at the bottom are larger; in a window
narrower than this [points] they are smaller.
"""
KEYS_SHARE = 0.3
"""Of the screen's height that the keys take at most from the panels; in a tiny window they lie over
these.
"""
SIDE, SIDE_SHARE = 31.6, 0.56
"""In a narrow window the card with formula, numbers and six sliders is so high with its gaps, in
sizes of its letters, and has this share of the height above the keys.
"""
LEAST_PIXELS = 9.0
"""Letters are at least as high as this [pixels]."""
Box = tuple[float, float, float, float]
Point = Any
"""(x, y), or an array of two numbers."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes on the screen, each left, bottom, right, top [points], and the size of letters `unit`
    [points].
    """

    unit: float
    head: Box
    world: Box
    plot: Box
    side: Box
    narrow: bool
    lines: int
    """Of the sentence below the title."""


def key_bar(width: float, height_px: int) -> float:
    """Return the height of the session's bar with the keys [points]."""
    larger = min(
        max(min(1.0, width / KEY_WIDTH), KEY_PIXELS * SCREEN_HEIGHT / height_px),
        width / KEY_WIDTH,
        2.0,
    )
    length = KEYS * larger
    rows = 1 if width > 1.12 * length + 44.0 else math.ceil(1.2 * length / (width - 44.0))
    return min(max(50.0 * min(larger, 1.0), 32.5 * larger * rows + 8.0), KEYS_SHARE * SCREEN_HEIGHT)


def lay_out(width: float, height_px: int) -> Layout:
    """Return where everything stands on a screen `width` points wide and
    `height_px` pixels high.
    """
    least = LEAST_PIXELS * SCREEN_HEIGHT / max(height_px, 1)
    unit = max(min(22.0, width / 30.0), min(least, width / 26.0, SCREEN_HEIGHT / 12.0))
    narrow = width < 46.0 * unit and width < SCREEN_HEIGHT * 1.2
    keys = key_bar(width, height_px)
    if narrow:  # so that all sliders are seen
        unit = min(unit, max(SIDE_SHARE * (SCREEN_HEIGHT - keys) / SIDE, least))
    gap = 0.6 * unit
    low = keys + gap
    high = SCREEN_HEIGHT - gap
    lines = 3 if narrow and width < 40.0 * unit else 1 if width > 1240.0 else 2
    head_low = high - (2.35 + 1.1 * lines) * unit
    if narrow:
        row = head_low - gap - low
        world_low = head_low - gap - 0.24 * row
        plot_low = world_low - gap - 0.2 * row
        side = (gap, low, width - gap, plot_low - gap)
        return Layout(
            unit, (gap, head_low, width - gap, high), (gap, world_low, width - gap, head_low - gap),
            (gap, plot_low, width - gap, world_low - gap), side, narrow, lines,
        )  # fmt: skip
    side_left = width - gap - min(20.5 * unit, 0.54 * width)
    plot_high = low + 0.37 * (head_low - low)
    return Layout(
        unit,
        (gap, head_low, side_left - gap, high),
        (gap, plot_high + gap, side_left - gap, head_low - gap),
        (gap, low, side_left - gap, plot_high),
        (side_left, low, width - gap, high),
        narrow,
        lines,
    )


def place_view(view: Box, box: Box, width: float) -> tuple[float, tuple[float, float]]:
    """Return the visible height [m] and centre of a camera that shows `view` [m] in a box of the
    screen [points].

    The screen is `width` points wide.
    """
    left, bottom, right, top = box
    scale = min((right - left) / (view[2] - view[0]), (top - bottom) / (view[3] - view[1]))
    x = 0.5 * (view[0] + view[2]) - 0.5 * (left + right - width) / scale
    y = 0.5 * (view[1] + view[3]) - 0.5 * (bottom + top - SCREEN_HEIGHT) / scale
    return SCREEN_HEIGHT / scale, (x, y)


def draw_coil(picture: Picture, start: Point, end: Point, width: float, turns: int = 9) -> None:
    """Draw a spring between two points of the world [m], a zigzag `width` metres wide."""
    along = np.asarray(end) - np.asarray(start)
    length = max(float(np.hypot(*along)), 1e-9)
    across = np.array((-along[1], along[0])) / length * 0.5 * width
    share = np.concatenate(
        ([0.0, 0.12], 0.12 + 0.76 * (arange(2 * turns) + 0.5) / (2 * turns), [0.88, 1.0])
    )
    side = np.concatenate(([0.0, 0.0], np.resize((1.0, -1.0), 2 * turns), [0.0, 0.0]))
    points = np.asarray(start) + share[:, None] * along + side[:, None] * across
    picture.stroke(points, 3.0, INK, layer=Layer.DECOR)


def wrapped(picture: Picture, text: str, size: float, room: float) -> list[str]:
    """Return a text in lines that are at most `room` points wide."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and picture.text_width(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def inside(place: tuple[float, float], box: Box) -> bool:
    """Return whether a place of the screen is in a box."""
    return box[0] <= place[0] <= box[2] and box[1] <= place[1] <= box[3]
