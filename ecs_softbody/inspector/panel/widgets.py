"""Widgets: one line for one value: a slider or a box to tick, the exact value to type, and its
name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ecs_softbody.inspector.model.fields import Field

MIXED = "rows differ: this is their mean, and all of them follow it"
"""Hint at a slider for many rows."""
SLIDER = 0.34
"""Share of a line that the slider takes."""
BOX = 0.22
"""Share of a line that the box for the exact value takes."""
DIGITS = 6
"""Significant digits of a slider's value, which has a precision of 24 bits."""
Given = Callable[[Any], object]
"""Takes the value of a slider or a box to tick."""
Typed = Callable[[str], object]
"""Takes a text that was typed."""


class Widgets:
    """Draws values with Dear ImGui; `imgui` is its module."""

    def __init__(self, imgui: Any) -> None:
        self.imgui = imgui
        self._texts: dict[str, str] = {}
        self._spans: dict[str, tuple[float, float]] = {}

    def forget(self) -> None:
        """Forget the ranges of sliders: another entity is shown."""
        self._spans.clear()

    def value(
        self,
        key: str,
        field: Field,
        value: Any,
        label: str,
        change: Given,
        typed: Typed,
        mixed: bool = False,
    ) -> None:
        """Draw one line.

        Args:
            key: names the line among all.
            field: the field to show.
            value: its value now.
            label: its name.
            change: called with a new value.
            typed: called with a text that was typed.
            mixed: whether rows differ, and this is their mean.
        """
        imgui = self.imgui
        imgui.push_id(key)
        if field.fixed or (value is None and field.shape != "data"):
            self._look(value, label)
        elif field.shape == "flag":
            changed, ticked = imgui.checkbox(f"{label}{' ~' * mixed}", bool(value))
            if changed:
                change(ticked)
        elif field.shape == "choice":
            self._choice(field, value, label, change)
        elif field.shape in ("number", "whole"):
            self._number(key, field, value, f"{label}{' ~' * mixed}", change, typed)
        else:
            self._typed(key, _plain(value), label, 0.57, typed)
        if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
            unit = f" [{field.unit}]" if field.unit else ""
            imgui.set_tooltip(
                f"{field.owner}.{field.name}: {field.doc}{unit}{f' ({MIXED})' if mixed else ''}"
            )
        imgui.pop_id()

    def _look(self, value: Any, label: str) -> None:
        said = f"{value}"
        self.imgui.text_disabled(f"{label}: {said if len(said) < 60 else f'{said[:57]}...'}")

    def _choice(self, field: Field, value: Any, label: str, change: Given) -> None:
        imgui = self.imgui
        words = [str(word) for word in field.choices]
        imgui.set_next_item_width(0.57 * self._room)
        changed, number = imgui.combo(
            label, words.index(str(value)) if str(value) in words else -1, words
        )
        if changed:
            change(field.choices[number])

    def _number(
        self, key: str, field: Field, value: Any, label: str, change: Given, typed: Typed
    ) -> None:
        imgui = self.imgui
        low, high = self._spans.setdefault(key, field.span(value))
        whole = field.shape == "whole"
        fits = isinstance(value, int | float) and math.isfinite(value)
        if fits and max(abs(low), abs(high)) < 2**31:
            imgui.set_next_item_width(SLIDER * self._room)
            if whole:
                changed, new = imgui.slider_int("##slider", int(value), int(low), int(high), "")
            else:
                changed, new = imgui.slider_float("##slider", float(value), low, high, "")
                new = float(f"{new:.{DIGITS}g}")
            if changed:
                change(new)
            imgui.same_line(0.0, 4.0)
        else:
            imgui.dummy(imgui.ImVec2(SLIDER * self._room, 1.0))
            imgui.same_line(0.0, 4.0)
        self._typed(
            key,
            f"{value:.{DIGITS}g}" if isinstance(value, float) else f"{value}",
            label,
            BOX,
            typed,
        )

    @property
    def _room(self) -> float:
        """Width of a line [pixels]."""
        return float(self.imgui.get_window_width())

    def _typed(self, key: str, shown: str, label: str, share: float, typed: Typed) -> None:
        """Draw a text box; the text is applied on Enter, or when the box is left."""
        imgui = self.imgui
        imgui.set_next_item_width(share * self._room)
        changed, text = imgui.input_text(
            label, self._texts.get(key, shown), imgui.InputTextFlags_.auto_select_all
        )
        if changed:
            self._texts[key] = text
        if imgui.is_item_deactivated():
            final = self._texts.pop(key, shown)
            if final != shown:
                typed(final)

    def text_box(self, key: str, hint: str, shown: str) -> str:
        """Draw a text box over the whole width, and return its text."""
        imgui = self.imgui
        imgui.set_next_item_width(-1.0)
        return str(imgui.input_text_with_hint(f"##{key}", hint, shown)[1])


def _plain(value: Any) -> str:
    """Return the text of a value for editing."""
    if value is None:
        return "none"
    return f"{list(value)}" if isinstance(value, tuple) else f"{value}"
