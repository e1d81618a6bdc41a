"""Walk: traverses a drawing as a renderer does and returns its visible shapes [px], y down."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np

from ecs_softbody.imports.budget import Unreadable
from ecs_softbody.imports.drawings.clips import clipped, cut
from ecs_softbody.imports.drawings.context import Around, Context, Seen, link_of, placed
from ecs_softbody.imports.drawings.markup import local
from ecs_softbody.imports.drawings.measures import Sizes, length_of, moved, view_of
from ecs_softbody.imports.drawings.painted import UNPAINTED, painted
from ecs_softbody.imports.drawings.paths import SHAPES
from ecs_softbody.imports.drawings.words import DRAWN, NOTED
from ecs_softbody.imports.reading import package

GROUPS = ("g", "a", "svg", "switch", "use", "symbol")
"""Elements that contain others."""
NOT_DRAWN = {
    "filter": "filters are left out", "mask": "masks do not cut", "mask-image": "masks do not cut",
    "mix-blend-mode": "blend modes are left out",
}  # fmt: skip
"""Unsupported properties that change the picture, and their notes."""
DEEPEST = 50
"""Uses within uses."""


class Walk:
    """Goes through a drawing.

    Args:
        context: of the drawing.
        whole: whether shapes beyond the page are included.
    """

    def __init__(self, context: Context, *, whole: bool = False) -> None:
        self.context = context
        self.notes = context.notes
        self.whole = whole
        self.space = str(context.root.tag).rpartition("}")[0]

    def seen(self, width: float, height: float) -> list[Seen]:
        """Return the painted shapes of a drawing on a page of a size [px]."""
        around = Around(np.eye(3), Sizes(width, height), place=(f"{width!r}", f"{height!r}"))
        found = self._visit(self.context.root, around)
        return [one for one in found if one.lines or not (one.area is None or one.area.is_empty)]

    def _visit(self, element: ElementTree.Element, around: Around) -> list[Seen]:
        self.context.count()
        kind = local(element.tag)
        if str(element.tag).rpartition("}")[0] != self.space:
            return []
        if kind in NOTED:
            self.notes.add(NOTED[kind])
        if kind not in SHAPES and kind not in GROUPS:
            return []
        style = self.context.cascade.computed(element, around.style)
        if not _is_for_us(element):
            self.notes.add("what is in another language is left out")
            return []
        if style.get("display") == "none":
            self.notes.add(UNPAINTED)
            return []
        inside = self.context.inside(element, style, around)
        if inside is None:
            return []
        if kind == "use":  # its clip path is moved along
            x, y = (self.context.length(element, way, inside, way) or 0.0 for way in "xy")
            inside = replace(inside, matrix=inside.matrix @ moved(x, y))
        for name, said in NOT_DRAWN.items():
            if style.get(name, "none") not in ("none", "normal"):
                self.notes.add(said)
        found = (
            painted(self.context, element, kind, inside)
            if kind in SHAPES
            else self._group(element, kind, inside)
        )
        return clipped(self.context, inside, found)

    def _group(self, element: ElementTree.Element, kind: str, inside: Around) -> list[Seen]:
        if kind == "use":
            return self._use(element, inside)
        if kind == "symbol" and not inside.used:
            return []
        if kind in ("svg", "symbol"):
            return self._view(element, inside)
        if kind == "switch":
            return self._switch(element, inside)
        return [seen for one in element for seen in self._visit(one, inside)]

    def _switch(self, element: ElementTree.Element, inside: Around) -> list[Seen]:
        """Return the visible shapes of the first element whose conditions are met; unsupported
        elements before it are noted.
        """
        for one in element:
            kind = local(one.tag)
            if kind in DRAWN and _is_for_us(one):
                return self._visit(one, inside)
            if kind in NOTED and _is_for_us(one):
                self.notes.add(NOTED[kind])
        return []

    def _use(self, use: ElementTree.Element, inside: Around) -> list[Seen]:
        link = link_of(use)
        target = self.context.known.get(link[1:]) if link.startswith("#") else None
        if target is None:
            self.notes.add("`use` of what is not in the file is left out")
            return []
        if (
            target in inside.used
            or len(inside.used) > DEEPEST
            or any(one is use for one in target.iter())
        ):
            raise Unreadable(
                f"{self.context.budget.owner} has an element that uses itself: {link[:60]}"
            )
        place = (
            (use.get("width"), use.get("height"))
            if local(target.tag) in ("svg", "symbol")
            else (None, None)
        )
        paints = {
            "--context-fill": inside.style.get("fill", "black"),
            "--context-stroke": inside.style.get("stroke", "none"),
        }
        inner = replace(
            inside,
            style=inside.style | paints,
            used=(*inside.used, target),
            name=use.get("id") or inside.name,
            place=place,
        )
        return self._visit(target, inner)

    def _view(self, element: ElementTree.Element, inside: Around) -> list[Seen]:
        """Return the visible shapes of an `svg` or `symbol` element, cut to its viewport."""
        is_root = element is self.context.root
        length = self.context.length
        sides = [
            length_of(said, inside.sizes, way) if said else length(element, name, inside, way)
            for said, name, way in zip(inside.place, ("width", "height"), "xy", strict=True)
        ]
        width, height = (
            inside.sizes.of(way) if side is None else side
            for side, way in zip(sides, "xy", strict=True)
        )
        if not (width > 0.0 and height > 0.0):
            return []
        x, y = (0.0 if is_root else length(element, way, inside, way) or 0.0 for way in "xy")
        view = view_of(
            element.get("viewBox", ""), element.get("preserveAspectRatio", ""), width, height
        )
        matrix, sizes = view or (np.eye(3), (width, height))
        there = inside.matrix @ moved(x, y)
        inner = replace(
            inside,
            matrix=there @ matrix,
            sizes=Sizes(*sizes, inside.sizes.font),
            place=(None, None),
        )
        found = [seen for one in element for seen in self._visit(one, inner)]
        if self.whole if is_root else inside.style.get("overflow") in ("visible", "auto"):
            return found
        page = placed(
            package("shapely").box(0.0, 0.0, width, height), np.eye(3) if is_root else there
        )
        return cut(
            self.context, found, page, "what lies beyond the page is cut off" if is_root else ""
        )


def _is_for_us(element: ElementTree.Element) -> bool:
    """Return whether an element's conditions are met: no extension, and English or no language."""
    languages = element.get("systemLanguage")
    speaks = languages is None or any(one.strip().startswith("en") for one in languages.split(","))
    return speaks and not element.get("requiredExtensions")
