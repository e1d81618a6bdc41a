"""Menu: choose one of the games, with keys or the mouse."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ecs_softbody.rendering import palette, screens
from ecs_softbody.rendering.backdrop import draw_backdrop
from ecs_softbody.rendering.camera import View
from ecs_softbody.rendering.game import Controls, Game
from ecs_softbody.rendering.picture import Layer, Picture

ROW = 78.0
SHOWN = 6


@dataclass(frozen=True)
class Choice:
    """One game of the menu."""

    name: str
    title: str
    tagline: str

    @classmethod
    def of(cls, game: type[Game]) -> Choice:
        """Return the choice that a game class stands for."""
        return cls(game.name, game.title, game.tagline)


class Menu:
    """A list of games. `chosen` is the name of the game to play, once there is one."""

    def __init__(self, choices: list[Choice]) -> None:
        self.choices = choices
        self.selected = 0
        self.chosen: str | None = None
        self.exit_requested = False
        self._frames = 0
        self._pointer = (0.0, 0.0)
        self._width = 1280.0

    def frame(self, controls: Controls) -> None:
        """Answer the keys and the mouse of one frame."""
        self._frames += 1
        count = len(self.choices)
        step = controls.was_pressed("down", "s", "right") - controls.was_pressed("up", "w", "left")
        self.selected = (self.selected + step - round(controls.scroll)) % max(count, 1)
        under = self._row_at(controls.pointer_screen)
        if under is not None and (controls.pointer_screen != self._pointer or controls.was_pressed("mouse_left")):
            self.selected = under
        self._pointer = controls.pointer_screen
        clicked = controls.was_pressed("mouse_left") and under is not None
        if count and (clicked or controls.was_pressed("enter", "space")):
            self.chosen = self.choices[self.selected].name
        if controls.was_pressed("escape"):
            self.exit_requested = True

    def picture(self, width_px: int, height_px: int, alpha: float = 1.0, into: Picture | None = None) -> Picture:
        """Return what is to be seen."""
        picture = into or Picture(width_px, height_px)
        picture.clear(width_px, height_px, View((0.01 * self._frames, 0.0), 9.0, width_px, height_px))
        self._width = picture.width
        draw_backdrop(picture)
        x = 0.5 * picture.width
        picture.text("Soft bodies", (x, 606), size=80, align="center", layer=Layer.SCREEN)
        picture.text("Choose a game", (x, 548), size=30, colour=palette.TEXT_DIM, align="center", layer=Layer.SCREEN)
        for row, number in enumerate(self._visible()):
            self._draw_row(picture, number, self._row_top(row))
        screens.draw_hints(
            picture, [("↑", "up"), ("↓", "down"), ("enter", "play"), ("f11", "full screen"), ("esc", "leave")]
        )
        return picture

    def _visible(self) -> range:
        """Return the numbers of the choices that fit on the screen."""
        first = min(max(self.selected - SHOWN // 2, 0), max(len(self.choices) - SHOWN, 0))
        return range(first, min(first + SHOWN, len(self.choices)))

    @staticmethod
    def _row_top(row: int) -> float:
        return 510.0 - ROW * row

    def _row_at(self, place: tuple[float, float]) -> int | None:
        if abs(place[0] - 0.5 * self._width) > 400:
            return None
        for row, number in enumerate(self._visible()):
            if 0.0 <= self._row_top(row) - place[1] <= ROW - 10:
                return number
        return None

    def _draw_row(self, picture: Picture, number: int, top: float) -> None:
        choice, x = self.choices[number], 0.5 * picture.width
        chosen = number == self.selected
        low, high = (x - 400, top - ROW + 10), (x + 400, top)
        colour = palette.body_colour(number)
        fill = palette.mixed(palette.PANEL, colour, 0.35) if chosen else palette.PANEL
        outline = colour if chosen else None
        picture.panel(low, high, fill, corner=16, outline=outline, layer=Layer.SCREEN)
        hop = 5.0 * abs(math.sin(0.1 * self._frames)) if chosen else 0.0
        middle = (x - 362, top - 36 + hop)
        dark = palette.darker(colour, 0.5)
        picture.disc(middle, 21, colour, outline=dark, layer=Layer.SCREEN, space="screen")
        for side in (-7.0, 7.0):
            eye = (middle[0] + side, middle[1] + 4)
            picture.disc(eye, 5.5, palette.EYE_WHITE, layer=Layer.SCREEN, space="screen")
            picture.disc((eye[0] + 1.5, eye[1]), 3, palette.EYE_PUPIL, layer=Layer.SCREEN, space="screen")
        picture.text(choice.title, (x - 322, top - 33), size=30, layer=Layer.SCREEN + 1)
        picture.text(choice.tagline, (x - 322, top - 57), size=19, colour=palette.TEXT_DIM, layer=Layer.SCREEN + 1)
