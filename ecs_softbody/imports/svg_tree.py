"""SVG as a tree: what would take for ever is refused, and what the parser does not know is written in other words."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ecs_softbody.imports.reading import Unreadable, package, shortened, text_of

MOST_ELEMENTS = 5000
MOST_SEGMENTS = 50_000
NAMESPACE = "{http://www.w3.org/2000/svg}"
UNSEEN = ("symbol", "marker", "mask")
"""Elements that show nothing where they stand; the parser would draw them there."""
SHAPES = ("path", "rect", "circle", "ellipse", "line", "polyline", "polygon")
PLACE = ("x", "y", "width", "height")
LEFT_OUT = {"text": "text is left out; make paths of it", "image": "pictures in it are left out"}
NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?(?:px)?", re.IGNORECASE)


def checked(path: Path) -> ElementTree.Element:
    """Return the root; refuse what would take for ever: entities, and elements that use one another many times."""
    text = text_of("svg", path)
    if "<!ENTITY" in text.upper():
        raise Unreadable(f"svg: {path.name} declares entities, which is not allowed")
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise Unreadable(f"svg: {path.name} is no XML: {error}") from None
    if root.tag.rpartition("}")[2] != "svg":
        raise Unreadable(f"svg: {path.name} is no SVG: its first element is {shortened(root.tag)}")
    every = list(root.iter())
    if len(every) > MOST_ELEMENTS or depth_of(root) > 100:
        raise Unreadable(f"svg: {path.name} has more than {MOST_ELEMENTS} elements, or they are nested too deeply")
    if sum(len(commands_of(one)) for one in every) > MOST_SEGMENTS:
        raise Unreadable(f"svg: {path.name} has more than {MOST_SEGMENTS} segments")
    known = {one.get("id"): one for one in every if one.get("id")}
    sizes: dict[int, int] = {}
    if size_of(path, root, known, sizes, ()) > MOST_ELEMENTS:
        raise Unreadable(f"svg: {path.name} shows more than {MOST_ELEMENTS} elements by `use`")
    return root


def commands_of(element: ElementTree.Element) -> list[str]:
    """Return the numbers and commands of a path."""
    return re.findall(r"[a-zA-Z]", element.get("d") or "") + (element.get("d") or "").split(" ")


def depth_of(root: ElementTree.Element) -> int:
    """Return how deeply elements are nested, up to 200."""
    deepest, rows = 0, [root]
    while rows and deepest <= 200:
        rows = [child for one in rows for child in one]
        deepest += 1
    return deepest


def size_of(path: Path, element: Any, known: dict[Any, Any], sizes: dict[int, int], open_ones: tuple[int, ...]) -> int:
    """Return how many elements one shows, those by `use` among them."""
    if id(element) in open_ones or len(open_ones) > 200:
        raise Unreadable(f"svg: {path.name} has an element that uses itself")
    if id(element) not in sizes:
        inside = [*element]
        name = link_of(element)
        if kind_of(element) == "use":
            inside += [known[name[1:]]] if name[1:] in known else []
        sizes[id(element)] = 1 + sum(size_of(path, one, known, sizes, (*open_ones, id(element))) for one in inside)
    return min(sizes[id(element)], 10**9)


def prepared(root: ElementTree.Element) -> io.StringIO | None:
    """Return the drawing in words that the parser knows, or None where it has no others.

    What is shown by `use` only goes to the definitions; a drawing in the drawing becomes a group that is moved and
    scaled as its view box says, and so does a symbol with a view box where it is used.
    """
    if not {kind_of(one) for parent in root.iter() for one in parent} & {*UNSEEN, "svg", "use"}:
        return None
    known = {one.get("id", ""): one for one in root.iter()}
    _regroup(root, known, _inside(root, (_length(root, "width", 1000.0), _length(root, "height", 1000.0))))
    definitions = ElementTree.SubElement(root, f"{NAMESPACE}defs")
    for parent in list(root.iter()):
        for one in [child for child in parent if kind_of(child) in UNSEEN]:
            parent.remove(one)
            definitions.append(one)
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


def kind_of(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def link_of(element: ElementTree.Element) -> str:
    """Return what an element refers to, as #name."""
    return next((value for key, value in element.items() if key.rpartition("}")[2] == "href"), "")
