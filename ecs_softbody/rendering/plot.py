"""Plot: curves over axes with ticks and units, drawn into any box of the screen."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats
from ecs_softbody.errors import FieldError
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.screen.cached import draw_cached
from ecs_softbody.validation import check_number

Range = tuple[float, float]
"""Lowest and highest value of an axis."""


@dataclass(slots=True)
class Curve:
    """One curve of a plot, and how it is drawn."""

    points: Floats  # (N, 2) values on both axes
    colour: Colour
    width: float  # [points]
    dots: bool  # Whether its points are drawn, instead of a line


@dataclass(slots=True)
class Plot:
    """Curves over two axes. `add` the curves, then `draw` it; `clear` takes the curves away.

    Attributes:
        x, y: lowest and highest value on the axes.
        x_label, y_label: titles of the axes, with the unit: "t [s]".
        ink: colour of axes and letters.
        paper: colour of the box behind, its alpha may be 0; None: the theme's for panels.
    """

    x: Range
    y: Range
    x_label: str = ""
    y_label: str = ""
    ink: Colour = palette.TEXT
    paper: Colour | None = None
    _curves: list[Curve] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            low, high = (check_number("Plot", name, value) for value in getattr(self, name))
            if not low < high:
                raise FieldError("Plot", name, (low, high), "(lowest, highest)")

    def clear(self) -> None:
        """Take all curves away."""
        self._curves.clear()

    def add(
        self, x: ArrayLike, y: ArrayLike, colour: Colour, *, width: float = 3.0, dots: bool = False
    ) -> None:
        """Add a curve through points, in the order of `x`; points that are not finite are left out.

        Args:
            x, y: of each point, shape (N,); parts outside of the axes are clipped.
            colour: of the curve.
            width: of the line, or of the dots [points].
            dots: whether each point is a dot instead.

        Raises:
            ValueError: when there are not as many x as y.
        """
        first = np.asarray(x, np.float64)
        second = np.asarray(y, np.float64)
        if first.ndim != 1 or first.shape != second.shape:
            shapes = f"shape {second.shape} beside x of {first.shape}"
            raise FieldError("Plot.add", "y", y, "both of shape (N,)", in_words=shapes)
        points = np.column_stack((first, second))
        self._curves.append(Curve(points[np.isfinite(points).all(axis=1)], colour, width, dots))

    def draw(
        self,
        picture: Picture,
        left_bottom: tuple[float, float],
        right_top: tuple[float, float],
        *,
        size: float = 18.0,
        layer: int = Layer.HUD,
    ) -> None:
        """Draw the plot into a box of the screen [points], with letters of a size [points]."""
        x_ticks = nice_ticks(*self.x, max(2, int((right_top[0] - left_bottom[0]) / (4.5 * size))))
        y_ticks = nice_ticks(*self.y, max(2, int((right_top[1] - left_bottom[1]) / (2.6 * size))))
        margin = max(picture.text_width(text, size) for _, text in y_ticks) + 0.9 * size
        low = (left_bottom[0] + margin, left_bottom[1] + 1.7 * size)
        high = (right_top[0] - 0.8 * size, right_top[1] - 1.7 * size)
        has_room = high[0] - low[0] >= size and high[1] - low[1] >= size

        def draw_paper() -> None:
            picture.panel(left_bottom, right_top, self.paper, corner=0.5 * size, layer=layer)
            if has_room:
                self._draw_axes(picture, low, high, (x_ticks, y_ticks), (size, layer))

        place = tuple(left_bottom), tuple(right_top)
        key = self.x, self.y, self.x_label, self.y_label, self.ink, self.paper, size, layer
        draw_cached(picture, ("plot", place), key, draw_paper)
        for number, curve in enumerate(self._curves if has_room else ()):
            what = curve.points.tobytes(), curve.colour, curve.width, curve.dots
            draw = partial(self._draw_curve, picture, curve, low, high, layer)
            draw_cached(
                picture, ("curve", place, number), (what, self.x, self.y, low, high, layer), draw
            )

    def _draw_axes(
        self,
        picture: Picture,
        low: Range,
        high: Range,
        ticks: tuple[list[Tick], list[Tick]],
        face: tuple[float, int],
    ) -> None:
        size, layer = face
        faint = palette.faded(self.ink, 0.16)
        ink = palette.faded(self.ink, 0.75)
        for value, text in ticks[0]:
            x = _share(value, self.x, low[0], high[0])
            picture.stroke([(x, low[1]), (x, high[1])], 1.5, faint, layer=layer + 1, space="screen")
            room = picture.text_width(text, size)
            if (
                text
                and x + 0.5 * room < high[0] - picture.text_width(self.x_label, size) - 0.5 * size
            ):
                place = (x, low[1] - 1.15 * size)
                picture.text(
                    text,
                    place,
                    size=size,
                    colour=ink,
                    align="center",
                    shadow=False,
                    layer=layer + 1,
                )
        for value, text in ticks[1]:
            y = _share(value, self.y, low[1], high[1])
            picture.stroke([(low[0], y), (high[0], y)], 1.5, faint, layer=layer + 1, space="screen")
            place = (low[0] - 0.4 * size, y)
            picture.text(
                text,
                place,
                size=size,
                colour=ink,
                align="right",
                vertical="middle",
                shadow=False,
                layer=layer + 1,
            )
        frame = [(low[0], high[1]), low, (high[0], low[1])]
        picture.stroke(frame, 2.5, self.ink, layer=layer + 1, space="screen")
        corner = (high[0], low[1] - 1.15 * size)
        picture.text(
            self.x_label,
            corner,
            size=size,
            colour=self.ink,
            align="right",
            shadow=False,
            layer=layer + 1,
        )
        top = (low[0] - 0.2 * size, high[1] + 0.55 * size)
        picture.text(self.y_label, top, size=size, colour=self.ink, shadow=False, layer=layer + 1)

    def _draw_curve(
        self, picture: Picture, curve: Curve, low: Range, high: Range, layer: int
    ) -> None:
        points = curve.points
        inside = (points[:, 0] >= self.x[0]) & (points[:, 0] <= self.x[1])
        points = points[inside]
        if not len(points):
            return
        x = _share(points[:, 0], self.x, low[0], high[0])
        y = _share(np.clip(points[:, 1], *self.y), self.y, low[1], high[1])
        places = np.column_stack((x, y))
        if curve.dots:
            picture.discs(places, 0.5 * curve.width, curve.colour, layer=layer + 2, space="screen")
        else:
            picture.stroke(places, curve.width, curve.colour, layer=layer + 2, space="screen")


Tick = tuple[float, str]


def nice_ticks(low: float, high: float, most: int = 6) -> list[Tick]:
    """Return round values between `low` and `high`, at most `most` + 1, each with its text."""
    raw = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(
        step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= raw * (1.0 - 1e-9)
    )
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [(number * step, f"{number * step:.{digits}f}".replace("-", "−")) for number in numbers]


def _share(value: Any, ends: Range, first: float, last: float) -> Any:
    """Return where values stand between two places of the screen."""
    return first + (value - ends[0]) / (ends[1] - ends[0]) * (last - first)
