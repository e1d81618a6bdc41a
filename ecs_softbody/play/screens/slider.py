"""Slider and Sliders: numbers set by the player with the mouse, the keys or a controller."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from ecs_softbody.errors import FieldError, FieldTypeError
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.screen.cached import draw_cached
from ecs_softbody.rendering.texts.table import translated
from ecs_softbody.validation import check_number, check_text

WAIT, AGAIN = 18, 4
"""Frames until a held key repeats, and between two repetitions."""
NEAR = 12.0
"""Distance from a slider [points] within which the mouse still holds it."""
ARROW = 0.32
"""Half the width of the arrow to hidden sliders, in letter sizes."""
MOST_STEPS = 100_000
"""Maximum number of steps: more than a screen has points."""
Box = tuple[float, float, float, float]
"""Left, bottom, right, top [points]."""


class Slider:
    """A number, or one of several choices.

    Args:
        name: its label: "mass"; shown in the player's language if the table of texts has it.
        low, high: the ends.
        value: the initial value; None: the lowest.
        step: distance of two values.
        unit: "kg".
        choices: its possible values, in order, instead of the numbers from `low` to `high`.

    Raises:
        ValueError: if high is not above low, the step is not above 0 or exceeds their distance, the
            value is not between them, or there are fewer than two choices.
    """

    def __init__(
        self,
        name: str,
        low: float = 0.0,
        high: float = 1.0,
        *,
        value: float | str | None = None,
        step: float = 0.1,
        unit: str = "",
        choices: Sequence[float | str] = (),
    ) -> None:
        self.name = check_text("Slider", "name", name)
        self.unit = check_text("Slider", "unit", unit)
        self._values = _chosen(choices) or _numbers(low, high, step)
        self._digits = max((len(f"{one:.6f}".rstrip("0").partition(".")[2]) for one in self._values
                            if isinstance(one, float)), default=0)  # fmt: skip
        self._number = 0
        if value is not None:
            self.value = value

    @property
    def value(self) -> float | str:
        """The current value; assigning rounds to the nearest step."""
        return self._values[self._number]

    @value.setter
    def value(self, value: float | str) -> None:
        allowed = self._values
        if isinstance(value, str) or isinstance(allowed[0], str):
            if value not in allowed:
                raise FieldError("Slider", "value", value, f"one of {allowed!r}")
            self._number = allowed.index(value)
            return
        numbers = [float(one) for one in allowed]
        wanted = check_number("Slider", "value", value, minimum=min(numbers))
        if wanted > max(numbers):
            raise FieldError("Slider", "value", value, f"numbers <= {max(numbers):g}")
        self._number = min(range(len(numbers)), key=lambda index: abs(numbers[index] - wanted))

    @property
    def number(self) -> float:
        """The value as a number.

        Raises:
            TypeError: if the choices are words.
        """
        if isinstance(self.value, str):
            raise TypeError(f"Slider {self.name!r} stands at {self.value!r}, which is no number")
        return float(self.value)

    @property
    def share(self) -> float:
        """Position between the ends, 0 to 1; assigning rounds to the nearest step."""
        return self._number / (len(self._values) - 1)

    @share.setter
    def share(self, share: float) -> None:
        share = check_number("Slider", "share", share)
        self._number = round(min(max(share, 0.0), 1.0) * (len(self._values) - 1))

    @property
    def text(self) -> str:
        """The value as text, with its unit."""
        value = self.value
        whole = not isinstance(value, str) and float(value).is_integer()
        shown = (
            value
            if isinstance(value, str)
            else f"{value:.{self._digits}f}"
            if self._digits or whole
            else f"{value:g}"
        )
        return f"{shown} {self.unit}".strip()

    def move(self, steps: int) -> bool:
        """Move some steps up or down, at most to the end; return whether it has moved."""
        before = self._number
        self._number = min(max(self._number + steps, 0), len(self._values) - 1)
        return self._number != before


def _chosen(choices: Sequence[float | str]) -> tuple[float | str, ...]:
    """Return the choices of a slider; they are none, or two or more."""
    is_list = isinstance(choices, Sequence) and not isinstance(choices, str)
    if not is_list or len(choices) == 1:
        raise FieldError("Slider", "choices", choices, "two or more in a list")
    for choice in choices:
        if not isinstance(choice, str):
            check_number("Slider", "choices", choice)
    return tuple(choices)


def _all_sliders(sliders: Iterable[Slider]) -> list[Slider]:
    """Return sliders as a list; FieldTypeError if one is none."""
    found = list(sliders) if isinstance(sliders, Iterable) else [sliders]
    for each in found:
        if not isinstance(each, Slider):
            raise FieldTypeError("Sliders", "sliders", each, "a list, each a Slider")
    return found


class Sliders:
    """Vertical list of sliders: up and down select one, left and right move it; the mouse drags,
    its wheel steps.

    Attributes:
        sliders: in order.
        chosen: number of the slider that the keys move.
        ink, accent: colours of the letters and of the set values.
        row: height of each, in letter sizes.
    """

    row = 2.35

    def __init__(
        self,
        sliders: Iterable[Slider],
        *,
        ink: Colour = palette.TEXT,
        accent: Colour = palette.TEXT_ACCENT,
    ) -> None:
        self.sliders = _all_sliders(sliders)
        self.chosen = 0
        self.ink = ink
        self.accent = accent
        self._boxes: dict[int, Box] = {}
        self._more: dict[int, Box] = {}
        self._first = 0
        self._held: int | None = None
        self._direction = (0, 0)
        self._waited = 0

    @property
    def holding(self) -> bool:
        """Whether the mouse holds a slider."""
        return self._held is not None

    def box(self, number: int) -> Box | None:
        """Return the box in which a slider was last drawn: left, bottom, right, top [points]; None
        if it was not.
        """
        return self._boxes.get(number)

    def more(self, number: int) -> Box | None:
        """Return the box of the arrow to hidden sliders [points]; None if there is none."""
        return self._more.get(number)

    def follow(self, controls: Controls) -> bool:
        """Apply the player's input of a frame; return whether a value has changed."""
        if not self.sliders:
            return False
        changed = self._follow_mouse(controls)
        x, y = (
            int(value > 0.5) - int(value < -0.5)
            for value in (controls.horizontal, controls.vertical)
        )
        self._waited = self._waited + 1 if (x, y) == self._direction else 0
        self._direction = (x, y)
        if self._waited == 0 or (self._waited > WAIT and self._waited % AGAIN == 0):
            self.chosen = (self.chosen - y) % len(self.sliders)
            changed = (bool(x) and self.sliders[self.chosen].move(x)) or changed
        return changed

    def _follow_mouse(self, controls: Controls) -> bool:
        under = _box_at(self._boxes, controls.pointer_screen)
        hidden = _box_at(self._more, controls.pointer_screen)
        if controls.was_pressed("mouse_left"):
            self._held = under if hidden is None else None
            self.chosen = self.chosen if hidden is None else hidden
        elif not controls.is_held("mouse_left"):
            self._held = None
        if self._held is not None and self._held in self._boxes:
            slider = self.sliders[self._held]
            self.chosen = self._held
            left, _, right, _ = self._boxes[self._held]
            before = slider.value
            slider.share = (controls.pointer_screen[0] - left) / max(right - left, 1.0)
            return slider.value != before
        if under is not None and controls.scroll:
            self.chosen = under
            return self.sliders[under].move(1 if controls.scroll > 0.0 else -1)
        return False

    def draw(
        self,
        picture: Picture,
        left_top: tuple[float, float],
        width: float,
        *,
        size: float = 20.0,
        rows: int | None = None,
        layer: int = Layer.HUD,
    ) -> float:
        """Draw the sliders downwards from a point on the screen [points], and return their height
        [points].

        Args:
            picture: they are drawn into it.
            left_top: upper left corner [points].
            width: of each [points].
            size: of the letters [points].
            rows: number of visible sliders, None for all; the chosen one is visible, and arrows at
                the right lead to the others.
            layer: of the picture.
        """
        count = len(self.sliders) if rows is None else max(0, min(rows, len(self.sliders)))
        first = min(
            max(self._first, self.chosen - count + 1, 0), self.chosen, len(self.sliders) - count
        )
        self._first = first
        self._boxes.clear()
        for place, number in enumerate(range(first, first + count)):
            top = left_top[1] - self.row * size * place
            self._boxes[number] = (left_top[0], top - self.row * size, left_top[0] + width, top)
            slider = self.sliders[number]
            shown = translated(slider.name), slider.text, slider.share, number == self.chosen
            look = self._boxes[number], size, layer, self.ink, self.accent
            draw = partial(self._draw_one, picture, number, size, layer)
            draw_cached(picture, (id(self), place), (shown, look), draw)
        self._draw_more(picture, range(first, first + count), size, layer)
        return self.row * size * count

    def _draw_more(self, picture: Picture, shown: range, size: float, layer: int) -> None:
        """Draw an arrow beside the first and the last visible slider if more are hidden."""
        self._more.clear()
        ends = (
            ((shown.start - 1, shown.start, 1.0), (shown.stop, shown.stop - 1, -1.0))
            if shown
            else ()
        )
        for number, beside, up in ends:
            if 0 <= number < len(self.sliders):
                _, bottom, right, top = self._boxes[beside]
                x = right + 0.58 * size
                y = 0.5 * (bottom + top) - 0.2 * up * size
                half = ARROW * size
                self._more[number] = (right + 0.1 * size, bottom, right + size, top)
                ends_of_arrow = [
                    (x - half, y - 0.5 * up * half),
                    (x, y + 0.5 * up * half),
                    (x + half, y - 0.5 * up * half),
                ]
                picture.stroke(ends_of_arrow, 0.2 * size, self.ink, layer=layer + 1, space="screen")

    def _draw_one(self, picture: Picture, number: int, size: float, layer: int) -> None:
        slider = self.sliders[number]
        (left, bottom, right, top) = self._boxes[number]
        chosen = number == self.chosen
        if chosen:
            low = (left - 0.5 * size, bottom + 0.1 * size)
            high = (right + 0.5 * size, top - 0.05 * size)
            picture.panel(
                low, high, palette.faded(self.accent, 0.16), corner=0.4 * size, layer=layer
            )
        ink = self.ink if chosen else palette.faded(self.ink, 0.8)
        y = top - size
        name = translated(slider.name)
        room = right - left - picture.text_width(slider.text, size) - 0.6 * size
        fit = size * min(1.0, room / max(picture.text_width(name, size), 1.0))
        picture.text(name, (left, y), size=fit, colour=ink, shadow=False, layer=layer + 1)
        picture.text(
            slider.text,
            (right, y),
            size=size,
            colour=ink,
            align="right",
            shadow=False,
            layer=layer + 1,
        )
        y = bottom + 0.75 * size
        x = left + slider.share * (right - left)
        track = {"layer": layer + 1, "space": "screen"}
        picture.stroke([(left, y), (right, y)], 0.26 * size, palette.faded(self.ink, 0.22), **track)  # type: ignore[arg-type]
        if x > left + 1.0:
            picture.stroke([(left, y), (x, y)], 0.26 * size, self.accent, **track)  # type: ignore[arg-type]
        knob = 0.5 * size if chosen else 0.4 * size
        picture.disc(
            (x, y),
            knob,
            (255, 255, 255),
            outline=self.accent,
            outline_width=0.17 * size,
            **track,  # type: ignore[arg-type]
        )


def _box_at(boxes: dict[int, Box], place: tuple[float, float]) -> int | None:
    """Return the number of the box at a point on the screen, None if there is none."""
    x, y = place
    for number, (left, bottom, right, top) in boxes.items():
        if left - NEAR <= x <= right + NEAR and bottom <= y < top:
            return number
    return None


def _numbers(low: float, high: float, step: float) -> tuple[float, ...]:
    """Return the numbers from `low` to `high`, `step` apart."""
    low = check_number("Slider", "low", low)
    high = check_number("Slider", "high", high)
    step = check_number("Slider", "step", step, above=0.0)
    if high <= low:
        raise FieldError("Slider", "high", high, f"numbers > low = {low!r}")
    count = round(min((high - low) / step, 2.0 * MOST_STEPS))
    if not 1 <= count <= MOST_STEPS:
        least = (high - low) / MOST_STEPS
        raise FieldError("Slider", "step", step, f"numbers from {least:g} to {high - low:g}")
    return tuple(round(low + (high - low) * number / count, 9) for number in range(count + 1))
