"""Queries: ray casts, entities at a point or in a box, closest particles; games ask them of a
Simulation.

They test the present positions of all bodies and walls, not the positions at the last search for
contacts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.query.closest_point import (
    find_closest_points,
    find_in_region,
    find_nearest_particle,
)
from ecs_softbody.collision.query.raycast import Ray, cast_ray
from ecs_softbody.collision.query.targets import BodyTargets, Hits, Targets, WallTargets
from ecs_softbody.elementary.rows import length
from ecs_softbody.geometry.outlines import FILLED, Outlines, Shapes
from ecs_softbody.indices import flatnonzero
from ecs_softbody.storage import Table
from ecs_softbody.validation import check_entities, check_flag, check_mask


@dataclass(frozen=True, slots=True)
class Hit:
    """Result of a query on one entity.

    `rows` are both ends of the edge that was found, in the entity's Particles or in the vertices of
    its StaticCollider; twice the same number for a particle or a circle. `point` (x, y) [m] is on
    the surface, `normal` points away from it, and `distance` [m] is how far the ray went, or how
    far the surface is (negative: inside).
    """

    entity: int
    rows: tuple[int, int]
    point: tuple[float, float]
    normal: tuple[float, float]
    distance: float


@dataclass(frozen=True)
class Filter:
    """Filter of a query: categories in `mask`, entities not `ignored`, with or without sensors."""

    mask: int
    ignored: frozenset[int]
    sensors: bool

    def among(self, targets: Targets) -> NDArray[np.bool_]:
        """Return which of the shapes (S,) are asked for."""
        return self.of(targets.filters.entity, targets.filters.category, targets.filters.sensor)

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

    def __init__(
        self, bodies: BodyTargets, walls: WallTargets, particles: Table, colliders: Table
    ) -> None:
        self._bodies = bodies
        self._walls = walls
        self._particles = particles
        self._colliders = colliders

    def cast(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        radius: float,
        wanted: Filter,
        *,
        nearest_only: bool,
    ) -> list[Hit]:
        """Return the hits of a disc of this radius [m] that moves from start to end, one per
        entity, by distance; with `nearest_only` at least the nearest one.
        """
        ray, limit = _ray(start, end, radius)
        hits: list[Hit] = []
        for targets in (self._bodies.now(), self._walls.now()):
            found = targets.new_hits()
            least = cast_ray(ray, limit, targets.shapes, wanted.among(targets), nearest_only, found)
            # Bodies come first: walls are tested no further than the nearest of them.
            if nearest_only:
                limit = least
            for s in flatnonzero(found.surface[:, 0] <= limit).tolist():
                distance, nx, ny = found.surface[s].tolist()
                x = start[0] + distance * ray.dx - radius * nx
                y = start[1] + distance * ray.dy - radius * ny
                hits.append(
                    Hit(
                        int(targets.filters.entity[s]),
                        _rows(targets, s, found),
                        (x, y),
                        (nx, ny),
                        distance,
                    )
                )
        return sorted(hits, key=lambda hit: (hit.distance, hit.entity))

    def wall_between(self, start: tuple[float, float], end: tuple[float, float]) -> bool:
        """Return whether a wall that is no sensor lies on the way from start to end, two different
        points.
        """
        ray, length = _ray(start, end, 0.0)
        walls = self._walls.now()
        return (
            cast_ray(ray, length, walls.shapes, ~walls.filters.sensor, True, walls.new_hits())
            < length
        )

    def near(self, point: tuple[float, float], radius: float, wanted: Filter) -> list[Hit]:
        """Return the entities within `radius` of a point or around it, deepest or nearest first."""
        hits: list[Hit] = []
        for targets in (self._bodies.now(), self._walls.now()):
            found = targets.new_hits()
            find_closest_points(
                targets.shapes, wanted.among(targets), targets.boxes(), *point, radius, found
            )
            for s in flatnonzero(found.surface[:, 0] <= radius).tolist():
                distance, nx, ny = found.surface[s].tolist()
                surface = (point[0] - distance * nx, point[1] - distance * ny)
                hits.append(
                    Hit(
                        int(targets.filters.entity[s]),
                        _rows(targets, s, found),
                        surface,
                        (nx, ny),
                        distance,
                    )
                )
        return sorted(hits, key=lambda hit: (hit.distance, hit.entity))

    def in_region(
        self, low: tuple[float, float], high: tuple[float, float], wanted: Filter
    ) -> list[int]:
        """Return the entities that overlap the box from `low` to `high`, sorted."""
        corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])], np.float64)
        one = np.zeros(1, np.int64)
        outline = Outlines(np.arange(4, dtype=np.uint32), one, one + 4, one + FILLED)
        region = Shapes(corners, np.zeros(4), outline)
        region_box = np.array([[*low, *high]], np.float64)
        entities: set[int] = set()
        for targets in (self._bodies.now(), self._walls.now()):
            inside = np.zeros(targets.count, np.bool_)
            find_in_region(
                targets.shapes, wanted.among(targets), targets.boxes(), region, region_box, inside
            )
            entities.update(targets.filters.entity[inside].tolist())
        return sorted(entities)

    def nearest_particle(
        self, point: tuple[float, float], limit: float, wanted: Filter
    ) -> Hit | None:
        """Return the particle closest to a point, at most `limit` [m] away; without a Collider it
        is of category 1.
        """
        values = self._particles.values
        category = np.ones(values.count, np.uint32)
        sensor = np.zeros(values.count, np.bool_)
        colliders = self._colliders.values
        used = flatnonzero(colliders["particle_last"] > colliders["particle_first"])
        body = self._particles.rows["body"][colliders["particle_first"][used]]
        category[body] = colliders["category"][used]
        sensor[body] = colliders["sensor"][used]
        position = self._particles.rows["position"]
        accepted = wanted.of(values["entity"], category, sensor)
        slot, row = find_nearest_particle(
            position, values["first"], values["last"], accepted, *point, limit
        )
        if row < 0:
            return None
        x, y = position[row].tolist()
        distance = length((point[0] - x, point[1] - y))
        normal = (
            ((point[0] - x) / distance, (point[1] - y) / distance) if distance > 0.0 else (0.0, 1.0)
        )
        own = row - int(values["first"][slot])
        return Hit(int(values["entity"][slot]), (own, own), (x, y), normal, distance)


def _ray(start: tuple[float, float], end: tuple[float, float], radius: float) -> tuple[Ray, float]:
    """Return the ray of a disc from start to end, two different points, and its length [m]."""
    far = length((end[0] - start[0], end[1] - start[1]))
    return Ray(*start, (end[0] - start[0]) / far, (end[1] - start[1]) / far, float(radius)), far


def _rows(targets: Targets, s: int, hits: Hits) -> tuple[int, int]:
    """Return the rows of the edge that was hit, counted in the entity's own component."""
    base = int(targets.base[s])
    return int(hits.edge[s, 0]) - base, int(hits.edge[s, 1]) - base


def checked_filter(asked: str, mask: int, ignore: int | Iterable[int], sensors: bool) -> Filter:
    """Return the filter of a query, or raise ValueError naming the argument that does not fit."""
    return Filter(
        check_mask(asked, "mask", mask),
        frozenset(check_entities(asked, "ignore", ignore)),
        check_flag(asked, "sensors", sensors),
    )
