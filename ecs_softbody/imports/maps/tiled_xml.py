"""Tilesets and templates of Tiled in XML (.tsx, .tx), as its JSON has them."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from ecs_softbody.imports.budget import Unreadable

NUMBERS = ("x", "y", "width", "height", "rotation")
WHOLE = ("id", "gid", "tilewidth", "tileheight", "columns", "margin", "spacing")


def object_of_template(owner: str, root: ElementTree.Element) -> dict[str, Any]:
    """Return the object that a template has."""
    found = root.find("object")
    if found is None:
        raise Unreadable(f"{owner} is no template of Tiled: it has no object")
    return _object(owner, found)


def tileset_of(owner: str, root: ElementTree.Element) -> dict[str, Any]:
    """Return a tileset: its sizes, its pictures, and its tiles with their shapes."""
    made = _attributes(owner, root)
    shift = root.find("tileoffset")
    if shift is not None:
        made["tileoffset"] = {name: _number(owner, shift.get(name, "0")) for name in ("x", "y")}
    made["image"] = _picture(root)
    made["tiles"] = [_tile(owner, tile) for tile in root.iterfind("tile")]
    return made


def _tile(owner: str, tile: ElementTree.Element) -> dict[str, Any]:
    made = _attributes(owner, tile)
    made["properties"] = _properties(owner, tile)
    if image := _picture(tile):
        made["image"] = image
    if (shapes := tile.find("objectgroup")) is not None:
        made["objectgroup"] = {"objects": [_object(owner, one) for one in shapes.iterfind("object")]}
    return made


def _object(owner: str, one: ElementTree.Element) -> dict[str, Any]:
    made = _attributes(owner, one)
    made["visible"] = made.get("visible", "1") != "0"
    made |= {shape: True for shape in ("ellipse", "point") if one.find(shape) is not None}
    for shape in ("polygon", "polyline"):
        if (line := one.find(shape)) is not None:
            corners = [corner.partition(",")[::2] for corner in line.get("points", "").split()]
            made[shape] = [{"x": _number(owner, x), "y": _number(owner, y)} for x, y in corners]
    if one.find("text") is not None:
        made["text"] = {"text": ""}
    made["properties"] = _properties(owner, one)
    return made


def _attributes(owner: str, one: ElementTree.Element) -> dict[str, Any]:
    made: dict[str, Any] = dict(one.attrib)
    made |= {key: _number(owner, made[key]) for key in NUMBERS if key in made}
    made |= {key: _whole(owner, made[key]) for key in WHOLE if key in made}
    return made


def _picture(one: ElementTree.Element) -> str:
    found = one.find("image")
    return "" if found is None else found.get("source", "")


def _properties(owner: str, one: ElementTree.Element) -> list[dict[str, Any]]:
    return [_property(owner, each) for each in one.iterfind("properties/property")]


def _property(owner: str, one: ElementTree.Element) -> dict[str, Any]:
    kind, value = one.get("type", "string"), one.get("value", one.text or "")
    plain: Any = value
    if kind in ("int", "object"):
        plain = _whole(owner, value)
    elif kind == "float":
        plain = _number(owner, value)
    elif kind == "bool":
        plain = value == "true"
    return {"name": one.get("name", ""), "type": kind, "value": plain}


def _number(owner: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise Unreadable(f"{owner}: {text[:60]!r} is not allowed; expected a number") from None


def _whole(owner: str, text: str) -> int:
    try:
        return int(text[:20])
    except ValueError:
        raise Unreadable(f"{owner}: {text[:60]!r} is not allowed; expected a whole number") from None
