"""Paint: what a fill or a stroke shows, if it shows anything."""

from __future__ import annotations

import colorsys
import re
from typing import NamedTuple
from xml.etree import ElementTree

from PIL import ImageColor

from ecs_softbody.imports.drawings.cascade import Cascade
from ecs_softbody.imports.drawings.markup import local
from ecs_softbody.imports.drawings.measures import ANGLES, share_of
from ecs_softbody.imports.drawings.words import Notes

LINK = re.compile(r"""url\(\s*["']?\s*#([^"')]*?)\s*["']?\s*\)\s*(.*)""", re.DOTALL)
CALL = re.compile(r"(rgba?|hsla?)\(([^()]*)\)")
PART = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(%|[a-z]*)|none")
GRADIENTS = ("linearGradient", "radialGradient")
MOST_LINKS = 10
"""From a gradient to the one that has its colours."""


class Colour(NamedTuple):
    """Red, green and blue, 0 to 255, and opacity, 0 to 1."""

    rgb: tuple[int, int, int]
    opacity: float


def colour_of(text: str, current: str = "black") -> Colour | None:
    """Return the colour that a text says, None where it says none; `current` is what `currentColor` is."""
    word = text.strip().lower()
    if word == "currentcolor":
        return colour_of(current) if current.strip().lower() != "currentcolor" else None
    if word == "transparent":
        return Colour((0, 0, 0), 0.0)
    if called := CALL.match(word):
        return _called(called[1], called[2])
    word = word.split()[0] if word.startswith("#") else word  # an ICC colour may follow
    if re.fullmatch(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", word) or word in ImageColor.colormap:
        red, green, blue, *rest = ImageColor.getrgb(word)
        return Colour((red, green, blue), rest[0] / 255.0 if rest else 1.0)
    return None


def _called(name: str, inside: str) -> Colour | None:
    parts = [(float(number or 0.0), unit) for number, unit in PART.findall(inside)]
    if len(parts) not in (3, 4):
        return None
    opacity = 1.0
    if len(parts) == 4:
        opacity = min(max(parts[3][0] * (0.01 if parts[3][1] == "%" else 1.0), 0.0), 1.0)
    if name.startswith("hsl"):
        turn = parts[0][0] * ANGLES.get(parts[0][1], 1.0) / 360.0
        shares = [min(max(0.01 * number, 0.0), 1.0) for number, _ in parts[1:3]]
        found = [255.0 * one for one in colorsys.hls_to_rgb(turn % 1.0, shares[1], shares[0])]
    else:
        found = [number * (2.55 if unit == "%" else 1.0) for number, unit in parts[:3]]
    red, green, blue = (round(min(max(one, 0.0), 255.0)) for one in found)
    return Colour((red, green, blue), opacity)


class Painter:
    """Says what paints.

    Args:
        known: elements by their names.
        cascade: their style.
        notes: where is said what is not drawn as it is.
    """

    def __init__(self, known: dict[str, ElementTree.Element], cascade: Cascade, notes: Notes) -> None:
        self.known, self.cascade, self.notes = known, cascade, notes
        self.gradients: dict[str, Colour | None] = {}

    def colour(self, style: dict[str, str], name: str, default: str) -> Colour | None:
        """Return what a fill or a stroke paints with, with its opacity; None where it paints nothing."""
        text = style.get(name, default)
        opacity = share_of(style.get(f"{name}-opacity", "1"))
        found = self._paint(text, style)
        return None if found is None or found.opacity * opacity <= 0.0 else Colour(found.rgb, found.opacity * opacity)

    def _paint(self, text: str, style: dict[str, str]) -> Colour | None:
        current = style.get("color", "black")
        link = LINK.match(text)
        if not link:
            return None if text.lower() == "none" else colour_of(text, current)
        server = self.known.get(link[1])
        if server is None or local(server.tag) not in (*GRADIENTS, "pattern"):
            return colour_of(link[2], current) if link[2] and link[2] != "none" else None
        if local(server.tag) == "pattern":
            self.notes.add("patterns are filled as a whole")
            return Colour((128, 128, 128), 1.0)
        if link[1] not in self.gradients:
            self.gradients[link[1]] = self._gradient(server)
        return self.gradients[link[1]]

    def _gradient(self, server: ElementTree.Element) -> Colour | None:
        """Return the mean of a gradient's colours."""
        for _ in range(MOST_LINKS):
            stops = [one for one in server if local(one.tag) == "stop"]
            link = next((value for key, value in server.items() if local(key) == "href"), "")
            if stops or link[1:] not in self.known:
                break
            server = self.known[link[1:]]
        colours = []
        for stop in stops[:100]:
            style = self.cascade.in_place(stop)
            found = colour_of(style.get("stop-color", "black"), style.get("color", "black")) or Colour((0, 0, 0), 1.0)
            colours.append(Colour(found.rgb, found.opacity * share_of(style.get("stop-opacity", "1"))))
        seen = [one for one in colours if one.opacity > 0.0]
        if not seen:
            return None
        if len({one.rgb for one in seen}) > 1:
            self.notes.add("gradients become the mean of their colours")
        if len(seen) < len(colours):
            self.notes.add("gradients that fade away count as a whole")
        red, green, blue = (round(sum(one.rgb[n] for one in seen) / len(seen)) for n in range(3))
        return Colour((red, green, blue), max(one.opacity for one in seen))
