"""Tiled maps as plain tables: known keys only, checked and counted, with templates and tilesets
resolved.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np

from ecs_softbody.imports.budget import Budget, Missing, Unreadable
from ecs_softbody.imports.maps.sheets import Sheet, sheet_of, tiles_of
from ecs_softbody.imports.maps.tile_objects import NUMBER
from ecs_softbody.imports.maps.tiled_cells import LARGEST_GID, MOST_CELLS, Cells
from ecs_softbody.imports.maps.tiled_xml import map_of, template_of, tileset_of
from ecs_softbody.imports.maps.words import Notes
from ecs_softbody.imports.reading import (
    beside,
    dicts_of,
    json_in,
    number_of,
    shortened,
    text_of,
    whole_of,
    xml_of,
)
from ecs_softbody.imports.things import colour_of, is_colour

DEEPEST = 20
"""Limit of groups in groups."""
MOST_LAYERS = 500
"""Limit of the layers of a map."""
MOST_OBJECTS = 20_000
"""Limit of the objects of a map."""
MOST_TEMPLATES = 200
"""Limit of the templates that a map names."""
MOST_ELEMENTS = 300_000
"""Of a map, tileset or template in XML."""
MOST_POINTS = 5000
"""Limit of the corners of one object."""
FIRST_OF_TEMPLATES = 0x08000000
"""First tile number of tilesets that only templates reference."""
NUMBERS = ("x", "y", "width", "height", "rotation")
"""Fields of an object that are numbers, 0 if they are missing."""
SHAPES = ("ellipse", "point", "capsule", "text")
"""Flags of the shapes of objects; without one an object is a rectangle."""
OTHER_FILES = {"tileset": "a tileset", "template": "a template", "world": "a world"}
"""Types of files of Tiled that are no maps, for messages."""


def prepare(path: Path, budget: Budget, notes: Notes) -> tuple[dict[str, Any], list[Sheet]]:
    """Return a map with everything it needs, and where its pictures are.

    Raises:
        ValueError: if it is no map, too large, or of a kind that is not supported.
    """
    owner = budget.owner
    raw, _ = _table_of(owner, path, budget, map_of)
    if raw.get("type", "map") != "map" or "layers" not in raw:
        what = OTHER_FILES.get(text_in(raw.get("type")), "")
        why = f"it is {what}; expected a map that uses it" if what else "it has no layers"
        raise Unreadable(f"{owner} is no map of Tiled: {why}")
    if raw.get("orientation", "orthogonal") != "orthogonal":
        raise Unreadable(
            f"{owner} is {shortened(raw.get('orientation'))}; expected an orthogonal map"
        )
    made: dict[str, Any] = {
        name: whole_of(owner, name, raw.get(name, 0), 0, MOST_CELLS) for name in ("width", "height")
    }
    made |= {
        name: whole_of(owner, name, raw.get(name), 1, 65536) for name in ("tilewidth", "tileheight")
    }
    made["infinite"] = bool(raw.get("infinite"))
    shared = _Shared(path.parent, budget, notes, Cells(owner, budget, endless=made["infinite"]))
    reader = _Reader(owner, path, shared)
    missing: dict[int, Missing] = {}
    for tileset in dicts_of(owner, "tilesets", raw.get("tilesets")):
        first = whole_of(owner, "firstgid", tileset.get("firstgid"), 1, LARGEST_GID)
        # A missing file matters only if its tiles are used, which the layers tell.
        try:
            reader.use_tileset(tileset, first)
        except Missing as error:
            missing[first] = error
    made["layers"] = [reader.layer(layer, 0) for layer in dicts_of(owner, "layers", raw["layers"])]
    if missing:
        _leave_out(missing, shared, set(_gids(made["layers"])))
    made["properties"] = reader.properties(raw)
    made["tilesets"] = shared.tilesets
    fits = all(sheet.size == (made["tilewidth"], made["tileheight"]) for sheet in shared.sheets)
    # The order of rendering has no effect if no tile lies over another.
    notes.keys("map", "the map", raw if not fits else {**raw, "renderorder": None})
    return made, shared.sheets


def _leave_out(missing: dict[int, Missing], shared: _Shared, gids: set[int]) -> None:
    """Note the unused missing tilesets; raise the error of the first one with used tiles."""
    firsts = sorted({*missing, *shared.tilesets})
    used = {firsts[bisect_right(firsts, gid) - 1] for gid in gids if gid >= firsts[0]}
    for first, error in sorted(missing.items()):
        if first in used:
            raise error
        file = error.owner.removeprefix("tiled: ")
        shared.notes.say(f"{file}: {error.said}: a tileset of which no tile is used is left out")


def _gids(layers: list[dict[str, Any]]) -> Iterator[int]:
    """Yield the numbers of the tiles that layers use, without their flips."""
    for layer in layers:
        if "cells" in layer:
            yield from np.unique(layer["cells"][1] & NUMBER).tolist()
        yield from (one["gid"] & NUMBER for one in layer.get("objects", ()) if "gid" in one)
        yield from _gids(layer.get("layers", []))


def _table_of(owner: str, path: Path, budget: Budget, of_xml: Any) -> tuple[dict[str, Any], int]:
    """Return the content of a Tiled file, XML or JSON, and its length in characters."""
    text = text_of(owner.partition(":")[0], path)
    if text.lstrip().startswith("<"):
        budget.spend("letters", len(text))
        return of_xml(owner, xml_of(owner, text, MOST_ELEMENTS)), len(text)
    if not text.lstrip().startswith(("{", "[")):
        raise Unreadable(f"{owner} is no file of Tiled: it holds neither XML nor JSON")
    return json_in("tiled", path.name, text, budget), len(text)


@dataclass
class _Shared:
    """Data shared by all files of a map."""

    folder: Path
    """Of the map."""
    budget: Budget
    notes: Notes
    cells: Cells
    count: dict[str, int] = field(default_factory=lambda: {"layers": 0, "objects": 0})
    templates: dict[Path, tuple[dict[str, Any], int]] = field(default_factory=dict)
    """The objects of templates, and how long their files are."""
    tilesets: dict[int, dict[str, Any]] = field(default_factory=dict)
    """By the number of their first tile."""
    sheets: list[Sheet] = field(default_factory=list)
    firsts: dict[Path, int] = field(default_factory=dict)
    """Numbers of the first tiles of tilesets that have files."""


@dataclass
class _Reader:
    """Reads the known keys of one file, checked and counted."""

    owner: str
    path: Path
    shared: _Shared

    def use_tileset(self, raw: dict[str, Any], first: int) -> None:
        """Register a tileset of the map or of a template."""
        name = f", tileset {shortened(raw['name'])}" if raw.get("name") else ""
        by = _Reader(f"{self.owner}{name}", self.path, self.shared)
        found = raw
        if "source" in raw:
            path = beside("tiled", self.path, raw["source"])
            by = _Reader(f"tiled: {path.name}", path, self.shared)
            found, _ = _table_of(by.owner, path, self.shared.budget, tileset_of)
            self.shared.firsts[path] = first
        self.shared.sheets.append(sheet_of(by.owner, by.path, found, first, self.shared.notes))
        self.shared.tilesets[first] = by._tileset(found)

    def _tileset(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return the sizes of a tileset and its tiles with shapes."""
        self.shared.budget.spend("layers")
        made: dict[str, Any] = {"name": text_in(raw.get("name"))}
        made["alignment"] = text_in(raw.get("objectalignment"))
        for name in ("tilewidth", "tileheight"):
            made[name] = whole_of(self.owner, f"{name} of a tileset", raw.get(name), 0, 65536)
        self.shared.notes.keys("tileset", f"tileset {shortened(raw.get('name', ''))}", raw)
        found = [self._tile(tile) for tile in tiles_of(self.owner, raw)]
        return made | {"tiles": {tile["id"]: tile for tile in found}}

    def _tile(self, tile: dict[str, Any]) -> dict[str, Any]:
        self.shared.budget.spend("tiles")
        made: dict[str, Any] = {
            "id": whole_of(self.owner, "id of a tile", tile.get("id"), 0, LARGEST_GID)
        }
        made |= {
            "class": _class_of(tile),
            "properties": self.properties(tile),
            "objects": [],
            "raw": tile,
        }
        if "objectgroup" in tile:
            group = tile["objectgroup"]
            if not isinstance(group, dict):
                raise Unreadable(f"{self.owner}: the objectgroup of a tile is {shortened(group)}")
            made["objects"] = self._objects(group, of_a_tile=True)
        return made

    def layer(self, raw: dict[str, Any], depth: int) -> dict[str, Any]:
        """Return a layer with its cells as arrays."""
        count = self.shared.count
        owner = self.owner
        self.shared.budget.spend("layers")
        count["layers"] += 1
        if depth > DEEPEST or count["layers"] > MOST_LAYERS:
            raise Unreadable(
                f"{owner} has more than {MOST_LAYERS} layers, or groups in groups {DEEPEST} deep"
            )
        kind = raw.get("type")
        name = text_in(raw.get("name"))
        where = f"layer {shortened(name)}"
        self.shared.notes.keys("layer", where, raw)
        made: dict[str, Any] = {"type": kind, "name": name, "class": text_in(raw.get("class"))}
        in_layer = f"{owner}, {where}"
        made |= {
            name: number_of(in_layer, name, raw.get(name), default=0.0)
            for name in ("offsetx", "offsety")
        }
        made["opacity"] = min(
            max(number_of(in_layer, "opacity", raw.get("opacity"), default=1.0), 0.0), 1.0
        )
        made["visible"] = bool(raw.get("visible", True))
        made["properties"] = self.properties(raw)
        if kind == "group":
            inner = dicts_of(owner, "layers", raw.get("layers"))
            made["layers"] = [self.layer(one, depth + 1) for one in inner]
        elif kind == "objectgroup":
            made["objects"] = self._objects(raw)
            made["draworder"] = raw.get("draworder", "topdown")
        elif kind == "tilelayer":
            made["cells"] = self.shared.cells.used(raw)
        return made

    def _objects(self, group: dict[str, Any], *, of_a_tile: bool = False) -> list[dict[str, Any]]:
        """Return the objects of a layer, or the shapes of a tile."""
        found = dicts_of(self.owner, "objects", group.get("objects"))
        count = self.shared.count
        count["objects"] += len(found)
        if count["objects"] > MOST_OBJECTS:
            raise Unreadable(f"{self.owner} has more than {MOST_OBJECTS} objects")
        return [self._object(one, of_a_tile=of_a_tile) for one in found]

    def _object(self, own: dict[str, Any], *, of_a_tile: bool) -> dict[str, Any]:
        """Return an object merged with its template, known keys only."""
        owner = self.owner
        budget = self.shared.budget
        raw = own
        said = self.properties(own)
        if own.get("template") is not None:
            template = self._template(own["template"])
            # The object and its template may be of different versions of Tiled.
            if own.keys() & {"class", "type"}:
                template = {
                    key: value for key, value in template.items() if key not in ("class", "type")
                }
            raw = {**template, **own}
            said = {**template["properties"], **said}
        budget.spend("objects")
        made: dict[str, Any] = {
            "id": raw.get("id"),
            "name": text_in(raw.get("name")),
            "class": _class_of(raw),
        }
        made["visible"] = bool(raw.get("visible", True))
        where = f"{owner}, {name_of_object(made)}"
        made |= {name: number_of(where, name, raw.get(name), default=0.0) for name in NUMBERS}
        made["shape"] = next((shape for shape in SHAPES if raw.get(shape)), "rectangle")
        if raw.get("gid"):  # its place is its lower left corner
            made["shape"] = "tile"
            made |= {} if of_a_tile else {"gid": whole_of(where, "gid", raw["gid"], 0, LARGEST_GID)}
        for name in ("polygon", "polyline"):
            corners = dicts_of(where, name, raw.get(name))
            if len(corners) > MOST_POINTS:
                raise Unreadable(f"{where} has more than {MOST_POINTS} points")
            budget.spend("points", len(corners))
            if corners:
                points = [
                    [number_of(where, axis, one.get(axis)) for axis in ("x", "y")]
                    for one in corners
                ]
                made |= {"shape": name, "points": np.array(points)}
        made["properties"] = said
        if made["shape"] == "text":
            words = raw["text"].get("text") if isinstance(raw["text"], dict) else raw["text"]
            made["properties"] = {"text": text_in(words), **made["properties"]}
        self.shared.notes.keys("object", f"object {shortened(made['name'] or made['id'])}", raw)
        return made

    def _template(self, name: Any) -> dict[str, Any]:
        """Return the object of a template, without its number and position.

        Each use costs the length of its file.
        """
        templates = self.shared.templates
        budget = self.shared.budget
        found = beside("tiled", self.path, name)
        if found not in templates:
            if len(templates) >= MOST_TEMPLATES:
                raise Unreadable(f"{self.owner} names more than {MOST_TEMPLATES} templates")
            by = _Reader(f"tiled: {found.name}", found, self.shared)
            raw, length = _table_of(by.owner, found, budget, template_of)
            one = raw.get("object")
            if not isinstance(one, dict):
                raise Unreadable(f"{by.owner} is no template of Tiled: it has no object")
            kept = {
                key: value for key, value in one.items() if key not in ("id", "x", "y", "template")
            }
            kept["properties"] = by.properties(one)
            if kept.get("gid") and isinstance(raw.get("tileset"), dict):
                kept["gid"] = by._gid_in_map(kept["gid"], raw["tileset"])
            templates[found] = (kept, length)
        budget.spend("letters", templates[found][1])
        return templates[found][0]

    def _gid_in_map(self, gid: Any, tileset: dict[str, Any]) -> int:
        """Return the number in the map of a tile in the tileset of a template, which the map may
        not have yet.
        """
        shared = self.shared
        number = whole_of(self.owner, "gid", gid, 0, LARGEST_GID)
        first = whole_of(self.owner, "firstgid", tileset.get("firstgid", 1), 1, LARGEST_GID)
        path = beside("tiled", self.path, tileset.get("source"))
        if path not in shared.firsts:
            self.use_tileset(tileset, FIRST_OF_TEMPLATES + len(shared.firsts) * 65536)
        flips = number & ~NUMBER
        return flips | (shared.firsts[path] + max((number & NUMBER) - first, 0))

    def properties(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return properties by their names, in plain types; colours that are not set
        are left out.
        """
        given = raw.get("properties")
        if isinstance(given, dict):  # as Tiled before 1.2 wrote them
            self.shared.budget.spend("values", len(given))
            kinds = raw.get("propertytypes")
            kinds = kinds if isinstance(kinds, dict) else {}
            given = [
                {"name": str(name), "type": kinds.get(name), "value": value}
                for name, value in given.items()
            ]
        known = dicts_of(self.owner, "properties", given)
        self.shared.budget.spend("values", len(known))
        return {
            text_in(one.get("name")): self._beside_map(one.get("value"))
            if one.get("type") == "file"
            else _plain(one.get("type"), one.get("value"))
            for one in known
            if (one.get("type"), one.get("value")) != ("color", "")
        }

    def _beside_map(self, name: Any) -> Any:
        """Convert a file name relative to a tileset or template to one relative to the map."""
        folder = self.shared.folder
        if (
            self.path.parent == folder
            or not isinstance(name, str)
            or not name
            or PureWindowsPath(name).anchor
        ):
            return name
        self.shared.budget.spend("values", 15)
        return Path(os.path.relpath(self.path.parent / name, folder)).as_posix()


def _plain(kind: Any, value: Any) -> Any:
    """Return the value of a property: colours as (red, green, blue, opacity), lists without the
    types in them.
    """
    if kind == "color" and isinstance(value, str) and is_colour(value):
        return (*colour_of("tiled", value), 255)[:4]
    if isinstance(value, dict):
        return {name: _plain(None, one) for name, one in value.items()}
    if isinstance(value, list):
        entries = (
            one["value"] if isinstance(one, dict) and {*one} >= {"type", "value"} else one
            for one in value
        )
        return [_plain(None, one) for one in entries]
    return value


def _class_of(raw: dict[str, Any]) -> str:
    """Return the class of an object or a tile: in files of Tiled 1.9 it is `class`, before and
    after that `type`.
    """
    return text_in(raw.get("class") or raw.get("type"))


def name_of_object(one: dict[str, Any]) -> str:
    """Return the name of an object in messages."""
    said = (shortened(part) for part in (one["name"] or None, one["id"]) if part is not None)
    return " ".join(("object", *said))


def text_in(value: Any) -> str:
    """Return a text of a file; other values are shortened texts."""
    return value if isinstance(value, str) else "" if value is None else shortened(value)
