"""Menu: choose one of the games: cards with pictures, in groups, by keys, mouse or controller."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ecs_softbody.indices import arange
from ecs_softbody.play.game import Game
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.session_keys import SETTINGS
from ecs_softbody.play.saves import Saves
from ecs_softbody.play.screens.best import best_result
from ecs_softbody.play.screens.card_grid import Cell, Grid
from ecs_softbody.play.screens.keybar import EDGE, UNDER_GLASS, Bar, fitting
from ecs_softbody.play.screens.previews import Previews
from ecs_softbody.play.screens.settings_screen import (
    WAYS_DOWN,
    WAYS_LEFT,
    WAYS_RIGHT,
    WAYS_UP,
    SettingsScreen,
)
from ecs_softbody.play.settings import Settings
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.land.backdrop import draw_backdrop
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.screen.view import View
from ecs_softbody.rendering.texts.table import say, translated
from ecs_softbody.rendering.theme import DEFAULT

GROUPS = ("games", "toys", "lab")
"""Groups in order; other games' groups follow."""
TREMOR = 12.0
"""Largest movement of a resting finger [points]."""
STAR = 9.0
"""Radius of a star on a card [points]."""


@dataclass(frozen=True)
class Choice:
    """One game of the menu: its names, its group, and the player's results."""

    name: str
    title: str
    tagline: str
    group: str = "games"
    result: str = ""  # The player's best, in words
    stars: int | None = None  # 0 to 3, None if the game gives none
    levels: tuple[int, int] = field(default=(0, 0))  # Opened, and all; zeros without levels

    @classmethod
    def of(cls, game: type[Game], saves: Saves | None = None) -> Choice:
        """Return the choice of a game class; results are read from its saves."""
        kept = saves or Saves(game.name)
        stars = kept.whole("stars", None, 0, 3)
        opened = min(kept.whole("opened levels", 1, low=1), len(game.levels))
        reached = (opened, len(game.levels)) if len(game.levels) > 1 else (0, 0)
        result = best_result(game, kept)
        return cls(game.name, game.title, game.tagline, game.group, result, stars, reached)

    @property
    def reached(self) -> str:
        """The card's text about the player's best result."""
        parts = [say("menu.best", result=self.result)] if self.result else []
        if self.levels[0] > 1:
            parts.append(say("menu.levels", number=self.levels[0], count=self.levels[1]))
        return " · ".join(parts)


def grouped(choices: Iterable[Choice], played: Iterable[str] = ()) -> dict[str, list[Choice]]:
    """Return choices by group, most recently played first; the group of the latest game comes
    first.
    """
    recent = list(played)
    every = list(choices)
    every.sort(
        key=lambda choice: recent.index(choice.name) if choice.name in recent else len(recent)
    )
    order = [every[0].group] if every and every[0].name in recent else []
    order += [*GROUPS, *(choice.group for choice in every)]
    found = {
        group: [choice for choice in every if choice.group == group]
        for group in dict.fromkeys(order)
    }
    return {group: members for group, members in found.items() if members}


class Menu:
    """All games as cards. `chosen` is the name of the game to play, once there is one.

    Args:
        choices: the games.
        previews: makes the cards' pictures; without it they have none.
        settings: the player's settings for all games, and the recently played games.
    """

    def __init__(
        self,
        choices: list[Choice],
        previews: Previews | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.previews = previews
        self.settings = settings or Settings()
        self.settings_shown: SettingsScreen | None = None
        self.selected = 0
        self.chosen: str | None = None
        self.exit_requested = False
        self._grid = Grid()
        self._moves = False
        self._controls = Controls()
        self._pointer = (0.0, 0.0)
        self._finger: tuple[float, float] | None = None
        """Where a finger went down that has not moved since."""
        self.take(choices)

    def take(self, choices: list[Choice]) -> None:
        """Show these games from now on, after a game has been played."""
        self.groups = grouped(choices, self.settings.played)
        self.choices = [choice for members in self.groups.values() for choice in members]
        self.selected = 0
        self.chosen = None
        self._grid.place([len(members) for members in self.groups.values()])

    @property
    def is_still(self) -> bool:
        """Whether the picture is static: nothing on a card has moved."""
        return not self._moves

    def frame(self, controls: Controls) -> None:
        """Handle the keys, the mouse and the controller of one frame."""
        self._controls = controls
        if self.settings_shown is not None:
            if not self.settings_shown.frame(controls):
                self.settings_shown = None
            controls.pressed.clear()
            self._moves = False
            return
        if controls.was_pressed(SETTINGS, "pad_y"):
            self.settings_shown = SettingsScreen(None, self.settings)
            return
        self._move(controls)
        if self.previews is not None and (
            controls.pressed or controls.scroll or controls.pointer_screen != self._pointer
        ):
            self.previews.wake()
        under = self._point(controls)
        if self.choices and (under or controls.was_pressed("enter", "space", "pad_a")):
            self.chosen = self.choices[self.selected].name
        if controls.was_pressed("escape", "pad_b"):
            self.exit_requested = True
        focus = self.choices[self.selected].name if self.choices else ""
        self._moves = self.previews is not None and self.previews.frame(focus)
        self._moves = self._grid.glide() or self._moves

    def _move(self, controls: Controls) -> None:
        """Select a neighbouring card; left and right follow the reading order."""
        step = int(controls.was_pressed(*WAYS_RIGHT, "d")) - controls.was_pressed(*WAYS_LEFT, "a")
        down = int(controls.was_pressed(*WAYS_DOWN, "s")) - controls.was_pressed(*WAYS_UP, "w")
        if step and self.choices:
            self.selected = (self.selected + step) % len(self.choices)
        if down and self.choices:
            self.selected = self._grid.beyond(self.selected, down)
        if step or down:
            self._grid.show(self.selected)
        if controls.scroll:
            self._grid.scroll_by(-90.0 * controls.scroll)

    def _point(self, controls: Controls) -> bool:
        """Select the card under a moved mouse; return whether it is clicked.

        A finger scrolls as well, so its choice counts when it is lifted at its starting point.
        """
        if controls.device == "touch":
            return self._follow_finger(controls)
        under = self._grid.at(controls.pointer_screen)
        clicked = controls.was_pressed("mouse_left")
        moved = controls.pointer_screen != self._pointer
        self._pointer = controls.pointer_screen
        if under is not None and (moved or clicked):
            self.selected = under
        return clicked and under is not None

    def _follow_finger(self, controls: Controls) -> bool:
        before = self._pointer
        self._pointer = controls.pointer_screen
        if controls.was_pressed("mouse_left"):
            before = self._finger = self._pointer
        if self._finger is not None and math.dist(self._finger, self._pointer) > TREMOR:
            self._finger = None
        if self._finger is None and controls.is_held("mouse_left"):
            self._grid.scroll_by(self._pointer[1] - before[1])
        if self._finger is None or not controls.was_released("mouse_left"):
            return False
        under = self._grid.at(self._finger)
        self._finger = None
        self.selected = self.selected if under is None else under
        return under is not None

    def picture(
        self, width_px: int, height_px: int, alpha: float = 1.0, into: Picture | None = None
    ) -> Picture:
        """Return the picture."""
        picture = into or Picture(width_px, height_px)
        picture.text_size = self.settings.text_size
        picture.colours = self.settings.colours
        picture.clear(width_px, height_px, View((0.0, 0.0), 9.0, width_px, height_px))
        picture.theme = DEFAULT
        draw_backdrop(picture)
        device = self._controls.device
        bar = Bar(picture, self._controls)
        if self.settings_shown is not None:
            self.settings_shown.draw(picture, bar)
            return picture
        choose = {"keyboard": "↑ ↓ ← →", "pad": translated("Stick")}
        ways = [(choose[device], say("keys.choose"))] if device in choose else []
        every = [
            ("enter", "keys.play"),
            (SETTINGS, "keys.settings"),
            ("f11", "keys.full_screen"),
            ("esc", "keys.leave"),
        ]
        foot = bar.draw(ways, every)
        foot += UNDER_GLASS if device == "touch" else 0.0
        head = min(84.0, 0.14 * picture.height)
        self._grid.fit(picture.width, picture.height - head, foot)
        self._grid.show(self.selected, only_once=True)
        for cell in self._grid.cells:
            if cell.top > foot and cell.bottom < picture.height - head:
                self._draw_card(picture, cell)
        for (group, _), (left, line) in zip(self.groups.items(), self._grid.headings, strict=True):
            if foot < line < picture.height - head:
                picture.text(
                    _name_of(group),
                    (left, line),
                    size=24,
                    colour=palette.TEXT_ACCENT,
                    layer=Layer.SCREEN - 5,
                )
        low = (0.0, picture.height - head)
        top = (picture.width, picture.height)
        picture.rectangle(low, top, palette.SKY_TOP, layer=Layer.SCREEN - 2, space="screen")
        picture.rectangle(
            (0, 0), (picture.width, foot), palette.SKY_TOP, layer=Layer.SCREEN - 3, space="screen"
        )
        title = say("menu.title")
        size = 0.62 * head
        picture.text(title, (EDGE, low[1] + 0.28 * head), size=size, layer=Layer.SCREEN)
        self._draw_scroll_bar(picture, foot, low[1])
        below = [
            name
            for name, (_, line) in zip(self.groups, self._grid.headings, strict=True)
            if line <= foot
        ]
        if below:
            _draw_more(picture, _name_of(below[0]), low[1] + 0.28 * head)
        return picture

    def _draw_scroll_bar(self, picture: Picture, low: float, high: float) -> None:
        share, start = self._grid.part_shown
        if share < 1.0:
            length = share * (high - low)
            x = picture.width - 8.0
            top = high - start * (high - low)
            picture.panel(
                (x - 5, top - length), (x, top), palette.KEY_CAP, corner=2.5, layer=Layer.SCREEN - 4
            )

    def _draw_card(self, picture: Picture, cell: Cell) -> None:
        """Draw a game's picture, title, tagline and best result."""
        choice = self.choices[cell.number]
        chosen = cell.number == self.selected
        layer = Layer.HUD
        wide = cell.right - cell.left
        fill, outline = (
            (palette.mixed(palette.PANEL[:3], palette.GOLD, 0.12), palette.GOLD)
            if chosen
            else (palette.PANEL, None)
        )
        picture.panel(
            (cell.left, cell.bottom),
            (cell.right, cell.top),
            fill,
            corner=12,
            outline=outline,
            layer=layer,
        )
        high = wide * 9.0 / 16.0
        shown = None if self.previews is None else self.previews.pictures.get(choice.name)
        middle = (0.5 * (cell.left + cell.right), cell.top - 5.0 - 0.5 * (high - 10.0 * 9.0 / 16.0))
        if shown is not None:
            opacity = 1.0 if chosen else 0.82
            picture.image(
                shown, middle, width=wide - 10.0, opacity=opacity, layer=layer + 1, space="screen"
            )
        x = cell.left + 12.0
        y = cell.top - high - 25.0
        title = translated(choice.title)
        tagline = translated(choice.tagline)
        room = wide - 24.0
        picture.text(title, (x, y), size=fitting(picture, title, 23, room), layer=layer + 2)
        for line in _two_lines(picture, tagline, 15.5, room):
            y -= 20.0
            size = fitting(picture, line, 15.5, room)
            picture.text(line, (x, y), size=size, colour=palette.TEXT_DIM, layer=layer + 2)
        if choice.reached:
            size = fitting(picture, choice.reached, 15.5, room - 80.0)
            best = (x, cell.bottom + 9.0)
            picture.text(
                choice.reached, best, size=size, colour=palette.TEXT_ACCENT, layer=layer + 2
            )
        if choice.stars is not None:
            for number in range(3):
                colour = palette.GOLD if number < choice.stars else palette.KEY_CAP
                _draw_star(
                    picture,
                    (cell.right - 18.0 - 2.3 * STAR * (2 - number), cell.bottom + 16.0),
                    colour,
                    layer + 2,
                )


def _name_of(group: str) -> str:
    """Return the title of a group."""
    return say(f"menu.{group}") if group in GROUPS else translated(group.capitalize())


def _draw_more(picture: Picture, name: str, y: float) -> None:
    """Show the next group below the visible cards at the right end of the head, `y` points up."""
    right = picture.width - EDGE
    picture.text(
        name,
        (right - 22.0, y),
        size=24,
        colour=palette.TEXT_ACCENT,
        align="right",
        layer=Layer.SCREEN,
    )
    corners = [(right - 14.0, y + 13.0), (right, y + 13.0), (right - 7.0, y + 3.0)]
    picture.polygon(corners, palette.TEXT_ACCENT, layer=Layer.SCREEN, space="screen")


def _two_lines(picture: Picture, text: str, size: float, room: float) -> list[str]:
    """Return a text as one line, or two if it is wider than `room` points."""
    if picture.text_width(text, size) <= room:
        return [text]
    words = text.split()
    cuts = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(1, len(words))] or [
        (text, "")
    ]
    return list(min(cuts, key=lambda pair: max(picture.text_width(part, size) for part in pair)))


def _draw_star(
    picture: Picture, at: tuple[float, float], colour: palette.Colour, layer: int
) -> None:
    turns = np.pi * (0.5 + arange(10) / 5.0)
    radii = np.where(arange(10) % 2 == 0, STAR, 0.45 * STAR)
    points = np.array(at) + radii[:, None] * np.stack((np.cos(turns), np.sin(turns)), axis=1)
    picture.polygon(points, colour, layer=layer, space="screen")
