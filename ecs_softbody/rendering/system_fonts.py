"""System fonts: words with letters that the bundled font lacks are drawn with a font of this
computer.

Fonts are looked for in the folders where systems keep them, and only when such a letter is drawn. A
font has a letter where it draws something else for it than for a letter that does not exist.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path

from PIL import ImageFont

PROBE = 32
"""Size for measuring a font [px]."""
NO_LETTER = "\uffff"
"""A code point without a letter: fonts draw their sign for missing letters there."""
ENDINGS = (".ttf", ".ttc", ".otf", ".otc")
"""Ends of the names of font files."""
FIRST = (
    "dejavusans", "notosansregular", "segoeui", "arial", "arialunicode", "helvetica",
    "liberationsansregular", "notosanscjkregular", "msyh", "yugothr", "malgun", "pingfang",
    "seguisym",
)  # fmt: skip
"""Plain fonts with many letters, the best first; other fonts follow, short names first."""
ODD = re.compile(
    r"bold|italic|obli|light|thin|medium|black|heavy|cond|narrow|mono|serif|coloremoji|lastresort"
)
"""Parts of names of fonts that are not plain, or have coloured glyphs."""
ENDS_OF_ODD = re.compile(r"(bd|bi|i|b|z|l)$")
"""And how they end where the plain one is there, too: arialbd."""
MOST_FONTS = 300
"""Fonts that are opened, a millisecond each."""
MOST_FOLDERS = 2000
"""Limit of the folders that are searched: links between folders may go round in circles."""
LEAST_SCALE = 0.75
"""Least factor by which a font is scaled to the capital height of the bundled font."""
MOST_SCALE = 1.25
"""Largest factor by which a font is scaled to this height."""
MARKS = ("Mn", "Me", "Mc", "Cf")
"""Unicode categories of characters that modify their neighbours, and have no glyph of their own."""


class LettersWarning(UserWarning):
    """No font of this computer has letters of a text; boxes stand for them."""


class Face:
    """A font of the system.

    Args:
        path: its file; of a collection, the first font of it.
        capital: height of a capital in the bundled font, as a share of the size.
    """

    def __init__(self, path: Path, capital: float) -> None:
        self.path = path
        self._capital = capital
        self._has: dict[str, bool] = {}
        self._sized: dict[int, ImageFont.FreeTypeFont] = {}

    def has(self, letter: str) -> bool:
        """Return whether the font has a letter."""
        if letter not in self._has:
            self._has[letter] = self._probe is not None and draws(self._probe, letter)
        return self._has[letter]

    def sized(self, size: int) -> ImageFont.FreeTypeFont:
        """Return the font at the size whose capitals match the bundled font at `size` [px]."""
        if size not in self._sized:
            if len(self._sized) >= 16:
                self._sized.clear()
            self._sized[size] = ImageFont.truetype(
                str(self.path), max(round(size * self._scale), 1)
            )
        return self._sized[size]

    @cached_property
    def _probe(self) -> ImageFont.FreeTypeFont | None:
        try:
            return ImageFont.truetype(str(self.path), PROBE, layout_engine=ImageFont.Layout.BASIC)
        except (OSError, ValueError):  # no font, or one of pictures
            return None

    @cached_property
    def _scale(self) -> float:
        if self._probe is None or not self.has("H"):
            return 1.0
        capital = -self._probe.getbbox("H", anchor="ls")[1] / PROBE
        return min(max(self._capital / max(capital, 1e-9), LEAST_SCALE), MOST_SCALE)


class SystemFonts:
    """The fonts in some folders, by default in the folders of the system.

    Args:
        lacks: whether the bundled font lacks a letter.
        capital: height of a capital in it, as a share of the size.
        folders: folders to search for fonts, including subfolders.
    """

    def __init__(
        self,
        lacks: Callable[[str], bool],
        capital: float,
        folders: Callable[[], Iterable[Path]] | None = None,
    ) -> None:
        self._lacks = lacks
        self._capital = capital
        self._folders = folders or font_folders
        self._named: set[str] = set()

    @cached_property
    def faces(self) -> list[Face]:
        """All fonts, the best first."""
        found = {name_of(path): path for path in _files(self._folders())}
        ranked = sorted(
            found,
            key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), len(name), name),
        )
        plain = [name for name in ranked if not ODD.search(name)]
        plain = [
            name
            for name in plain
            if (start := ENDS_OF_ODD.sub("", name)) == name or start not in found
        ]
        return [Face(found[name], self._capital) for name in plain[:MOST_FONTS]]

    def find(self, letters: Iterable[str]) -> Face | None:
        """Return the best font that has all of these letters, None if there is none."""
        wanted = list(letters)
        return next(
            (face for face in self.faces if all(face.has(letter) for letter in wanted)), None
        )

    def pieces(self, text: str) -> list[tuple[str, Face | None]]:
        """Return the parts of a text and their fonts, None for the bundled one.

        A word is drawn with one font where one has all of it. Words of scripts whose letters change
        with their neighbours, or run to the left, are one part, with the gaps between them. Warns
        of letters that no font has.
        """
        if text.isascii() or not any(map(self._lacks, text)):
            return [(text, None)]
        pieces: list[tuple[str, Face | None]] = []
        gap = ""
        for part in re.split(r"(\s+)", text):
            if not part or part.isspace():
                gap = part
                continue
            for word, face in self._word(part):
                before, face_before = pieces[-1] if pieces else ("", None)
                if (
                    face is not None
                    and face is face_before
                    and is_shaped(before)
                    and is_shaped(word)
                ):
                    pieces[-1] = (before + gap + word, face)
                elif face is None:
                    _append_own(pieces, gap + word)
                else:
                    _append_own(pieces, gap)
                    pieces.append((word, face))
                gap = ""
        _append_own(pieces, gap)
        return pieces

    def _word(self, word: str) -> Iterator[tuple[str, Face | None]]:
        """Yield the pieces of a word, each with the font that draws it; None: the bundled one."""
        missing = dict.fromkeys(letter for letter in word if self._lacks(letter))
        if not missing:
            yield word, None
            return
        together = self.find(dict.fromkeys(word)) or self.find(missing)
        faces = {letter: together or self.find(letter) for letter in missing}
        self._warn([letter for letter, face in faces.items() if face is None])
        start = 0
        last = None
        for index, letter in enumerate(word):
            face = faces.get(letter) or (
                together if together is not None and together.has(letter) else None
            )
            if unicodedata.category(letter) in MARKS and index:
                face = last
            if face is not last and index:
                yield word[start:index], last
                start = index
            last = face
        yield word[start:], last

    def _warn(self, letters: list[str]) -> None:
        """Warn once of each letter that no font has."""
        new = [letter for letter in letters if letter not in self._named]
        if not new:
            return
        self._named.update(new)
        shown = " ".join(f"{letter} (U+{ord(letter):04X})" for letter in new[:12]) + (
            " ..." if len(new) > 12 else ""
        )
        message = (
            f"no font of this computer has {shown}: boxes stand for them; expected a font "
            "such as Noto Sans"
        )
        warnings.warn(message, LettersWarning, stacklevel=2)


def _append_own(pieces: list[tuple[str, Face | None]], text: str) -> None:
    """Add a text in the bundled font, to the last piece where that has it, too."""
    if pieces and pieces[-1][1] is None:
        pieces[-1] = (pieces[-1][0] + text, None)
    elif text:
        pieces.append((text, None))


def draws(font: ImageFont.FreeTypeFont, letter: str) -> bool:
    """Return whether a font has something of its own to draw for a letter."""
    try:
        mask = bytes(font.getmask(letter))
        return any(mask) and mask != bytes(font.getmask(NO_LETTER))
    except (OSError, ValueError):
        return False


@lru_cache(maxsize=4096)
def is_shaped(text: str) -> bool:
    """Return whether letters of a text change with their neighbours, or run to the left."""
    return any(
        unicodedata.bidirectional(letter) in ("R", "AL") or unicodedata.category(letter) in MARKS
        for letter in text
    )


def name_of(path: Path) -> str:
    """Return the name of a font's file in small letters, without signs."""
    return re.sub(r"[^a-z0-9]", "", path.stem.lower())


def font_folders() -> list[Path]:
    """Return the folders where this system keeps fonts."""
    home = Path.home()
    variables = os.environ
    if sys.platform == "win32":
        own = variables.get("LOCALAPPDATA", "")
        return [
            Path(variables.get("WINDIR", r"C:\Windows"), "Fonts"),
            Path(own, "Microsoft", "Windows", "Fonts"),
        ]
    if sys.platform == "darwin":
        return [home / "Library/Fonts", Path("/Library/Fonts"), Path("/System/Library/Fonts")]
    shared = variables.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    data = [variables.get("XDG_DATA_HOME") or home / ".local/share", *shared.split(":")]
    return [home / ".fonts", *(Path(folder, "fonts") for folder in data if folder)]


def _files(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the files of fonts in some folders and below, in a fixed order."""
    count = 0
    for folder in folders:
        for here, inside, names in os.walk(folder, followlinks=True):
            inside.sort()
            count += 1
            if count > MOST_FOLDERS:  # links can go round
                return
            yield from (
                Path(here, name) for name in sorted(names) if name.lower().endswith(ENDINGS)
            )
