"""Tiled: the collision shapes of tiles become outlines, polygons and lines ground,
objects bodies.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.imports.budget import SEVERAL_MAPS, Budget, Unreadable
from ecs_softbody.imports.found import Imported
from ecs_softbody.imports.grid import from_below, outlines_of, places_of
from ecs_softbody.imports.maps.map_objects import MapObjects
from ecs_softbody.imports.maps.materials import CLEAR, Materials, key_of
from ecs_softbody.imports.maps.sheets import Sheet
from ecs_softbody.imports.maps.tile_objects import NUMBER, flipped, is_full, size_in_cell
from ecs_softbody.imports.maps.tile_pictures import LayerOfTiles, TilePictures, as_one
from ecs_softbody.imports.maps.tile_shapes import TileShapes
from ecs_softbody.imports.maps.tiled_raw import prepare
from ecs_softbody.imports.maps.words import Notes
from ecs_softbody.imports.options import material_of, material_options, take_solid
from ecs_softbody.imports.reading import opened, package, shortened
from ecs_softbody.imports.things import MOST_ENTITIES, Thing, found_of, polygon_of
from ecs_softbody.rendering import Layer
from ecs_softbody.validation import check_number

MOST_SHAPES = 20_000
"""Collision shapes of tiles that are no full squares, at most."""
SOLID = ("solid", "ground", "wall")
"""Classes of layers whose tiles, and objects without a class, are solid."""


def tiled(source: Any, *, tile: float = 1.0) -> Imported:
    """Import an orthogonal map of the editor Tiled: .tmx, .tmj or .json.

    The collision shapes of tiles are merged into outlines; a tile without one is solid where its
    layer has the class `solid` or the property `solid`. The class of an object can be `ground`,
    `sensor`, `body`, `blob`, `ball`, `box`, `cloth` or `rope`; its properties are options of that.
    An object with neither class nor name is ground: polygons, rectangles, ellipses and capsules as
    areas, polylines as lines. All others become places.

    Args:
        source: the file.
        tile: width of a tile [m]; the lower left corner of the map is at (0, 0).

    Raises:
        ValueError: if there is no such file, or it is no map; the message names the error.
        RuntimeError: without the extra `import`.
    """
    tile = check_number("tiled", "tile", tile, above=0.0)
    package("shapely")
    # Tilesets and pictures of many maps lie beside the folder of the maps.
    with opened("tiled", source, above=1) as path:
        budget = Budget(f"tiled: {path.name}", SEVERAL_MAPS)
        notes = Notes()
        table, sheets = prepare(path, budget, notes)
        return _Map(path, table, sheets, tile, budget, notes).imported()


_OUTERMOST: dict[str, Any] = {
    "offsetx": 0.0, "offsety": 0.0, "opacity": 1.0, "visible": True, "material": {}, "solid": False,
}  # fmt: skip
"""Defaults of layers without a group."""


class _Map:
    """A map while it is read."""

    def __init__(
        self,
        path: Path,
        table: dict[str, Any],
        sheets: list[Sheet],
        tile: float,
        budget: Budget,
        notes: Notes,
    ) -> None:
        self.path = path
        self.table = table
        self.budget = budget
        self.owner = budget.owner
        self.notes = notes
        self.scale = tile / float(table["tilewidth"])
        self.cell = (float(table["tilewidth"]), float(table["tileheight"]))
        self.height = float(table["height"]) * self.cell[1]
        self.shape_count = 0
        self.pictures = TilePictures(self.owner, sheets, self.scale, budget)
        self.ground = Materials(path, budget)
        self.tiles = TileShapes(table["tilesets"], self.pictures, self.ground, notes)
        self.objects = MapObjects(path, self.tiles, self.ground, budget, self._metres)
        self.drawn: list[LayerOfTiles] = []
        self.depth = 0
        self.without_shapes: list[str] = []  # names of layers of which nothing is solid
        self.blocks: list[Floats] = []  # corners [m] of the areas of layers with tiles

    def imported(self) -> Imported:
        """Return the imported map."""
        notes = self.notes
        notes.own("the map", "map", self.table["properties"], ())
        self._layers(self.table["layers"], _OUTERMOST)
        pictured = bool(self.drawn)
        ground = []
        if pictured:
            self.ground.hide()
        for options, polygon in self.ground.made():
            points = np.asarray(polygon.exterior.coords)[:-1]
            kind = "sensor" if options.get("sensor") is True else ""
            thing = Thing(
                self.owner, self.path, "", kind, points, polygon, properties=dict(options)
            )
            ground += found_of(thing, self.budget)
        entities = ground + self.objects.made(clear=pictured)
        if len(entities) > MOST_ENTITIES:
            raise Unreadable(f"{self.owner} makes more than {MOST_ENTITIES} entities")
        entities += self.pictures.entities(self.drawn)
        self._say_what_is_missing(nothing=not entities and not self.objects.places)
        right = float(self.table["width"]) * self.cell[0] * self.scale
        bounds = (0.0, 0.0, right, self.height * self.scale)
        if self.table["infinite"] and (blocks := self.blocks + self.objects.corners):
            corners = np.concatenate(blocks)
            bounds = (*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist())
        return Imported(entities, self.objects.places, notes.all(), bounds, notes.properties)

    def _say_what_is_missing(self, *, nothing: bool) -> None:
        """Note the layers without solid tiles, and an empty map."""
        if names := self.without_shapes:
            more = f" and {len(names) - 8} more" if len(names) > 8 else ""
            layers = (
                f"layer {names[0]}" if len(names) == 1 else f"layers {', '.join(names[:8])}{more}"
            )
            them = "it" if len(names) == 1 else "them"
            self.notes.say(
                f"{layers}: no tile of {them} has a collision shape; give {them} the property "
                "solid = true to make "
                "all tiles there solid"
            )
        if nothing:
            self.notes.say("there is nothing in it: no solid tile, no object and no picture")

    def _metres(self, pixels: Floats) -> Floats:
        metres: Floats = (pixels - np.array((0.0, self.height))) * (self.scale, -self.scale)
        return metres

    def _layers(self, layers: list[dict[str, Any]], group: dict[str, Any]) -> None:
        """Collect the content of layers; properties of their group are defaults for theirs."""
        for layer in layers:
            here = (group["offsetx"] + layer["offsetx"], group["offsety"] + layer["offsety"])
            layer |= {"offsetx": here[0], "offsety": here[1]}
            layer |= {
                "opacity": group["opacity"] * layer["opacity"],
                "visible": group["visible"] and layer["visible"],
            }
            kind = layer["type"]
            owner = f"{self.owner}, layer {shortened(layer['name'])}"
            own, others = material_of(layer["properties"])
            self.ground.check(owner, own)
            layer["material"] = group["material"] | own
            layer["solid"] = take_solid(
                owner, others, default=group["solid"] or layer["class"].lower() in SOLID
            )
            self.notes.own(
                "layers", f"layer {layer['name']}", others, (*material_options(), "solid")
            )
            if kind == "group":
                self._layers(layer["layers"], layer)
            elif kind == "objectgroup":
                self._objects(layer, here)
            elif kind == "tilelayer":
                self._cells(layer, here)
            else:
                what = "a picture" if kind == "imagelayer" else f"of the type {shortened(kind)}"
                self.notes.say(f"layer {shortened(layer['name'])} is {what}, which is left out")

    def _objects(self, layer: dict[str, Any], offset: tuple[float, float]) -> None:
        """Take the objects of a layer; tiles among them without a class are drawn above the layers
        so far.
        """
        at = Layer.FAR + 6 + min(self.depth, 4)
        drawn = []
        for one in layer["objects"]:
            drawn += [
                (one["y"], each) for each in self.objects.add(one, np.array(offset), layer, at)
            ]
        if layer["draworder"] != "index":
            # Tiled shows lower objects further in front.
            drawn.sort(key=lambda pair: pair[0])
        if drawn:
            self.drawn.append(as_one(layer["name"], [each for _, each in drawn]))

    def _cells(self, layer: dict[str, Any], offset: tuple[float, float]) -> None:
        """Collect the solid shapes of a layer of tiles."""
        before = self.ground.count
        self.depth += 1
        places, _ = layer["cells"]
        if not len(places):
            return
        ends = np.array((places.min(axis=0), places.max(axis=0) + 1))[:, ::-1]
        self.blocks.append(self._metres(offset + ends * self.cell))
        self._draw(layer, offset)
        cell = np.array(self.cell) * self.scale
        for options, full in self._shapes(layer, np.array(offset)).values():
            cells = from_below(places[np.concatenate(full)])
            self.ground.add_grid(
                options, outlines_of(cells, self._metres(np.array(offset)), cell, self.budget)
            )
        if before == self.ground.count:
            self.without_shapes.append(shortened(layer["name"]))

    def _draw(self, layer: dict[str, Any], offset: tuple[float, float]) -> None:
        """Remember the tiles of a layer for their pictures; layers above objects are in front of
        bodies.
        """
        places, numbers = layer["cells"]
        if not layer["visible"] or not self.pictures.any_of(np.unique(numbers & NUMBER).tolist()):
            return
        at = self._metres(offset + (places[:, ::-1] + (0.0, 1.0)) * self.cell)
        base = Layer.EYES if self.objects.any_seen else Layer.FAR + 6
        self.drawn.append(
            LayerOfTiles(layer["name"], numbers, at, base + min(self.depth, 4), layer["opacity"])
        )

    def _shapes(
        self, layer: dict[str, Any], offset: Floats
    ) -> dict[str, tuple[dict[str, Any], list[Integers]]]:
        """Add the shapes of tiles that are no full cells; return which cells are, by material."""
        whole: dict[str, tuple[dict[str, Any], list[Integers]]] = {}
        look = {} if layer["visible"] else CLEAR
        places, numbers = layer["cells"]
        for gid, of_it in places_of(numbers, self.budget):
            shapes = self.tiles.shapes(gid & NUMBER)
            if shapes is None or not shapes.polygons:
                if layer["solid"] or (shapes is not None and shapes.solid):
                    options = layer["material"] | (shapes.material if shapes else {}) | look
                    _add(whole, options, of_it)
                continue
            for corners, own in shapes.polygons:
                options = layer["material"] | own | look
                turned = flipped(corners, gid, shapes.size)
                shift = self.pictures.offset(gid & NUMBER)
                if is_full(turned, self.cell) and shapes.size == self.cell and not shift.any():
                    _add(whole, options, of_it)
                    continue
                self.shape_count += len(of_it)
                self.budget.spend("pieces", len(of_it))
                self.budget.spend("corners", len(of_it) * max(len(corners) - 4, 0))
                if self.shape_count > MOST_SHAPES:
                    raise Unreadable(
                        f"{self.owner} has more than {MOST_SHAPES} shapes in its tiles"
                    )
                shift = offset + shift + (0.0, self.cell[1] - size_in_cell(gid, shapes.size)[1])
                at = places[of_it, ::-1] * self.cell + shift
                made = [
                    polygon_of(self.owner, self._metres(turned + one), self.budget) for one in at
                ]
                self.ground.add(options, [one for one in made if one is not None])
        return whole


def _add(
    whole: dict[str, tuple[dict[str, Any], list[Integers]]],
    options: dict[str, Any],
    cells: Integers,
) -> None:
    """Add cells to a material."""
    whole.setdefault(key_of(options), (options, []))[1].append(cells)
