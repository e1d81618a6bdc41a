"""Letters that Pillow's own font lacks: Greek ones, ß, accents, signs and small digits of formulas,
drawn as strokes.

A stroke is a row of points in em, the baseline at y = 0 and y up; a small letter is 0.52 high, a
capital 0.71. A curve goes smoothly through its points, a line straight from each to the next.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

Points = Sequence[tuple[float, float]]
FINER = 4
"""Pixels that are drawn for each that is kept, across and up."""
WEIGHT = 0.112
"""Width of a stroke [em]."""
BELOW = 0.26
"""Largest descent below the baseline [em]."""
ROWS = 1.1
"""Height of a drawing, from there up [em]."""
SMALL = {
    "²": ("2", 0.33),
    "³": ("3", 0.33),
    "⁴": ("4", 0.33),
    "₀": ("0", -0.14),
    "₁": ("1", -0.14),
    "₂": ("2", -0.14),
}
"""Digits of the font that stand higher or lower [em], and their share of the size is
`SMALL_SIZE`.
"""
SMALL_SIZE = 0.62
"""Size of these digits, as a share of the size of the text."""


class Letter(NamedTuple):
    """The advance, and the strokes: curves and lines [em]."""

    advance: float
    curves: tuple[Points, ...] = ()
    lines: tuple[Points, ...] = ()


def _ring(x: float, y: float, width: float, height: float) -> Points:
    turn = np.linspace(0.0, 2.0 * np.pi, 13)
    return [(x + 0.5 * width * float(np.cos(t)), y + 0.5 * height * float(np.sin(t))) for t in turn]


LETTERS: dict[str, Letter] = {
    "π": Letter(
        0.64,
        ((((0.22, 0.46)), (0.21, 0.2), (0.16, 0.03)), ((0.42, 0.46), (0.42, 0.12), (0.53, 0.04))),
        (((0.06, 0.46), (0.58, 0.46)),),
    ),
    "ω": Letter(
        0.76,
        (
            ((0.2, 0.48), (0.08, 0.26), (0.14, 0.06), (0.25, 0.04), (0.36, 0.14), (0.38, 0.3)),
            ((0.38, 0.3), (0.4, 0.14), (0.51, 0.04), (0.62, 0.06), (0.68, 0.26), (0.56, 0.48)),
        ),
    ),
    "ζ": Letter(
        0.5,
        (
            (
                (0.14, 0.68),
                (0.24, 0.65),
                (0.42, 0.67),
                (0.2, 0.44),
                (0.09, 0.2),
                (0.2, 0.06),
                (0.36, 0.02),
                (0.39, -0.09),
                (0.28, -0.16),
            ),
        ),
    ),
    "θ": Letter(0.58, (_ring(0.29, 0.35, 0.4, 0.66),), (((0.11, 0.35), (0.47, 0.35)),)),
    "ρ": Letter(0.58, (_ring(0.31, 0.26, 0.38, 0.44), ((0.12, 0.26), (0.12, 0.0), (0.11, -0.18)))),
    "μ": Letter(
        0.6,
        (((0.13, 0.2), (0.16, 0.06), (0.27, 0.03), (0.4, 0.1), (0.44, 0.2)),),
        (((0.12, 0.48), (0.12, -0.18)), ((0.45, 0.48), (0.45, 0.04))),
    ),
    "λ": Letter(
        0.56,
        (((0.06, 0.66), (0.15, 0.66), (0.26, 0.42), (0.38, 0.12), (0.5, 0.04)),),
        (((0.26, 0.4), (0.08, 0.04)),),
    ),
    "φ": Letter(0.66, (_ring(0.33, 0.26, 0.5, 0.44),), (((0.33, 0.66), (0.33, -0.18)),)),
    "Δ": Letter(0.7, (), (((0.06, 0.04), (0.35, 0.68), (0.64, 0.04), (0.06, 0.04)),)),
    "Σ": Letter(0.62, (), (((0.54, 0.67), (0.1, 0.67), (0.34, 0.36), (0.1, 0.04), (0.56, 0.04)),)),
    "√": Letter(0.58, (), (((0.04, 0.3), (0.13, 0.36), (0.26, 0.02), (0.5, 0.76)),)),
    "×": Letter(0.54, (), (((0.12, 0.1), (0.42, 0.4)), ((0.12, 0.4), (0.42, 0.1)))),
    "−": Letter(0.56, (), (((0.1, 0.25), (0.46, 0.25)),)),
    "≈": Letter(
        0.6,
        (
            ((0.08, 0.32), (0.19, 0.38), (0.31, 0.33), (0.42, 0.28), (0.52, 0.34)),
            ((0.08, 0.14), (0.19, 0.2), (0.31, 0.15), (0.42, 0.1), (0.52, 0.16)),
        ),
    ),
    "≤": Letter(0.58, (), (((0.48, 0.5), (0.1, 0.33), (0.48, 0.16)), ((0.1, 0.03), (0.48, 0.03)))),
    "ß": Letter(
        0.57,
        (
            (
                (0.13, 0.04),
                (0.13, 0.48),
                (0.2, 0.64),
                (0.32, 0.67),
                (0.43, 0.58),
                (0.41, 0.46),
                (0.32, 0.37),
                (0.46, 0.24),
                (0.47, 0.12),
                (0.38, 0.04),
                (0.26, 0.05),
            ),
        ),
    ),
}
"""All letters that are drawn."""
MARKS: dict[str, tuple[Points, ...]] = {
    "\u0308": (((-0.13, 0.13), (-0.13, 0.13)), ((0.13, 0.13), (0.13, 0.13))),
    "\u0301": (((-0.06, 0.09), (0.07, 0.19)),),
    "\u0300": (((0.06, 0.09), (-0.07, 0.19)),),
    "\u0302": (((-0.13, 0.09), (0.0, 0.19), (0.13, 0.09)),),
    "\u030c": (((-0.13, 0.19), (0.0, 0.09), (0.13, 0.19)),),
    "\u0303": (((-0.15, 0.1), (-0.06, 0.16), (0.06, 0.1), (0.15, 0.16)),),
    "\u030a": (_ring(0.0, 0.15, 0.13, 0.13),),
}
"""Accents by their combining letters: dots, acute, grave, circumflex, caron, tilde, ring; strokes
from the middle of the top of a letter [em].
"""
MARKS_HIGH = 0.26
"""Height of the room that an accent takes above its letter [em]."""
MARK_WEIGHT = 0.1
"""Width of the strokes of an accent [em]."""
X_HEIGHT = 0.56
"""An i under an accent has no dot: nothing of it is higher [em]."""


@lru_cache(maxsize=1024)
def parts_of(letter: str) -> tuple[str, str]:
    """Return the plain letter and the accent of a letter such as "ä"; the letter itself and ""
    where it has none.
    """
    parts = unicodedata.normalize("NFD", letter)
    return (parts[0], parts[1]) if len(parts) == 2 and parts[1] in MARKS else (letter, "")


def draw_mark(mark: str, size: int, width: int, middle: float) -> NDArray[np.uint8]:
    """Return an accent as shape (MARKS_HIGH size, width) px, with its center at `middle` [px] from
    the left.
    """
    height = round(MARKS_HIGH * size)
    image = Image.new("L", (FINER * width, FINER * height))
    canvas = ImageDraw.Draw(image)
    radius = 0.5 * FINER * max(MARK_WEIGHT * size, 1.0)
    for stroke in MARKS[mark]:
        points = [(FINER * (middle + x * size), FINER * (height - y * size)) for x, y in stroke]
        canvas.line(points, 255, round(2.0 * radius), "curve")
        for x, y in points:
            canvas.ellipse((x - radius, y - radius, x + radius, y + radius), 255)
    return np.asarray(image.resize((width, height), Image.Resampling.BOX))


def draw_letter(letter: str, size: int) -> NDArray[np.uint8]:
    """Return a letter as shape (ROWS size, advance size) px, 255 where it is; its lowest row is
    BELOW the baseline.
    """
    drawn = LETTERS[letter]
    fine = FINER * size
    width = round(drawn.advance * size)
    height = round(ROWS * size)
    image = Image.new("L", (FINER * width, FINER * height))
    canvas = ImageDraw.Draw(image)
    radius = 0.5 * WEIGHT * fine
    for stroke in (*map(_smooth, drawn.curves), *(np.asarray(line) for line in drawn.lines)):
        places = np.column_stack(
            (stroke[:, 0] * fine, FINER * height - (stroke[:, 1] + BELOW) * fine)
        )
        points = [(float(x), float(y)) for x, y in places]
        canvas.line(points, 255, round(2.0 * radius), "curve")
        for x, y in points:
            canvas.ellipse((x - radius, y - radius, x + radius, y + radius), 255)
    return np.asarray(image.resize((width, height), Image.Resampling.BOX))


def _smooth(points: Points) -> NDArray[np.float64]:
    """Return a curve through points (Catmull and Rom), as many short lines."""
    knots = np.asarray(points, np.float64)
    ends = (2.0 * knots[0] - knots[1], 2.0 * knots[-1] - knots[-2])
    if np.allclose(knots[0], knots[-1]):
        ends = (knots[-2], knots[1])
    padded = np.vstack((ends[0], knots, ends[1]))
    t = np.linspace(0.0, 1.0, 9)[:, None]
    parts = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        cubic = 3.0 * b - a - 3.0 * c + d
        parts.append(
            0.5 * (2.0 * b + (c - a) * t + (2.0 * a - 5.0 * b + 4.0 * c - d) * t**2 + cubic * t**3)
        )
    return np.concatenate(parts)
