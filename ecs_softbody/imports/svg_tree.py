"""SVG as a tree: what would take for ever is refused, and what the parser does not know is written in other words."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.reading import package, shortened, text_of, xml_of
from ecs_softbody.imports.svg_style import MOST_NUMBERS, SHAPES, Count, dress, kind_of, link_of

MOST_ELEMENTS = 5000
NAMESPACE = "{http://www.w3.org/2000/svg}"
UNSEEN = ("symbol", "marker", "mask")
"""Elements that show nothing where they stand; the parser would draw them there."""
PLACE = ("x", "y", "width", "height")
LEFT_OUT = {"text": "text is left out; make paths of it", "image": "pictures in it are left out"}
NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?(?:px)?", re.IGNORECASE)


def checked(path: Path, budget: Budget) -> ElementTree.Element:
    """Return the root; refuse what would take for ever: entities, and elements that use one another many times."""
    text = text_of("svg", path)
    budget.spend("letters", len(text))
    root = xml_of(budget.owner, text, MOST_ELEMENTS)
    if root.tag.rpartition("}")[2] != "svg":
        raise Unreadable(f"{budget.owner} is no SVG: its first element is {shortened(root.tag)}")
    if sum(1 for _ in root.iter()) > MOST_ELEMENTS:
        raise Unreadable(f"{budget.owner} has more than {MOST_ELEMENTS} elements")
    Count(budget.owner, root, MOST_ELEMENTS)
    return root


def prepared(root: ElementTree.Element, budget: Budget) -> io.StringIO:
    """Return the drawing in words that the parser knows.

    What is shown by `use` only goes to the definitions; a drawing in the drawing becomes a group that is moved and
    scaled as its view box says, and so does a symbol with a view box where it is used.
    """
    known = {one.get("id", ""): one for one in root.iter()}
    _regroup(root, known, _inside(root, (_length(root, "width", 1000.0), _length(root, "height", 1000.0))))
    definitions = ElementTree.SubElement(root, f"{NAMESPACE}defs")
    for parent in list(root.iter()):
        for one in [child for child in parent if kind_of(child) in UNSEEN]:
            parent.remove(one)
            definitions.append(one)
    dress(root, budget)
    shown = Count(budget.owner, root, 2 * MOST_ELEMENTS)
    if shown.numbers > MOST_NUMBERS:
        raise Unreadable(f"{budget.owner} has more than {MOST_NUMBERS} numbers and commands in its shapes")
    budget.spend("elements", shown.elements)
    budget.spend("numbers", shown.numbers)
    budget.spend("inherited attributes", shown.inherited)
    budget.spend("closings", shown.closings)
    return io.StringIO(ElementTree.tostring(root, encoding="unicode"))


def _regroup(element: ElementTree.Element, known: dict[str, Any], viewport: tuple[float, float]) -> None:
    """Make groups of the drawings in an element; `viewport` is what its lengths in percent are of."""
    for number, one in enumerate(element):
        target = known.get(link_of(one)[1:]) if kind_of(one) == "use" else None
        if target is not None and kind_of(target) == "symbol" and target.get("viewBox"):
            element[number] = _shown(one, target)
        elif target is not None and kind_of(target) in SHAPES and any(_is_own(name) for name in one.attrib):
            element[number] = _copied(one, target)
        inside = viewport
        if kind_of(element[number]) == "svg":
            inside = _make_group(element[number], viewport)
        _regroup(element[number], known, inside)


def _shown(use: ElementTree.Element, symbol: ElementTree.Element) -> ElementTree.Element:
    """Return the group that a `use` of a symbol with a view box shows."""
    kept = {name: value for name, value in use.items() if name not in PLACE and name.rpartition("}")[2] != "href"}
    group = ElementTree.Element(f"{NAMESPACE}g", kept)
    said = {name: symbol.get(name, "") for name in ("viewBox", "preserveAspectRatio") if symbol.get(name)}
    place = {name: value for name in PLACE if (value := use.get(name) or symbol.get(name))}
    inner = ElementTree.SubElement(group, f"{NAMESPACE}svg", {**place, **said})
    inner.extend(list(symbol))
    return group


def _is_own(name: str) -> bool:
    """Return whether an attribute says what a shape becomes."""
    return name in ("id", "class") or name.startswith("data-")


def _copied(use: ElementTree.Element, shape: ElementTree.Element) -> ElementTree.Element:
    """Return the group of a `use` of one shape that says itself what it becomes: the parser would forget that."""
    own = {name: value for name, value in use.items() if _is_own(name)}
    rest = {name: value for name, value in use.items() if name not in own and name.rpartition("}")[2] != "href"}
    x, y = (_length(use, name, 0.0, "0") for name in PLACE[:2])
    kept = {name: value for name, value in rest.items() if name not in PLACE}
    moved = f"{use.get('transform', '')} translate({x:.12g}, {y:.12g})".strip()
    group = ElementTree.Element(f"{NAMESPACE}g", {**kept, "transform": moved})
    ElementTree.SubElement(group, shape.tag, {**shape.attrib, **own})
    return group


def _make_group(one: ElementTree.Element, viewport: tuple[float, float]) -> tuple[float, float]:
    """Make a drawing in a drawing a group that is moved and scaled, and return what lengths in it are of."""
    elements = package("svgelements")
    across, along = viewport
    x, width = _length(one, "x", across, "0"), _length(one, "width", across)
    y, height = _length(one, "y", along, "0"), _length(one, "height", along)
    inside = _inside(one, (width, height))
    moved = f"translate({x:.12g}, {y:.12g})"
    if one.get("viewBox"):
        box = elements.Viewbox(one.get("viewBox"), one.get("preserveAspectRatio"))
        moved = box.transform(elements.Rect(x, y, width, height))
    one.tag = f"{NAMESPACE}g"
    for name in (*PLACE, "viewBox", "preserveAspectRatio"):
        one.attrib.pop(name, None)
    one.set("transform", f"{one.get('transform', '')} {moved}".strip())
    return inside


def _inside(one: ElementTree.Element, size: tuple[float, float]) -> tuple[float, float]:
    """Return width and height of the view box of a drawing, or its size where it has none."""
    box = package("svgelements").Viewbox(one.get("viewBox"))
    return (box.width, box.height) if box.width and box.height else size


def _length(one: ElementTree.Element, name: str, whole: float, default: str = "100%") -> float:
    """Return a length of an element [px]; percents are of the whole."""
    found = package("svgelements").Length(one.get(name, default)).value(ppi=96.0, relative_length=whole)
    return float(found) if isinstance(found, int | float) else whole


def notes_of(root: ElementTree.Element) -> list[str]:
    """Return what of a drawing is left out."""
    kinds = [kind_of(one) for one in root.iter()]
    return [said for kind, said in LEFT_OUT.items() if kind in kinds]


def has_page(root: ElementTree.Element) -> bool:
    """Return whether a drawing says how large it is."""
    return bool(root.get("viewBox")) or all(NUMBER.match(root.get(name, "")) for name in ("width", "height"))
