"""A corpus of small maps: each has one trait that files of other people have, and what is to become
of it.

Maps of Tiled are 8 x 6 tiles of 16 pixels; a tile is a metre, so (x, y) in pixels is (x / 16, 6 - y
/ 16) in metres. Each is written as Tiled writes it in JSON and in XML.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import zstandard
from PIL import Image

Raw = dict[str, Any]
Corners = list[tuple[float, float]]
COLUMNS = 8
ROWS = 6
PIXELS = 16
FLIP_X = 0x80000000
FLIP_Y = 0x40000000
SWAP = 0x20000000
SQUARE: Raw = {"x": 0, "y": 0, "width": 16, "height": 16}
WEDGE: Raw = {"x": 0, "y": 0, "polygon": [{"x": 0, "y": 0}, {"x": 16, "y": 16}, {"x": 0, "y": 16}]}


@dataclass
class Expected:
    """What a map becomes."""

    ground: list[Corners] = field(default_factory=list)
    """Areas, which may touch; their union counts [m]."""
    colliders: int | None = None
    """Number of colliders that are ground."""
    lines: list[Corners] = field(default_factory=list)
    bodies: list[tuple[str, tuple[float, float], tuple[float, float]]] = field(default_factory=list)
    """Kind, middle and size [m]."""
    places: list[tuple[str, str, tuple[float, float], tuple[float, float]]] = field(
        default_factory=list
    )
    """Name, kind, middle and size [m]."""
    kept: Raw = field(default_factory=dict)
    """Properties of the first place, or else of the first entity that has some."""
    notes: list[str] = field(default_factory=list)
    """Parts of what is said, one for each note."""
    drawn: int | None = None
    """Tiles that are drawn."""
    clear: int | None = None
    """Number of colliders that are ground and not seen."""
    colours: list[tuple[int, int, int]] = field(default_factory=list)
    """In the middle of the tiles that are drawn, in their order."""
    refused: str = ""
    """A part of the one sentence, where the file is not read."""


@dataclass
class Case:
    """A map, the files beside it, and what it becomes."""

    name: str
    file: str
    files: dict[str, bytes]
    expected: Expected


def box(left: float, bottom: float, right: float, top: float) -> Corners:
    return [(left, bottom), (right, bottom), (right, top), (left, top)]


def cells(*full: tuple[int, int, int]) -> list[int]:
    """Return the cells of a layer: (column, row from the top, number)."""
    found = [0] * (COLUMNS * ROWS)
    for column, row, number in full:
        found[row * COLUMNS + column] = number
    return found


FLOOR = cells(*((column, 5, 1) for column in range(COLUMNS)))
FLOOR_AREA = [box(0, 0, 8, 1)]


def prop(name: str, value: Any, kind: str = "") -> Raw:
    kinds = {bool: "bool", int: "int", float: "float", str: "string", list: "list", dict: "class"}
    return {"name": name, "type": kind or kinds[type(value)], "value": value}


def tile(number: int, *shapes: Raw, **more: Any) -> Raw:
    made: Raw = {"id": number, **more}
    if shapes:
        made["objectgroup"] = {
            "type": "objectgroup",
            "objects": [thing(i, **one) for i, one in enumerate(shapes, 1)],
        }
    return made


def thing(number: int, **more: Any) -> Raw:
    plain = {
        "id": number,
        "name": "",
        "type": "",
        "x": 0,
        "y": 0,
        "width": 0,
        "height": 0,
        "rotation": 0,
    }
    return {**plain, "visible": True, **more}


def tileset(*tiles: Raw, **more: Any) -> Raw:
    plain = {
        "firstgid": 1,
        "name": "set",
        "tilewidth": 16,
        "tileheight": 16,
        "tilecount": 4,
        "columns": 2,
    }
    return {**plain, "margin": 0, "spacing": 0, "tiles": [*tiles], **more}


def tiles_layer(data: list[int] | str, **more: Any) -> Raw:
    plain = {
        "type": "tilelayer",
        "id": 1,
        "name": "ground",
        "width": COLUMNS,
        "height": ROWS,
        "opacity": 1,
    }
    return {**plain, "x": 0, "y": 0, "visible": True, "data": data, **more}


def objects_layer(*objects: Raw, **more: Any) -> Raw:
    plain = {"type": "objectgroup", "id": 2, "name": "things", "opacity": 1, "visible": True}
    return {**plain, "draworder": "topdown", "objects": [*objects], **more}


def map_of(*layers: Raw, tilesets: list[Raw] | None = None, **more: Any) -> Raw:
    return {
        "type": "map", "version": "1.10", "tiledversion": "1.10.2", "orientation": "orthogonal",
        "renderorder": "right-down", "width": COLUMNS, "height": ROWS, "tilewidth": 16,
        "tileheight": 16, "infinite": False, "nextlayerid": 9, "nextobjectid": 9,
        "layers": [*layers],
        "tilesets": [tileset(tile(0, SQUARE), tile(1, WEDGE))] if tilesets is None else tilesets,
        **more,
    }  # fmt: skip


def packed(data: list[int], packing: str) -> str:
    raw = struct.pack(f"<{len(data)}I", *data)
    ways = {
        "": bytes,
        "zlib": zlib.compress,
        "gzip": gzip.compress,
        "zstd": zstandard.ZstdCompressor().compress,
    }
    return base64.b64encode(ways[packing](raw)).decode()


def png() -> bytes:
    """Return a picture of four tiles: red, green, blue and, in the colour ff00ff, what may be
    clear.
    """
    image = Image.new("RGBA", (32, 32), (255, 0, 0, 255))
    for place, colour in ((16, 0), (0, 255, 0)), ((0, 16), (0, 0, 255)), ((16, 16), (255, 0, 255)):
        image.paste((*colour, 255), (*place, place[0] + 16, place[1] + 16))
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


PICTURED: Raw = {"image": "tiles.png", "imagewidth": 32, "imageheight": 32}


# As XML, the way Tiled writes it.
def xml(raw: Raw) -> bytes:
    """Return a map, tileset or template of JSON as XML."""
    root = {"map": _map, "tileset": _tileset, "template": _template}[raw.get("type", "tileset")](
        raw
    )
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root)


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _strings(raw: Raw) -> dict[str, str]:
    return {name: _text(value) for name, value in raw.items()}


def _element(tag: str, raw: Raw, *left_out: str) -> ElementTree.Element:
    nested = {name for name, value in raw.items() if isinstance(value, dict | list)}
    attributes = {
        name: _text(value)
        for name, value in raw.items()
        if name not in nested and name not in left_out
    }
    made = ElementTree.Element(tag, attributes)
    if raw.get("properties"):
        made.append(_properties(raw["properties"]))
    return made


def _properties(given: list[Raw]) -> ElementTree.Element:
    made = ElementTree.Element("properties")
    for one in given:
        made.append(_property("property", one))
    return made


def _property(tag: str, one: Raw) -> ElementTree.Element:
    kind = one["type"]
    value = one["value"]
    each = ElementTree.Element(tag, {"name": one["name"]} if "name" in one else {}, type=kind)
    if kind == "class":
        each.append(_properties([prop(name, entry) for name, entry in value.items()]))
    elif kind == "list":
        for entry in value:
            each.append(_property("item", entry))
    elif isinstance(value, str) and "\n" in value:
        each.text = value
    else:
        each.set("value", str(value).lower() if isinstance(value, bool) else str(value))
    return each


def _map(raw: Raw) -> ElementTree.Element:
    made = _element("map", raw, "type")
    made.extend([_tileset(one) for one in raw["tilesets"]])
    made.extend([_layer(one) for one in raw["layers"]])
    return made


def _layer(raw: Raw) -> ElementTree.Element:
    tags = {
        "tilelayer": "layer",
        "imagelayer": "imagelayer",
        "objectgroup": "objectgroup",
        "group": "group",
    }
    made = _element(tags[raw["type"]], raw, "type", "data", "encoding", "compression", "image")
    if "image" in raw:
        made.append(ElementTree.Element("image", source=raw["image"]))
    made.extend([_object(one) for one in raw.get("objects", ())])
    made.extend([_layer(one) for one in raw.get("layers", ())])
    if raw["type"] == "tilelayer":
        ways = {name: raw[name] for name in ("encoding", "compression") if raw.get(name)}
        data = ElementTree.SubElement(made, "data", ways if ways.get("encoding") != "xml" else {})
        for chunk in raw.get("chunks", ()):
            each = ElementTree.SubElement(
                data, "chunk", {name: str(chunk[name]) for name in ("x", "y", "width", "height")}
            )
            _fill(each, chunk["data"], raw.get("encoding"))
        if "chunks" not in raw:
            _fill(data, raw["data"], raw.get("encoding"))
    return made


def _fill(data: ElementTree.Element, numbers: Any, encoding: str | None) -> None:
    if isinstance(numbers, str):
        data.text = f"\n   {numbers}\n  "
    elif encoding == "xml":
        data.extend(
            [ElementTree.Element("tile", {"gid": str(one)} if one else {}) for one in numbers]
        )
    else:
        data.set("encoding", "csv") if data.tag == "data" else None
        lines = [numbers[at : at + COLUMNS] for at in range(0, len(numbers), COLUMNS)]
        data.text = "\n" + ",\n".join(",".join(map(str, line)) for line in lines) + "\n"


def _object(raw: Raw) -> ElementTree.Element:
    made = _element("object", raw, "ellipse", "point", "capsule")
    for shape in ("ellipse", "point", "capsule"):
        if raw.get(shape):
            ElementTree.SubElement(made, shape)
    for shape in ("polygon", "polyline"):
        if shape in raw:
            ElementTree.SubElement(
                made, shape, points=" ".join(f"{one['x']},{one['y']}" for one in raw[shape])
            )
    if "text" in raw:
        ElementTree.SubElement(made, "text", wrap="1").text = raw["text"]["text"]
    return made


def _tileset(raw: Raw) -> ElementTree.Element:
    picture = ("image", "imagewidth", "imageheight", "transparentcolor")
    made = _element("tileset", raw, "type", *picture)
    if "tileoffset" in raw:
        ElementTree.SubElement(
            made, "tileoffset", {name: str(value) for name, value in raw["tileoffset"].items()}
        )
    _image(made, raw)
    for one in raw.get("tiles", ()):
        each = _element("tile", one, *picture)
        _image(each, one)
        if "objectgroup" in one:
            group = ElementTree.SubElement(each, "objectgroup", draworder="index")
            group.extend([_object(shape) for shape in one["objectgroup"]["objects"]])
        if "animation" in one:
            frames = ElementTree.SubElement(each, "animation")
            frames.extend(
                [ElementTree.Element("frame", _strings(frame)) for frame in one["animation"]]
            )
        made.append(each)
    return made


def _image(made: ElementTree.Element, raw: Raw) -> None:
    if raw.get("image"):
        clear = (
            {"trans": raw["transparentcolor"].removeprefix("#")}
            if "transparentcolor" in raw
            else {}
        )
        ElementTree.SubElement(
            made, "image", {"source": raw["image"], "width": "32", "height": "32", **clear}
        )


def _template(raw: Raw) -> ElementTree.Element:
    made = ElementTree.Element("template")
    if "tileset" in raw:
        made.append(_element("tileset", raw["tileset"]))
    made.append(_object(raw["object"]))
    return made


# What the traits are.
def cases() -> Iterator[Case]:
    """Yield the whole corpus."""
    from tests.imports.ldtk_corpus import ldtk_cases
    from tests.imports.tiled_corpus import only_json, only_xml, traits

    for name, raw, files, expected in traits():
        beside = {file: data for file, data in files.items() if isinstance(data, bytes)}
        for ending in (".tmj", ".tmx"):
            content = xml(raw) if ending == ".tmx" else json.dumps(raw).encode()
            yield Case(
                f"{name}{ending}", f"map{ending}", {**beside, f"map{ending}": content}, expected
            )
    yield from only_json()
    yield from only_xml()
    yield from ldtk_cases()
