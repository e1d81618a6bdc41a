"""Scenery: what is drawn in the world besides the bodies: coins, hazards, lamps, the flag, wind and
hints.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ecs_softbody.elementary import dot
from ecs_softbody.indices import arange
from ecs_softbody.play import translated
from ecs_softbody.rendering import Layer, Picture, palette
from ecs_softbody_games.jelly_platformer.hud import draw_coins, draw_gem
from ecs_softbody_games.jelly_platformer.levels.level import Hazard, Level, Point
from ecs_softbody_games.jelly_platformer.masonry import Wall
from ecs_softbody_games.jelly_platformer.seen import BESIDE

COIN_RADIUS = 0.26  # m
SPIKE_WIDTH = 0.35  # m
POLE = 4.2  # m
SIGN_MARGIN = 12.0  # points between a hint and the edge of the screen
# Numbers take this height [points] at the top of the screen in a wide window.
NUMBERS_HIGH = 96.0
NUMBERS_TALL = 150.0  # the same in a narrow window
KEYS_HIGH = 80.0  # points at the bottom of the screen


class Told(dict[str, str]):
    """Words by their names, asked for where a text has them:
    to find all keys of a game takes long.
    """

    def __init__(self, words: Callable[[str], str]) -> None:
        super().__init__()
        self._words = words

    def __missing__(self, name: str) -> str:
        found = self[name] = self._words(name)
        return found


class Scenery:
    """Draws a level's decorations, those that are in view."""

    def __init__(self, level: Level, walls: Sequence[Wall] = ()) -> None:
        self.level = level
        self.walls = walls
        self._left = self._right = 0.0

    def draw(
        self, picture: Picture, time: float, left: Sequence[list[Point]], lit: int, raised: float
    ) -> None:
        """Add all of it: coins and gems that are `left`, number `lit` of the last lit lamp, flag
        `raised` 0 to 1.
        """
        self._left, _, self._right, _ = picture.view.bounds
        for hazard in self.level.hazards:
            if self._sees(hazard.low[0], hazard.high[0]):
                if hazard.kind == "spikes":
                    _draw_spikes(picture, hazard)
                else:
                    _draw_acid(picture, hazard, time)
        for wall in self.walls:
            wall.draw(picture)
        coins, gems = left
        self._draw_coins(picture, time, coins)
        for x, y in gems:
            if self._sees(x, x):
                _draw_secret(picture, (x, y), time)
        for number, lamp in enumerate(self.level.checkpoints):
            if self._sees(lamp[0], lamp[0]):
                _draw_lamp(picture, lamp, number <= lit, time)
        for ferry in self.level.ferries:
            self._draw_rail(picture, ferry.start, ferry.end, ferry.width)
        for bridge in self.level.bridges:
            for x, y in [end for end in (bridge.start, bridge.end) if self._sees(end[0], end[0])]:
                picture.stroke(
                    [(x, y - 0.1), (x, y + 0.75)],
                    0.16,
                    palette.darker(palette.SAND, 0.5),
                    metres=True,
                )
        if self._sees(self.level.flag[0], self.level.flag[0] + 2.0):
            _draw_flag(picture, self.level.flag, time, raised)

    def draw_signs(self, picture: Picture, words: Callable[[], Mapping[str, str]] = dict) -> None:
        """Add the hints, with what `words` returns in place of {names}; after `draw`."""
        seen = [sign for sign in self.level.signs if self._sees(sign.at[0] - 3.0, sign.at[0] + 3.0)]
        told = words() if seen else {}
        for sign in seen:
            _draw_sign(picture, sign.at, translated(sign.text).format_map(told))

    def _sees(self, left: float, right: float) -> bool:
        return left < self._right + BESIDE and right > self._left - BESIDE

    def _draw_coins(self, picture: Picture, time: float, coins: list[Point]) -> None:
        positions = np.array(
            [position for position in coins if self._sees(position[0], position[0])], np.float64
        ).reshape(-1, 2)
        turns = np.cos(2.6 * time + 0.5 * positions[:, 0])
        positions[:, 1] += 0.05 * np.sin(2.4 * time + positions[:, 0])
        draw_coins(picture, positions, COIN_RADIUS, turns)

    def _draw_rail(self, picture: Picture, start: Point, end: Point, width: float) -> None:
        """Show with dots where a ferry goes."""
        if not self._sees(start[0], end[0] + width):
            return
        share = np.linspace(0.0, 1.0, 15)[:, None]
        middle = np.add(start, (0.5 * width, -0.2)) + share * np.subtract(end, start)
        picture.discs(middle, 0.05, palette.faded(palette.TEXT_DIM, 0.5), layer=Layer.GROUND - 1)


class Streaks:
    """The wind of one zone, made visible."""

    def __init__(self, low: Point, high: Point, velocity: Point, count: int = 34) -> None:
        random = np.random.default_rng(11)
        self.low = np.array(low)
        self.high = np.array(high)
        self.velocity = np.array(velocity)
        self._start = random.uniform(0.0, 1.0, (count, 2))
        self._pace = random.uniform(0.5, 1.0, count)
        self._length = random.uniform(0.5, 1.4, count)

    def draw(self, picture: Picture, time: float) -> None:
        """Add streaks that drift along the wind, and the grating that it comes from."""
        left, _, right, _ = picture.view.bounds
        if self.low[0] > right or self.high[0] < left:
            return
        size = self.high - self.low
        moved = self._start + (self._pace * time)[:, None] * self.velocity * 0.55 / size
        share = moved % 1.0
        along = self.velocity / np.hypot(*self.velocity)
        progress = np.abs(dot(share, np.abs(along)))
        ends = self.low + share * size
        ends[:, 0] += 0.12 * np.sin(5.0 * time * self._pace + 9.0 * self._start[:, 0])
        colours = np.tile(palette.rgba(palette.TEXT), (len(ends), 1))
        colours[:, 3] = 0.42 * np.sqrt(np.maximum(np.sin(np.pi * np.clip(progress, 0.0, 1.0)), 0.0))
        starts = ends - self._length[:, None] * along
        picture.segments(np.maximum(starts, self.low), ends, 2.6, colours, layer=Layer.DECOR)
        haze = palette.faded(palette.TEAL, 0.16)
        picture.rectangle(
            self.low,
            self.high,
            haze,
            fill_top=palette.faded(palette.TEAL, 0.0),
            layer=Layer.FAR + 5,
        )
        grate = np.linspace(self.low[0] + 0.3, self.high[0] - 0.3, 9)
        feet = np.column_stack((grate, np.full(9, self.low[1] + 0.02)))
        half = np.array((0.12, 0.0))
        picture.segments(feet - half, feet + half, 7.0, palette.TEAL, layer=Layer.GROUND + 2)


def _draw_spikes(picture: Picture, hazard: Hazard) -> None:
    (left, low) = hazard.low
    (right, high) = hazard.high
    count = max(round((right - left) / SPIKE_WIDTH), 1)
    width = (right - left) / count
    foot = left + width * arange(count)
    base = np.full(count, low - 0.05)
    tip = np.column_stack((foot + 0.5 * width, np.full(count, high, np.float64)))
    right_foot = np.column_stack((foot + width, base))
    left_foot = np.column_stack((foot, base))
    middle = np.column_stack((foot + 0.5 * width, base))
    for corners, colour in (
        ((left_foot, right_foot, tip), palette.STEEL),
        ((middle, right_foot, tip), palette.darker(palette.STEEL, 0.3)),
    ):
        positions = picture.to_pixels(np.concatenate(corners))
        rows = arange(count)
        triangles = np.column_stack((rows, rows + count, rows + 2 * count))
        picture.mesh(Layer.DECOR).add_fill(positions, triangles, palette.rgba(colour))
    edge = palette.darker(palette.STEEL, 0.6)
    picture.segments(np.concatenate((left_foot, right_foot)), np.concatenate((tip, tip)), 2.5, edge)


def _draw_acid(picture: Picture, hazard: Hazard, time: float) -> None:
    (left, low) = hazard.low
    (right, high) = hazard.high
    x = np.linspace(left, right, 60)
    surface = (
        high - 0.06 + 0.05 * np.sin(2.2 * x + 2.0 * time) + 0.03 * np.sin(5.1 * x - 3.1 * time)
    )
    top = np.column_stack((x, surface))
    hot = palette.BAD
    body = np.concatenate((top, [(right, low), (left, low)]))
    picture.polygon(body, palette.mixed(hot, palette.PINK, 0.3), layer=Layer.BODIES + 2)
    glow = palette.faded(hot, 0.0)
    picture.rectangle(
        (left, high),
        (right, high + 1.2),
        palette.faded(hot, 0.28),
        fill_top=glow,
        layer=Layer.FAR + 5,
    )
    picture.stroke(top, 4.0, palette.lighter(hot, 0.55), layer=Layer.BODIES + 2)
    position = arange(12)
    age = (0.45 * time + 0.37 * position) % 1.0
    bubbles = np.column_stack(
        (left + (right - left) * ((position * 0.618 + 0.1) % 1.0), low + (high - low) * age)
    )
    tint = palette.faded(palette.lighter(hot, 0.6), 0.7)
    picture.discs(bubbles, 0.03 + 0.05 * age, tint, layer=Layer.BODIES + 2)


def _draw_secret(picture: Picture, at: Point, time: float) -> None:
    """Draw a gem that glows a little."""
    glow = 0.7 + 0.06 * math.sin(3.0 * time)
    picture.ellipse(at, (glow, glow), palette.faded(palette.VIOLET, 0.3), softness=1.0)
    draw_gem(picture, (at[0], at[1] + 0.05 * math.sin(2.0 * time)), 0.3)


def _draw_lamp(picture: Picture, foot: Point, lit: bool, time: float) -> None:
    x, y = foot
    post = palette.darker(palette.STEEL, 0.35)
    picture.stroke([(x, y), (x, y + 1.5)], 0.13, post, metres=True)
    picture.ellipse((x, y + 0.04), (0.3, 0.09), post)
    bulb = (x, y + 1.68)
    if lit:
        lamp = 1.3 + 0.06 * math.sin(5.0 * time)
        picture.ellipse(bulb, (lamp, lamp), palette.faded(palette.GOLD, 0.5), softness=1.0)
    glass = (
        palette.lighter(palette.GOLD, 0.3)
        if lit
        else palette.mixed(palette.STEEL, palette.GROUND, 0.5)
    )
    picture.disc(bulb, 0.26, glass, outline=post, outline_width=4.0)


def _draw_flag(picture: Picture, foot: Point, time: float, raised: float) -> None:
    x, y = foot
    steel = palette.lighter(palette.STEEL, 0.3)
    picture.stroke([(x, y), (x, y + POLE)], 0.14, steel, metres=True)
    picture.disc((x, y + POLE + 0.08), 0.16, palette.GOLD)
    picture.ellipse((x, y + 0.05), (0.5, 0.12), palette.darker(palette.STEEL, 0.4))
    share = np.linspace(0.0, 1.0, 13)
    height = y + 2.0 + (POLE - 3.2) * raised
    wave = 0.16 * share * np.sin(6.0 * share - 5.0 * time)
    low = np.column_stack((x + 0.07 + 1.7 * share, height + wave - 0.08 * share))
    high = low + np.column_stack((np.zeros(13), 1.1 - 0.14 * share))
    cloth = np.concatenate((low, high[::-1]))
    picture.polygon(cloth, palette.CORAL, outline=palette.darker(palette.CORAL), outline_width=3.0)
    picture.disc(tuple(0.5 * (low[6] + high[6])), 0.22, palette.lighter(palette.CORAL, 0.75))


def _draw_sign(picture: Picture, at: Point, text: str) -> None:
    """Write a hint on a plate; its size is in points, so that it can be read however far the camera
    is.
    """
    size = 26.0
    x, y = (picture.to_pixels(at) / picture.point).tolist()
    half = np.array((0.5 * picture.text_width(text, size) + 18.0, 22.0))
    half_width = float(half[0]) + SIGN_MARGIN
    inside = min(max(x, half_width), picture.width - half_width)
    above = (
        picture.height - float(half[1]) - (NUMBERS_HIGH if picture.width > 1000.0 else NUMBERS_TALL)
    )
    # Beside the numbers and the keys the hint could not be read.
    height = min(max(y, KEYS_HIGH), above)
    away = max(abs(x - inside) / half_width, abs(y - height) / 200.0)
    # The hint stays on the screen, and fades while its position leaves it.
    shown = 2.0 * (1.0 - away)
    if shown <= 0.0:
        return
    middle = np.array((inside, height))
    plate = palette.faded(picture.theme.panel, 0.75 * min(shown, 1.0))
    ink = palette.faded(palette.TEXT, shown)
    picture.panel(middle - half, middle + half, plate, corner=12.0, layer=Layer.DECOR)
    picture.text(
        text, middle, size=size, colour=ink, align="center", vertical="middle", layer=Layer.DECOR
    )
