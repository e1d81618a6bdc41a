"""LDtk: grids of whole numbers become ground, entities bodies and places."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from ecs_softbody.errors import FieldError
from ecs_softbody.imports.budget import SEVERAL_MAPS, Budget, Unreadable
from ecs_softbody.imports.found import Found, Imported, Place
from ecs_softbody.imports.grid import from_below, outlines_of
from ecs_softbody.imports.maps.materials import Materials
from ecs_softbody.imports.maps.tiled_cells import MOST_CELLS
from ecs_softbody.imports.maps.tiled_raw import MOST_LAYERS
from ecs_softbody.imports.maps.words import Notes
from ecs_softbody.imports.options import options_of, sorted_out
from ecs_softbody.imports.reading import (
    beside,
    dicts_of,
    json_of,
    list_of,
    number_of,
    opened,
    package,
    shortened,
    whole_of,
)
from ecs_softbody.imports.things import (
    MOST_ENTITIES,
    Thing,
    ellipse_points,
    found_of,
    is_known,
    polygon_of,
)
from ecs_softbody.indices import argwhere
from ecs_softbody.validation import check_number, is_whole

MOST_LEVELS = 200
"""Limit of the levels of a project."""
APART = 64.0
"""Between one world and the next, which lie side by side [px]."""
ROUND = ("blob", "ball")
"""Names of entities that become an ellipse in their box."""
KINDS = ("blob", "ball", "box", "cloth", "body", "ground", "sensor", "solid", "wall")
"""Names of entities that become something; LDtk has no lines, so none is a rope."""
OLDEST = (0, 7)
"""Version of LDtk whose files are read."""


def ldtk(
    source: Any,
    *,
    level: str | int | None = None,
    tile: float = 1.0,
    solid: tuple[int | str, ...] | None = None,
) -> Imported:
    """Import an LDtk project (.ldtk, .json) or a separate level file (.ldtkl).

    The cells of IntGrid layers are merged into outlines. An entity named `blob`, `ball`, `box`,
    `cloth`, `body`, `ground` or `sensor`, in any case, becomes one, with its fields as options; all
    others become places. If levels have several depths, only the levels of depth 0 are imported;
    several worlds are placed side by side.

    Args:
        source: the file.
        level: name or number of a level, at any depth; None: all of depth 0, where they lie in the
            world.
        tile: width of a cell of the first IntGrid layer [m].
        solid: which values of an IntGrid are solid, by number or name; None: all but 0.

    Raises:
        ValueError: if there is no such file or level, or it is no project; the message names the
            error.
        RuntimeError: without the extra `import`.
    """
    tile = check_number("ldtk", "tile", tile, above=0.0)
    if solid is not None and not (
        isinstance(solid, tuple | list) and all(is_whole(s) or isinstance(s, str) for s in solid)
    ):
        raise FieldError("ldtk", "solid", solid, "numbers or names of values")
    package("shapely")
    with opened("ldtk", source) as path:
        budget = Budget(f"ldtk: {path.name}", SEVERAL_MAPS)
        raw = json_of("ldtk", path, budget)
        notes = Notes()
        levels = _levels(raw, budget)
        if "levels" in raw:
            notes.keys("ldtk project", "the project", raw)
        if level is not None:
            names = [str(one.get("identifier")) for one in levels]
            chosen = names.index(level) if level in names else level if is_whole(level) else -1
            if not 0 <= chosen < len(levels):
                raise Unreadable(
                    f"ldtk.level: {level!r} is not allowed; expected one of {', '.join(names)}"
                )
            levels = [levels[chosen]]
        else:
            levels = _at_one_depth(owner=budget.owner, levels=levels, notes=notes)
            if (count := len({one["world"] for one in levels})) > 1:
                notes.say(f"it has {count} worlds, which lie side by side here")
        levels = [_whole(path, one, budget) for one in levels]
        return _Project(path, budget, raw, levels, solid, tile, notes).imported()


def _check_version(owner: str, raw: dict[str, Any]) -> None:
    """Raise ValueError for a file of an LDtk that wrote other keys."""
    said = str(raw.get("jsonVersion", "1.0.0"))[:20]
    numbers = [int(part) for part in said.split(".")[:2] if part.isdecimal()]
    if len(numbers) == 2 and tuple(numbers) < OLDEST:
        raise Unreadable(
            f"{owner} was saved by LDtk {said}, and files older than 0.7 are not read; open "
            "it in a current LDtk, and "
            "save it there"
        )


def _at_one_depth(owner: str, levels: list[dict[str, Any]], notes: Notes) -> list[dict[str, Any]]:
    """Return the levels of depth 0 or, if there are none, of the depth nearest to 0.

    The others are noted: they lie above and below these levels.
    """
    depths = [
        whole_of(owner, "worldDepth", one.get("worldDepth", 0), -(10**6), 10**6) for one in levels
    ]
    taken = min(depths, key=lambda depth: (abs(depth), depth), default=0)
    others = [
        str(one.get("identifier"))
        for one, depth in zip(levels, depths, strict=True)
        if depth != taken
    ]
    if others:
        named = ", ".join(shortened(name) for name in others[:3]) + (
            ", ..." if len(others) > 3 else ""
        )
        notes.say(
            f"the levels of depth {taken} are taken; {len(others)} of other depths are left "
            f"out ({named}); "
            "ldtk(path, level=...) takes one of them"
        )
    return [one for one, depth in zip(levels, depths, strict=True) if depth == taken]


def _levels(raw: dict[str, Any], budget: Budget) -> list[dict[str, Any]]:
    """Return all levels, each with its place and the number of its world."""
    owner = budget.owner
    if "levels" not in raw and "layerInstances" in raw:
        # This is a level with a file of its own.
        raw = {"levels": [raw]}
    if "levels" not in raw:
        raise Unreadable(f"{owner} is no project of LDtk: it has no levels")
    _check_version(owner, raw)
    worlds = [raw, *dicts_of(owner, "worlds", raw.get("worlds"))]
    budget.spend("layers", len(worlds))
    found = [dicts_of(owner, "levels", world.get("levels")) for world in worlds]
    if sum(map(len, found)) > MOST_LEVELS:
        raise Unreadable(f"{owner} has more than {MOST_LEVELS} levels")
    made: list[dict[str, Any]] = []
    end = None
    for number, (world, levels) in enumerate(zip(worlds, found, strict=True)):
        placed = _placed(owner, levels, world.get("worldLayout"))
        lefts = [number_of(owner, "worldX", one.get("worldX"), default=0.0) for one in placed]
        shift = 0.0 if end is None or not placed else end + APART - min(lefts)
        made += [
            one | {"worldX": left + shift, "world": number}
            for one, left in zip(placed, lefts, strict=True)
        ]
        rights = [left + shift + number_of(owner, "pxWid", one.get("pxWid"), default=0.0)
                  for one, left in zip(placed, lefts, strict=True)]  # fmt: skip
        end = max(rights) if rights else end
    return made


def _whole(path: Path, level: dict[str, Any], budget: Budget) -> dict[str, Any]:
    """Return a level with the content of its external file, at its place in the world."""
    if level.get("layerInstances") is None and level.get("externalRelPath") is not None:
        found = json_of("ldtk", beside("ldtk", path, level["externalRelPath"]), budget)
        return found | {key: level[key] for key in ("worldX", "worldY") if key in level}
    return level


def _placed(owner: str, levels: list[dict[str, Any]], layout: Any) -> list[dict[str, Any]]:
    """Give the levels of a row, or of a column, their places in the world: LDtk writes none for
    these.
    """
    if layout not in ("LinearHorizontal", "LinearVertical"):
        return levels
    along = "worldX"
    across = "worldY"
    size = "pxWid"
    if layout == "LinearVertical":
        along = "worldY"
        across = "worldX"
        size = "pxHei"
    made = []
    at = 0.0
    for one in levels:
        made.append(one | {along: at, across: 0.0})
        at += number_of(owner, size, one.get(size))
    return made


class _Project:
    """A project while it is read."""

    def __init__(
        self,
        path: Path,
        budget: Budget,
        raw: dict[str, Any],
        levels: list[dict[str, Any]],
        solid: Any,
        tile: float,
        notes: Notes,
    ) -> None:
        self.path = path
        self.budget = budget
        self.levels = levels
        self.solid = solid
        self.tile = tile
        self.owner = budget.owner
        self.words = _words(self.owner, raw)
        self.kinds = {
            one["uid"]: one
            for one in _definitions(self.owner, raw, "entities")
            if is_whole(one.get("uid"))
        }
        """Definitions of entities, as defaults for their own keys, which are missing before LDtk
        0.8.
        """
        for one in _definitions(self.owner, raw, "layers"):
            notes.keys("ldtk definition", f"layer {shortened(one.get('identifier'))}", one)
        self.entities: list[Found] = []
        self.places: list[Place] = []
        self.notes = notes
        self.ground = Materials(path, budget)
        self.cells = 0

    def imported(self) -> Imported:
        """Return the imported project."""
        if not self.levels:
            return Imported([], notes=[*self.notes.all(), "it has no levels"])
        for one in self.levels:
            self._level(one)
        layers = [one for level in self.levels for one in self._layers(level)]
        if len(layers) > MOST_LAYERS * len(self.levels):
            raise Unreadable(f"{self.owner} has more than {MOST_LAYERS} layers in a level")
        grids = (
            [one for one in layers if one.get("__type") == "IntGrid"]
            or layers
            or [{"__gridSize": 16}]
        )
        pixels = whole_of(self.owner, "__gridSize", grids[0].get("__gridSize"), 1, 65536)
        scale = self.tile / pixels
        boxes = []
        for level in self.levels:
            x, y = (
                number_of(self.owner, name, level.get(name), default=0.0)
                for name in ("worldX", "worldY")
            )
            wide, high = (
                number_of(self.owner, name, level.get(name)) for name in ("pxWid", "pxHei")
            )
            boxes.append((x, y, x + wide, y + high))
        box = np.array(boxes)
        low = np.array((box[:, 0].min(), box[:, 3].max()))
        for level, (left, top, _, _) in zip(self.levels, boxes, strict=True):
            for layer in self._layers(level):
                self._layer(layer, np.array((left, top)), low, scale)
        ground = []
        for look, polygon in self.ground.made():
            points = np.asarray(polygon.exterior.coords)[:-1]
            ground += found_of(
                Thing(self.owner, self.path, "", "", points, polygon, properties=look), self.budget
            )
        if len(ground) + len(self.entities) > MOST_ENTITIES:
            raise Unreadable(f"{self.owner} makes more than {MOST_ENTITIES} entities")
        if not ground and not self.entities and not self.places:
            self.notes.say("there is nothing in it: no cell that is solid, and no entity")
        right = float(box[:, 2].max() - low[0]) * scale
        top = float(low[1] - box[:, 1].min()) * scale
        bounds = (0.0, 0.0, right, top)
        return Imported(
            ground + self.entities, self.places, self.notes.all(), bounds, self.notes.properties
        )

    def _level(self, level: dict[str, Any]) -> None:
        """Keep the fields of a level, and note its ignored keys."""
        name = f"level {shortened(level.get('identifier'))}"
        self.notes.keys("ldtk level", name, level)
        if fields := self._fields(level):
            self.notes.properties[f"level {level.get('identifier')}"] = fields
        if level.get("layerInstances") is None:
            self.notes.say(f"{name} has no layers")

    def _fields(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of a level or an entity that are set."""
        return {
            str(field.get("__identifier", "")): field.get("__value")
            for field in dicts_of(self.owner, "fieldInstances", raw.get("fieldInstances"))
            if field.get("__value") is not None
        }

    def _layers(self, level: dict[str, Any]) -> list[dict[str, Any]]:
        return dicts_of(self.owner, "layerInstances", level.get("layerInstances"))

    def _layer(self, layer: dict[str, Any], corner: Any, low: Any, scale: float) -> None:
        self.budget.spend("layers")
        self.notes.keys("ldtk layer", f"layer {shortened(layer.get('__identifier'))}", layer)
        shift = [
            number_of(self.owner, name, layer.get(name), default=0.0)
            for name in ("__pxTotalOffsetX", "__pxTotalOffsetY")
        ]
        at = corner + np.array(shift)
        opacity = number_of(self.owner, "__opacity", layer.get("__opacity"), default=1.0)
        opacity = min(max(opacity, 0.0), 1.0) if layer.get("visible", True) else 0.0
        look = {"opacity": opacity} if opacity < 1.0 else {}
        if layer.get("__type") == "IntGrid":
            self._grid(layer, at, low, scale, look)
        if layer.get("gridTiles") or layer.get("autoLayerTiles"):
            self.notes.say(
                f"layer {shortened(layer.get('__identifier'))}: the pictures of its tiles are "
                "left out"
            )
        for one in dicts_of(self.owner, "entityInstances", layer.get("entityInstances")):
            self._entity(one, at, low, scale, look)

    def _grid(
        self, layer: dict[str, Any], at: Any, low: Any, scale: float, look: dict[str, Any]
    ) -> None:
        owner = f"{self.owner}, layer {shortened(layer.get('__identifier'))}"
        columns = whole_of(owner, "__cWid", layer.get("__cWid"), 0, MOST_CELLS)
        rows = whole_of(owner, "__cHei", layer.get("__cHei"), 0, MOST_CELLS)
        size = whole_of(owner, "__gridSize", layer.get("__gridSize"), 1, 65536)
        self.cells += rows * columns
        if self.cells > MOST_CELLS:
            raise Unreadable(f"{self.owner} has more than {MOST_CELLS} cells, which is not allowed")
        self.budget.spend("cells", rows * columns)
        values = list_of(owner, "intGridCsv", layer.get("intGridCsv"))
        if "intGridCsv" not in layer:
            values = _cells_of_old(owner, layer, rows * columns)
        if len(values) != rows * columns:
            raise Unreadable(f"{owner}: it has {len(values)} cells; expected {rows * columns}")
        cells = np.array([whole_of(owner, "a cell", one, 0, 10**9) for one in values], np.int64)
        if self.solid is None:
            full = cells > 0
        else:
            names = self.words.get(layer.get("layerDefUid"), {})
            known = sorted({name for words in self.words.values() for name in words})
            if unknown := [one for one in self.solid if isinstance(one, str) and one not in known]:
                raise FieldError("ldtk", "solid", unknown[0], f"one of {', '.join(known)}")
            wanted = [names.get(one, -1) if isinstance(one, str) else one for one in self.solid]
            full = np.isin(cells, wanted)
        corner = (at - low) * (scale, -scale)
        cell = np.array((size, size)) * scale
        self.ground.add_grid(
            look,
            outlines_of(
                from_below(argwhere(full.reshape(rows, columns))), corner, cell, self.budget
            ),
        )

    def _entity(
        self, one: dict[str, Any], at: Any, low: Any, scale: float, look: dict[str, Any]
    ) -> None:
        name = str(one.get("__identifier", ""))
        owner = f"{self.owner}, entity {shortened(name)}"
        if len(self.entities) + len(self.places) >= MOST_ENTITIES:
            raise Unreadable(f"{self.owner} has more than {MOST_ENTITIES} entities")
        self.budget.spend("objects")
        kinds: dict[str, Any] = (
            self.kinds.get(one.get("defUid"), {}) if is_whole(one.get("defUid")) else {}
        )
        px = _pair(owner, "px", one.get("px"))
        pivot = _pair(
            owner, "__pivot", one.get("__pivot", [kinds.get("pivotX", 0), kinds.get("pivotY", 0)])
        )
        size = np.array(
            [
                number_of(owner, side, one.get(side, kinds.get(side)), default=0.0)
                for side in ("width", "height")
            ]
        )
        top_left = at + px - pivot * size
        high = (top_left - low) * (scale, -scale)
        flat = size * scale
        box = np.array(((0.0, -flat[1]), (flat[0], -flat[1]), (flat[0], 0.0), (0.0, 0.0))) + high
        fields = self._fields(one)
        kind = name.lower()
        self.notes.keys("ldtk entity", f"entity {shortened(name)}", one)
        points = ellipse_points(box.min(axis=0), box.max(axis=0)) if kind in ROUND else box
        polygon = (
            polygon_of(owner, points, self.budget)
            if kind in KINDS and float(flat.min()) > 0.0
            else None
        )
        if polygon is None:
            middle = box.mean(axis=0)
            self.places.append(
                Place(
                    name,
                    name,
                    (float(middle[0]), float(middle[1])),
                    (float(flat[0]), float(flat[1])),
                    fields,
                )
            )
            if is_known(kind):
                why = (
                    "it has no area"
                    if kind in KINDS
                    else "LDtk has neither lines nor polygons, which one is made of"
                )
                self.notes.say(f"entity {shortened(name)}: {why}; this is a place", ("place", kind))
            else:
                self.notes.own_class(f"entity {shortened(name)}", kind, KINDS)
            return
        options, others = sorted_out(kind, fields)
        self.notes.own(kind, "", others, options_of(kind))
        made = found_of(
            Thing(owner, self.path, name, kind, points, polygon, properties=look | options),
            self.budget,
        )
        self.entities += [dataclasses.replace(each, properties=others) for each in made]


def _cells_of_old(owner: str, layer: dict[str, Any], count: int) -> list[int]:
    """Return the cells of an LDtk 0.7 layer, which omits empty cells and counts values from 0."""
    found = [0] * count
    for cell in dicts_of(owner, "intGrid", layer.get("intGrid")):
        place = whole_of(owner, "coordId", cell.get("coordId"), 0, max(count - 1, 0))
        found[place : place + 1] = [whole_of(owner, "a cell", cell.get("v"), -1, 10**9 - 1) + 1]
    return found


def _definitions(owner: str, raw: dict[str, Any], what: str) -> list[dict[str, Any]]:
    """Return a project's definitions of layers or entities."""
    defs = raw.get("defs")
    return dicts_of(owner, f"defs.{what}", defs.get(what)) if isinstance(defs, dict) else []


def _words(owner: str, raw: dict[str, Any]) -> dict[Any, dict[str, int]]:
    """Return the names of the values of every IntGrid layer, by the number of its definition."""
    words: dict[Any, dict[str, int]] = {}
    for layer in _definitions(owner, raw, "layers"):
        uid = layer.get("uid")
        if is_whole(uid):
            values = dicts_of(owner, "intGridValues", layer.get("intGridValues"))
            numbered = [(one.get("value", number), one) for number, one in enumerate(values, 1)]
            words[uid] = {
                str(one.get("identifier")): value for value, one in numbered if is_whole(value)
            }
    return words


def _pair(owner: str, name: str, value: Any) -> Any:
    found = list_of(owner, name, value)
    if len(found) != 2:
        raise Unreadable(f"{owner}: {name} is {shortened(value)}; expected two numbers")
    return np.array([number_of(owner, name, one) for one in found])
