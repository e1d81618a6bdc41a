"""Panels: what the lab draws over a page's world: title, formula, numbers, sliders, plot, and the
list of pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ecs_softbody.play import Sliders, say, translated
from ecs_softbody.rendering import Layer, Picture, Plot, draw_cached, palette
from ecs_softbody_games.springs_lab.look import (
    BAD,
    CARD,
    EXACT,
    GOOD,
    INK,
    MEASURED,
    Box,
    Layout,
    inside,
    key_bar,
    lay_out,
    wrapped,
)  # fmt: skip
from ecs_softbody_games.springs_lab.page import Number, Page

DECIMALS = 3
CLOSE = 0.01
"""Relative deviation that counts as agreement."""


class Panels:
    """Draws the page; `buttons` are the places that the mouse can press, by what they do."""

    def __init__(self) -> None:
        self.buttons: dict[str, Box] = {}
        self.height_px = 720
        self.layout: Layout = lay_out(1280.0, 720)

    def pressed(self, place: tuple[float, float]) -> str | None:
        """Return what a click does, None where there is no button."""
        return next((name for name, box in self.buttons.items() if inside(place, box)), None)

    def draw(self, picture: Picture, page: Page, sliders: Sliders, number: int, count: int) -> None:
        """Draw everything that belongs to a page;
        what shows the same as before is not drawn anew.
        """
        self.layout = lay_out(picture.width, self.height_px)
        turning = (("next", "→"), ("pages", f"{number + 1} / {count}"), ("previous", "←"))
        self.buttons = self._button_boxes(picture, turning)
        words = translated(page.title), translated(page.sentence)
        key = words, turning, self.layout
        draw_cached(picture, "head", key, lambda: self._draw_head(picture, words, turning))
        self._draw_side(picture, page, sliders)
        self._draw_plot(picture, page)

    def _button_boxes(self, picture: Picture, turning: Sequence[tuple[str, str]]) -> dict[str, Box]:
        """Return where the buttons of the head are, from right to left."""
        unit = self.layout.unit
        (_, _, right, top) = self.layout.head
        boxes: dict[str, Box] = {}
        x = right - 0.6 * unit
        high = top - 0.35 * unit
        for name, text in turning:
            left = x - picture.text_width(text, unit) - 0.9 * unit
            boxes[name] = (left, high - 1.55 * unit, x, high)
            x = left - 0.4 * unit
        return boxes

    def _draw_head(
        self, picture: Picture, words: tuple[str, str], turning: Sequence[tuple[str, str]]
    ) -> None:
        unit = self.layout.unit
        (left, bottom, right, top) = self.layout.head
        picture.panel((left, bottom), (right, top), CARD, corner=0.5 * unit)
        for name, text in turning:
            self._draw_button(picture, text, self.buttons[name])
        x = self.buttons[turning[-1][0]][0] - 0.4 * unit
        room = right - left - 1.6 * unit
        row = top - 1.6 * unit
        title, sentence = words
        space = x - left - 1.5 * unit
        size = min(1.5, space / max(picture.text_width(title, unit), 1.0)) * unit
        # The width of letters is not proportional to their size.
        size *= min(1.0, space / max(picture.text_width(title, size), 1.0))
        lines = self.layout.lines
        if size < 0.8 * unit:
            # Beside the buttons is no room: the title takes the place of the sentence.
            size = min(1.0, room / max(picture.text_width(title, unit), 1.0)) * unit
            row = row - 1.3 * unit
            lines = 0
        picture.text(title, (left + 0.8 * unit, row), size=size, colour=INK, shadow=False)
        size = 0.95 * unit
        while (
            len(parts := wrapped(picture, sentence, size, room)) > lines > 0 and size > 0.6 * unit
        ):
            size *= 0.96
        for number_of_line, line in enumerate(parts[:lines]):
            place = (left + 0.8 * unit, top - 2.9 * unit - 1.15 * size * number_of_line)
            picture.text(line, place, size=size, colour=palette.faded(INK, 0.85), shadow=False)

    def _draw_button(self, picture: Picture, text: str, box: Box) -> None:
        unit = self.layout.unit
        (left, bottom, right, top) = box
        picture.panel(
            (left, bottom),
            (right, top),
            palette.faded(EXACT, 0.18),
            corner=0.35 * unit,
            layer=Layer.HUD + 1,
        )
        place = (0.5 * (left + right), 0.5 * (bottom + top))
        picture.text(
            text,
            place,
            size=unit,
            colour=INK,
            align="center",
            vertical="middle",
            shadow=False,
            layer=82,
        )

    def _draw_side(self, picture: Picture, page: Page, sliders: Sliders) -> None:
        unit = self.layout.unit
        (left, bottom, right, top) = self.layout.side
        left = left + 0.9 * unit
        right = right - 0.9 * unit
        y = top - 0.4 * unit
        room = y - bottom
        least = 2.0 * sliders.row * unit
        numbers = page.numbers()
        formula = [translated(line) for line in page.formula]
        lines = formula[
            : max(1, int((room - least - 1.45 * unit * (len(numbers) + 1)) / (1.6 * unit)))
        ]
        draw_cached(
            picture, "formula", (lines, self.layout), lambda: self._draw_formula(picture, lines)
        )
        y -= 1.6 * unit * len(lines)
        box = (left, bottom + least, right, y - 0.6 * unit)
        y = self._draw_numbers(picture, numbers, box, touched=page.touched) - 0.35 * unit
        rows = max(1, int((y - bottom - 0.2 * unit) / (sliders.row * unit)))
        sliders.draw(picture, (left, y), right - left, size=unit, rows=rows)

    def _draw_formula(self, picture: Picture, lines: Sequence[str]) -> None:
        """Draw the card at the side, and the formula on it."""
        unit = self.layout.unit
        (left, bottom, right, top) = self.layout.side
        picture.panel((left, bottom), (right, top), CARD, corner=0.5 * unit)
        y = top - 0.4 * unit
        room = right - left - 1.8 * unit
        for line in lines:
            size = 1.25 * unit * min(1.0, room / max(picture.text_width(line, 1.3 * unit), 1.0))
            y -= 1.6 * unit
            picture.text(line, (left + 0.9 * unit, y), size=size, colour=INK, shadow=False)

    def _draw_numbers(
        self, picture: Picture, numbers: Sequence[Number], box: Box, *, touched: bool
    ) -> float:
        unit = self.layout.unit
        (left, bottom, right, y) = box
        size = 0.86 * unit
        wide = right - left
        columns = (left, left + 0.6 * wide, left + 0.83 * wide, right)
        y -= 0.95 * unit
        words = (
            translated("touched: begin anew") if touched else "",
            translated("measured"),
            translated("formula"),
        )
        key = words, columns, y
        draw_cached(picture, "titles", key, lambda: _draw_titles(picture, words, columns, y, size))
        for index, number in enumerate(numbers):
            if y - 1.45 * unit < bottom:
                break
            y -= 1.45 * unit
            texts = texts_of(number)
            key_of_row = texts, columns, y
            row = partial(_draw_number, picture, texts, columns, y, size)
            draw_cached(picture, ("number", index), key_of_row, row)
        return y - 0.45 * unit

    def _draw_plot(self, picture: Picture, page: Page) -> None:
        unit = self.layout.unit
        (left, bottom, right, top) = self.layout.plot
        plot = Plot(
            (0.0, page.seconds), page.height(), "t [s]", translated(page.label), ink=INK, paper=CARD
        )
        times, curves = page.fine
        for curve in curves:
            plot.add(times, curve, palette.lighter(EXACT, 0.35), width=0.34 * unit)
        for values, colour in zip(page.curves(), page.colours, strict=True):
            plot.add(page.times, values, colour, width=0.14 * unit)
        plot.draw(picture, (left, bottom), (right, top), size=0.8 * unit)

    def draw_pages(self, picture: Picture, titles: Sequence[str], chosen: int) -> None:
        """Draw the list of all pages over everything."""
        self.buttons.clear()
        unit = self.layout.unit
        layer = Layer.HUD + 4
        picture.rectangle(
            (0, 0), (picture.width, 720.0), (246, 250, 240, 252), layer=layer, space="screen"
        )
        columns = 1 if self.layout.narrow else 2
        rows = -(-len(titles) // columns)
        y0 = 640.0
        low = key_bar(picture.width, self.height_px) + 10.0
        size = min(1.3 * unit, 30.0 if columns == 2 else 26.0, (y0 - low) / rows / 1.9)
        wide = min(24.0 * size, (picture.width - 4.0 * size) / columns)
        step = min(2.6 * size, (y0 - low) / rows)
        x0 = 0.5 * picture.width - 0.5 * columns * wide
        title = translated("Springs lab")
        at = (x0 + 0.6 * size, 662)
        picture.text(title, at, size=1.6 * size, colour=INK, shadow=False, layer=layer + 1)
        for number, title in enumerate(titles):
            column, row = divmod(number, rows)
            left = x0 + column * wide
            top = y0 - step * row
            low_corner = (left + 4.0, top - step + 0.08 * step)
            high_corner = (left + wide - 4.0, top - 0.08 * step)
            self.buttons[f"page {number}"] = (*low_corner, *high_corner)
            fill = palette.faded(EXACT, 0.35 if number == chosen else 0.1)
            picture.panel(low_corner, high_corner, fill, corner=0.3 * size, layer=layer + 1)
            place = (left + 0.8 * size, 0.5 * (low_corner[1] + high_corner[1]))
            text = f"{number + 1}  {translated(title)}"
            fit = size * min(1.0, (wide - 2.0 * size) / max(picture.text_width(text, size), 1.0))
            picture.text(
                text, place, size=fit, colour=INK, vertical="middle", shadow=False, layer=layer + 2
            )


def _draw_titles(
    picture: Picture, words: tuple[str, str, str], columns: Sequence[float], y: float, size: float
) -> None:
    """Draw what stands above the numbers: whether they still count, and what each column has."""
    state, measured, formula = words
    room = columns[1] - columns[0] - picture.text_width(measured, size) - 0.4 * size
    fit = size * min(1.0, room / max(picture.text_width(state, size), 1.0))
    picture.text(state, (columns[0], y), size=fit, colour=BAD, shadow=False)
    for text, x, colour in ((measured, columns[1], MEASURED), (formula, columns[2], EXACT)):
        picture.text(text, (x, y), size=size, colour=colour, align="right", shadow=False)


@dataclass(frozen=True, slots=True)
class NumberTexts:
    """What is written of a number."""

    label: str
    measured: str
    exact: str
    error: str
    agrees: bool


def texts_of(number: Number) -> NumberTexts:
    """Return what is written of a number; no deviation where nothing was measured."""
    name = translated(number.name)
    label = f"{name} [{number.unit}]" if number.unit else name
    measured = shown(number.measured)
    exact = shown(number.exact)
    if number.error is None:
        return NumberTexts(label, measured, exact, "", False)
    agrees = say("springs_lab.off" if number.error else "springs_lab.exact")
    error = f"{100.0 * abs(number.error):.1f} %" if number.exact else agrees
    return NumberTexts(label, measured, exact, error, abs(number.error) <= CLOSE)


def _draw_number(
    picture: Picture, texts: NumberTexts, columns: Sequence[float], y: float, size: float
) -> None:
    room = columns[1] - columns[0] - picture.text_width(texts.measured, 1.1 * size) - 0.5 * size
    fit = size * min(1.0, room / max(picture.text_width(texts.label, size), 1.0))
    picture.text(texts.label, (columns[0], y), size=fit, colour=INK, shadow=False)
    for text, x, colour in (
        (texts.measured, columns[1], MEASURED),
        (texts.exact, columns[2], EXACT),
    ):
        picture.text(text, (x, y), size=1.1 * size, colour=colour, align="right", shadow=False)
    if texts.error:
        colour = GOOD if texts.agrees else BAD
        picture.text(
            texts.error, (columns[3], y), size=size, colour=colour, align="right", shadow=False
        )


def shown(value: float | None) -> str:
    """Return a number with three figures that count, "..." for none."""
    if value is None:
        return "..."
    size = abs(value)
    digits = 0 if size >= 1000.0 else 1 if size >= 100.0 else 2 if size >= 10.0 else DECIMALS
    return f"{value:.{digits}f}".replace("-", "−")
