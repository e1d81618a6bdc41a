"""Context: properties of a whole drawing, and those inherited by each element during the walk."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.imports.budget import Unreadable
from ecs_softbody.imports.drawings.cascade import GEOMETRY, Cascade
from ecs_softbody.imports.drawings.markup import MOST_ELEMENTS, local
from ecs_softbody.imports.drawings.measures import (
    Colour,
    Sizes,
    colour_of,
    length_of,
    moved,
    origin_of,
    share_of,
    transform_of,
)
from ecs_softbody.imports.drawings.paint import Painter
from ecs_softbody.imports.drawings.paths import MOST_NUMBERS, count_numbers, lines_of, path_of
from ecs_softbody.imports.drawings.strokes import Line
from ecs_softbody.imports.drawings.words import Notes
from ecs_softbody.imports.reading import package, shortened
from ecs_softbody.imports.things import is_known

FINEST = 1.0 / 4000.0
"""Points that matter less than this, over the size of the drawing, are left out."""
SMALLEST = 1e-24
"""Limit of a transform's determinant; elements with a smaller one are skipped."""
LARGEST = 1e24
"""Limit of a transform's determinant and numbers; elements with a larger one are skipped."""


PATH = re.compile(r"""path\(\s*(["'])([^"']*)\1\s*\)""")
"""A path that is given as a property, such as `d: path(...)`."""


@dataclass
class Seen:
    """The visible part of one shape [px], y down."""

    name: str
    words: list[str]
    """Class names of the shape and its ancestors, the shape's own first."""
    options: dict[str, str]
    outline: list[Floats]
    """Its rings and lines without their width, each shape (N, 2)."""
    area: Any = None
    """A shapely geometry; None for unpainted shapes."""
    fill: Colour | None = None
    stroke: Colour | None = None
    opacity: float = 1.0
    lines: list[Floats] = field(default_factory=list)
    """Lines without an area, such as of ropes."""


@dataclass
class Around:
    """Inherited state of an element: its transform, its style and the sizes that percentages refer
    to.
    """

    matrix: Floats
    sizes: Sizes
    style: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)
    opacity: float = 1.0
    name: str = ""
    """Of the `use` that shows it."""
    used: tuple[ElementTree.Element, ...] = ()
    place: tuple[str | None, str | None] = (None, None)
    """Width and height given by a `use`."""


class Context:
    """A drawing's lookup tables, styles and limits.

    Args:
        root: of the drawing.
        cascade: its styles.
        notes: receives notes on features that are not drawn faithfully.
        size: of the drawing [px]; it sets the resolution of curves.
    """

    def __init__(
        self, root: ElementTree.Element, cascade: Cascade, notes: Notes, size: float
    ) -> None:
        self.root = root
        self.cascade = cascade
        self.notes = notes
        self.size = size
        self.budget = cascade.budget
        self.known: dict[str, ElementTree.Element] = {}
        for one in root.iter():
            self.known.setdefault(one.get("id", ""), one)
        self._note_style()
        self.painter = Painter(self.known, self.cascade, notes)
        self.finest = FINEST * size
        self.shown = 0
        self.left = MOST_NUMBERS
        self.made: dict[tuple[object, ...], list[Line]] = {}
        """Lines of shapes, by all that they depend on."""

    def _note_style(self) -> None:
        """Note the rules of style sheets that are not supported."""
        if unread := self.cascade.unread:
            more = ", ..." if len(unread) > 3 else ""
            self.notes.add(
                f"rules of style sheets for {', '.join(list(unread)[:3])}{more} are not read; use "
                "classes"
            )
        said = self.cascade.declared[self.root]
        page = [said[name].lower() for name in ("background", "background-color") if name in said]
        colours = [
            colour_of(one) for one in page if one not in ("none", "initial", "inherit", "unset")
        ]
        if any(one is None or one.opacity > 0.0 for one in colours):
            self.notes.add("the background of the page is not read; draw it as a shape")

    def count(self) -> None:
        """Count an element that is shown."""
        self.shown += 1
        if self.shown > 2 * MOST_ELEMENTS:
            raise Unreadable(
                f"{self.budget.owner} shows more than {2 * MOST_ELEMENTS} elements by `use`"
            )
        self.budget.spend("elements")

    def called(self, name: str) -> str:
        """Return the name of a shape in messages."""
        return f"{self.budget.owner}, {name}" if name else self.budget.owner

    def inside(
        self, element: ElementTree.Element, style: dict[str, str], around: Around
    ) -> Around | None:
        """Return the inherited state of an element's content; None for degenerate transforms."""
        options = {
            key[5:].replace("-", "_"): value
            for key, value in element.items()
            if key.startswith("data-")
        }
        if options or around.options:
            self.budget.spend("inherited attributes", len(options) + len(around.options))
        words = [word for word in (element.get("class") or "").split() if is_known(word)]
        font = length_of(
            style.get("font-size"), around.sizes._replace(height=around.sizes.font), "y"
        )
        sizes = (
            around.sizes
            if font is None or "font-size" not in self.cascade.declared[element]
            else (around.sizes._replace(font=font))
        )
        matrix = around.matrix @ self.transform(
            style, sizes, "50% 50%" if element is self.root else "0 0"
        )
        if not (np.abs(matrix) < LARGEST).all() or not SMALLEST < scale_of(matrix) ** 2 < LARGEST:
            return None
        return replace(
            around,
            matrix=matrix,
            sizes=sizes,
            style=style,
            words=[*words, *around.words],
            opacity=around.opacity * share_of(style.get("opacity", "1")),
            options={**around.options, **options},
        )

    def transform(self, style: dict[str, str], sizes: Sizes, middle: str = "0 0") -> Floats:
        """Return the transform (3, 3) of a style; `middle` is its default origin."""
        text = style.get("transform", "none")
        if text == "none":
            return np.eye(3)
        matrix, unknown = transform_of(text, sizes)
        for word in unknown:
            self.notes.add(f"the transform {word} is not known")
        origin = origin_of(style.get("transform-origin", middle), sizes)
        if origin is None:
            return matrix
        if "transform-origin" in style and style.get("transform-box", "view-box") not in (
            "view-box",
            "border-box",
        ):
            self.notes.add("transform-box is not read: transform-origin counts from the view box")
        return moved(*origin) @ matrix @ moved(-origin[0], -origin[1])

    def length(
        self, element: ElementTree.Element, name: str, inside: Around, way: str
    ) -> float | None:
        """Return a length from a style or attribute [px]; None, with a note, if unreadable."""
        said = inside.style.get(name, element.get(name))
        found = length_of(said, inside.sizes, way)
        if found is None and said and said.strip() not in ("", "auto", "none"):
            self.notes.add(f"the length {shortened(said)[1:-1]} is not read")
        return found

    def lines(self, element: ElementTree.Element, kind: str, inside: Around) -> list[Line]:
        """Return the lines of a shape in its own unit; lines of shapes repeated by `use` are
        cached.
        """
        # Scales of turned shapes differ in the last digits.
        scale = float(f"{self.size / scale_of(inside.matrix):.3g}")
        placed_by = tuple(inside.style[name] for name in sorted(GEOMETRY & inside.style.keys()))
        key = (element, scale, inside.sizes, placed_by)
        if key not in self.made:
            self.made[key] = self._made(element, kind, inside, scale)
        self.budget.spend("points of outlines", sum(len(line.points) for line in self.made[key]))
        return self.made[key]

    def _made(
        self, element: ElementTree.Element, kind: str, inside: Around, scale: float
    ) -> list[Line]:
        attributes = dict(element.attrib)
        if said := PATH.fullmatch(inside.style.get("d", "")):
            attributes["d"] = said[2]
        self.left = count_numbers(
            attributes.get("d", "") + attributes.get("points", ""), self.budget, self.left
        )
        try:
            made = path_of(
                kind, attributes, lambda name, way: self.length(element, name, inside, way)
            )
        except (ValueError, TypeError, IndexError, AttributeError, ArithmeticError):
            self.notes.add("a path that is not written as paths are is left out")
            return []
        return [] if made is None else lines_of(made, scale, self.budget)


def link_of(element: ElementTree.Element) -> str:
    """Return the target of an element's `href`, as #name."""
    links = {key: value for key, value in element.items() if local(key) == "href"}
    return str(links.get("href", next(iter(links.values()), ""))).strip()


def scale_of(matrix: Floats) -> float:
    """Return the mean scale factor of a matrix."""
    (a, c), (b, d) = matrix[:2, :2].tolist()
    return math.sqrt(abs(a * d - b * c))


def moved_by(points: Floats, matrix: Floats) -> Floats:
    """Return points (N, 2) moved by a matrix (3, 3)."""
    found: Floats = points @ matrix[:2, :2].T + matrix[:2, 2]
    return found


def placed(shape: Any, matrix: Floats) -> Any:
    """Return a shape of shapely moved by a matrix (3, 3)."""
    return package("shapely").transform(shape, lambda points: moved_by(points, matrix))
