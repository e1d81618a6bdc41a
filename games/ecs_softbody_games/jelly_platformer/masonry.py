"""Masonry: the joints of the stones that walls and ceilings are made of, and the shade below."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Simulation, StaticCollider
from ecs_softbody.rendering import Layer, Look, Picture, palette
from ecs_softbody_games.jelly_platformer.levels.level import Point

Floats = NDArray[np.float64]

ROW, STONE = 0.62, 1.3
"""Height and length of a stone [m]."""
LEAST = 0.9
"""A wall that is narrower or lower [m] is one piece."""
SHADED = 1.1
"""Height of the shade at the lower end [m]."""


class Wall:
    """One upright wall: its stones are where it is;
    what is `sunk` into the ground [m] is not seen.
    """

    def __init__(self, collider: StaticCollider, fill: palette.Colour, sunk: float = 0.0) -> None:
        self.collider = collider
        self.fill = fill
        self.sunk = np.array((0.0, sunk))
        low = collider.vertices.min(axis=0)
        high = collider.vertices.max(axis=0)
        self.size = high - low - self.sunk
        self.joints = _joints(*self.size.tolist())

    def draw(self, picture: Picture) -> None:
        """Add joints and shade, where they are seen."""
        low = self.collider.vertices.min(axis=0) + self.sunk
        high = low + self.size
        left, bottom, right, top = picture.view.bounds
        if low[0] > right or high[0] < left or low[1] > top or high[1] < bottom:
            return
        layer = Layer.GROUND + 1
        starts = low + self.joints[0]
        ends = low + self.joints[1]
        dark = palette.darker(self.fill, 0.45)
        light = palette.lighter(self.fill, 0.3)
        line = np.array((0.0, 0.035))
        picture.segments(starts - line, ends - line, 2.0, palette.faded(light, 0.4), layer=layer)
        picture.segments(starts, ends, 3.0, palette.faded(dark, 0.55), layer=layer)
        shade = min(SHADED, float(self.size[1]))
        picture.rectangle(
            low,
            (high[0], low[1] + shade),
            palette.faded(dark, 0.55),
            fill_top=palette.faded(dark, 0.0),
            layer=layer,
        )


def walls_of(sim: Simulation, terrain: Sequence[Sequence[Point]]) -> list[Wall]:
    """Return the walls of a level that are large enough for stones; its ground is chains from left
    to right.
    """
    found = []
    for entity in sim.entities(StaticCollider, Look):
        collider = sim.get(entity, StaticCollider)
        look = sim.get(entity, Look)
        if look.style == "solid" and look.fill is not None and _is_upright(collider.vertices):
            found.append(Wall(collider, look.fill, _sunk(collider.vertices, terrain)))
    return found


def _sunk(corners: Floats, terrain: Sequence[Sequence[Point]]) -> float:
    """Return how much of a wall is below the ground [m]."""
    (left, low) = corners.min(axis=0)
    (right, high) = corners.max(axis=0)
    middle = 0.5 * (left + right)
    sunk = 0.0
    for chain in terrain:
        x, y = np.array(chain, np.float64).T
        if x[0] < middle < x[-1]:
            ground = float(np.interp(middle, x, y))
            sunk = max(sunk, ground - low) if ground < high - 0.1 else sunk
    return float(sunk)


def _is_upright(corners: Floats) -> bool:
    """Return whether corners are those of an upright rectangle that is large enough."""
    low = corners.min(axis=0)
    high = corners.max(axis=0)
    at_corners = np.isclose(corners, low) | np.isclose(corners, high)
    return len(corners) == 4 and bool(at_corners.all()) and bool(((high - low) >= LEAST).all())


def _joints(wide: float, tall: float) -> tuple[Floats, Floats]:
    """Return starts and ends of all joints of a wall, from its lower left corner [m]."""
    rows = max(round(tall / ROW), 1)
    columns = max(round(wide / STONE), 1)
    row = tall / rows
    stone = wide / columns
    lines = [((0.0, row * number), (wide, row * number)) for number in range(1, rows)]
    for number in range(rows):
        shift = 0.5 * (number % 2)
        places = [stone * (column + shift) for column in range(columns)]
        lines += [
            ((x, row * number), (x, row * (number + 1))) for x in places if 0.1 < x < wide - 0.1
        ]
    ends = np.array(lines, np.float64).reshape(-1, 2, 2)
    return ends[:, 0], ends[:, 1]
