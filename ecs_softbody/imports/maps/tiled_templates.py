"""Templates of Tiled: an object that names one has what the template says, and what it says itself over that."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ecs_softbody.imports.reading import Unreadable, beside, dicts_of, json_of, shortened, text_of

DEEPEST = 20
MOST_TEMPLATES = 200
NUMBERS = ("gid", "x", "y", "width", "height", "rotation")


def fill_templates(owner: str, path: Path, layers: Any, known: dict[str, dict[str, Any]], depth: int = 0) -> None:
    """Give the objects in layers what their templates say; `known` are those that were read.

    Raises:
        ValueError: for a template that is not there, or is none.
    """
    for layer in dicts_of(owner, "layers", layers):
        if depth < DEEPEST:
            fill_templates(owner, path, layer.get("layers"), known, depth + 1)
        for one in dicts_of(owner, "objects", layer.get("objects")):
            if "template" in one:
                name = one.pop("template")
                if not isinstance(name, str) or (name not in known and len(known) >= MOST_TEMPLATES):
                    raise Unreadable(f"{owner}: {shortened(name)} is not allowed as a template, or there are too many")
                if name not in known:
                    known[name] = _template(path, name)
                given = {**known[name], **one}
                said = dicts_of(owner, "properties", known[name].get("properties"))
                said = said + dicts_of(owner, "properties", one.get("properties"))
                one.update(given, properties=[*{str(entry.get("name")): entry for entry in said}.values()])


def _template(path: Path, name: str) -> dict[str, Any]:
    """Return the object of a template, without its number and its place."""
    found = beside("tiled", path, name)
    owner, text = f"tiled: {found.name}", text_of("tiled", found)
    if text.lstrip().startswith("<"):
        made = _object_of_xml(owner, text)
    else:
        raw = json_of("tiled", found).get("object")
        if not isinstance(raw, dict):
            raise Unreadable(f"{owner} is no template of Tiled: it has no object")
        made = dict(raw)
    for key in ("id", "x", "y", "template"):
        made.pop(key, None)
    return made


def _object_of_xml(owner: str, text: str) -> dict[str, Any]:
    """Return the object of a template in XML (.tx), as JSON has it."""
    if "<!ENTITY" in text.upper():
        raise Unreadable(f"{owner} declares entities, which is not allowed")
    try:
        found = ElementTree.fromstring(text).find("object")
        if found is None:
            raise Unreadable(f"{owner} is no template of Tiled: it has no object")
        made: dict[str, Any] = dict(found.attrib)
        made |= {key: float(made[key]) for key in NUMBERS if key in made}
        made |= {key: int(made[key]) for key in ("gid",) if key in made}
        made["visible"] = made.get("visible", "1") != "0"
        made |= {shape: True for shape in ("ellipse", "point") if found.find(shape) is not None}
        for shape in ("polygon", "polyline"):
            if (line := found.find(shape)) is not None:
                corners = [corner.split(",") for corner in line.get("points", "").split()]
                made[shape] = [{"x": float(x), "y": float(y)} for x, y in corners]
        made["properties"] = [_property(one) for one in found.iterfind("properties/property")]
    except Unreadable:
        raise
    except (ElementTree.ParseError, ValueError) as error:
        raise Unreadable(f"{owner} cannot be read: {error}") from None
    return made


def _property(one: ElementTree.Element) -> dict[str, Any]:
    kind, value = one.get("type", "string"), one.get("value", one.text or "")
    plain: Any = value
    if kind in ("int", "object"):
        plain = int(value)
    elif kind == "float":
        plain = float(value)
    elif kind == "bool":
        plain = value == "true"
    return {"name": one.get("name", ""), "type": kind, "value": plain}
