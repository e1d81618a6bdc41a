"""Menu: choose one of the games, with keys or the mouse."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ecs_softbody.play.game import Game
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.screens.overlays import Bar
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.camera import View
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.scene.backdrop import draw_backdrop
from ecs_softbody.rendering.theme import DEFAULT

ROW = 78.0
SHOWN = 6
"""Height of a row [points], and how many of them fit on the screen."""
CARD, GAP = 800.0, 20.0
HOPS, LIVELY = 5, 150
HOPPING = HOPS * math.pi / LIVELY
"""The chosen card hops so many times, in so many frames, after something was touched; then the picture stands still."""
NARROW_CARD = 585.0
"""Widths of a card alone in its row and beside another one, and the gap between those [points]."""

UP, DOWN = ("up", "w", "pad_up", "stick_up"), ("down", "s", "pad_down", "stick_down")
LEFT, RIGHT = ("left", "a", "pad_left", "stick_left"), ("right", "d", "pad_right", "stick_right")


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
        self._drift = self._waited = 0  # frames in which something moved, frames since something was touched
        self._controls = Controls()
        self._pointer = (0.0, 0.0)
        self._width = 1280.0

    @property
    def is_still(self) -> bool:
        """Whether the picture stays as it is: the chosen card hops for a while, then it waits."""
        return self._waited >= LIVELY

    def frame(self, controls: Controls) -> None:
        """Answer the keys, the mouse and the controller of one frame."""
        self._controls = controls
        touched = controls.pressed or controls.scroll or controls.pointer_screen != self._pointer
        self._waited = 0 if touched else min(self._waited + 1, LIVELY)
        self._drift += not self.is_still
        count = len(self.choices)
        step = controls.was_pressed(*DOWN) - controls.was_pressed(*UP)
        self.selected = (self.selected + step - round(controls.scroll)) % max(count, 1)
        across = (controls.was_pressed(*RIGHT) - controls.was_pressed(*LEFT)) * self._rows
        if self._columns > 1 and 0 <= self.selected + across < count:
            self.selected += across
        under = self._choice_at(controls.pointer_screen)
        if under is not None and (controls.pointer_screen != self._pointer or controls.was_pressed("mouse_left")):
            self.selected = under
        self._pointer = controls.pointer_screen
        clicked = controls.was_pressed("mouse_left") and under is not None
        if count and (clicked or controls.was_pressed("enter", "space", "pad_a")):
            self.chosen = self.choices[self.selected].name
        if controls.was_pressed("escape", "pad_b"):
            self.exit_requested = True

    def picture(self, width_px: int, height_px: int, alpha: float = 1.0, into: Picture | None = None) -> Picture:
        """Return what is to be seen."""
        picture = into or Picture(width_px, height_px)
        picture.clear(width_px, height_px, View((0.01 * self._drift, 0.0), 9.0, width_px, height_px))
        self._width = picture.width
        picture.theme = DEFAULT
        draw_backdrop(picture)
        x = 0.5 * picture.width
        picture.text("Soft bodies", (x, 606), size=80, align="center", layer=Layer.SCREEN)
        hidden = len(self.choices) - len(self._visible())
        what = f"Choose one of {len(self.choices)} games" if hidden else "Choose a game"
        picture.text(what, (x, 548), size=30, colour=palette.TEXT_DIM, align="center", layer=Layer.SCREEN)
        for number in self._visible():
            self._draw_card(picture, number, *self._corner(number))
        ways = [("↑", "up"), ("↓", "down")] if self._columns == 1 else [("↑ ↓ ← →", "choose")]
        if self._controls.device == "pad":
            ways = [("Stick", "choose")]
        Bar(picture, self._controls).draw(ways, [("enter", "play"), ("f11", "full screen"), ("esc", "leave")])
        return picture

    @property
    def _columns(self) -> int:
        """How many cards stand side by side: two where one column would not hold all of them."""
        return 2 if len(self.choices) > SHOWN and self._width >= 2.0 * NARROW_CARD + 3.0 * GAP else 1

    @property
    def _rows(self) -> int:
        return min(SHOWN, math.ceil(len(self.choices) / self._columns))

    @property
    def _card_width(self) -> float:
        return NARROW_CARD if self._columns > 1 else min(CARD, self._width - 2.0 * GAP)

    def _visible(self) -> range:
        """Return the numbers of the choices that fit on the screen."""
        shown = min(self._rows * self._columns, len(self.choices))
        first = min(max(self.selected - shown // 2, 0), len(self.choices) - shown)
        return range(first, first + shown)

    def _corner(self, number: int) -> tuple[float, float]:
        """Return left and top of a choice's card; the columns are read one after the other."""
        column, row = divmod(number - self._visible().start, self._rows)
        left = 0.5 * (self._width - self._columns * self._card_width - (self._columns - 1) * GAP)
        return left + column * (self._card_width + GAP), 510.0 - ROW * row

    def _choice_at(self, position: tuple[float, float]) -> int | None:
        for number in self._visible():
            left, top = self._corner(number)
            if 0.0 <= position[0] - left <= self._card_width and 0.0 <= top - position[1] <= ROW - 10:
                return number
        return None

    def _draw_card(self, picture: Picture, number: int, left: float, top: float) -> None:
        choice = self.choices[number]
        chosen = number == self.selected
        low, high = (left, top - ROW + 10), (left + self._card_width, top)
        colour = palette.body_colour(number)
        fill = palette.mixed(palette.PANEL, colour, 0.35) if chosen else palette.PANEL
        outline = colour if chosen else None
        picture.panel(low, high, fill, corner=16, outline=outline, layer=Layer.SCREEN)
        hop = 5.0 * abs(math.sin(HOPPING * self._waited)) if chosen else 0.0
        middle = (left + 38, top - 36 + hop)
        dark = palette.darker(colour, 0.5)
        picture.disc(middle, 21, colour, outline=dark, layer=Layer.SCREEN, space="screen")
        for side in (-7.0, 7.0):
            eye = (middle[0] + side, middle[1] + 4)
            picture.disc(eye, 5.5, palette.EYE_WHITE, layer=Layer.SCREEN, space="screen")
            picture.disc((eye[0] + 1.5, eye[1]), 3, palette.EYE_PUPIL, layer=Layer.SCREEN, space="screen")
        picture.text(choice.title, (left + 78, top - 33), size=30, layer=Layer.SCREEN + 1)
        size, width = 19.0, self._card_width - 100.0
        size *= min(1.0, width / max(picture.text_width(choice.tagline, size), 1.0))
        picture.text(choice.tagline, (left + 78, top - 57), size=size, colour=palette.TEXT_DIM, layer=Layer.SCREEN + 1)
