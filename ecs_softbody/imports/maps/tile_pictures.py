"""Tile pictures: the pictures of a map's tiles become one texture, and each layer a component that
draws it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.found import Found
from ecs_softbody.imports.grid import places_of
from ecs_softbody.imports.maps.sheets import Bytes, Sheet
from ecs_softbody.imports.maps.tile_objects import FLIP_X, FLIP_Y, NUMBER, flipped, size_in_cell
from ecs_softbody.indices import argsort
from ecs_softbody.rendering.texture import LARGEST_AREA, Texture, texture_of
from ecs_softbody.rendering.tiles import Tiles

PAD = 8
"""Pixels that the edge of a tile is drawn out by in the texture: its neighbours there do not shine
through.
"""


@dataclass
class LayerOfTiles:
    """The tiles of a layer: their numbers (N,), lower left corners of their cells (N, 2) [m], and
    how it is drawn.

    Tiles that are objects have corners of their own (N, 4, 2) [m], from the lower left one.
    """

    name: str
    gids: NDArray[np.int64]
    places: Floats
    layer: int
    opacity: float
    corners: Floats | None = None


def as_one(name: str, objects: list[LayerOfTiles]) -> LayerOfTiles:
    """Return tiles that are objects of one layer as one layer, in which they are drawn in this
    order.
    """
    gids = np.concatenate([one.gids for one in objects])
    corners = np.concatenate([one.corners for one in objects if one.corners is not None])
    return LayerOfTiles(name, gids, corners[:, 0], objects[0].layer, objects[0].opacity, corners)


class TilePictures:
    """Collects layers of tiles, and makes one texture of all pictures in them."""

    def __init__(self, owner: str, sheets: list[Sheet], scale: float, budget: Budget) -> None:
        self.owner = owner
        self.scale = scale
        self.budget = budget
        self.sheets = sorted(sheets, key=lambda sheet: sheet.first)
        self.firsts = [sheet.first for sheet in self.sheets]
        self.pictures: dict[int, Bytes | None] = {}
        self.textures: dict[int, Texture] = {}

    def sheet(self, gid: int) -> Sheet | None:
        """Return the tileset of a tile."""
        place = bisect_right(self.firsts, gid)
        return self.sheets[place - 1] if place else None

    def offset(self, gid: int) -> Floats:
        """Return the drawing offset of a tile from its cell [px, y down]."""
        sheet = self.sheet(gid)
        return np.array((0.0, 0.0) if sheet is None else sheet.offset)

    def size_of(self, gid: int) -> tuple[float, float] | None:
        """Return width and height of a tile [px], or None if it is in no tileset."""
        sheet = self.sheet(gid)
        return None if sheet is None else sheet.size_of(gid - sheet.first)

    def picture(self, gid: int) -> Bytes | None:
        """Return the picture of a tile by its number in the map, without its flips."""
        if gid not in self.pictures:
            sheet = self.sheet(gid)
            self.pictures[gid] = None if sheet is None else sheet.tile(gid - sheet.first)
        return self.pictures[gid]

    def texture(self, gid: int) -> Texture | None:
        """Return the (cached) picture of a tile object, mirrored by the bits of its number."""
        picture = self.picture(gid & NUMBER)
        if picture is None:
            return None
        key = gid & (NUMBER | FLIP_X | FLIP_Y)
        if key not in self.textures:
            shown = picture[:, ::-1] if gid & FLIP_X else picture
            shown = shown[::-1] if gid & FLIP_Y else shown
            try:
                self.textures[key] = texture_of(self.owner, np.ascontiguousarray(shown))
            except ValueError as error:
                raise Unreadable(str(error)) from None
        return self.textures[key]

    def any_of(self, gids: list[int]) -> bool:
        """Return whether any of these tiles has a picture."""
        self.budget.spend("different tiles", len(gids))
        return any(self.picture(gid) is not None for gid in gids)

    def entities(self, layers: list[LayerOfTiles]) -> list[Found]:
        """Return an entity for each layer that has pictures."""
        wanted = sorted({int(gid) & NUMBER for one in layers for gid in np.unique(one.gids)})
        shown = [gid for gid in wanted if self.picture(gid) is not None]
        if not shown:
            return []
        texture, boxes = self._texture(shown)
        found: list[Found] = []
        for one in layers:
            corners = []
            uv = []
            order = []
            for gid, rows in places_of(one.gids, self.budget):
                if (gid & NUMBER) not in boxes:
                    continue
                picture = self.picture(gid & NUMBER)
                assert picture is not None
                height, width = map(float, picture.shape[:2])
                own = np.array(((0.0, height), (width, height), (width, 0.0), (0.0, 0.0)))
                shift = self.offset(gid & NUMBER) - (0.0, size_in_cell(gid, (width, height))[1])
                turned = (flipped(own, gid, (width, height)) + shift) * (self.scale, -self.scale)
                places = one.places[rows]
                corners.append(
                    places[:, None] + turned if one.corners is None else one.corners[rows]
                )
                uv.append(np.broadcast_to(boxes[gid & NUMBER], (len(places), 4, 2)))
                order.append(rows)
            if corners:
                drawn = argsort(np.concatenate(order))  # as they lie over one another
                at = np.concatenate(corners)[drawn]
                parts = np.concatenate(uv)[drawn]
                tiles = Tiles(texture, at, parts, one.layer, one.opacity)
                found.append(Found(one.name, "tiles", (tiles,)))
        return found

    def _texture(self, shown: list[int]) -> tuple[Texture, dict[int, Floats]]:
        """Return one picture with these tiles, and the corners of each in it (4, 2), from its lower
        left one.
        """
        pictures = {gid: found for gid in shown if (found := self.picture(gid)) is not None}
        sizes = {gid: np.array(picture.shape[1::-1]) for gid, picture in pictures.items()}
        cell = np.max(list(sizes.values()), axis=0) + 2 * PAD
        columns = math.ceil(math.sqrt(len(shown) * cell[1] / cell[0]))
        rows = -(-len(shown) // columns)
        if int(columns * cell[0]) * int(rows * cell[1]) > LARGEST_AREA:
            raise Unreadable(
                f"{self.owner}: its tiles have {columns * cell[0]} x {rows * cell[1]} pixels; "
                "expected at most "
                f"{LARGEST_AREA} in all"
            )
        image = np.zeros((rows * cell[1], columns * cell[0], 4), np.uint8)
        boxes = {}
        for place, gid in enumerate(shown):
            picture = pictures[gid]
            (width, height) = sizes[gid].tolist()
            left = int(place % columns * cell[0])
            top = int(place // columns * cell[1])
            padded = np.pad(picture, ((PAD, PAD), (PAD, PAD), (0, 0)), mode="edge")
            image[top : top + len(padded), left : left + padded.shape[1]] = padded
            x0 = (left + PAD) / image.shape[1]
            x1 = (left + PAD + width) / image.shape[1]
            y0 = 1.0 - (top + PAD + height) / len(image)
            y1 = 1.0 - (top + PAD) / len(image)
            boxes[gid] = np.array(((x0, y0), (x1, y0), (x1, y1), (x0, y1)))
        return Texture(image), boxes
