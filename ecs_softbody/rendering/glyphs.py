"""GlyphAtlas: letters drawn once with the bundled font, or one of the system, into one image that
every backend reads, the atlas.

A text is laid out as boxes on the screen, each with the box in the atlas that has its letter.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
import PIL
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ecs_softbody.rendering.system_fonts import MARKS, PROBE, Face, SystemFonts, draws, is_shaped

Float32s: TypeAlias = NDArray[np.float32]
Layout: TypeAlias = tuple[Float32s, Float32s, float]
FONT = Path(__file__).parent / "fonts" / "DejaVuSansCondensed.ttf"
"""The bundled font: Latin, Greek, Cyrillic, arrows, signs of formulas."""
ATLAS_WIDTH = 1024
"""Width of the atlas of letters [px]."""
FIRST_HEIGHT = 256
"""Height of a new atlas [px]; it doubles when letters need more."""
LARGEST_HEIGHT = 8192
"""Height of the atlas [px] beyond which it is emptied, and letters are drawn into it from the top.
"""
MOST_LAYOUTS = 512
"""Texts whose layout is remembered."""
BOLDNESS = 0.022
"""Width of the stroke that makes the font bold, as a share of the size."""
WHOLE_STROKES = tuple(map(int, PIL.__version__.split(".")[:2])) < (11, 3)
"""Whether Pillow is one of before, as browsers' Python has it: its strokes are as wide as a whole
number of pixels.
"""
FINER = 8
"""Letters are first drawn larger by this factor."""
HIGHEST = 1.05
"""Height of a letter of another font above the baseline [em]; higher ones are made smaller."""
LOWEST = 0.35
"""Depth of a letter of another font below the baseline [em]; deeper ones are made smaller."""


SMALL, SHARPER = 10, 8
"""Texts smaller than this [px] are measured in a size so many times as large."""


class GlyphAtlas:
    """An image of all letters seen so far, shape (height, 1024), uint8: 255 where the letter is.

    `version` changes whenever the image does, so that a backend can detect when to fetch it again.
    """

    def __init__(self, fonts: SystemFonts | None = None) -> None:
        self.fonts = fonts or shared_fonts()
        self.pixels = np.zeros((FIRST_HEIGHT, ATLAS_WIDTH), np.uint8)
        self.version = 0
        # By (letters, size [px], font): the box of a letter, as `_keep` returns it, and how far the
        # pen moves [px]; by (text, size): its layout.
        self._boxes: dict[tuple[str, int, Face | None], tuple[float, ...]] = {}
        self._advances: dict[tuple[str, int, Face | None], float] = {}
        self._layouts: dict[tuple[str, int], Layout] = {}
        # Where the next letter goes in the atlas, and the height of the row there [px].
        self._x = 1
        self._y = 1
        self._row_height = 0

    def layout(self, text: str, size: int) -> Layout:
        """Return the letters' boxes with the baseline at (0, 0), their boxes in the atlas, and the
        text's width.

        Boxes are (N, 4): left, bottom, right, top [px], y up; in the atlas, rows count downwards.
        Recent layouts are cached; do not write to them.
        """
        key = (text, size)
        # The layout is put back as the last one: the first layout is the one that was not used for
        # longest.
        found = self._layouts.pop(key, None)
        if found is None:
            found = self._lay_out(text, size)
            if len(self._layouts) >= MOST_LAYOUTS:
                del self._layouts[next(iter(self._layouts))]
        self._layouts[key] = found
        return found

    def _lay_out(self, text: str, size: int) -> Layout:
        boxes: list[tuple[float, ...]] = []
        sources: list[tuple[float, ...]] = []
        pen = 0.0
        for piece, face in self.fonts.pieces(unicodedata.normalize("NFC", text)):
            pen = self._add(piece, face, size, pen, boxes, sources)
        return (
            np.array(boxes, np.float32).reshape(-1, 4),
            np.array(sources, np.float32).reshape(-1, 4),
            pen,
        )

    def _add(
        self, text: str, face: Face | None, size: int, pen: float, boxes: list[tuple[float, ...]],
        sources: list[tuple[float, ...]],
    ) -> float:  # fmt: skip
        """Add letters of a font, or the bundled one, from the pen on; return where it is then."""
        font = _font(face, size)
        is_one = (
            face is not None and is_shaped(text) and font.getlength(text) < ATLAS_WIDTH - 2 * size
        )
        for index, letter in enumerate([text] if is_one else text):
            if face is None and unicodedata.category(letter) in MARKS:  # standing alone
                continue
            key = (letter, size, face)
            if key not in self._boxes:
                self._boxes[key] = self._draw(letter, face, size)
            _add(self._boxes[key], pen, boxes, sources)
            pair, following = (
                (text, "") if is_one else (text[index : index + 2], text[index + 1 : index + 2])
            )
            pen += self._measured((pair, size, face), pair, following)
        return pen

    def _measured(self, key: tuple[str, int, Face | None], text: str, following: str) -> float:
        """Return the advance over a text, up to the text `following` at its end; cached by
        `key`.

        Fonts round advances to whole pixels, which makes texts of few pixels a tenth wider: these
        are measured in a larger size.
        """
        (_, size, face) = key
        times = SHARPER if size < SMALL else 1
        font = _font(face, times * size)
        if key not in self._advances:
            if len(self._advances) >= 20 * MOST_LAYOUTS:
                self._advances.clear()
            both = font.getlength(text)
            self._advances[key] = (both - (font.getlength(following) if following else 0.0)) / times
        return self._advances[key]

    def _draw(self, letters: str, face: Face | None, size: int) -> tuple[float, ...]:
        """Draw a letter, or a word whose letters change with their neighbours."""
        stroke = BOLDNESS * size
        font = _font(face, size)
        if face is not None:
            whole = round(stroke) if WHOLE_STROKES else stroke
            _, top, _, bottom = font.getbbox(letters, anchor="ls", stroke_width=whole)
            share = min(HIGHEST * size / max(-top, 1), LOWEST * size / max(bottom, 1))
            if share < 1.0:
                font = face.sized(max(int(share * size), 1))
        return self._keep(*_drawn(letters, font, stroke))

    def _keep(self, pixels: NDArray[np.uint8], left: int, top: int) -> tuple[float, ...]:
        """Write pixels into the atlas, and return where they begin beside the pen, how large they
        are, and where.
        """
        if not pixels.size:
            return (0, 0, 0, 0, 0, 0)
        height, width = pixels.shape
        x, y = self._reserve(width, height)
        self.pixels[y : y + height, x : x + width] = pixels
        self.version += 1
        return (left, top, width, height, x, y)

    def _reserve(self, width: int, height: int) -> tuple[int, int]:
        """Return the upper left corner of free space of this size in the atlas [px]."""
        if self._x + width + 1 > ATLAS_WIDTH:
            self._x = 1
            self._y = self._y + self._row_height + 1
            self._row_height = 0
        # Letters of old texts are drawn again when a picture needs them.
        if self._y + height + 1 > LARGEST_HEIGHT:
            self._boxes.clear()
            self._layouts.clear()
            self._x = 1
            self._y = 1
            self._row_height = 0
        while self._y + height + 1 > len(self.pixels):
            self.pixels = np.vstack((self.pixels, np.zeros_like(self.pixels)))
        position = (self._x, self._y)
        self._x += width + 1
        self._row_height = max(self._row_height, height)
        return position


def _add(
    box: tuple[float, ...],
    pen: float,
    boxes: list[tuple[float, ...]],
    sources: list[tuple[float, ...]],
) -> None:
    """Add a box of the atlas, with the pen at `pen` [px]."""
    left, top, width, height, atlas_x, atlas_y = box
    if width:
        x = round(pen) + left
        y = -top
        boxes.append((x, y - height, x + width, y))
        sources.append((atlas_x, atlas_y + height, atlas_x + width, atlas_y))


def _drawn(
    text: str, font: ImageFont.FreeTypeFont, stroke: float
) -> tuple[NDArray[np.uint8], int, int]:
    """Return the pixels of a text and where they begin, to the right of the pen and below the
    baseline.
    """
    if WHOLE_STROKES:
        return _drawn_finer(text, font, stroke)
    box = font.getbbox(text, anchor="ls", stroke_width=stroke)
    left = int(box[0]) - 1
    top = int(box[1]) - 1
    right = int(box[2]) + 1
    bottom = int(box[3]) + 1
    if text.isspace() or right - left <= 2 or bottom - top <= 2:
        return np.zeros((0, 0), np.uint8), 0, 0
    image = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(image).text((-left, -top), text, 255, font, "ls", stroke_width=stroke)
    return np.asarray(image), left, top


def _drawn_finer(
    text: str, font: ImageFont.FreeTypeFont, stroke: float
) -> tuple[NDArray[np.uint8], int, int]:
    """Do the same as `_drawn` by drawing the text larger and reducing it, so that a stroke of a
    whole number of pixels is fine enough.
    """
    font = font.font_variant(size=FINER * font.size)
    stroke = round(FINER * stroke)
    box = font.getbbox(text, anchor="ls", stroke_width=stroke)
    left, top = (int(side // FINER) - 1 for side in box[:2])
    right, bottom = (int(-(-side // FINER)) + 1 for side in box[2:])
    if text.isspace() or right - left <= 2 or bottom - top <= 2:
        return np.zeros((0, 0), np.uint8), 0, 0
    image = Image.new("L", (FINER * (right - left), FINER * (bottom - top)))
    ImageDraw.Draw(image).text(
        (-FINER * left, -FINER * top), text, 255, font, "ls", stroke_width=stroke
    )
    return np.asarray(image.reduce(FINER)), left, top


def _font(face: Face | None, size: int) -> ImageFont.FreeTypeFont:
    return font_of(size) if face is None else face.sized(size)


@lru_cache(maxsize=64)
def font_of(size: int) -> ImageFont.FreeTypeFont:
    """Return the font at a size [px]."""
    try:
        return ImageFont.truetype(FONT, size, layout_engine=ImageFont.Layout.BASIC)
    except ImportError as error:
        raise RuntimeError(
            "Pillow was built without FreeType; install a Pillow wheel: pip install "
            "--upgrade pillow"
        ) from error


@lru_cache(maxsize=4096)
def lacks(letter: str) -> bool:
    """Return whether the bundled font lacks a letter.

    A mark that no letter holds already is lacked: the font does not set marks on letters.
    """
    if letter.isascii():
        return False
    if unicodedata.combining(letter):
        return True
    if not letter.isprintable() or unicodedata.category(letter) in MARKS:
        return False
    return not draws(font_of(PROBE), letter)


@lru_cache(maxsize=1)
def shared_fonts() -> SystemFonts:
    """Return the fonts of this system; they are looked for when the first letter is missing."""
    return SystemFonts(lacks, -font_of(PROBE).getbbox("H", anchor="ls")[1] / PROBE)


@lru_cache(maxsize=1)
def shared_atlas() -> GlyphAtlas:
    """Return the atlas that all pictures of this process share."""
    return GlyphAtlas()
