"""Letters that the bundled font lacks come from fonts of the system; a warning names those that no
font has.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from PIL import features

from ecs_softbody.rendering import LettersWarning
from ecs_softbody.rendering.glyphs import HIGHEST, LOWEST, GlyphAtlas, font_of, lacks
from ecs_softbody.rendering.system_fonts import SystemFonts, font_folders
from tests.helpers.small_font import Box, small_font

SIZE = 40
CAPITAL = -font_of(400).getbbox("H", anchor="ls")[1] / 400
TALL = (100, 0, 300, 700)
WIDE = (100, 200, 700, 300)


def write(folder: Path, name: str, letters: dict[str, Box], advance: int = 800) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.ttf").write_bytes(small_font(letters, advance))


def atlas_of(*folders: Path, capital: float = CAPITAL) -> GlyphAtlas:
    return GlyphAtlas(SystemFonts(lacks, capital, lambda: folders))


def faces_in(atlas: GlyphAtlas, text: str) -> list[tuple[str, str]]:
    return [(piece, face.path.stem if face else "") for piece, face in atlas.fonts.pieces(text)]


def seen(atlas: GlyphAtlas, text: str, size: int = SIZE) -> list[tuple[int, int, int, int]]:
    """Return the box of ink of each drawn part: left, bottom, right, top [px], from the start of
    the baseline.
    """
    found = []
    for box, source in zip(
        *(part.astype(int).tolist() for part in atlas.layout(text, size)[:2]), strict=True
    ):
        rows, columns = np.nonzero(atlas.pixels[source[3] : source[1], source[0] : source[2]] > 127)
        left = box[0]
        top = box[3]
        found.append(
            (left + columns.min(), top - rows.max() - 1, left + columns.max() + 1, top - rows.min())
        )
    return found


@pytest.mark.parametrize("letter", "ԺԲაก中あ한")
def test_a_letter_that_is_missing_is_drawn_with_a_font_of_the_system(
    letter: str, tmp_path: Path
) -> None:
    write(tmp_path, "some", {letter: TALL, "H": (0, 0, 500, round(1000 * CAPITAL))})
    atlas = atlas_of(tmp_path)
    ((left, bottom, right, top),) = seen(atlas, letter)
    # and bold by a stroke
    assert (left, bottom, right, top) == pytest.approx((4, 0, 12, 29), abs=1.5)
    assert atlas.layout(letter, SIZE)[2] == pytest.approx(0.8 * SIZE, abs=1.0)


def test_plain_texts_look_for_no_fonts() -> None:
    def folders() -> Iterable[Path]:
        raise AssertionError

    atlas = GlyphAtlas(SystemFonts(lacks, CAPITAL, folders))
    text = " Plain “English”: - it is … Größe é ñ π ω → x² © "
    assert atlas.layout(text, SIZE)[2] > 0.0
    assert atlas.fonts.pieces(text) == [(text, None)]


def test_a_word_has_one_font_where_one_has_all_of_it(tmp_path: Path) -> None:
    write(tmp_path, "few", {"Ժ": WIDE})
    write(tmp_path, "mixed", dict.fromkeys("Ժամołówka", TALL))
    assert faces_in(atlas_of(tmp_path), "3  Ժամół. ok Ժak") == [
        ("3  ", ""), ("Ժամół", "mixed"), (". ok ", ""), ("Ժak", "mixed"),
    ]  # fmt: skip


def test_a_mark_that_no_letter_holds_is_looked_for(tmp_path: Path) -> None:
    write(tmp_path, "marks", {"z": TALL, "\u0327": WIDE})
    assert faces_in(atlas_of(tmp_path), "z\u0327 e z") == [("z\u0327", "marks"), (" e z", "")]
    with pytest.warns(LettersWarning, match=r"U\+0327"):
        atlas_of().layout("z\u0327", SIZE)


def test_letters_of_a_word_come_from_several_fonts_where_none_has_all(tmp_path: Path) -> None:
    write(tmp_path, "a", {"Ժ": TALL})
    write(tmp_path, "b", {"中": TALL, "x": TALL})
    assert faces_in(atlas_of(tmp_path), "Ժ中x") == [("Ժ", "a"), ("中", "b"), ("x", "")]


def test_plain_fonts_come_before_others(tmp_path: Path) -> None:
    for name in ("AA-Bold", "AAA", "DejaVuSans", "ThaI", "My ColorEmoji", "ArialBd", "ab"):
        write(tmp_path, name, {"Ժ": TALL})
    write(tmp_path / "below", "Arial", {"Ժ": TALL})
    fonts = atlas_of(tmp_path).fonts
    assert [face.path.stem for face in fonts.faces] == ["DejaVuSans", "Arial", "ab", "AAA", "ThaI"]


def test_files_that_are_no_fonts_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "arial.ttf").write_bytes(b"no font")
    (tmp_path / "empty.otf").write_bytes(b"")
    (tmp_path / "folder.ttf").mkdir()
    (tmp_path / "cut.ttf").write_bytes(small_font({"Ժ": TALL})[:200])
    write(tmp_path, "whole", {"Ժ": TALL})
    assert faces_in(atlas_of(tmp_path, tmp_path / "absent"), "Ժ") == [("Ժ", "whole")]


def test_capitals_of_all_fonts_are_as_high(tmp_path: Path) -> None:
    write(tmp_path, "low", {"H": (0, 0, 500, 600), "Ժ": (0, 0, 500, 600)})
    ((_, _, _, top),) = seen(atlas_of(tmp_path), "Ժ", 100)
    assert top == pytest.approx(100 * CAPITAL, abs=3)


def test_no_letter_leaves_its_line(tmp_path: Path) -> None:
    write(tmp_path, "high", {"Ժ": (0, -900, 500, 2500), "中": (0, 0, 500, 1800)})
    for letter in "Ժ中":
        ((_, bottom, _, top),) = seen(atlas_of(tmp_path), letter, 100)
        assert top <= 100 * HIGHEST + 3
        assert bottom >= -100 * LOWEST - 3


def test_a_box_stands_for_what_no_font_has_and_a_warning_names_it_once(tmp_path: Path) -> None:
    write(tmp_path, "some", {"Ժ": TALL})
    atlas = atlas_of(tmp_path)
    with pytest.warns(LettersWarning) as said:
        boxes = seen(atlas, "a中Ժ文 中")
    assert len(said) == 1
    assert "中 (U+4E2D) 文 (U+6587)" in str(said[0].message)
    assert "Ժ" not in str(said[0].message)
    assert len(boxes) == 5
    box = boxes[1]
    own = GlyphAtlas().layout("\uffff", SIZE)[0][0]
    assert box[3] - box[1] == pytest.approx(own[3] - own[1], abs=4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        atlas.layout("中 文", SIZE)
        atlas.layout("a中Ժ文 中", 2 * SIZE)


def test_without_any_font_everything_is_drawn_all_the_same(tmp_path: Path) -> None:
    with pytest.warns(LettersWarning):
        assert len(atlas_of(tmp_path).layout("Привет, 世界", SIZE)[0]) == 9


def test_what_changes_other_letters_is_nothing_by_itself(tmp_path: Path) -> None:
    write(tmp_path, "some", {"❤": TALL})
    atlas = atlas_of(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(seen(atlas, "❤\ufe0f")) == 1
        assert atlas.layout("a\u200db", SIZE)[2] == atlas.layout("ab", SIZE)[2]
        assert len(seen(atlas, "a\u0301")) == 1
    np.testing.assert_array_equal(atlas.layout("a\u0301", SIZE)[0], atlas.layout("á", SIZE)[0])


def test_words_that_run_to_the_left_are_drawn_as_one(tmp_path: Path) -> None:
    write(tmp_path, "hebrew", {"א": TALL, "ב": WIDE, "ג": WIDE, " ": (0, 0, 0, 0)})
    atlas = atlas_of(tmp_path)
    assert faces_in(atlas, "x אב ג y") == [("x ", ""), ("אב ג", "hebrew"), (" y", "")]
    (box,) = seen(atlas, "אבג")
    source = atlas.layout("אבג", SIZE)[1].astype(int)[0]
    pixels = atlas.pixels[source[3] : source[1], source[0] : source[2]] > 127
    # the first letter alone reaches so high
    high = np.flatnonzero(pixels[: pixels.shape[0] // 2].any(axis=0))
    assert box[2] - box[0] > 2 * 0.8 * SIZE
    if features.check("raqm"):
        assert high.min() > pixels.shape[1] // 2
    assert len(seen(atlas, "אבג" * 20)) == 60  # wider than the atlas: letter by letter


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("linux", [".fonts", "own/fonts", "a/fonts", "b/fonts"]),
        ("darwin", ["Library/Fonts", "/Library/Fonts", "/System/Library/Fonts"]),
        ("win32", ["win/Fonts", "local/Microsoft/Windows/Fonts"]),
    ],
)
def test_folders_of_fonts(
    system: str, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name, value in {"XDG_DATA_HOME": "own", "WINDIR": "win", "LOCALAPPDATA": "local"}.items():
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("XDG_DATA_DIRS", f"{tmp_path}/a:{tmp_path}/b")
    assert font_folders() == [tmp_path / name for name in expected]
