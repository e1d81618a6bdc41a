"""Sheets: the locations and pixels of a tileset's tile pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.imports.budget import Unreadable
from ecs_softbody.imports.maps.words import Notes
from ecs_softbody.imports.reading import beside, dicts_of, number_of, shortened, whole_of
from ecs_softbody.imports.things import colour_of, is_colour
from ecs_softbody.rendering.texture import image_of

Bytes = NDArray[np.uint8]
LARGEST_TILE = 2**28
"""Number of a tile in its tileset."""


@dataclass
class Sheet:
    """Where the pictures of a tileset are.

    Attributes:
        first: number of its first tile in the map.
        path: the file that names the pictures.
        image: name of the picture that has all tiles, or empty.
        images: names of single pictures, by the tile.
        size: width and height of a tile [px].
        columns, margin, spacing: of the tiles in the one picture [tiles, px, px].
    """

    owner: str
    first: int
    path: Path
    notes: Notes
    size: tuple[int, int]
    image: str = ""
    images: dict[int, str] = field(default_factory=dict)
    columns: int = 0
    margin: int = 0
    spacing: int = 0
    offset: tuple[float, float] = (0.0, 0.0)
    """Where its tiles are drawn, from their cells [px, y down]."""
    parts: dict[int, tuple[int, int, int, int]] = field(default_factory=dict)
    """Left, top, width and height of the visible part of single tiles' pictures [px], if given."""
    clear: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Colours of pictures that are clear."""
    shown: dict[int, int] = field(default_factory=dict)
    """Of tiles with an animation, that whose picture is its first."""
    pixels: dict[str, Bytes] = field(default_factory=dict)

    def tile(self, number: int) -> Bytes | None:
        """Return the picture of a tile (H, W, 4), or None if the tileset has none for it, or it is
        not in it.

        Raises:
            ValueError: if there is no such file, or it is no picture.
        """
        number = self.shown.get(number, number)
        name = self.images.get(number, self.image)
        if not name:
            return None
        if name not in self.pixels:
            path = beside(self.owner, self.path, name)
            try:
                self.pixels[name] = _without(image_of(self.owner, path), self.clear.get(name))
            except ValueError as error:
                raise Unreadable(str(error)) from None
        found = self.pixels[name]
        if number in self.images:
            return self._part(number, found)
        width, height = self.size
        columns = self.columns or max(
            (found.shape[1] - self.margin + self.spacing) // (width + self.spacing), 1
        )
        left = self.margin + number % columns * (width + self.spacing)
        top = self.margin + number // columns * (height + self.spacing)
        if left + width > found.shape[1] or top + height > found.shape[0]:
            pixels = f"{found.shape[1]} x {found.shape[0]} pixels"
            self.notes.say(
                f"tile {number} is not in {shortened(name)}, which has {pixels}, and is not drawn",
                ("outside", name),
            )
            return None
        return found[top : top + height, left : left + width]

    def _part(self, number: int, found: Bytes) -> Bytes:
        """Return the part of a tile's own picture that it shows."""
        left, top, width, height = self.parts.get(number, (0, 0, 0, 0))
        part = found[top : top + height, left : left + width]
        return part if part.size else found

    def size_of(self, number: int) -> tuple[float, float]:
        """Return width and height of a tile [px], taken from its own picture if it has one.

        Sizes given by the tileset take precedence, so pictures that are not drawn may be missing.
        """
        *_, width, height = self.parts.get(number, self.size)
        if (
            number in self.images
            and number not in self.parts
            and (found := self.tile(number)) is not None
        ):
            height, width = found.shape[:2]
        return (max(float(width), 1.0), max(float(height), 1.0))


def _without(pixels: Bytes, colour: tuple[int, ...] | None) -> Bytes:
    """Return a picture, whose pixels of one colour become clear."""
    if colour is None:
        return pixels
    clear = np.logical_and.reduce(
        [pixels[:, :, channel] == part for channel, part in enumerate(colour)]
    )
    pixels[clear] = 0
    return pixels


def sheet_of(owner: str, path: Path, raw: dict[str, Any], first: int, notes: Notes) -> Sheet:
    """Return the locations of the pictures of a JSON tileset."""
    # Tiled writes 0 for an empty collection of pictures.
    least = 1 if raw.get("image") else 0
    size = tuple(
        whole_of(owner, f"{name} of a tileset", raw.get(name), least, 65536)
        for name in ("tilewidth", "tileheight")
    )
    columns, margin, spacing = (
        whole_of(owner, f"{name} of a tileset", raw.get(name, 0), 0, 65536)
        for name in ("columns", "margin", "spacing")
    )
    image = raw.get("image", "")
    named = {}
    parts = {}
    clear = _clear(raw)
    for one in tiles_of(owner, raw):
        if (
            isinstance(one.get("id"), int | float)
            and isinstance(one.get("image"), str)
            and one["image"]
        ):
            named[one["id"]] = one["image"]
            clear |= _clear(one)
            given = (
                ("width", "height")
                if one.keys() >= {"width", "height"}
                else ("imagewidth", "imageheight")
            )
            left, top, wide, high = (
                round(max(number_of(owner, f"{name} of a tile", one.get(name), default=0.0), 0.0))
                for name in ("x", "y", *given)
            )
            if wide and high:
                parts[one["id"]] = (left, top, wide, high)
    animated = [
        one
        for one in tiles_of(owner, raw)
        if one.get("animation") and isinstance(one.get("id"), int | float)
    ]
    shown = {one["id"]: _first_of(owner, one) for one in animated}
    if any(one.get("inside") for one in (raw, *tiles_of(owner, raw))):
        raise Unreadable(
            f"{owner} has its pictures inside, which is not read; expected files beside it"
        )
    if not isinstance(image, str):
        raise Unreadable(
            f"{owner}: the image of a tileset is {shortened(image)}; expected the name of a file"
        )
    shift = raw.get("tileoffset")
    x, y = (
        number_of(
            owner, "tileoffset", shift.get(name) if isinstance(shift, dict) else shift, default=0.0
        )
        for name in ("x", "y")
    )
    sides = (size[0], size[1])
    return Sheet(
        owner,
        first,
        path,
        notes,
        sides,
        image,
        named,
        columns,
        margin,
        spacing,
        (x, y),
        parts,
        clear,
        shown,
    )


def _first_of(owner: str, tile: dict[str, Any]) -> int:
    """Return the tile whose picture is the first of an animation."""
    first = dicts_of(owner, "animation of a tile", tile["animation"])[0]
    return whole_of(owner, "tileid of an animation", first.get("tileid"), 0, LARGEST_TILE)


def _clear(raw: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return which colour of the picture of a tileset or tile is clear, by the name of
    the picture.
    """
    said = raw.get("transparentcolor")
    known = isinstance(said, str) and is_colour(said) and isinstance(raw.get("image"), str)
    return {raw["image"]: colour_of("tiled", str(said))[:3]} if known else {}


def tiles_of(owner: str, raw: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tiles with data in a tileset; Tiled before 1.2 wrote them as tables by number."""
    tiles = raw.get("tiles")
    more = raw.get("tileproperties")
    kinds = raw.get("tilepropertytypes")
    if not isinstance(tiles, dict) and not isinstance(more, dict):
        return dicts_of(owner, "tiles", tiles)
    if not isinstance(tiles, dict):
        tiles = {str(one.get("id")): one for one in dicts_of(owner, "tiles", tiles)}
    made: dict[str, dict[str, Any]] = {}
    for table, key in ((tiles, ""), (more, "properties"), (kinds, "propertytypes")):
        for number, tile in table.items() if isinstance(table, dict) else ():
            if not isinstance(tile, dict):
                raise Unreadable(
                    f"{owner}: tile {shortened(number)} is {shortened(tile)}; expected an object"
                )
            if number.isdecimal() and len(number) <= 10:
                entry = made.setdefault(number, {"id": int(number)})
                entry |= {key: tile} if key else tile
    return [*made.values()]
