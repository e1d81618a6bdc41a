"""Paint: resolves the colour of fills and strokes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from ecs_softbody.imports.drawings.cascade import Cascade
from ecs_softbody.imports.drawings.markup import local
from ecs_softbody.imports.drawings.measures import Colour, colour_of, share_of
from ecs_softbody.imports.drawings.words import Notes

LINK = re.compile(r"""url\(\s*["']?\s*#([^"')]*?)\s*["']?\s*\)\s*(.*)""", re.DOTALL)
"""A link to a gradient or a pattern, and the colour in place of a missing one."""
GRADIENTS = ("linearGradient", "radialGradient")
"""Elements that are gradients."""
MOST_LINKS = 10
"""Maximum number of links from a gradient to the one with its colours."""


class Painter:
    """Resolves the paint of fills and strokes.

    Args:
        known: elements by their names.
        cascade: their style.
        notes: receives notes on features that are not drawn faithfully.
    """

    def __init__(
        self, known: dict[str, ElementTree.Element], cascade: Cascade, notes: Notes
    ) -> None:
        self.known = known
        self.cascade = cascade
        self.notes = notes
        self.gradients: dict[str, Colour | None] = {}

    def colour(
        self, style: dict[str, str], name: str, default: str, *, flat: bool
    ) -> Colour | None:
        """Return the colour and opacity of a fill or stroke; None if it is invisible.

        A shape that is `flat` has no width or no height, so a gradient that is a share of them
        paints nothing.
        """
        text = style.get(name, default)
        opacity = share_of(style.get(f"{name}-opacity", "1"))
        found = self._paint(text, style, flat)
        return (
            None
            if found is None or found.opacity * opacity <= 0.0
            else Colour(found.rgb, found.opacity * opacity)
        )

    def _paint(self, text: str, style: dict[str, str], flat: bool) -> Colour | None:
        current = style.get("color", "black")
        link = LINK.match(text)
        if not link:
            return None if text.lower() == "none" else colour_of(text, current)
        server = self.known.get(link[1])
        if (
            server is None
            or local(server.tag) not in (*GRADIENTS, "pattern")
            or (flat and self._is_of_box(server))
        ):
            return colour_of(link[2], current) if link[2] and link[2] != "none" else None
        if local(server.tag) == "pattern":
            self.notes.add("patterns are filled as a whole")
            return Colour((128, 128, 128), 1.0)
        if link[1] not in self.gradients:
            self.gradients[link[1]] = self._gradient(server)
        return self.gradients[link[1]]

    def _gradient(self, server: ElementTree.Element) -> Colour | None:
        """Return the mean of a gradient's colours."""
        every = (
            [one for one in linked if local(one.tag) == "stop"] for linked in self._linked(server)
        )
        stops = next((found for found in every if found), [])
        colours = []
        for stop in stops[:100]:
            style = self.cascade.in_place(stop)
            found = colour_of(
                style.get("stop-color", "black"), style.get("color", "black")
            ) or Colour((0, 0, 0), 1.0)
            colours.append(
                Colour(found.rgb, found.opacity * share_of(style.get("stop-opacity", "1")))
            )
        seen = [one for one in colours if one.opacity > 0.0]
        if not seen:
            return None
        if len({one.rgb for one in seen}) > 1:
            self.notes.add("gradients become the mean of their colours")
        if len(seen) < len(colours):
            self.notes.add("gradients that fade away count as a whole")
        red, green, blue = (round(sum(one.rgb[n] for one in seen) / len(seen)) for n in range(3))
        return Colour((red, green, blue), max(one.opacity for one in seen))

    def _linked(self, server: ElementTree.Element) -> Iterator[ElementTree.Element]:
        """Yield a gradient or pattern, then the templates that it inherits attributes from."""
        for _ in range(MOST_LINKS):
            yield server
            link = next((value for key, value in server.items() if local(key) == "href"), "")
            if link[1:] not in self.known:
                return
            server = self.known[link[1:]]

    def _is_of_box(self, server: ElementTree.Element) -> bool:
        """Return whether a gradient's or pattern's lengths are fractions of the painted shape's
        bounding box.
        """
        name = "patternUnits" if local(server.tag) == "pattern" else "gradientUnits"
        said = next((one.get(name) for one in self._linked(server) if one.get(name)), None)
        return said != "userSpaceOnUse"
