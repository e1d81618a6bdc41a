"""Map objects: converts objects of a Tiled map by their class, name and shape."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.found import Found, Place
from ecs_softbody.imports.maps.materials import CLEAR, Materials
from ecs_softbody.imports.maps.outlines import points_of
from ecs_softbody.imports.maps.tile_objects import (
    NUMBER,
    picture_corners,
    placed_shape,
    with_picture,
)
from ecs_softbody.imports.maps.tile_pictures import LayerOfTiles
from ecs_softbody.imports.maps.tile_shapes import Shapes, TileShapes
from ecs_softbody.imports.maps.tiled_raw import name_of_object
from ecs_softbody.imports.options import classes, options_of, sorted_out
from ecs_softbody.imports.things import (
    MOST_ENTITIES,
    SOFT,
    STATIC,
    Thing,
    found_of,
    is_known,
    polygon_of,
)


class MapObjects:
    """Collects the entities and places made from a map's objects."""

    def __init__(
        self,
        path: Path,
        tiles: TileShapes,
        ground: Materials,
        budget: Budget,
        metres: Callable[[Floats], Floats],
    ) -> None:
        self.path = path
        self.tiles = tiles
        self.ground = ground
        self.budget = budget
        self.metres = metres
        self.owner = budget.owner
        self.notes = tiles.notes
        self.pictures = tiles.pictures
        self.entities: list[Found] = []
        self.nameless: list[tuple[Thing, dict[str, Any]]] = []
        """Ground without a class: clear where the map has pictures of its own."""
        self.places: list[Place] = []
        self.corners: list[Floats] = []
        """Of all objects [m]."""
        self.any_seen = False

    def made(self, *, clear: bool) -> list[Found]:
        """Return all entities, first the ones without a class, which `clear` makes transparent."""
        first = []
        for thing, others in self.nameless:
            if clear and not {"fill", "picture"} & thing.properties.keys():
                thing.properties.setdefault("opacity", 0.0)
            first += self._found(thing, others)
        return first + self.entities

    def add(
        self, one: dict[str, Any], offset: Floats, layer: dict[str, Any], drawn_at: int
    ) -> list[LayerOfTiles]:
        """Take an object of a layer; return the pictures of its tile, where that is only drawn."""
        self.any_seen = True
        kind = one["class"]
        properties = one["properties"]
        gid = one.get("gid", 0)
        shape = one["shape"]
        alignment = None
        shift = np.zeros(2)
        if shape == "tile":
            size = np.array(self.pictures.size_of(gid & NUMBER) or (1.0, 1.0))
            one = self._sized(one)
            shift = self.pictures.offset(gid & NUMBER) / size
            tile = self.tiles.tile(gid & NUMBER)
            alignment = self.tiles.alignment(gid & NUMBER)
            kind = kind or tile.get("class", "")
            properties = tile.get("properties", {}) | properties
        pixels, closed = points_of(one, alignment, shift)
        points = self.metres(pixels + offset)
        self.corners.append(points)
        if self._is_ground_or_body(one, kind, closed, points, solid=layer["solid"]):
            self._thing(one, kind, points, properties, layer, closed=closed)
            return []
        if shape == "text":
            self.notes.say("texts are places with the property text, and are not drawn", "text")
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        sides = np.ptp(points, axis=0)
        place = (float(middle[0]), float(middle[1])), (float(sides[0]), float(sides[1]))
        line = (
            tuple((float(x), float(y)) for x, y in points)
            if shape in ("polygon", "polyline")
            else ()
        )
        self.places.append(
            Place(
                one["name"], kind or ("text" if shape == "text" else ""), *place, properties, line
            )
        )
        if shape != "tile" or not sides.any():
            return []
        if kind:
            self.notes.say(
                "tiles that are places, of a class of your own, are not drawn: the game draws them",
                "tiles",
            )
            return []
        return self._decoration(one, points, layer, drawn_at)

    def _is_ground_or_body(
        self, one: dict[str, Any], kind: str, closed: bool, points: Floats, *, solid: bool
    ) -> bool:
        """Return whether an object is one of the library's things; all others are places."""
        shape = one["shape"]
        word = kind.lower()
        flat = closed and float(np.ptp(points, axis=0).max()) <= 0.0
        if shape in ("point", "text") or flat:
            return False
        if not kind:
            return shape != "tile" and (solid or not one["name"])
        if not is_known(word):
            self.notes.own_class(name_of_object(one), kind, classes())
            return False
        wants_line = word == "rope"
        if word in SOFT and wants_line == closed:
            expected = "a polyline" if wants_line else "a closed shape"
            self.notes.say(
                f"{name_of_object(one)}: a {word} is {expected}; this is a place", ("shape", word)
            )
            return False
        return True

    def _thing(
        self,
        one: dict[str, Any],
        kind: str,
        points: Floats,
        said: dict[str, Any],
        layer: dict[str, Any],
        *,
        closed: bool,
    ) -> None:
        """Take an object that becomes ground or a body."""
        name = name_of_object(one)
        owner = f"{self.owner}, {name}"
        polygon = polygon_of(owner, points, self.budget) if closed else None
        if polygon is None and (closed or not np.ptp(points, axis=0).any()):
            self.notes.say(f"{name} has no {'area' if closed else 'length'}, and is left out")
            return
        properties, others = sorted_out(kind, said)
        word = STATIC.get(kind.lower(), kind.lower())
        self.notes.own(word, "", others, options_of(kind.lower()))
        if kind.lower() in STATIC:
            properties = layer["material"] | properties
        if not (one["visible"] and layer["visible"]):
            properties["opacity"] = 0.0
        elif layer["opacity"] < 1.0:
            properties.setdefault("opacity", layer["opacity"])
        angle = -math.radians(one["rotation"])
        thing = Thing(
            owner, self.path, one["name"], kind, points, polygon, angle=angle, properties=properties
        )
        if not kind:
            self.nameless.append((thing, others))
            return
        found = self._found(thing, others)
        if one["shape"] == "tile" and "fill" not in properties:
            found = with_picture(found, self.pictures.texture(one["gid"]), angle)
        self.entities += found
        if len(self.entities) > MOST_ENTITIES:
            raise Unreadable(f"{self.owner} makes more than {MOST_ENTITIES} entities")

    def _found(self, thing: Thing, others: dict[str, Any]) -> list[Found]:
        """Return the entities made from a thing, with its custom properties."""
        return [dataclasses.replace(one, properties=others) for one in found_of(thing, self.budget)]

    def _sized(self, one: dict[str, Any]) -> dict[str, Any]:
        """Return a tile object with its size, by default the size of its tile."""
        if one["width"] > 0.0 or one["height"] > 0.0:
            return one
        width, height = self.pictures.size_of(one["gid"] & NUMBER) or (0.0, 0.0)
        return one | {"width": float(width), "height": float(height)}

    def _decoration(
        self, one: dict[str, Any], points: Floats, layer: dict[str, Any], drawn_at: int
    ) -> list[LayerOfTiles]:
        """Make ground of the collision shapes of a tile that is an object without a class; return
        its picture.

        A tile that has none is ground as a whole, where it or its layer is solid.
        """
        gid = one["gid"]
        number = one["gid"] & NUMBER
        drawn = []
        seen = one["visible"] and layer["visible"]
        if seen and self.pictures.picture(number) is not None:
            corners = picture_corners(points, gid)[None]
            gids = np.array([number])
            drawn = [
                LayerOfTiles(one["name"], gids, corners[:, 0], drawn_at, layer["opacity"], corners)
            ]
        shapes = self.tiles.shapes(number) or Shapes((1.0, 1.0))
        polygons = [
            (placed_shape(corners, shapes.size, points, gid), own)
            for corners, own in shapes.polygons
        ]
        if not polygons and (shapes.solid or layer["solid"]):
            polygons = [(points, shapes.material)]
        for corners, options in polygons:
            self.budget.spend("pieces")
            self.budget.spend("corners", max(len(corners) - 4, 0))
            polygon = polygon_of(f"{self.owner}, {name_of_object(one)}", corners, self.budget)
            look = {} if seen else CLEAR
            self.ground.add(
                layer["material"] | options | look, [polygon] if polygon is not None else []
            )
        return drawn
