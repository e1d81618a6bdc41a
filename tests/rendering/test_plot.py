"""Plot: ticks at round values, curves where they belong, wrong input refused.

And the letters of formulas.
"""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from ecs_softbody.rendering import Picture, Plot, palette
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.glyphs import GlyphAtlas, lacks
from ecs_softbody.rendering.plot import nice_ticks
from ecs_softbody.rendering.texts.table import TABLE

BOX = ((100.0, 100.0), (700.0, 500.0))


@pytest.mark.parametrize(
    ("low", "high", "most", "texts"),
    [
        (0.0, 6.0, 6, ["0", "1", "2", "3", "4", "5", "6"]),
        (-0.3, 0.3, 3, ["−0.2", "0.0", "0.2"]),
        (0.0, 1.0, 4, ["0.0", "0.5", "1.0"]),
        (980.0, 1030.0, 3, ["980", "1000", "1020"]),
        (0.0, 3e-3, 3, ["0.000", "0.001", "0.002", "0.003"]),
    ],
)
def test_ticks_stand_at_round_values(low: float, high: float, most: int, texts: list[str]) -> None:
    assert [text for _, text in nice_ticks(low, high, most)] == texts


def red(picture: Picture) -> np.ndarray:
    image = np.asarray(draw_image(picture), int)
    return np.argwhere((image[..., 0] > 180) & (image[..., 1] < 60) & (image[..., 2] < 60))


def test_a_curve_is_drawn_from_corner_to_corner() -> None:
    picture = Picture(800, 720)
    plot = Plot((0.0, 2.0), (-1.0, 1.0), "t [s]", "x [m]")
    plot.add([0.0, 1.0, np.nan, 2.0], [-1.0, 0.0, 0.0, 1.0], (255, 0, 0), width=4.0)
    plot.draw(picture, *BOX, size=18.0)
    rows = red(picture)
    lowest = rows[rows[:, 1].argmin()]
    highest = rows[rows[:, 1].argmax()]
    assert 100 < lowest[1] < 200
    assert 640 < highest[1] < 700
    assert lowest[0] > highest[0] + 250, "rows of a picture count downwards"
    assert {"t [s]", "x [m]", "0.5", "−0.5"} <= {text.text for text in picture.texts}
    plot.clear()
    empty = Picture(800, 720)
    plot.draw(empty, *BOX)
    assert not len(red(empty))


def test_what_lies_outside_of_the_axes_is_cut_off() -> None:
    picture = Picture(800, 720)
    plot = Plot((0.0, 1.0), (0.0, 1.0))
    plot.add([-5.0, 0.5, 9.0], [0.5, 40.0, 0.5], (255, 0, 0), width=10.0, dots=True)
    plot.draw(picture, *BOX)
    rows = red(picture)
    assert len(rows)
    assert rows[:, 1].min() > 380
    assert rows[:, 1].max() < 450
    assert rows[:, 0].min() > 720 - 500


def test_a_box_that_is_too_small_has_no_curves() -> None:
    picture = Picture(800, 720)
    plot = Plot((0.0, 1.0), (0.0, 1.0))
    plot.add([0.0, 1.0], [0.0, 1.0], (255, 0, 0))
    plot.draw(picture, (10.0, 10.0), (40.0, 40.0), size=18.0)
    assert not len(red(picture))


@pytest.mark.parametrize("axis", [(1.0, 1.0), (2.0, 1.0), (0.0, np.nan), (0.0, np.inf)])
def test_axes_without_a_length_are_refused(axis: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match=r"Plot\.y"):
        Plot((0.0, 1.0), axis)


def test_curves_of_two_lengths_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"Plot\.add\.y: shape \(2,\) beside x of \(3,\) is not allowed"
    ):
        Plot((0.0, 1.0), (0.0, 1.0)).add([0, 1, 2], [0, 1], palette.TEXT)


FORMULAS = "πωζθρμλφΔΣΩ√×−≈≤≥²³⁴₀₁₂"


@pytest.mark.parametrize("size", [6, 9, 20, 64])
def test_letters_of_formulas_are_seen_in_all_sizes(size: int) -> None:
    atlas = GlyphAtlas()
    shapes = set()
    for letter in FORMULAS:
        boxes, sources, width = atlas.layout(f"a{letter}b", size)
        assert len(boxes) == 3
        left, low, right, high = (int(value) for value in sources[1])
        drawn = (
            atlas.pixels[high:low, left:right] if high < low else atlas.pixels[low:high, left:right]
        )
        assert drawn.max() > 100, letter
        assert width > boxes[1][2] - 2
        shapes.add(drawn.tobytes())
    assert len(shapes) == len(FORMULAS) or size < 9


@pytest.mark.parametrize("size", [9, 20, 64])
def test_letters_with_accents_are_the_plain_ones_with_something_above(size: int) -> None:
    atlas = GlyphAtlas()
    for letter, plain in zip("äöüÄÖÜéèêñåš", "aouAOUeeenas", strict=True):
        marked, bare = (atlas.layout(one, size) for one in (letter, plain))
        assert marked[2] == pytest.approx(bare[2], abs=1), "as wide, but for rounding"
        assert marked[0][0][3] > bare[0][0][3] + 0.1 * size, "higher"
        assert marked[0][0][1] == pytest.approx(bare[0][0][1], abs=1), "on the same line"


@pytest.mark.parametrize("language", TABLE.languages)
def test_every_letter_of_the_table_of_texts_has_a_glyph(language: str) -> None:
    letters = {letter for key in TABLE.all_keys(language) for letter in TABLE.text(key, language)}
    assert not {letter for letter in letters if lacks(letter)}


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("¡", "ɏ"),
        ("Α", "Ω"),
        ("ά", "ώ"),
        ("Ѐ", "џ"),
        ("Ґ", "ґ"),
        ("Ẁ", "ỹ"),
        ("₀", "₉"),
        ("←", "↓"),
    ],
)
def test_the_bundled_font_has_latin_greek_and_cyrillic(first: str, last: str) -> None:
    letters = [chr(code) for code in range(ord(first), ord(last) + 1)]
    assert not [
        letter
        for letter in letters
        if unicodedata.name(letter, "") and unicodedata.category(letter) != "Cf" and lacks(letter)
    ]


def test_raised_digits_stand_above_lowered_ones() -> None:
    atlas = GlyphAtlas()

    def ink(letter: str) -> tuple[int, int]:
        box, source = (part[0].astype(int) for part in atlas.layout(letter, 40)[:2])
        rows = np.flatnonzero(
            (atlas.pixels[source[3] : source[1], source[0] : source[2]] > 127).any(1)
        )
        return int(box[3] - rows[-1] - 1), int(box[3] - rows[0])

    above, below, digit = map(ink, "²₂2")
    assert above[0] > below[0] + 12
    assert above[1] - above[0] < 0.75 * (digit[1] - digit[0])
