"""Tile pictures: the pictures of a map's tiles become one texture, and each layer a component that draws it."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.grid import places_of
from ecs_softbody.imports.maps.tile_objects import FLIP_X, FLIP_Y, NUMBER
from ecs_softbody.imports.reading import beside, number_of, shortened, whole_of
from ecs_softbody.rendering.texture import LARGEST_AREA, Texture, image_of, texture_of
from ecs_softbody.rendering.tiles import Tiles

PAD = 8
"""Pixels that the edge of a tile is drawn out by in the texture: its neighbours there do not shine through."""
Bytes = NDArray[np.uint8]


@dataclass
class Sheet:
    """Where the pictures of a tileset are.

    Attributes:
        first: number of its first tile in the map.
        path: the file that names the pictures.
        image: name of the one that has all tiles, or empty.
        images: names of single ones, by the tile.
        size: width and height of a tile [px].
        columns, margin, spacing: of the tiles in the one picture [tiles, px, px].
    """

    owner: str
    first: int
    path: Path
    size: tuple[int, int]
    image: str = ""
    images: dict[int, str] = field(default_factory=dict)
    columns: int = 0
    margin: int = 0
    spacing: int = 0
    offset: tuple[float, float] = (0.0, 0.0)
    """Where its tiles are drawn, from their cells [px, y down]."""
    pixels: dict[str, Bytes] = field(default_factory=dict)

    def tile(self, number: int) -> Bytes | None:
        """Return the picture of a tile (H, W, 4), or None where the tileset has none for it.

        Raises:
            ValueError: where there is no such file, or the tile is not in it.
        """
        name = self.images.get(number, self.image)
        if not name:
            return None
        if name not in self.pixels:
            path = beside(self.owner, self.path, name)
            try:
                self.pixels[name] = image_of(self.owner, path)
            except ValueError as error:
                raise Unreadable(str(error)) from None
        found = self.pixels[name]
        if number in self.images:
            return found
        width, height = self.size
        columns = self.columns or max((found.shape[1] - 2 * self.margin + self.spacing) // (width + self.spacing), 1)
        left = self.margin + number % columns * (width + self.spacing)
        top = self.margin + number // columns * (height + self.spacing)
        if left + width > found.shape[1] or top + height > found.shape[0]:
            raise Unreadable(f"{self.owner}: tile {number} is not in {name}, which has {found.shape[1::-1]} pixels")
        return found[top : top + height, left : left + width]


def sheet_of(owner: str, path: Path, raw: dict[str, Any], first: int) -> Sheet:
    """Return where the pictures of a tileset in JSON are."""
    size = tuple(
        whole_of(owner, f"{name} of a tileset", raw.get(name), 1, 65536) for name in ("tilewidth", "tileheight")
    )
    columns, margin, spacing = (
        whole_of(owner, f"{name} of a tileset", raw.get(name, 0), 0, 65536) for name in ("columns", "margin", "spacing")
    )
    image = raw.get("image", "")
    tiles = raw.get("tiles")
    named = {
        one["id"]: one["image"] for one in (tiles if isinstance(tiles, list) else ())
        if isinstance(one, dict) and isinstance(one.get("id"), int) and isinstance(one.get("image"), str)
    }  # fmt: skip
    if not isinstance(image, str):
        raise Unreadable(f"{owner}: the image of a tileset is {shortened(image)}; expected the name of a file")
    shift = raw.get("tileoffset")
    x, y = (
        number_of(owner, "tileoffset", shift.get(name) if isinstance(shift, dict) else shift, default=0.0)
        for name in ("x", "y")
    )
    return Sheet(owner, first, path, (size[0], size[1]), image, named, columns, margin, spacing, (x, y))


@dataclass
class LayerOfTiles:
    """The tiles of a layer: their numbers (N,), lower left corners of their cells (N, 2) [m], and how it is drawn.

    Tiles that are objects have corners of their own (N, 4, 2) [m], from the lower left one.
    """

    name: str
    gids: NDArray[np.int64]
    places: Floats
    layer: int
    opacity: float
    corners: Floats | None = None


class TilePictures:
    """Collects layers of tiles, and makes one texture of all pictures in them."""

    def __init__(self, owner: str, sheets: list[Sheet], scale: float, budget: Budget) -> None:
        self.owner, self.scale, self.budget = owner, scale, budget
        self.sheets = sorted(sheets, key=lambda sheet: sheet.first)
        self.firsts = [sheet.first for sheet in self.sheets]
        self.pictures: dict[int, Bytes | None] = {}
        self.textures: dict[int, Texture] = {}

    def sheet(self, gid: int) -> Sheet | None:
        """Return the tileset of a tile."""
        place = bisect_right(self.firsts, gid)
        return self.sheets[place - 1] if place else None

    def offset(self, gid: int) -> Floats:
        """Return where a tile is drawn, from its cell [px, y down]."""
        sheet = self.sheet(gid)
        return np.array((0.0, 0.0) if sheet is None else sheet.offset)

    def picture(self, gid: int) -> Bytes | None:
        """Return the picture of a tile by its number in the map, without its flips."""
        if gid not in self.pictures:
            sheet = self.sheet(gid)
            self.pictures[gid] = None if sheet is None else sheet.tile(gid - sheet.first)
        return self.pictures[gid]

    def texture(self, gid: int) -> Texture | None:
        """Return the picture of a tile that is an object, mirrored as its number says; one for all such objects."""
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

    def made(self, layers: list[LayerOfTiles], number_mask: int, flip: Any) -> list[tuple[str, Tiles]]:
        """Return a component for each layer that has pictures.

        Args:
            layers: what was collected.
            number_mask: the bits of a tile that are its number.
            flip: turns corners in a tile [px] as its other bits say: flip(corners, gid, size).
        """
        wanted = sorted({int(gid) & number_mask for one in layers for gid in np.unique(one.gids)})
        shown = [gid for gid in wanted if self.picture(gid) is not None]
        if not shown:
            return []
        texture, boxes = self._texture(shown)
        found = []
        for one in layers:
            corners, uv = [], []
            for gid, rows in places_of(one.gids, self.budget):
                if (gid & number_mask) not in boxes:
                    continue
                picture = self.picture(gid & number_mask)
                assert picture is not None
                height, width = picture.shape[:2]
                own = np.array(((0.0, height), (width, height), (width, 0.0), (0.0, 0.0)))
                shift = self.offset(gid & number_mask) - (0.0, height)
                turned = (flip(own, gid, (float(width), float(height))) + shift) * (self.scale, -self.scale)
                places = one.places[rows[:, 0]]
                corners.append(places[:, None] + turned if one.corners is None else one.corners[rows[:, 0]])
                uv.append(np.broadcast_to(boxes[gid & number_mask], (len(places), 4, 2)))
            if corners:
                found.append(
                    (one.name, Tiles(texture, np.concatenate(corners), np.concatenate(uv), one.layer, one.opacity))
                )
        return found

    def _texture(self, shown: list[int]) -> tuple[Texture, dict[int, Floats]]:
        """Return one picture with these tiles, and the corners of each in it (4, 2), from its lower left one."""
        pictures = {gid: found for gid in shown if (found := self.picture(gid)) is not None}
        sizes = {gid: np.array(picture.shape[1::-1]) for gid, picture in pictures.items()}
        cell = np.max(list(sizes.values()), axis=0) + 2 * PAD
        columns = math.ceil(math.sqrt(len(shown) * cell[1] / cell[0]))
        rows = -(-len(shown) // columns)
        if int(columns * cell[0]) * int(rows * cell[1]) > LARGEST_AREA:
            raise Unreadable(
                f"{self.owner}: its tiles have {columns * cell[0]} x {rows * cell[1]} pixels; expected at most "
                f"{LARGEST_AREA} in all"
            )
        image = np.zeros((rows * cell[1], columns * cell[0], 4), np.uint8)
        boxes = {}
        for place, gid in enumerate(shown):
            picture, (width, height) = pictures[gid], sizes[gid].tolist()
            left, top = int(place % columns * cell[0]), int(place // columns * cell[1])
            padded = np.pad(picture, ((PAD, PAD), (PAD, PAD), (0, 0)), mode="edge")
            image[top : top + len(padded), left : left + padded.shape[1]] = padded
            x0, x1 = (left + PAD) / image.shape[1], (left + PAD + width) / image.shape[1]
            y0, y1 = 1.0 - (top + PAD + height) / len(image), 1.0 - (top + PAD) / len(image)
            boxes[gid] = np.array(((x0, y0), (x1, y0), (x1, y1), (x0, y1)))
        return Texture(image), boxes
