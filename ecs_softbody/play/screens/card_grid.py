"""Card grid: layout of the menu's cards: groups of rows, which scroll if they do not all fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ecs_softbody.play.screens.keybar import EDGE

CARD, GAP = 228.0, 14.0
"""Minimum width of a card, and the gap between two of them [points]."""
TEXTS = 96.0
"""Height of a card's texts, below its picture."""
HEADING = 40.0
"""Height of a group's name."""
GLIDE = 0.3
"""Fraction of the remaining scroll distance covered in a frame."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The place of a card on the screen [points]."""

    number: int
    left: float
    bottom: float
    right: float
    top: float


class Grid:
    """Places cards in rows, group by group, and scrolls them."""

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self.headings: list[tuple[float, float]] = []
        """Places of the groups' names."""
        # Cards in each group; numbers of the cards in each row; width, top and bottom of the grid
        # [points]; how far it is scrolled, and is to be, and its whole length [points].
        self._counts: Sequence[int] = ()
        self._rows: list[list[int]] = []
        self._size = (0.0, 0.0, 0.0)
        self._scroll = self._goal = self._length = 0.0
        self._shown = False

    def place(self, counts: Sequence[int]) -> None:
        """Lay out groups of cards, given the number of cards in each."""
        self._counts = counts
        self._shown = False
        self._scroll = self._goal = 0.0
        self._lay_out()

    def fit(self, width: float, top: float, bottom: float) -> None:
        """Fill the part of the screen between two heights [points]."""
        if (width, top, bottom) != self._size:
            self._size = (width, top, bottom)
            self._shown = False
        self._lay_out()

    def _lay_out(self) -> None:
        """Place all cards and headings for the present size and scroll."""
        width, top, bottom = self._size
        if width <= 0.0:
            return
        columns = max(1, int((width - 2 * EDGE + GAP) / (CARD + GAP)))
        columns = min(columns, max(4, max(self._counts, default=1)))
        wide = min((width - 2 * EDGE + GAP) / columns - GAP, 1.5 * CARD)
        left = 0.5 * (width - columns * (wide + GAP) + GAP)
        high = wide * 9.0 / 16.0 + TEXTS
        self.cells = []
        self.headings = []
        self._rows = []
        y = top + self._scroll
        number = 0
        for count in self._counts:
            self.headings.append((left, y - HEADING + 12.0))
            y -= HEADING
            for first in range(0, count, columns):
                row = list(range(number + first, number + min(first + columns, count)))
                self._rows.append(row)
                for place, card in enumerate(row):
                    x = left + place * (wide + GAP)
                    self.cells.append(Cell(card, x, y - high, x + wide, y))
                y -= high + GAP
            number += count
        self._length = top + self._scroll - y
        most = max(0.0, self._length - (top - bottom))
        self._goal = min(max(self._goal, 0.0), most)
        self._scroll = min(self._scroll, most)

    @property
    def part_shown(self) -> tuple[float, float]:
        """The fraction of the cards on the screen, and the fraction above it."""
        room = self._size[1] - self._size[2]
        return min(1.0, room / max(self._length, 1.0)), self._scroll / max(self._length, 1.0)

    def at(self, place: tuple[float, float]) -> int | None:
        """Return the number of the card at a point on the screen [points], or None."""
        x, y = place
        if not self._size[2] < y < self._size[1]:
            return None
        found = (
            cell.number
            for cell in self.cells
            if cell.left <= x <= cell.right and cell.bottom <= y <= cell.top
        )
        return next(found, None)

    def beyond(self, number: int, rows: int) -> int:
        """Return the card below another one (`rows` = 1) or above it (-1), wrapping around at the
        ends.
        """
        row = next(index for index, cards in enumerate(self._rows) if number in cards)
        column = self._rows[row].index(number)
        cards = self._rows[(row + rows) % len(self._rows)]
        return cards[min(column, len(cards) - 1)]

    def show(self, number: int, *, only_once: bool = False) -> None:
        """Scroll until a card, and its group's name, are visible; `only_once` after a new
        layout.
        """
        if (only_once and self._shown) or number >= len(self.cells):
            return
        cell = self.cells[number]
        (_, top, bottom) = self._size
        if cell.top + HEADING > top:
            self._goal = self._scroll - (cell.top + HEADING - top)
        elif cell.bottom - GAP < bottom:
            self._goal = self._scroll + (bottom - cell.bottom + GAP)
        if only_once:
            self._scroll = self._goal
            self._shown = True
            self._lay_out()

    def scroll_by(self, points: float) -> None:
        """Scroll by `points`."""
        self._goal += points

    def glide(self) -> bool:
        """Advance the scrolling by one frame; return whether anything has moved."""
        before = self._scroll
        self._scroll += GLIDE * (self._goal - self._scroll)
        if abs(self._goal - self._scroll) < 0.5:
            self._scroll = self._goal
        self._lay_out()
        return self._scroll != before
