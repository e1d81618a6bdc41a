"""Tiled maps before they are parsed: sizes are checked, layers unpacked, and tilesets laid beside the map."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ecs_softbody.imports.maps.tile_pictures import Sheet, sheet_of, sheet_of_xml
from ecs_softbody.imports.maps.tiled_templates import fill_templates
from ecs_softbody.imports.reading import (
    Unreadable,
    beside,
    dicts_of,
    json_of,
    list_of,
    package,
    shortened,
    text_of,
    whole_of,
)

MOST_CELLS = 1_000_000
DEEPEST = 20
MOST_LAYERS = 500
MOST_OBJECTS = 20_000
LARGEST_GID = 0xFFFFFFFF
LARGEST_WINDOW = 2**24
"""Bytes that unpacking a layer may look back."""
PLAIN = {"name": "", "opacity": 1, "visible": True}
NO_TILESET = {"name": "", "tilecount": 0, "spacing": 0, "margin": 0}
KEPT_OF_TILES = ("id", "type", "class", "objectgroup", "properties")


def prepare(path: Path, folder: Path) -> tuple[Path, list[Sheet]]:
    """Write a map with everything it needs into a folder; return its path there, and where its pictures are.

    Raises:
        ValueError: where it is no map, too large, or of a kind that is not supported.
    """
    raw = json_of("tiled", path)
    owner = f"tiled: {path.name}"
    if raw.get("type", "map") != "map" or "layers" not in raw:
        raise Unreadable(f"{owner} is no map of Tiled: it has no layers")
    if raw.get("orientation", "orthogonal") != "orthogonal":
        raise Unreadable(f"{owner} is {shortened(raw.get('orientation'))}; expected an orthogonal map")
    for name in ("width", "height"):
        raw[name] = whole_of(owner, name, raw.get(name, 0), 0, MOST_CELLS)
    for name in ("tilewidth", "tileheight"):
        whole_of(owner, name, raw.get(name), 1, 65536)
    made: dict[str, Any] = {
        name: raw[name] for name in ("width", "height", "tilewidth", "tileheight", "properties", "class") if name in raw
    }
    made |= {"version": "1.10", "nextobjectid": 1, "orientation": "orthogonal", "renderorder": "right-down"}
    made["infinite"] = bool(raw.get("infinite", False))
    count = {"cells": 0, "layers": 0, "objects": 0}
    fill_templates(owner, path, raw["layers"], {})
    made["layers"] = [_layer(owner, layer, count, 0) for layer in dicts_of(owner, "layers", raw["layers"])]
    made["tilesets"], sheets = [], []
    for number, tileset in enumerate(dicts_of(owner, "tilesets", raw.get("tilesets"))):
        first = whole_of(owner, "firstgid", tileset.get("firstgid"), 1, LARGEST_GID)
        if "source" in tileset:
            name, sheet = _laid(path, tileset["source"], folder, (number, first))
            made["tilesets"].append({"firstgid": first, "source": name})
            sheets.append(sheet)
        else:
            sheets.append(sheet_of(owner, path, tileset, first))
            made["tilesets"].append(_tileset(owner, tileset, count) | {"firstgid": first})
    target = folder / "map.tmj"
    target.write_text(json.dumps(made), encoding="utf-8")
    return target, sheets


def _laid(path: Path, source: Any, folder: Path, numbers: tuple[int, int]) -> tuple[str, Sheet]:
    """Copy a tileset beside the map, and return its name there; `numbers` are its own and that of its first tile."""
    number, first = numbers
    found = beside("tiled", path, source)
    text = text_of("tiled", found)
    if not text.lstrip().startswith("<"):
        name, raw = f"{number}.tsj", json_of("tiled", found)
        made = _tileset(f"tiled: {found.name}", raw, {"objects": 0})
        (folder / name).write_text(json.dumps(made), encoding="utf-8")
        return name, sheet_of(f"tiled: {found.name}", found, raw, first)
    if "<!ENTITY" in text.upper():
        raise Unreadable(f"tiled: {found.name} declares entities, which is not allowed")
    try:
        ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise Unreadable(f"tiled: {found.name} is no XML: {error}") from None
    name = f"{number}.tsx"
    (folder / name).write_text(text.lstrip(), encoding="utf-8")
    return name, sheet_of_xml(f"tiled: {found.name}", found, text, first)


def _tileset(owner: str, raw: dict[str, Any], count: dict[str, int]) -> dict[str, Any]:
    """Return of a tileset what is needed: sizes, and the tiles with shapes."""
    made: dict[str, Any] = NO_TILESET | {
        name: raw[name] for name in ("name", "tilecount", "tilewidth", "tileheight") if name in raw
    }
    for name in ("tilewidth", "tileheight"):
        made[name] = whole_of(owner, f"{name} of a tileset", raw.get(name), 1, 65536)
    tiles = raw.get("tiles")
    if isinstance(tiles, dict):
        tiles = [{"id": int(number)} | tile for number, tile in tiles.items() if number.isdecimal()]
    made["tiles"] = []
    for tile in dicts_of(owner, "tiles", tiles):
        whole_of(owner, "id of a tile", tile.get("id"), 0, LARGEST_GID)
        kept = {name: tile[name] for name in KEPT_OF_TILES if name in tile}
        if "properties" in kept:
            kept["properties"] = _properties(owner, kept["properties"])
        if "objectgroup" in kept:
            if not isinstance(kept["objectgroup"], dict):
                raise Unreadable(f"{owner}: the objectgroup of a tile is {shortened(kept['objectgroup'])}")
            kept["objectgroup"] = _objects(owner, {"type": "objectgroup"} | kept["objectgroup"], count)
        made["tiles"].append(kept)
    return made


def _layer(owner: str, raw: dict[str, Any], count: dict[str, int], depth: int) -> dict[str, Any]:
    """Return a layer with its cells as a list."""
    count["layers"] += 1
    if depth > DEEPEST or count["layers"] > MOST_LAYERS:
        raise Unreadable(f"{owner} has more than {MOST_LAYERS} layers, or groups in groups {DEEPEST} deep")
    kind = raw.get("type")
    layer: dict[str, Any] = PLAIN | {
        name: value
        for name, value in raw.items()
        if name
        in ("id", "name", "type", "class", "properties", "visible", "offsetx", "offsety", "width", "height", "opacity")
    }
    layer.setdefault("offsetx", 0)
    layer.setdefault("offsety", 0)
    if kind == "group":
        inner = dicts_of(owner, "layers", raw.get("layers"))
        layer["layers"] = [_layer(owner, one, count, depth + 1) for one in inner]
    elif kind == "objectgroup":
        layer = _objects(owner, layer | {"objects": raw.get("objects")}, count)
    elif kind == "tilelayer":
        _unpack(owner, raw, layer, count)
    elif kind == "imagelayer":
        layer["image"] = ""
    else:
        raise Unreadable(f"{owner}: a layer of type {shortened(kind)} is not known")
    return layer


def _objects(owner: str, layer: dict[str, Any], count: dict[str, int]) -> dict[str, Any]:
    layer = {**PLAIN, "draworder": "topdown", **layer}
    layer["objects"] = [dict(one) for one in dicts_of(owner, "objects", layer.get("objects"))]
    count["objects"] += len(layer["objects"])
    if count["objects"] > MOST_OBJECTS:
        raise Unreadable(f"{owner} has more than {MOST_OBJECTS} objects")
    for number, one in enumerate(layer["objects"]):
        one.setdefault("id", number)
        if "properties" in one:
            one["properties"] = _properties(owner, one["properties"])
        one.setdefault("name", "")
        one.setdefault("visible", True)
        for name in ("x", "y", "width", "height", "rotation"):
            one.setdefault(name, 0)
    return layer


def _properties(owner: str, raw: Any) -> Any:
    """Return properties without colours that are not set, which the parser does not know."""
    if isinstance(raw, dict):
        return raw
    return [one for one in dicts_of(owner, "properties", raw) if (one.get("type"), one.get("value")) != ("color", "")]


def _unpack(owner: str, raw: dict[str, Any], layer: dict[str, Any], count: dict[str, int]) -> None:
    """Put the cells of a layer into it, as lists: of numbers, or of blocks of them."""
    packing = (raw.get("encoding", "csv"), raw.get("compression", ""))
    if "chunks" in raw:
        layer["chunks"] = []
        for chunk in dicts_of(owner, "chunks", raw["chunks"]):
            block = {name: whole_of(owner, name, chunk.get(name), -(10**6), 10**6) for name in ("x", "y")}
            block |= {name: whole_of(owner, name, chunk.get(name), 1, MOST_CELLS) for name in ("width", "height")}
            cells = _cells(owner, chunk.get("data"), packing, block["width"] * block["height"], count)
            layer["chunks"].append(block | {"data": cells})
    else:
        for name in ("width", "height"):
            layer[name] = whole_of(owner, f"{name} of a layer", raw.get(name), 0, MOST_CELLS)
        layer["data"] = _cells(owner, raw.get("data"), packing, layer["width"] * layer["height"], count)


def _cells(owner: str, data: Any, packing: tuple[Any, Any], expected: int, count: dict[str, int]) -> list[int]:
    count["cells"] += expected
    if count["cells"] > MOST_CELLS:
        raise Unreadable(f"{owner} has more than {MOST_CELLS} cells, which is not allowed")
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
