"""SVG before it is parsed: style sheets become attributes, and only what is read is left, of a length that can be.

The parser's patterns take time that grows with the square, or the cube, of texts that are none of what they look for;
and it gives each element all that those around it say. So both are limited, and counted, here.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any
from xml.etree import ElementTree

from ecs_softbody.imports.budget import Budget, Unreadable

MOST_NUMBERS = 200_000
"""Of all paths and outlines, with their commands; each time that they are shown."""
LONGEST = 200
"""Letters of an attribute, but for those that are read here."""
LONGEST_TRANSFORM = 2000
SHAPES = ("path", "rect", "circle", "ellipse", "line", "polyline", "polygon")
NOT_READ = ("text", "title", "desc", "style", "script", "metadata", "image")
OF_ANY_LENGTH = ("d", "points", "transform", "class", "id", "href", "style")
PARTS = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[a-zA-Z]")
TRANSFORM = re.compile(r"(?<![a-zA-Z])[a-zA-Z]++\s*+\([^()]*+\)")


def kind_of(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def link_of(element: ElementTree.Element) -> str:
    """Return what an element refers to, as #name."""
    return next((value for key, value in element.items() if key.rpartition("}")[2] == "href"), "")


def dress(root: ElementTree.Element, budget: Budget) -> None:
    """Write what style sheets say of elements into their attributes, and leave out what is not read."""
    rules = _rules_of(root)
    for one in root.iter():
        inside = [] if kind_of(one) in SHAPES else [child for child in one if kind_of(child) not in NOT_READ]
        one[:] = inside
        said: dict[str, str] = {}
        for selector in _selectors_of(one):
            found = rules.get(selector, {})
            budget.spend("values", len(found))
            said |= found
        said |= _declared(one.attrib.pop("style", ""))
        kept = {name: value for name, value in {**one.attrib, **said}.items() if _is_read(one, name, value)}
        if "transform" in kept:
            kept["transform"] = " ".join(TRANSFORM.findall(kept["transform"]))
            if len(kept["transform"]) > LONGEST_TRANSFORM:
                raise Unreadable(f"{budget.owner} has a transform of more than {LONGEST_TRANSFORM} letters")
        one.attrib.clear()
        one.attrib.update(kept)


def _is_read(one: ElementTree.Element, name: str, value: str) -> bool:
    if name in ("d", "points") and kind_of(one) not in SHAPES:  # the parser would give it to all shapes in this one
        return False
    space, _, plain = name.rpartition("}")
    if space and plain != "href":
        return False
    return plain in OF_ANY_LENGTH or plain.startswith("data-") or len(value) <= LONGEST


def _selectors_of(one: ElementTree.Element) -> list[str]:
    """Return the selectors that an element answers to, those that count more behind the others."""
    kind = kind_of(one)
    found = ["*", kind, f"#{one.get('id')}"] if one.get("id") else ["*", kind]
    for word in dict.fromkeys((one.get("class") or "").split()):
        found += [f".{word}", f"{kind}.{word}"]
    return found


def _rules_of(root: ElementTree.Element) -> dict[str, dict[str, str]]:
    """Return the declarations of all style sheets by their selectors; only simple ones are known."""
    text = "".join(one.text or "" for one in root.iter() if kind_of(one) == "style")
    first, *others = text.split("/*")
    text = first + "".join(other.partition("*/")[2] for other in others)
    rules: dict[str, dict[str, str]] = {}
    for block in text.split("}"):
        selectors, _, body = block.partition("{")
        declared = _declared(body)
        for selector in dict.fromkeys(selectors.split(",")) if declared else ():
            rules.setdefault(selector.strip(), {}).update(declared)
    return rules


def _declared(text: str) -> dict[str, str]:
    """Return what "name: value; ..." declares."""
    pairs = (one.split(":") for one in text.split(";"))
    return {pair[0].strip(): pair[1].strip() for pair in pairs if len(pair) == 2 and len(pair[1]) <= LONGEST}


class Count:
    """Counts what elements show, with all that they show by `use`.

    Args:
        owner: for messages.
        root: of the drawing; it stays as it is.
        most: elements.
    """

    def __init__(self, owner: str, root: ElementTree.Element, most: int) -> None:
        self.owner, self.most = owner, most
        self.known = {one.get("id"): one for one in root.iter() if one.get("id")}
        self.sizes: dict[int, tuple[int, int, int, int]] = {}
        self.elements, self.numbers, self.inherited, self.closings = self._of(root, ())
        if self.elements > most:
            raise Unreadable(f"{owner} shows more than {most} elements by `use`")

    def _of(self, element: Any, around: tuple[int, ...]) -> tuple[int, int, int, int]:
        if id(element) in around or len(around) > 2 * LONGEST:
            raise Unreadable(f"{self.owner} has an element that uses itself")
        if id(element) not in self.sizes:
            target = self.known.get(link_of(element)[1:]) if kind_of(element) == "use" else None
            inside = [*element] if target is None else [*element, target]
            found = [self._of(one, (*around, id(element))) for one in inside]
            elements, numbers, inherited, closings = (
                (sum(part) for part in zip(*found, strict=True)) if found else (0,) * 4
            )
            own = len(element.attrib) + len(element.get("transform", ""))
            path = (element.get("d") or "") + (element.get("points") or "")
            numbers += sum(1 for _ in islice(PARTS.finditer(path), MOST_NUMBERS + 1))
            closings += _closings(path)
            # What is around an element is said of everything in it.
            self.sizes[id(element)] = (elements + 1, numbers, inherited + own * (elements + 1), closings)
        return self.sizes[id(element)]


def _closings(path: str) -> int:
    """Return how many letters the parser looks back at: for each `z` all that are behind the last `m`."""
    parts = re.split("[mM]", path)
    return sum(len(part) * part.lower().count("z") for part in parts if part.lower().count("z") > 1)
