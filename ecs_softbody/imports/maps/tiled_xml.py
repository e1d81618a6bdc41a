"""Tiled's XML: maps, tilesets and templates (.tmx, .tsx, .tx), as its JSON has them."""

from __future__ import annotations

import math
from typing import Any
from xml.etree import ElementTree

from ecs_softbody.imports.budget import Unreadable
from ecs_softbody.imports.reading import shortened

NUMBERS = (
    "x", "y", "width", "height", "rotation", "opacity", "offsetx", "offsety", "parallaxx",
    "parallaxy",
)  # fmt: skip
"""Attributes that are numbers."""
WHOLE = (
    "id", "gid", "firstgid", "tilewidth", "tileheight", "tilecount", "columns", "margin", "spacing",
)  # fmt: skip
"""Attributes that are whole numbers."""
FLAGS = ("visible", "infinite", "repeatx", "repeaty")
"""Attributes that are 0 or 1."""
SIZED = ("map", "layer", "chunk")
"""Elements whose width and height are counts of cells."""
LAYERS = {
    "layer": "tilelayer",
    "objectgroup": "objectgroup",
    "imagelayer": "imagelayer",
    "group": "group",
}
"""Elements that are layers, and their type in JSON."""
DEEPEST_PROPERTY = 20
"""Limit of properties in properties, and of lists in lists."""


def map_of(owner: str, root: ElementTree.Element) -> dict[str, Any]:
    """Return a map, with its tilesets and layers."""
    if root.tag != "map":
        raise Unreadable(f"{owner} is no map of Tiled: it is a {root.tag[:40]}")
    made = _element(owner, root)
    made["layers"] = _layers(owner, root)
    made["tilesets"] = [tileset_of(owner, one) for one in root.iterfind("tileset")]
    return made


def template_of(owner: str, root: ElementTree.Element) -> dict[str, Any]:
    """Return a template: its object, and the tileset of that."""
    found = root.find("object")
    made: dict[str, Any] = {} if found is None else {"object": _object(owner, found)}
    if (tileset := root.find("tileset")) is not None:
        made["tileset"] = _element(owner, tileset)
    return made


def tileset_of(owner: str, root: ElementTree.Element) -> dict[str, Any]:
    """Return a tileset: its sizes, its pictures, and its tiles with their shapes; or where its file
    is.
    """
    made = _element(owner, root)
    if (shift := root.find("tileoffset")) is not None:
        made["tileoffset"] = {name: _number(owner, shift.get(name, "0")) for name in ("x", "y")}
    made |= _picture(root)
    made["tiles"] = [_tile(owner, tile) for tile in root.iterfind("tile")]
    return made


def _layers(owner: str, parent: ElementTree.Element) -> list[dict[str, Any]]:
    return [_layer(owner, one) for one in parent if one.tag in LAYERS]


def _layer(owner: str, one: ElementTree.Element) -> dict[str, Any]:
    made = _element(owner, one)
    made["type"] = LAYERS[one.tag]
    if one.tag == "group":
        made["layers"] = _layers(owner, one)
    elif one.tag == "objectgroup":
        made["objects"] = [_object(owner, each) for each in one.iterfind("object")]
    elif one.tag == "layer":
        data = one.find("data")
        made |= {} if data is None else _data(owner, data)
    return made


def _data(owner: str, data: ElementTree.Element) -> dict[str, Any]:
    """Return the packed cells of a layer or of its chunks."""
    made: dict[str, Any] = {
        name: data.attrib[name] for name in ("encoding", "compression") if name in data.attrib
    }
    if data.find("chunk") is None:
        return made | {"data": _packed(owner, data)}
    chunks = [
        _attributes(owner, chunk) | {"data": _packed(owner, chunk)}
        for chunk in data.iterfind("chunk")
    ]
    return made | {"chunks": chunks}


def _packed(owner: str, one: ElementTree.Element) -> Any:
    tiles = [_whole(owner, tile.get("gid", "0")) for tile in one.iterfind("tile")]
    return tiles or (one.text or "").strip()


def _tile(owner: str, tile: ElementTree.Element) -> dict[str, Any]:
    made = _element(owner, tile)
    made |= _picture(tile)
    made.pop("animation", None)
    if frames := tile.findall("animation/frame"):
        made["animation"] = [
            {"tileid": _whole("tileid", frame.get("tileid", ""))} for frame in frames[:1]
        ]
    if (shapes := tile.find("objectgroup")) is not None:
        made["objectgroup"] = {
            "objects": [_object(owner, one) for one in shapes.iterfind("object")]
        }
    return made


def _object(owner: str, one: ElementTree.Element) -> dict[str, Any]:
    made = _element(owner, one)
    made |= {
        shape: True for shape in ("ellipse", "point", "capsule") if one.find(shape) is not None
    }
    for shape in ("polygon", "polyline"):
        if (line := one.find(shape)) is not None:
            corners = [corner.partition(",")[::2] for corner in line.get("points", "").split()]
            try:
                made[shape] = [
                    {"x": _number("points", x), "y": _number("points", y)} for x, y in corners
                ]
            except Unreadable as error:
                raise _of(owner, one, error) from None
    if (words := one.find("text")) is not None:
        made["text"] = {"text": words.text or ""}
    return made


def _element(owner: str, one: ElementTree.Element) -> dict[str, Any]:
    """Return the attributes of an element and its properties; of the elements in it only that they
    are there.
    """
    made = {child.tag: True for child in one} | _attributes(owner, one)
    made.pop("image", None)
    if made.pop("properties", None):
        try:
            made["properties"] = _properties(one, 0)
        except Unreadable as error:
            raise _of(owner, one, error) from None
    return made


def _of(owner: str, one: ElementTree.Element, error: Unreadable) -> Unreadable:
    """Return an error that names the element in which it occurred."""
    kind = "layer" if one.tag in LAYERS else one.tag
    said = one.get("id", "") if kind in ("object", "tile") else ""
    number = f" {said if said.isdecimal() else shortened(said)}" if said else ""
    name = f" {shortened(one.get('name'))}" if one.get("name") else ""
    return Unreadable(
        f"{owner}, {kind}{name}{number}: {error}" if one.tag != "map" else f"{owner}: {error}"
    )


def _attributes(owner: str, one: ElementTree.Element) -> dict[str, Any]:
    made: dict[str, Any] = dict(one.attrib)
    whole = (*WHOLE, "width", "height") if one.tag in SIZED else WHOLE
    whole = (*whole, "x", "y") if one.tag == "chunk" else whole
    try:
        for key in whole:
            if key in made:
                made[key] = _whole(key, made[key])
        for key in NUMBERS:
            if key in made and key not in whole:
                made[key] = _number(key, made[key])
    except Unreadable as error:
        raise _of(owner, one, error) from None
    made |= {key: made[key] not in ("0", "false") for key in FLAGS if key in made}
    return made


def _picture(one: ElementTree.Element) -> dict[str, Any]:
    """Return the name of a picture, its size, and which colour of it is clear."""
    found = one.find("image")
    if found is None:
        return {}
    sides = {side: found.get(side, "") for side in ("width", "height")}
    sized = {
        f"image{side}": int(length)
        for side, length in sides.items()
        if length.isdecimal() and len(length) < 9
    }
    inside = {"inside": True} if found.find("data") is not None else {}
    clear = {"transparentcolor": found.attrib["trans"]} if "trans" in found.attrib else {}
    return {"image": found.get("source", ""), **sized, **clear, **inside}


def _properties(one: ElementTree.Element, depth: int) -> list[dict[str, Any]]:
    if depth > DEEPEST_PROPERTY:
        raise Unreadable(f"it has properties in properties, {DEEPEST_PROPERTY} deep")
    found = []
    for each in one.iterfind("properties/property"):
        value = _value(f"property {each.get('name', '')[:60]!r}", each, depth)
        found.append(
            {"name": each.get("name", ""), "type": each.get("type", "string"), "value": value}
        )
    return found


def _value(owner: str, one: ElementTree.Element, depth: int) -> Any:
    kind = one.get("type", "string")
    if kind == "class":
        return {each["name"]: each["value"] for each in _properties(one, depth + 1)}
    if kind == "list":
        if depth > DEEPEST_PROPERTY:
            raise Unreadable(f"{owner} has lists in lists, {DEEPEST_PROPERTY} deep")
        return [_value(owner, each, depth + 1) for each in one.iterfind("item")]
    value = one.get("value", one.text or "")
    if kind in ("int", "object"):
        return _whole(owner, value)
    if kind == "float":
        return _number(owner, value)
    return value.lower() not in ("", "0", "false") if kind == "bool" else value


def _number(owner: str, text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise Unreadable(f"{owner}: {text[:60]!r} is not allowed; expected a number")
    return found


def _whole(owner: str, text: str) -> int:
    try:
        return int(text[:20])
    except ValueError:
        pass
    found = _number(owner, text)
    if not found.is_integer():
        raise Unreadable(f"{owner}: {text[:60]!r} is not allowed; expected a whole number")
    return int(found)
