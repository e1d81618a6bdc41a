"""Tiled maps before they are parsed: sizes are checked, layers unpacked, and tilesets laid beside the map."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.maps.tile_pictures import Sheet, sheet_of
from ecs_softbody.imports.maps.tiled_xml import object_of_template, tileset_of
from ecs_softbody.imports.reading import (
    beside,
    dicts_of,
    json_of,
    list_of,
    number_of,
    package,
    shortened,
    text_of,
    whole_of,
    xml_of,
)

MOST_CELLS = 1_000_000
DEEPEST = 20
MOST_LAYERS = 500
MOST_OBJECTS = 20_000
MOST_TEMPLATES = 200
MOST_ELEMENTS = 100_000
"""Of a tileset or template in XML."""
LARGEST_GID = 0xFFFFFFFF
LARGEST_WINDOW = 2**24
"""Bytes that unpacking a layer may look back."""
PLAIN = {"name": "", "opacity": 1, "visible": True}
NO_TILESET = {"name": "", "tilecount": 0, "spacing": 0, "margin": 0}
NUMBERS = ("x", "y", "width", "height", "rotation")


def prepare(path: Path, folder: Path, budget: Budget) -> tuple[Path, list[Sheet]]:
    """Write a map with everything it needs into a folder; return its path there, and where its pictures are.

    Raises:
        ValueError: where it is no map, too large, or of a kind that is not supported.
    """
    raw = json_of("tiled", path, budget)
    owner = budget.owner
    if raw.get("type", "map") != "map" or "layers" not in raw:
        raise Unreadable(f"{owner} is no map of Tiled: it has no layers")
    if raw.get("orientation", "orthogonal") != "orthogonal":
        raise Unreadable(f"{owner} is {shortened(raw.get('orientation'))}; expected an orthogonal map")
    made: dict[str, Any] = {
        name: whole_of(owner, name, raw.get(name, 0), 0, MOST_CELLS) for name in ("width", "height")
    }
    made |= {name: whole_of(owner, name, raw.get(name), 1, 65536) for name in ("tilewidth", "tileheight")}
    made |= {"version": "1.10", "nextobjectid": 1, "orientation": "orthogonal", "renderorder": "right-down"}
    made["infinite"] = bool(raw.get("infinite", False))
    reader = _Reader(owner, path, _Shared(budget))
    made["layers"] = [reader.layer(layer, 0) for layer in dicts_of(owner, "layers", raw["layers"])]
    made["tilesets"], sheets = [], []
    for tileset in dicts_of(owner, "tilesets", raw.get("tilesets")):
        first = whole_of(owner, "firstgid", tileset.get("firstgid"), 1, LARGEST_GID)
        found, by = (tileset, reader) if "source" not in tileset else reader.tileset_beside(tileset["source"])
        sheets.append(sheet_of(by.owner, by.path, found, first))
        made["tilesets"].append(by.tileset(found) | {"firstgid": first})
    target = folder / "map.tmj"
    target.write_text(json.dumps(made), encoding="utf-8")
    return target, sheets


@dataclass
class _Shared:
    """What all files of a map have in common."""

    budget: Budget
    count: dict[str, int] = field(default_factory=lambda: {"cells": 0, "layers": 0, "objects": 0})
    templates: dict[Path, tuple[dict[str, Any], int]] = field(default_factory=dict)
    """The objects of templates, and how long their files are."""


@dataclass
class _Reader:
    """Takes of one file what the parser is to read: only what is known, checked, and counted."""

    owner: str
    path: Path
    shared: _Shared

    def tileset_beside(self, source: Any) -> tuple[dict[str, Any], _Reader]:
        """Return a tileset that has a file of its own, and what reads it."""
        found = beside("tiled", self.path, source)
        owner, text = f"tiled: {found.name}", text_of("tiled", found)
        self.shared.budget.spend("letters", len(text))
        by = _Reader(owner, found, self.shared)
        if text.lstrip().startswith("<"):
            return tileset_of(owner, xml_of(owner, text, MOST_ELEMENTS)), by
        return json_of("tiled", found, self.shared.budget), by

    def tileset(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return of a tileset what is needed: sizes, and the tiles with shapes."""
        self.shared.budget.spend("layers")
        made: dict[str, Any] = dict(NO_TILESET)
        for name in ("tilewidth", "tileheight"):
            made[name] = whole_of(self.owner, f"{name} of a tileset", raw.get(name), 1, 65536)
        tiles = raw.get("tiles")
        if isinstance(tiles, dict):
            tiles = [{"id": int(number[:12])} | tile for number, tile in tiles.items() if number.isdecimal()]
        made["tiles"] = [self._tile(tile) for tile in dicts_of(self.owner, "tiles", tiles)]
        return made

    def _tile(self, tile: dict[str, Any]) -> dict[str, Any]:
        self.shared.budget.spend("tiles")
        made: dict[str, Any] = {"id": whole_of(self.owner, "id of a tile", tile.get("id"), 0, LARGEST_GID)}
        made |= {name: text_in(tile[name]) for name in ("type", "class") if name in tile}
        if "properties" in tile:
            made["properties"] = self._properties(tile["properties"])
        if "objectgroup" in tile:
            group = tile["objectgroup"]
            if not isinstance(group, dict):
                raise Unreadable(f"{self.owner}: the objectgroup of a tile is {shortened(group)}")
            made["objectgroup"] = {"type": "objectgroup", **self._objects(group)}
        return made

    def layer(self, raw: dict[str, Any], depth: int) -> dict[str, Any]:
        """Return a layer with its cells as a list."""
        count, owner = self.shared.count, self.owner
        self.shared.budget.spend("layers")
        count["layers"] += 1
        if depth > DEEPEST or count["layers"] > MOST_LAYERS:
            raise Unreadable(f"{owner} has more than {MOST_LAYERS} layers, or groups in groups {DEEPEST} deep")
        kind = raw.get("type")
        made: dict[str, Any] = {"type": kind, "id": 0, **PLAIN, "name": text_in(raw.get("name")), "opacity": 1}
        made |= {name: text_in(raw[name]) for name in ("class",) if name in raw}
        made |= {name: number_of(owner, name, raw.get(name), default=0.0) for name in ("offsetx", "offsety")}
        made["opacity"] = number_of(owner, "opacity", raw.get("opacity"), default=1.0)
        made["visible"] = bool(raw.get("visible", True))
        if "properties" in raw:
            made["properties"] = self._properties(raw["properties"])
        if kind == "group":
            inner = dicts_of(owner, "layers", raw.get("layers"))
            made["layers"] = [self.layer(one, depth + 1) for one in inner]
        elif kind == "objectgroup":
            made |= self._objects(raw)
        elif kind == "tilelayer":
            _unpack(owner, raw, made, self.shared)
        elif kind == "imagelayer":
            made["image"] = ""
        else:
            raise Unreadable(f"{owner}: a layer of type {shortened(kind)} is not known")
        return made

    def _objects(self, group: dict[str, Any]) -> dict[str, Any]:
        """Return the objects of a layer, or the shapes of a tile."""
        found, count = dicts_of(self.owner, "objects", group.get("objects")), self.shared.count
        count["objects"] += len(found)
        if count["objects"] > MOST_OBJECTS:
            raise Unreadable(f"{self.owner} has more than {MOST_OBJECTS} objects")
        return {
            **PLAIN,
            "draworder": "topdown",
            "objects": [self._object(one, number) for number, one in enumerate(found)],
        }

    def _object(self, own: dict[str, Any], number: int) -> dict[str, Any]:
        """Return an object with what its template says; of all that only what is known."""
        owner, budget = self.owner, self.shared.budget
        raw = own
        if own.get("template") is not None:
            template = self._template(own["template"])
            said = [dicts_of(owner, "properties", one.get("properties")) for one in (template, own)]
            named = {str(entry.get("name")): entry for entry in (*said[0], *said[1])}
            raw = {**template, **own, "properties": [*named.values()]}
        budget.spend("objects")
        made: dict[str, Any] = {"id": raw.get("id", number), "visible": bool(raw.get("visible", True))}
        made |= {name: text_in(raw.get(name)) for name in ("name", "type", "class") if name in raw or name == "name"}
        made |= {name: number_of(owner, name, raw.get(name), default=0.0) for name in NUMBERS}
        made |= {name: bool(raw[name]) for name in ("ellipse", "point") if name in raw}
        if raw.get("gid"):
            made["gid"] = whole_of(owner, "gid", raw["gid"], 0, LARGEST_GID)
        for name in ("polygon", "polyline"):
            corners = dicts_of(owner, name, raw.get(name))
            budget.spend("points", len(corners))
            if corners:
                made[name] = [{axis: number_of(owner, axis, one.get(axis)) for axis in ("x", "y")} for one in corners]
        if raw.get("text"):
            made["text"] = {"text": ""}
        if "properties" in raw:
            made["properties"] = self._properties(raw["properties"])
        return made

    def _template(self, name: Any) -> dict[str, Any]:
        """Return the object of a template, without its number and its place; each use costs what its file is long."""
        templates, budget = self.shared.templates, self.shared.budget
        found = beside("tiled", self.path, name)
        if found not in templates:
            if len(templates) >= MOST_TEMPLATES:
                raise Unreadable(f"{self.owner} names more than {MOST_TEMPLATES} templates")
            owner, text = f"tiled: {found.name}", text_of("tiled", found)
            if text.lstrip().startswith("<"):
                raw: Any = object_of_template(owner, xml_of(owner, text, MOST_ELEMENTS))
            else:
                raw = json_of("tiled", found, budget).get("object")
            if not isinstance(raw, dict):
                raise Unreadable(f"{owner} is no template of Tiled: it has no object")
            kept = {key: value for key, value in raw.items() if key not in ("id", "x", "y", "template")}
            templates[found] = (kept, len(text))
        budget.spend("letters", templates[found][1])
        return templates[found][0]

    def _properties(self, raw: Any) -> Any:
        """Return properties without colours that are not set, which the parser does not know."""
        if isinstance(raw, dict):
            self.shared.budget.spend("values", len(raw))
            return raw
        known = dicts_of(self.owner, "properties", raw)
        self.shared.budget.spend("values", len(known))
        return [
            {"name": text_in(one.get("name")), "type": text_in(one.get("type", "string")), "value": one.get("value")}
            for one in known
            if (one.get("type"), one.get("value")) != ("color", "")
        ]


def text_in(value: Any) -> str:
    """Return a text of a file; anything else is told as it is."""
    return value if isinstance(value, str) else "" if value is None else shortened(value)


def _unpack(owner: str, raw: dict[str, Any], layer: dict[str, Any], shared: _Shared) -> None:
    """Put the cells of a layer into it, as lists: of numbers, or of blocks of them."""
    packing = (raw.get("encoding", "csv"), raw.get("compression", ""))
    if "chunks" in raw:
        layer["chunks"] = []
        for chunk in dicts_of(owner, "chunks", raw["chunks"]):
            shared.budget.spend("layers")
            block = {name: whole_of(owner, name, chunk.get(name), -(10**6), 10**6) for name in ("x", "y")}
            block |= {name: whole_of(owner, name, chunk.get(name), 1, MOST_CELLS) for name in ("width", "height")}
            cells = _cells(owner, chunk.get("data"), packing, block["width"] * block["height"], shared)
            layer["chunks"].append(block | {"data": cells})
    else:
        for name in ("width", "height"):
            layer[name] = whole_of(owner, f"{name} of a layer", raw.get(name), 0, MOST_CELLS)
        layer["data"] = _cells(owner, raw.get("data"), packing, layer["width"] * layer["height"], shared)


def _cells(owner: str, data: Any, packing: tuple[Any, Any], expected: int, shared: _Shared) -> list[int]:
    shared.count["cells"] += expected
    if shared.count["cells"] > MOST_CELLS:
        raise Unreadable(f"{owner} has more than {MOST_CELLS} cells, which is not allowed")
    shared.budget.spend("cells", expected)
    if isinstance(data, str):
        unpacked = _unpacked(owner, data, packing, 4 * expected)
        cells: list[int] = np.frombuffer(unpacked[: len(unpacked) // 4 * 4], "<u4").tolist()
    else:
        cells = list_of(owner, "data of a layer", data)
    if len(cells) != expected:
        found = f"more than {expected}" if len(cells) > expected else f"{len(cells)}"
        raise Unreadable(f"{owner}: a layer has {found} cells; expected {expected}: width times height")
    for cell in cells:
        whole_of(owner, "a cell", cell, 0, LARGEST_GID)
    return cells


def _unpacked(owner: str, text: str, packing: tuple[Any, Any], size: int) -> bytes:
    """Return packed bytes, and not one more than there may be."""
    encoding, compression = packing
    if encoding != "base64" or compression not in ("", None, "zlib", "gzip", "zstd"):
        raise Unreadable(
            f"{owner}: layers in the format {shortened(compression or encoding)} cannot be read; expected CSV, or "
            "Base64 with zlib, gzip, zstd or nothing"
        )
    try:
        packed = base64.b64decode(text, validate=False)
        if not compression:
            return packed
        if compression == "zstd":
            return _of_zstd(packed, size + 4)
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | (16 if compression == "gzip" else 0))
        return unpacker.decompress(packed, size + 4)
    except (ValueError, binascii.Error, zlib.error):
        raise Unreadable(f"{owner}: a layer is broken: it cannot be unpacked") from None


def _of_zstd(packed: bytes, most: int) -> bytes:
    """Return what was packed by Zstandard, at most so many bytes, whatever it says of its size.

    Raises:
        ValueError: where it is broken, or needs too much memory.
        RuntimeError: without the extra `import`.
    """
    zstandard = package("zstandard")
    try:
        with zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW).stream_reader(packed) as reader:
            found: bytes = reader.read(most)
            return found
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None
