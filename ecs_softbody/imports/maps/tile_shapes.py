"""Tile shapes: the tilesets' data of a tile, and its collision shapes."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from ecs_softbody.arrays import Floats
from ecs_softbody.imports.maps.materials import Materials
from ecs_softbody.imports.maps.outlines import points_of
from ecs_softbody.imports.maps.tile_pictures import TilePictures
from ecs_softbody.imports.maps.words import Notes
from ecs_softbody.imports.options import (
    material_of,
    material_options,
    options_of,
    sorted_out,
    take_solid,
)
from ecs_softbody.imports.reading import shortened

SOLID = ("", "ground", "solid", "wall", "sensor")
"""Classes of the collision shapes of tiles."""


@dataclass
class Shapes:
    """The shapes of one tile: corners [px, y down, from its upper left corner], each with its
    options.
    """

    size: tuple[float, float]
    polygons: list[tuple[Floats, dict[str, Any]]] = field(default_factory=list)
    material: dict[str, Any] = field(default_factory=dict)
    """Options of ground that are properties of the tile."""
    solid: bool = False
    """Whether the tile is marked as solid, which applies if it has no shape."""


class TileShapes:
    """The tiles of a map, by their numbers."""

    def __init__(
        self,
        tilesets: dict[int, dict[str, Any]],
        pictures: TilePictures,
        ground: Materials,
        notes: Notes,
    ) -> None:
        self.tilesets = tilesets
        self.pictures = pictures
        self.ground = ground
        self.notes = notes
        self.firsts = sorted(tilesets)
        self.known: dict[int, Shapes | None] = {}

    def tile(self, gid: int) -> dict[str, Any]:
        """Return the tileset's table for a tile; empty if there is none."""
        first = self._first_of(gid)
        found: dict[str, Any] = self.tilesets[first]["tiles"].get(gid - first, {}) if first else {}
        return found

    def alignment(self, gid: int) -> Any:
        """Return which point of a tile is where an object of it lies."""
        first = self._first_of(gid)
        return self.tilesets[first]["alignment"] if first else None

    def _first_of(self, gid: int) -> int:
        """Return the number of the first tile in the tileset of a tile, or 0 if it is in none."""
        place = bisect_right(self.firsts, gid)
        return self.firsts[place - 1] if place else 0

    def shapes(self, gid: int) -> Shapes | None:
        """Return the collision shapes of a tile, or None if it is in no tileset."""
        if gid not in self.known:
            self.known[gid] = self._shapes(gid)
        return self.known[gid]

    def _shapes(self, gid: int) -> Shapes | None:
        first = self._first_of(gid)
        if not first:
            return None
        tileset = self.tilesets[first]
        tile = self.tile(gid)
        self.notes.keys("tile", f"tile {gid - first}", tile.get("raw", {}))
        size = self.pictures.size_of(gid) or (
            float(tileset["tilewidth"]),
            float(tileset["tileheight"]),
        )
        name = f"tile {gid - first} of {tileset['name']}"
        owner = f"{self.pictures.owner}, tile {gid - first} of {shortened(tileset['name'])}"
        material, others = material_of(tile.get("properties", {}))
        solid = take_solid(owner, others)
        self.ground.check(owner, material)
        self.notes.own("tiles", name, others, (*material_options(), "solid"))
        found = Shapes(size, material=material, solid=solid)
        for one in tile.get("objects", []):
            points, closed = points_of(one)
            kind = one["class"].lower()
            if (
                not closed
                or one["shape"] in ("point", "text")
                or len(points) < 3
                or kind not in SOLID
            ):
                why = (
                    f"is of class {shortened(one['class'])}" if kind not in SOLID else "is no area"
                )
                self.notes.say(
                    f"tile {gid - first}: a collision shape of it {why}, and is left out",
                    ("shape", why),
                )
                continue
            options, others = sorted_out(kind, one["properties"])
            self.notes.own("collision shapes of tiles", name, others, options_of(kind))
            self.ground.check(f"{owner}, a collision shape", options)
            found.polygons.append(
                (points, {**material, **options} | ({"sensor": True} if kind == "sensor" else {}))
            )
        return found
