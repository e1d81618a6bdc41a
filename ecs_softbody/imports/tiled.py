"""Tiled: the collision shapes of tiles become outlines, polygons and lines ground, objects bodies."""

from __future__ import annotations

import math
import tempfile
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.elementary.rows import turned
from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.found import Found, Imported, Place
from ecs_softbody.imports.grid import boxes_of, places_of
from ecs_softbody.imports.maps.tile_objects import NUMBER, flipped, is_full, picture_corners, placed_shape, with_picture
from ecs_softbody.imports.maps.tile_pictures import LayerOfTiles, Sheet, TilePictures
from ecs_softbody.imports.maps.tiled_raw import prepare
from ecs_softbody.imports.reading import number_of, opened, package, shortened
from ecs_softbody.imports.things import (
    MOST_ENTITIES,
    MOST_POINTS,
    Thing,
    ellipse_points,
    found_of,
    is_known,
    merged,
    polygon_of,
)
from ecs_softbody.rendering import Layer
from ecs_softbody.validation import check_number

MOST_SHAPES = 20_000
"""Collision shapes of tiles that are no full squares, at most."""


def tiled(source: Any, *, tile: float = 1.0) -> Imported:
    """Return what a map of the editor Tiled holds: orthogonal, in its JSON format (.tmj).

    The collision shapes of tiles are merged into outlines; a tile without one is solid where its layer has the class
    `solid` or the property `solid`. Objects without a class are ground: polygons, rectangles and ellipses as areas,
    polylines as lines. The class of an object can be `ground`, `sensor`, `body`, `blob`, `ball`, `box`, `cloth` or
    `rope`; its properties are options of that. Points, and objects of any other class, become places.

    Args:
        source: the file.
        tile: width of a tile [m]; the lower left corner of the map is at (0, 0).

    Raises:
        ValueError: where there is no such file, or it is no map; the message says what is wrong.
        RuntimeError: without the extra `import`.
    """
    tile = check_number("tiled", "tile", tile, above=0.0)
    parser = package("pytiled_parser")
    package("shapely")
    with opened("tiled", source, above=1) as path:  # tilesets and pictures of many maps lie beside the folder of maps
        budget = Budget(f"tiled: {path.name}")
        with tempfile.TemporaryDirectory() as folder:
            prepared, sheets = prepare(path, Path(folder), budget)
            parsed = parser.parse_map(prepared)
        return _Map(path, parsed, tile, sheets, budget).imported()


@dataclass
class _Shapes:
    """The shapes of one tile: corners [px, y down, from its upper left corner], each with its properties."""

    size: tuple[float, float]
    polygons: list[tuple[Floats, dict[str, Any]]] = field(default_factory=list)


class _Map:
    """A map as it is read."""

    def __init__(self, path: Path, parsed: Any, tile: float, sheets: list[Sheet], budget: Budget) -> None:
        self.path, self.parsed, self.budget, self.owner = path, parsed, budget, budget.owner
        self.firsts = sorted(parsed.tilesets)
        self.scale = tile / float(parsed.tile_size.width)
        self.cell = (float(parsed.tile_size.width), float(parsed.tile_size.height))
        self.height = float(parsed.map_size.height) * self.cell[1]
        self.entities: list[Found] = []
        self.places: list[Place] = []
        self.notes: list[str] = []
        self.tiles: dict[int, _Shapes | None] = {}
        self.solid: dict[str, tuple[dict[str, Any], list[Any]]] = {}
        self.shape_count = 0
        self.pictures = TilePictures(self.owner, sheets, self.scale, self.budget)
        self.drawn: list[LayerOfTiles] = []
        self.objects_seen, self.depth = False, 0
        self.blocks: list[Floats] = []  # corners [m] of the blocks of an infinite map that have tiles

    def imported(self) -> Imported:
        """Return everything."""
        self._layers(self.parsed.layers or [], (0.0, 0.0))
        ground = []
        for properties, polygons in self.solid.values():
            for polygon in merged(self.owner, polygons):
                points = np.asarray(polygon.exterior.coords)[:-1]
                clear = {"opacity": 0.0} if self.drawn and properties.get("opacity") is None else {}
                look = clear if "fill" not in properties and "picture" not in properties else {}
                options = {**properties, **look}
                ground += found_of(
                    Thing(self.owner, self.path, "", "", points, polygon, properties=options), self.budget
                )
        if len(ground) + len(self.entities) > MOST_ENTITIES:
            raise Unreadable(f"{self.owner} makes more than {MOST_ENTITIES} entities")
        shown = self.pictures.made(self.drawn, NUMBER, flipped)
        tiles = [Found(name, "tiles", (component,)) for name, component in shown]
        right = float(self.parsed.map_size.width) * self.cell[0] * self.scale
        bounds = (0.0, 0.0, right, self.height * self.scale)
        if self.blocks:
            corners = np.concatenate(self.blocks)
            bounds = (*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist())
        return Imported(ground + self.entities + tiles, self.places, self.notes, bounds)

    def _metres(self, pixels: Floats) -> Floats:
        metres: Floats = (pixels - np.array((0.0, self.height))) * (self.scale, -self.scale)
        return metres

    def _layers(self, layers: list[Any], offset: tuple[float, float]) -> None:
        for layer in layers:
            here = (
                offset[0] + number_of(self.owner, "offsetx", layer.offset.x),
                offset[1] + number_of(self.owner, "offsety", layer.offset.y),
            )
            if hasattr(layer, "layers"):
                self._layers(layer.layers or [], here)
            elif hasattr(layer, "tiled_objects"):
                self.objects_seen = self.objects_seen or bool(layer.tiled_objects)
                for one in layer.tiled_objects:
                    self._object(one, np.array(here))
            elif hasattr(layer, "chunks") or hasattr(layer, "data"):
                self._cells(layer, here)
            else:
                self.notes.append(f"layer {shortened(layer.name)} is a picture, which is left out")

    def _cells(self, layer: Any, offset: tuple[float, float]) -> None:
        """Collect the solid shapes of a layer of tiles."""
        filled = layer.class_ == "solid" or (layer.properties or {}).get("solid") is True
        before = sum(len(polygons) for _, polygons in self.solid.values())
        blocks = [(0, 0, layer.data)] if layer.data else []
        blocks += [(int(one.coordinates.x), int(one.coordinates.y), one.data) for one in layer.chunks or []]
        any_tile = False
        self.depth += 1
        for column, row, rows in blocks:
            full_rows = [line for line in rows if line]
            if not full_rows:
                continue
            cells = np.array(full_rows, np.int64).reshape(len(full_rows), -1)
            any_tile = any_tile or bool(cells.any())
            low = np.array((column * self.cell[0] + offset[0], row * self.cell[1] + offset[1]))
            if layer.chunks and cells.any():
                used = np.argwhere(cells > 0)[:, ::-1]
                ends = np.array((used.min(axis=0), used.max(axis=0) + 1))
                self.blocks.append(self._metres(low + ends * self.cell))
            self._draw(layer, cells, low)
            full = self._block(cells, low, filled)
            corner = self._metres(low + np.array((0.0, len(cells) * self.cell[1])))
            self._add({}, boxes_of(full[::-1], corner, np.array(self.cell) * self.scale, self.budget))
        if any_tile and before == sum(len(polygons) for _, polygons in self.solid.values()):
            self.notes.append(
                f"layer {shortened(layer.name)}: no tile of it has a collision shape; give it the property solid = "
                "true to make all of them solid"
            )

    def _draw(self, layer: Any, cells: Any, low: Floats) -> None:
        """Remember the tiles of a block for their pictures; layers above objects are in front of bodies."""
        places = np.argwhere(cells > 0)
        if not layer.visible or not self.pictures.any_of(np.unique(cells[cells > 0] & NUMBER).tolist()):
            return
        at = self._metres(low + (places[:, ::-1] + (0.0, 1.0)) * self.cell)
        base = Layer.EYES if self.objects_seen else Layer.FAR + 6
        opacity = min(max(number_of(self.owner, "opacity", layer.opacity), 0.0), 1.0)
        self.drawn.append(LayerOfTiles(str(layer.name or ""), cells[cells > 0], at, base + min(self.depth, 4), opacity))

    def _block(self, cells: Any, low: Floats, filled: bool) -> Any:
        """Add the shapes of a block of tiles (rows, columns) that are no full cells; return which cells are full."""
        full = np.zeros(cells.shape, np.bool_)
        for gid, places in places_of(cells, self.budget):
            shapes = self._tile(gid & NUMBER)
            if shapes is None or not shapes.polygons:
                full[places[:, 0], places[:, 1]] |= filled
                continue
            for corners, properties in shapes.polygons:
                turned = flipped(corners, gid, shapes.size)
                shift = self.pictures.offset(gid & NUMBER)
                if not properties and is_full(turned, self.cell) and not shift.any():
                    full[places[:, 0], places[:, 1]] = True
                    continue
                self.shape_count += len(places)
                self.budget.spend("pieces", len(places))
                self.budget.spend("corners", len(places) * max(len(corners) - 4, 0))
                if self.shape_count > MOST_SHAPES:
                    raise Unreadable(f"{self.owner} has more than {MOST_SHAPES} shapes in its tiles")
                at = low + places[:, ::-1] * self.cell + shift + (0.0, self.cell[1] - shapes.size[1])
                made = [polygon_of(self.owner, self._metres(turned + one), self.budget) for one in at]
                self._add(properties, [one for one in made if one is not None])
        return full

    def _add(self, properties: dict[str, Any], polygons: list[Any]) -> None:
        key = repr(sorted(properties.items()))
        self.solid.setdefault(key, (properties, []))[1].extend(polygons)

    def _tile_of(self, gid: int) -> Any:
        """Return what the tileset says of a tile, or None."""
        first = self._first_of(gid)
        return (self.parsed.tilesets[first].tiles or {}).get(gid - first) if first else None

    def _first_of(self, gid: int) -> int:
        """Return the number of the first tile in the tileset of a tile, or 0 where it is in none."""
        place = bisect_right(self.firsts, gid)
        return self.firsts[place - 1] if place else 0

    def _tile(self, gid: int) -> _Shapes | None:
        """Return the collision shapes of a tile."""
        if gid not in self.tiles:
            self.tiles[gid] = None
            if first := self._first_of(gid):
                tileset = self.parsed.tilesets[first]
                shapes = _Shapes((float(tileset.tile_width), float(tileset.tile_height)))
                found = self._tile_of(gid)
                for one in getattr(getattr(found, "objects", None), "tiled_objects", None) or []:
                    points, closed = self._points(one)
                    if closed and len(points) >= 3 and one.class_ in ("", "ground", "solid", "wall"):
                        shapes.polygons.append((points, self._properties(one)))
                    else:
                        self.notes.append(f"tile {gid}: a shape of it is no area, or of class {shortened(one.class_)}")
                self.tiles[gid] = shapes
        return self.tiles[gid]

    def _points(self, one: Any) -> tuple[Floats, bool]:
        """Return the corners of an object [px, y down], and whether they are closed."""
        owner = self._name(one)
        x, y = (number_of(owner, name, value) for name, value in (("x", one.coordinates.x), ("y", one.coordinates.y)))
        width = number_of(owner, "width", one.size.width)
        height = number_of(owner, "height", one.size.height)
        kind, closed = type(one).__name__, True
        if kind in ("Polygon", "Polyline"):
            if len(one.points) > MOST_POINTS:
                raise Unreadable(f"{owner} has more than {MOST_POINTS} points")
            points = np.array([[number_of(owner, "a point", part) for part in point[:2]] for point in one.points])
            points = points.reshape(-1, 2)
            closed = kind == "Polygon"
        elif kind == "Ellipse":
            points = ellipse_points(np.zeros(2), np.array((width, height)))
        else:
            top = -height if kind == "Tile" else 0.0
            points = np.array(((0.0, top), (width, top), (width, top + height), (0.0, top + height)))
        angle = math.radians(number_of(owner, "rotation", one.rotation))
        return turned(points, angle) + np.array((x, y)), closed

    def _object(self, one: Any, offset: Floats) -> None:
        owner, kind, name = self._name(one), str(one.class_ or ""), str(one.name or "")
        shape = type(one).__name__
        points, closed = self._points(one)
        points = self._metres(points + offset)
        if shape == "Text":
            self.notes.append(f"{owner} is text, which is left out")
            return
        properties, picture, gid = self._properties(one), None, 0
        if shape == "Tile":
            gid, tile = one.gid, self._tile_of(one.gid & NUMBER)
            kind = kind or str(getattr(tile, "class_", "") or "")
            properties = self._properties(tile) | properties
            picture = self.pictures.texture(gid)
        flat = closed and float(np.ptp(points, axis=0).max()) <= 0.0
        if shape == "Point" or flat or not is_known(kind) or (shape == "Tile" and not kind):
            middle, sides = 0.5 * (points.min(axis=0) + points.max(axis=0)), np.ptp(points, axis=0)
            place = (float(middle[0]), float(middle[1])), (float(sides[0]), float(sides[1]))
            self.places.append(Place(name, kind, *place, properties))
            if shape == "Tile" and not kind and not flat:
                self._decoration(one, points)
            return
        polygon = polygon_of(owner, points, self.budget) if closed else None
        if closed and polygon is None:
            self.notes.append(f"{owner} has no area, and is left out")
            return
        angle = -math.radians(float(one.rotation))
        thing = Thing(owner, self.path, name, kind, points, polygon, angle=angle, properties=properties)
        found = found_of(thing, self.budget)
        self.entities += found if "fill" in properties else with_picture(found, picture, angle)
        if len(self.entities) > MOST_ENTITIES:
            raise Unreadable(f"{self.owner} makes more than {MOST_ENTITIES} entities")

    def _decoration(self, one: Any, points: Floats) -> None:
        """Draw a tile that is an object without a class, and make ground of its collision shapes."""
        gid, number = one.gid, one.gid & NUMBER
        if self.pictures.picture(number) is not None and getattr(one, "visible", True):
            corners, layer = picture_corners(points, gid)[None], Layer.FAR + 6 + min(self.depth, 4)
            self.drawn.append(LayerOfTiles(str(one.name or ""), np.array([number]), corners[:, 0], layer, 1.0, corners))
        if (shapes := self._tile(number)) is None:
            return
        for corners, properties in shapes.polygons:
            self.budget.spend("pieces")
            self.budget.spend("corners", max(len(corners) - 4, 0))
            polygon = polygon_of(self._name(one), placed_shape(corners, shapes.size, points, gid), self.budget)
            self._add(properties, [polygon] if polygon is not None else [])

    def _name(self, one: Any) -> str:
        name = f" {shortened(one.name)}" if one.name else ""
        return f"{self.owner}, object{name} {shortened(one.id)}"

    def _properties(self, one: Any) -> dict[str, Any]:
        """Return properties in plain types; colours are (red, green, blue, opacity)."""
        found = {}
        for name, value in (getattr(one, "properties", None) or {}).items():
            plain = tuple(value) if isinstance(value, tuple) else str(value) if isinstance(value, Path) else value
            found[str(name)] = plain
        return found
