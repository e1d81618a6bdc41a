"""Outlines: the corners of Tiled's objects, of every shape, aligned and turned."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.elementary.rows import directions, turned
from ecs_softbody.imports.things import ellipse_points
from ecs_softbody.indices import arange

ALIGNMENTS: dict[Any, tuple[float, float]] = {
    "topleft": (0.0, 0.0), "top": (0.5, 0.0), "topright": (1.0, 0.0), "left": (0.0, 0.5),
    "center": (0.5, 0.5), "right": (1.0, 0.5), "bottomleft": (0.0, 1.0), "bottom": (0.5, 1.0),
    "bottomright": (1.0, 1.0),
}  # fmt: skip
"""Which point of a tile its object's place is, in shares of its width and height."""
ROUND = 16
"""Corners of each end of a capsule."""


def points_of(
    one: dict[str, Any], alignment: Any = None, shift: Floats | float = 0.0
) -> tuple[Floats, bool]:
    """Return the corners of an object [px, y down], and whether they are closed.

    Args:
        one: the object.
        alignment: of the tileset, where the object is a tile; Tiled's usual one is the lower left
            corner.
        shift: by how much the tileset shifts its tiles, in shares of their width and height.
    """
    size = np.array((one["width"], one["height"]))
    shape = one["shape"]
    if shape in ("polygon", "polyline"):
        points = one["points"]
    elif shape == "ellipse":
        points = ellipse_points(np.zeros(2), size)
    elif shape == "capsule":
        points = _capsule(size)
    else:
        points = np.array(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))) * size
        if shape == "tile":
            points = points - size * (
                np.array(ALIGNMENTS.get(alignment, ALIGNMENTS["bottomleft"])) - shift
            )
    moved: Floats = turned(points, math.radians(one["rotation"])) + np.array((one["x"], one["y"]))
    return moved, shape != "polyline"


def _capsule(size: Floats) -> Floats:
    """Return a rectangle whose shorter sides are half circles."""
    radius = 0.5 * float(size.min())
    # The arc goes from -90 to 90 degrees.
    arc = radius * directions(np.pi * arange(ROUND + 1) / ROUND - 0.5 * np.pi)
    if size[0] < size[1]:
        arc = turned(arc, 0.5 * np.pi)
    far = size - radius
    points: Floats = np.concatenate((arc + far, radius - arc))
    return points
