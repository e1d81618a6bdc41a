"""Tile objects: a tile that lies anywhere in a map as an object, of any size and turned: its
picture and its shapes.
"""

from __future__ import annotations

import dataclasses

from ecs_softbody.arrays import Floats
from ecs_softbody.imports.found import Found
from ecs_softbody.rendering import Skin
from ecs_softbody.rendering.texture import Texture

FLIP_X = 0x80000000
"""Bit of a tile number: left and right change places."""
FLIP_Y = 0x40000000
"""Bit of a tile number: top and bottom change places."""
SWAP = 0x20000000
"""Bit of a tile number: columns and rows change places."""
NUMBER = 0x0FFFFFFF
"""Bits of the number itself, without the turns."""
TURNED = ("ground", "sensor", "box", "body", "polygon")
"""Kinds that rotate with their object; blobs, balls and cloth stay upright."""


def size_in_cell(gid: int, size: tuple[float, float]) -> tuple[float, float]:
    """Return width and height of a tile, turned by the upper bits of its number."""
    return (size[1], size[0]) if gid & SWAP else size


def flipped(corners: Floats, gid: int, size: tuple[float, float]) -> Floats:
    """Return corners in a tile of this size [px], turned and mirrored by the upper bits of its
    number.
    """
    size = size_in_cell(gid, size)
    points = corners[:, ::-1] if gid & SWAP else corners
    points = points.copy()
    if gid & FLIP_X:
        points[:, 0] = size[0] - points[:, 0]
    if gid & FLIP_Y:
        points[:, 1] = size[1] - points[:, 1]
    return points


def is_full(corners: Floats, cell: tuple[float, float]) -> bool:
    """Return whether corners span a whole cell."""
    box = {(0.0, 0.0), (cell[0], 0.0), cell, (0.0, cell[1])}
    return len(corners) == 4 and {(float(x), float(y)) for x, y in corners} == box


def picture_corners(points: Floats, gid: int) -> Floats:
    """Return where the lower left, lower right, upper right and upper left corner of the picture
    are.

    Args:
        points: the corners of the object (4, 2), from the upper left one, clockwise.
        gid: number of the tile, with its flips.
    """
    found = points[[3, 2, 1, 0]]
    if gid & FLIP_X:
        found = found[[1, 0, 3, 2]]
    if gid & FLIP_Y:
        found = found[[3, 2, 1, 0]]
    return found


def placed_shape(corners: Floats, size: tuple[float, float], points: Floats, gid: int) -> Floats:
    """Return where a collision shape of a tile [px in it] is when it is stretched and turned as its
    object.
    """
    share = flipped(corners, gid & (FLIP_X | FLIP_Y), size) / size
    top_left, top_right, _, bottom_left = points
    moved: Floats = (
        top_left + share[:, :1] * (top_right - top_left) + share[:, 1:] * (bottom_left - top_left)
    )
    return moved


def with_picture(found: list[Found], texture: Texture | None, angle: float) -> list[Found]:
    """Add the tile's picture as a skin to the entities of a tile object that have no skin."""
    if texture is None:
        return found
    made = []
    for one in found:
        skin = Skin(texture, fit="stretch", angle=angle if one.kind in TURNED else 0.0)
        dressed = any(isinstance(part, Skin) for part in one.components)
        made.append(
            one if dressed else dataclasses.replace(one, components=(*one.components, skin))
        )
    return made
