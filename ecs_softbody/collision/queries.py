"""Queries: what a ray meets, what a point or a box touches, which particle is closest."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.collision.near import find_in_region, find_near, nearest_row
from ecs_softbody.collision.ray import cast_ray
from ecs_softbody.collision.shapes import FILLED, BodyShapes, Geometry, Shapes, WallShapes
from ecs_softbody.storage import Table, check_number, check_point

MOST = 0xFFFFFFFF
"""The mask of all categories."""


@dataclass(frozen=True, slots=True)
class Hit:
    """What a query found on one entity.

    `rows` are both ends of the edge that was found, in the entity's Particles or in the vertices of its
    StaticCollider; twice the same number for a particle or a circle. `point` (x, y) [m] is on the surface, `normal`
    points away from it, and `distance` [m] is how far the ray went, or how far the surface is (negative: inside).
    """

    entity: int
    rows: tuple[int, int]
    point: tuple[float, float]
    normal: tuple[float, float]
    distance: float


@dataclass(frozen=True)
class Filter:
    """What a query asks for: categories in `mask`, no entity in `ignored`, sensors or not."""

    mask: int
    ignored: frozenset[int]
    sensors: bool

    def of(
        self, entity: NDArray[np.int64], category: NDArray[np.uint32], sensor: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return which of the colliders (S,) are asked for."""
        wanted: NDArray[np.bool_] = (category & np.uint32(self.mask)) != 0
        if not self.sensors:
            wanted &= ~sensor
        for ignored in self.ignored:
            wanted &= entity != ignored
        return wanted


class Queries:
    """Asks the bodies and walls of a world; the tables must be up to date."""

    def __init__(self, bodies: BodyShapes, walls: WallShapes, particles: Table, colliders: Table) -> None:
        self._bodies, self._walls = bodies, walls
        self._particles, self._colliders = particles, colliders

    def cast(
        self, start: tuple[float, float], end: tuple[float, float], radius: float, wanted: Filter, *, nearest_only: bool
    ) -> list[Hit]:
        """Return what a disc meets on its way, each entity once, by distance; the nearest one only, or all."""
        length = math.hypot(end[0] - start[0], end[1] - start[1])
        way = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
        hits: list[Hit] = []
        limit = length
        for shapes in (self._bodies.now(), self._walls.now()):
            edge, found = np.empty((shapes.count, 2), np.int64), np.empty((shapes.count, 3))
            least = cast_ray(
                shapes.geometry, wanted.of(shapes.entity, shapes.category, shapes.sensor), *start, *way, limit, radius,
                nearest_only, edge, found,
            )  # fmt: skip
            if nearest_only:
                limit = least
            for s in np.flatnonzero(found[:, 0] <= limit).tolist():
                distance, nx, ny = found[s].tolist()
                x, y = start[0] + distance * way[0] - radius * nx, start[1] + distance * way[1] - radius * ny
                hits.append(Hit(int(shapes.entity[s]), _rows(shapes, s, edge), (x, y), (nx, ny), distance))
        return sorted(hits, key=lambda hit: (hit.distance, hit.entity))

    def wall_between(self, start: tuple[float, float], end: tuple[float, float]) -> bool:
        """Tell whether a wall that is no sensor lies on the way from start to end, two different points."""
        length = math.hypot(end[0] - start[0], end[1] - start[1])
        way = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
        walls = self._walls.now()
        edge, found = np.empty((walls.count, 2), np.int64), np.empty((walls.count, 3))
        least = cast_ray(walls.geometry, ~walls.sensor, *start, *way, length, 0.0, True, edge, found)
        return least < length

    def near(self, point: tuple[float, float], radius: float, wanted: Filter) -> list[Hit]:
        """Return what holds a point, or has its surface within `radius` of it, the deepest or nearest one first."""
        hits: list[Hit] = []
        for shapes in (self._bodies.now(), self._walls.now()):
            edge, found = np.empty((shapes.count, 2), np.int64), np.empty((shapes.count, 3))
            find_near(
                shapes.geometry, wanted.of(shapes.entity, shapes.category, shapes.sensor), shapes.boxes(), *point,
                radius, edge, found,
            )  # fmt: skip
            for s in np.flatnonzero(found[:, 0] <= radius).tolist():
                distance, nx, ny = found[s].tolist()
                surface = (point[0] - distance * nx, point[1] - distance * ny)
                hits.append(Hit(int(shapes.entity[s]), _rows(shapes, s, edge), surface, (nx, ny), distance))
        return sorted(hits, key=lambda hit: (hit.distance, hit.entity))

    def in_region(self, low: tuple[float, float], high: tuple[float, float], wanted: Filter) -> list[int]:
        """Return the entities that overlap the box from `low` to `high`, sorted."""
        corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
        one = np.zeros(1, np.int64)
        region: Geometry = (corners, np.zeros(4), np.arange(4), one, one + 4, one + FILLED)
        region_box = np.array([[*low, *high]])
        entities: set[int] = set()
        for shapes in (self._bodies.now(), self._walls.now()):
            inside = np.zeros(shapes.count, np.bool_)
            find_in_region(
                shapes.geometry, wanted.of(shapes.entity, shapes.category, shapes.sensor), shapes.boxes(), region,
                region_box, inside,
            )  # fmt: skip
            entities.update(shapes.entity[inside].tolist())
        return sorted(entities)

    def nearest_particle(self, point: tuple[float, float], limit: float, wanted: Filter) -> Hit | None:
        """Return the particle closest to a point, at most `limit` [m] away; without a Collider it is of category 1."""
        values = self._particles.values
        category, sensor = np.ones(values.count, np.uint32), np.zeros(values.count, np.bool_)
        colliders = self._colliders.values
        used = np.flatnonzero(colliders["particle_last"] > colliders["particle_first"])
        body = self._particles.rows["body"][colliders["particle_first"][used]]
        category[body], sensor[body] = colliders["category"][used], colliders["sensor"][used]
        position = self._particles.rows["position"]
        slot, row = nearest_row(
            position, values["first"], values["last"], wanted.of(values["entity"], category, sensor), *point, limit
        )
        if row < 0:
            return None
        x, y = position[row].tolist()
        distance = math.hypot(point[0] - x, point[1] - y)
        normal = ((point[0] - x) / distance, (point[1] - y) / distance) if distance > 0.0 else (0.0, 1.0)
        own = row - int(values["first"][slot])
        return Hit(int(values["entity"][slot]), (own, own), (x, y), normal, distance)


def _rows(shapes: Shapes, s: int, edge: NDArray[np.int64]) -> tuple[int, int]:
    """Return the rows of an edge, counted in the entity's own component."""
    base = int(shapes.base[s])
    return int(edge[s, 0]) - base, int(edge[s, 1]) - base


def checked_filter(asked: str, mask: int, ignore: int | Iterable[int], sensors: bool) -> Filter:
    """Return the filter of a query, or raise ValueError naming what does not fit."""
    whole = isinstance(mask, int | np.integer) and not isinstance(mask, bool)
    if not whole or not 0 <= mask <= MOST:
        raise ValueError(f"{asked}.mask: {mask!r} is not allowed; expected a whole number from 0 to {MOST:#x}")
    try:
        ignored = frozenset([ignore] if isinstance(ignore, int | np.integer) else ignore)
        if not all(isinstance(entity, int | np.integer) and not isinstance(entity, bool) for entity in ignored):
            raise TypeError
    except TypeError:
        raise ValueError(f"{asked}.ignore: {ignore!r} is not allowed; expected an entity or several") from None
    return Filter(int(mask), ignored, bool(sensors))


def checked_point(asked: str, name: str, value: ArrayLike) -> tuple[float, float]:
    """Return two finite numbers, or raise ValueError."""
    x, y = check_point(asked, name, value).tolist()
    return x, y


def checked_distance(asked: str, name: str, value: float) -> float:
    """Return a number >= 0, which may be infinite, or raise ValueError."""
    return math.inf if value == math.inf else check_number(asked, name, value, minimum=0.0)
