"""Measures: lengths, numbers, angles, colours and transforms, as attributes and style sheets write
them.
"""

from __future__ import annotations

import colorsys
import math
import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from PIL import ImageColor

from ecs_softbody.arrays import Floats

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
"""A number as SVG writes it."""
LENGTH = re.compile(rf"\s*({NUMBER})(%|[a-zA-Z]*)\s*")
"""A number and its unit."""
UNITS = {
    "": 1.0, "px": 1.0, "pt": 96.0 / 72.0, "pc": 16.0, "in": 96.0, "cm": 96.0 / 2.54,
    "mm": 96.0 / 25.4, "q": 96.0 / 101.6,
}  # fmt: skip
"""Units of lengths [px]."""
FONT_UNITS = {"em": 1.0, "ex": 0.5, "ch": 0.5}
"""Of the size of the font, about as a renderer has them."""
ROOT_FONT = 16.0
"""Size of the font of a drawing without one [px]; `rem` is a multiple of it."""
ANGLES = {"": 1.0, "deg": 1.0, "rad": 180.0 / math.pi, "grad": 0.9, "turn": 360.0}
"""Units of angles [degrees]."""
CALL = re.compile(r"([a-zA-Z]+[a-zA-Z0-9]*)\s*\(([^()]*)\)")
"""A function of a transform."""
COLOUR_CALL = re.compile(r"(rgba?|hsla?|color)\(([^()]*)\)")
"""A colour as a function, such as `rgb(0 0 0)`."""
COLOUR_SPACES = ("srgb", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020")
"""Colour spaces whose red, green and blue are close to sRGB."""
LIGHT_DARK = re.compile(r"light-dark\(\s*((?:[^(),]|\([^()]*\))+),")
"""Colours for a light and a dark page; the light one counts."""
PART = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(%|[a-z]*)|none")
"""A number of a colour, and its unit."""
ANY_VALUE = re.compile(
    r"(inherit|initial|unset|revert|revert-layer)$|.*var\(", re.IGNORECASE | re.DOTALL
)
"""Words that any property may have."""
OTHER_PAINT = re.compile(
    r"(none$|url\(|context-|(inherit|initial|unset|revert|revert-layer)$)", re.IGNORECASE
)
"""Paints that are no colours."""
LONGEST_TRANSFORM = 2000
"""Limit of the length of a transform [characters]; the rest is ignored."""
ARGUMENT = re.compile(rf"{NUMBER}(?:%|[a-zA-Z]+)?|[^\s,]+")
"""Of a transform; programs that make files small leave the blank out before a sign or a point."""
SIDES = {"left": 0.0, "top": 0.0, "center": 0.5, "right": 1.0, "bottom": 1.0}
"""Words for places, as shares of the size of a box."""
TRANSFORMS = {
    "translate", "translatex", "translatey", "scale", "scalex", "scaley", "rotate", "skewx",
    "skewy", "skew", "matrix",
}  # fmt: skip
"""Functions of transforms that are read."""


class Sizes(NamedTuple):
    """Reference sizes of relative lengths [px]."""

    width: float
    height: float
    """Height of the surrounding view box; `width` is its width."""
    font: float = ROOT_FONT

    def of(self, direction: str) -> float:
        """Return the size in a direction: x, y, or r, which is neither."""
        if direction == "r":
            return math.hypot(self.width, self.height) / math.sqrt(2.0)
        return self.width if direction == "x" else self.height


def length_of(text: str | None, sizes: Sizes, direction: str) -> float | None:
    """Return a length [px]; None if there is none."""
    found = LENGTH.fullmatch(text or "")
    if not found:
        return None
    number = float(found[1])
    unit = found[2].lower()
    if not math.isfinite(number):
        return None
    if unit == "%":
        return 0.01 * number * sizes.of(direction)
    if unit in FONT_UNITS:
        return number * FONT_UNITS[unit] * sizes.font
    if unit == "rem":
        return number * ROOT_FONT
    return number * UNITS[unit] if unit in UNITS else None


def share_of(text: str, default: float = 1.0) -> float:
    """Return a number from 0 to 1, such as an opacity."""
    found = LENGTH.fullmatch(text)
    if not found or found[2] not in ("", "%"):
        return default
    return min(max(float(found[1]) * (0.01 if found[2] else 1.0), 0.0), 1.0)


def numbers_of(text: str) -> list[float]:
    """Return all numbers of a text."""
    return [float(one) for one in re.findall(NUMBER, text)]


class Colour(NamedTuple):
    """Red, green and blue, 0 to 255, and opacity, 0 to 1."""

    rgb: tuple[int, int, int]
    opacity: float


def colour_of(text: str, current: str = "black") -> Colour | None:
    """Return the colour of a text, or None; `current` is the value of `currentColor`."""
    word = text.strip().lower()
    if word == "currentcolor":
        return colour_of(current) if current.strip().lower() != "currentcolor" else None
    if word == "transparent":
        return Colour((0, 0, 0), 0.0)
    if themes := LIGHT_DARK.match(word):
        return colour_of(themes[1], current)
    if called := COLOUR_CALL.match(word):
        return _called(called[1], called[2])
    word = word.split()[0] if word.startswith("#") else word  # an ICC colour may follow
    if (
        re.fullmatch(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", word)
        or word in ImageColor.colormap
    ):
        red, green, blue, *rest = ImageColor.getrgb(word)
        return Colour((red, green, blue), rest[0] / 255.0 if rest else 1.0)
    return None


def _called(name: str, inside: str) -> Colour | None:
    space, _, rest = inside.strip().partition(" ")
    if name == "color" and space not in COLOUR_SPACES:
        return None
    parts = [
        (float(number or 0.0), unit)
        for number, unit in PART.findall(rest if name == "color" else inside)
    ]
    if len(parts) not in (3, 4):
        return None
    opacity = 1.0
    if len(parts) == 4:
        opacity = min(max(parts[3][0] * (0.01 if parts[3][1] == "%" else 1.0), 0.0), 1.0)
    if name.startswith("hsl"):
        turn = parts[0][0] * ANGLES.get(parts[0][1], 1.0) / 360.0
        shares = [min(max(0.01 * number, 0.0), 1.0) for number, _ in parts[1:3]]
        found = [255.0 * one for one in colorsys.hls_to_rgb(turn % 1.0, shares[1], shares[0])]
    elif name == "color":
        found = [255.0 * number * (0.01 if unit == "%" else 1.0) for number, unit in parts[:3]]
    else:
        found = [number * (2.55 if unit == "%" else 1.0) for number, unit in parts[:3]]
    red, green, blue = (round(min(max(one, 0.0), 255.0)) for one in found)
    return Colour((red, green, blue), opacity)


@lru_cache(maxsize=4096)
def is_paint(text: str) -> bool:
    """Return whether a text is a valid paint value; browsers ignore invalid values."""
    return (
        OTHER_PAINT.match(text.strip()) is not None or "var(" in text or colour_of(text) is not None
    )


def is_share(text: str) -> bool:
    """Return whether a text is, or may resolve to, an opacity."""
    return ANY_VALUE.match(text) is not None or share_of(text, -1.0) >= 0.0


def is_length(text: str) -> bool:
    """Return whether a text is, or may resolve to, a supported length."""
    return ANY_VALUE.match(text) is not None or length_of(text, Sizes(1.0, 1.0), "x") is not None


def moved(x: float, y: float) -> Floats:
    """Return the matrix (3, 3) of a translation."""
    return np.array(((1.0, 0.0, x), (0.0, 1.0, y), (0.0, 0.0, 1.0)))


def transform_of(text: str, sizes: Sizes) -> tuple[Floats, list[str]]:
    """Return the matrix (3, 3) of a transform, and the words in it that are not known."""
    total = np.eye(3)
    unknown = []
    if text.strip().lower() in ("", "none"):
        return total, []
    for name, inside in CALL.findall(text[:LONGEST_TRANSFORM]):
        made = _function(name.lower(), ARGUMENT.findall(inside), sizes)
        if made is None:
            unknown.append(name)
        else:
            total = total @ made
    if not CALL.search(text):
        unknown.append(text.strip()[:40])
    return total, unknown


def _function(name: str, words: list[str], sizes: Sizes) -> Floats | None:
    """Return the matrix of one function of a transform."""
    if name not in TRANSFORMS or not words:
        return None
    if name.startswith("translate"):
        return _translated("y" if name == "translatey" else "xy", words, sizes)
    if name.startswith("scale"):
        shares = [_plain(word) for word in words]
        first = shares[0] or 0.0
        last = shares[-1] or 0.0
        return (
            None
            if None in shares
            else np.diag(
                (1.0 if name == "scaley" else first, 1.0 if name == "scalex" else last, 1.0)
            )
        )
    if name == "matrix":
        found = [one for word in words if (one := _plain(word)) is not None]
        return np.array((found[::2], found[1::2], (0.0, 0.0, 1.0))) if len(found) == 6 else None
    return _turned(name, words)


def _translated(directions: str, words: list[str], sizes: Sizes) -> Floats | None:
    found = {way: length_of(word, sizes, way) for word, way in zip(words, directions, strict=False)}
    return None if None in found.values() else moved(found.get("x") or 0.0, found.get("y") or 0.0)


def _turned(name: str, words: list[str]) -> Floats | None:
    angles = [_angle(word) for word in words[: 1 if name == "rotate" else 2]]
    if None in angles or (name == "rotate" and len(words) == 2):
        return None
    found = [math.radians(one or 0.0) for one in angles]
    if name == "rotate":
        c = math.cos(found[0])
        s = math.sin(found[0])
        turn = np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))
        around = [_plain(word) or 0.0 for word in words[1:3]]
        return moved(*around) @ turn @ moved(-around[0], -around[1]) if len(around) == 2 else turn
    x, y = (found[0], found[1] if len(found) > 1 else 0.0) if name != "skewy" else (0.0, found[0])
    return np.array(((1.0, math.tan(x), 0.0), (math.tan(y), 1.0, 0.0), (0.0, 0.0, 1.0)))


def _plain(word: str) -> float | None:
    found = LENGTH.fullmatch(word)
    if not found or found[2] not in ("", "%", "px") or not math.isfinite(float(found[1])):
        return None
    return float(found[1]) * (0.01 if found[2] == "%" else 1.0)


def _angle(word: str) -> float | None:
    found = LENGTH.fullmatch(word)
    angle = (
        float(found[1]) * ANGLES[found[2].lower()]
        if found and found[2].lower() in ANGLES
        else math.nan
    )
    return angle if math.isfinite(angle) else None


def origin_of(text: str, sizes: Sizes) -> tuple[float, float] | None:
    """Return the point of a `transform-origin` [px], or None if it is invalid."""
    words = text.lower().split()[:2]
    if (words and words[0] in ("top", "bottom")) or (
        len(words) > 1 and words[1] in ("left", "right")
    ):
        words.reverse()
    if len(words) == 1:
        words = ["center", *words] if words[0] in ("top", "bottom") else [*words, "center"]
    found = []
    for word, way in zip(words, "xy", strict=False):
        place = SIDES[word] * sizes.of(way) if word in SIDES else length_of(word, sizes, way)
        if place is None:
            return None
        found.append(place)
    return (found[0], found[1]) if len(found) == 2 else None


def view_of(
    box: str, aspect: str, width: float, height: float
) -> tuple[Floats, tuple[float, float]] | None:
    """Return the matrix from a view box to a place of some size, and the size of the box; None if
    it is none.
    """
    numbers = numbers_of(box)
    if len(numbers) != 4 or not (
        numbers[2] > 0.0 and numbers[3] > 0.0 and all(map(math.isfinite, numbers))
    ):
        return None
    x, y, across, along = numbers
    sx = width / across
    sy = height / along
    words = aspect.replace("defer", " ").split() or ["xMidYMid"]
    if words[0] != "none":
        sx = sy = max(sx, sy) if "slice" in words else min(sx, sy)
    share = {"Min": 0.0, "Max": 1.0}
    left = share.get(words[0][1:4], 0.5) * (width - across * sx) if words[0] != "none" else 0.0
    top = share.get(words[0][5:8], 0.5) * (height - along * sy) if words[0] != "none" else 0.0
    return np.array(((sx, 0.0, left - x * sx), (0.0, sy, top - y * sy), (0.0, 0.0, 1.0))), (
        across,
        along,
    )
