"""LevelMap: the levels of a game on its start screen, chosen by arrows, mouse or controller."""

from __future__ import annotations

import math

from ecs_softbody.play.game import Game
from ecs_softbody.play.game_class import level_words_of
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.screens.keybar import EDGE, fitting
from ecs_softbody.play.screens.settings_screen import WAYS_DOWN, WAYS_LEFT, WAYS_RIGHT, WAYS_UP
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.texts.table import say, translated

Point = tuple[float, float]
WIDEST, LARGEST = 104.0, 27.0
"""Maximum distance of two levels, and maximum radius of a level [points]."""
WAVE = 0.55
"""Amplitude of the path, in radii."""


class LevelMap:
    """Levels in a row along a path. Draws nothing for a single level."""

    def __init__(self) -> None:
        self._places: list[Point] = []
        self._radius = 0.0
        self._pointer = (0.0, 0.0)

    def chosen(self, game: Game, controls: Controls) -> int:
        """Return the number of the selected level after this frame."""
        step = int(controls.was_pressed(*WAYS_RIGHT, *WAYS_UP)) - controls.was_pressed(
            *WAYS_LEFT, *WAYS_DOWN
        )
        moved = controls.pointer_screen != self._pointer
        self._pointer = controls.pointer_screen
        under = self._under(controls.pointer_screen)
        if (
            under is not None
            and under < game.opened_levels
            and (moved or controls.was_pressed("mouse_left"))
        ):
            return under
        return (
            min(max(game.level_number + step, 0), game.opened_levels - 1)
            if step
            else game.level_number
        )

    def refuses(self, game: Game, controls: Controls) -> bool:
        """Return whether the mouse is over a locked level: a click there starts nothing."""
        under = self._under(controls.pointer_screen)
        return (
            controls.was_pressed("mouse_left") and under is not None and under >= game.opened_levels
        )

    def _under(self, pointer: Point) -> int | None:
        near = [
            number
            for number, place in enumerate(self._places)
            if math.dist(place, pointer) < 1.3 * self._radius
        ]
        return near[0] if near else None

    def height(self, picture: Picture, game: Game) -> float:
        """Return its height with the words below it [points]."""
        if len(game.levels) < 2:
            return 0.0
        lines = 2.9 if any(level_words_of(game, game.level_number)) else 1.6
        radius = self._sizes(picture, game)[1]
        return 0.4 * radius + _drop(picture, radius) + (lines - 1.3) * _letters(picture)

    @staticmethod
    def _sizes(picture: Picture, game: Game) -> tuple[float, float]:
        """Return the distance of two levels, and the radius of one [points]."""
        step = min(WIDEST, (picture.width - 4.0 * EDGE) / len(game.levels), 0.5 * picture.height)
        return step, min(LARGEST, 0.32 * step, 0.042 * picture.height)

    def draw(self, picture: Picture, y: float, game: Game, pulse: float) -> None:
        """Draw it below a height [points]; `pulse` (0 to 1) animates the selected level."""
        count = len(game.levels)
        opened = game.opened_levels
        number = game.level_number
        self._places = []
        if count < 2:
            return
        step, radius = self._sizes(picture, game)
        self._radius = radius
        left = 0.5 * picture.width - 0.5 * step * (count - 1)
        middle = y - 0.4 * radius
        self._places = [
            (left + step * n, middle + WAVE * radius * math.sin(1.3 * n)) for n in range(count)
        ]
        for place, (before, after) in enumerate(
            zip(self._places, self._places[1:], strict=False), 1
        ):
            dim = 0.9 if place < opened else 0.3
            fill = palette.faded(palette.GOLD if place < opened else palette.TEXT_DIM, dim)
            picture.stroke([before, after], 0.2 * radius, fill, layer=Layer.SCREEN, space="screen")
        for place, at in enumerate(self._places):
            self._draw_level(
                picture, place, at, locked=place >= opened, pulse=pulse if place == number else -1.0
            )
        self._say(picture, middle - _drop(picture, radius), game)

    def _draw_level(
        self, picture: Picture, number: int, at: Point, *, locked: bool, pulse: float
    ) -> None:
        """Draw one level; `pulse` is below 0 for unselected levels."""
        radius = self._radius * (1.0 if pulse < 0.0 else 1.2 + 0.06 * pulse)
        fill = (
            picture.theme.key_cap[:3]
            if locked
            else palette.GOLD
            if pulse >= 0.0
            else palette.mixed(picture.theme.shade, palette.TEAL, 0.65)
        )
        edge = palette.faded(palette.TEXT_DIM, 0.5) if locked else palette.TEXT
        picture.disc(
            at,
            radius,
            fill,
            outline=edge,
            outline_width=2.0 + 1.5 * (pulse >= 0.0),
            layer=Layer.SCREEN + 1,
            space="screen",
        )
        if locked:
            self._draw_lock(picture, at)
            return
        ink = (34, 26, 8) if pulse >= 0.0 else palette.TEXT
        picture.text(
            f"{number + 1}",
            at,
            size=1.15 * radius,
            colour=ink,
            align="center",
            vertical="middle",
            shadow=False,
            layer=Layer.SCREEN + 2,
        )

    def _draw_lock(self, picture: Picture, at: Point) -> None:
        """Draw a padlock."""
        x = at[0]
        y = at[1] - 0.12 * self._radius
        size = 0.36 * self._radius
        grey = palette.TEXT_DIM
        bow = [(x + 0.66 * size * math.cos(a), y + 0.5 * size + 0.95 * size * math.sin(a))
               for a in (math.pi * n / 10.0 for n in range(11))]  # fmt: skip
        picture.stroke(bow, 0.34 * size, grey, layer=Layer.SCREEN + 2, space="screen")
        picture.panel(
            (x - size, y - 0.8 * size),
            (x + size, y + 0.6 * size),
            grey,
            corner=0.25 * size,
            layer=Layer.SCREEN + 2,
        )

    def _say(self, picture: Picture, y: float, game: Game) -> None:
        """Show the chosen level and the player's result in it."""
        count = len(game.levels)
        opened = game.opened_levels
        number = game.level_number
        arrows = "←  " if number > 0 else "", "  →" if number + 1 < opened else ""
        text = f"{arrows[0]}{say('title.level', number=number + 1, count=count)}{arrows[1]}"
        size = _letters(picture)
        x = 0.5 * picture.width
        picture.text(text, (x, y), size=size, align="center", layer=Layer.SCREEN)
        name, result = (translated(part) for part in level_words_of(game, number))
        line = "  ·  ".join(part for part in (name, result) if part)
        if line:
            small = fitting(picture, line, 0.85 * size)
            picture.text(
                line,
                (x, y - 1.3 * size),
                size=small,
                colour=palette.TEXT_ACCENT,
                align="center",
                layer=Layer.SCREEN,
            )


def _letters(picture: Picture) -> float:
    """Return the size of the words below the map [points]."""
    return min(26.0, 0.05 * picture.height)


def _drop(picture: Picture, radius: float) -> float:
    """Return the distance of the words below the path [points]: below the lowest level, even for
    tiny levels.
    """
    return max((2.3 + WAVE) * radius, (1.4 + WAVE) * radius + 0.93 * _letters(picture))
