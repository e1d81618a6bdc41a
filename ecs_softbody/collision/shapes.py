"""Shapes: the outlines of all bodies, or the chains of all walls, as they are now.

Shape s goes through the rows points[first[s]:last[s]] of `place`. Its surface is where contacts are: discs around its
points, or thick edges between neighbours, whose thickness goes evenly from the reach of one end to that of the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.kernels.compiling import lean
from ecs_softbody.storage import Table

LEAST_REACH = 0.001
"""Particles reach at least this far [m]."""

DISCS, CHAIN, LOOP, FILLED = 0, 1, 2, 3
"""Kinds of shapes: points on their own, edges, edges with one back to the start, the same with all that is inside."""

Geometry = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Shapes:
    """S shapes: `geometry` is place (N, 2) [m], reach (N,) [m], points (K,), first, last and kind (S,).

    `base` (S,) is the row of `place` that is row 0 of the entity's own component.
    """

    geometry: Geometry
    base: NDArray[np.uint32]
    entity: NDArray[np.int64]
    category: NDArray[np.uint32]
    mask: NDArray[np.uint32]
    sensor: NDArray[np.bool_]

    @property
    def count(self) -> int:
        """Number of shapes."""
        return len(self.entity)

    def boxes(self) -> NDArray[np.float64]:
        """Return the box of every shape (S, 4): low x, low y, high x, high y [m]."""
        box = np.empty((self.count, 4))
        find_boxes(self.geometry, box)
        return box


class BodyShapes:
    """Makes Shapes of the colliders of bodies."""

    def __init__(self, colliders: Table, particles: Table) -> None:
        self._colliders, self._particles = colliders, particles
        self._versions = (-1, -1)

    def now(self) -> Shapes:
        """Return the shapes as they are now, in the slots of Collider; the tables must be up to date."""
        versions = (self._colliders.version, self._particles.version)
        if self._versions != versions:
            self._versions = versions
            points, self._first, self._last, ringed = list_points(self._colliders)
            self._points = points.astype(np.int64)
            self._ringed = ringed
        rows, values = self._particles.rows, self._colliders.values
        reach = np.maximum(rows["radius"], LEAST_REACH)
        kind = np.where(self._ringed, np.where(values["closed"], FILLED, CHAIN), DISCS)
        return Shapes(
            (rows["position"], reach, self._points, self._first, self._last, kind),
            values["particle_first"],
            values["entity"],
            values["category"],
            values["mask"],
            values["sensor"],
        )


class WallShapes:
    """Makes Shapes of the static colliders."""

    def __init__(self, static_colliders: Table) -> None:
        self._table = static_colliders
        self._version = -1

    def now(self) -> Shapes:
        """Return the shapes as they are now, in the slots of StaticCollider; the table must be up to date."""
        rows, values = self._table.rows, self._table.values
        if self._version != self._table.version:
            self._version = self._table.version
            self._first, self._last = values["first"].astype(np.int64), values["last"].astype(np.int64)
            self._points = np.arange(rows.count)
            self._slot = np.zeros(rows.count, np.int64)
            for slot in np.flatnonzero(self._last > self._first):
                self._slot[self._first[slot] : self._last[slot]] = slot
        closed = np.where(values["sensor"], FILLED, LOOP)
        kind = np.where(self._last - self._first == 1, DISCS, np.where(values["closed"], closed, CHAIN))
        return Shapes(
            (rows["vertices"], values["radius"][self._slot], self._points, self._first, self._last, kind),
            values["first"],
            values["entity"],
            values["category"],
            values["mask"],
            values["sensor"],
        )


def list_points(
    colliders: Table,
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """List the particles of every body that can touch, its ring or all of them: points, first, last, ringed."""
    rows, values = colliders.rows, colliders.values
    first, last = values["first"].astype(np.int64), values["last"].astype(np.int64)
    ringed = last > first
    points: NDArray[np.uint32] = rows["packed_outline"]
    if ringed.all():
        return points, first, last, ringed
    start, stop = values["particle_first"].astype(np.int64), values["particle_last"].astype(np.int64)
    counts = np.where(ringed, 0, stop - start)
    ends = rows.count + np.cumsum(counts)
    discs = np.arange(counts.sum()) + np.repeat(start - (ends - counts) + rows.count, counts)
    points = np.concatenate([points, discs.astype(np.uint32)])
    return points, np.where(ringed, first, ends - counts), np.where(ringed, last, ends), ringed


@lean
def next_point(points: np.ndarray, first: int, last: int, kind: int, k: int) -> int:
    """Return the row of the other end of the edge that begins at points[k]: itself for a disc, -1 for no edge."""
    if kind == DISCS:
        return points[k]
    if k + 1 < last:
        return points[k + 1]
    return -1 if kind == CHAIN else points[first]


@lean
def find_boxes(geometry: Geometry, box: np.ndarray) -> None:
    """Write the box of every shape (S, 4), low x, low y, high x, high y; that of an empty shape is inside out."""
    place, reach, points, first, last, _ = geometry
    for s in range(first.shape[0]):
        low_x, low_y, high_x, high_y = math.inf, math.inf, -math.inf, -math.inf
        for k in range(first[s], last[s]):
            p = points[k]
            x, y, r = place[p, 0], place[p, 1], reach[p]
            # Plain comparisons: min and max, which care for NaN, cost several times as much here.
            low_x = x - r if x - r < low_x else low_x
            low_y = y - r if y - r < low_y else low_y
            high_x = x + r if x + r > high_x else high_x
            high_y = y + r if y + r > high_y else high_y
        box[s, 0], box[s, 1], box[s, 2], box[s, 3] = low_x, low_y, high_x, high_y


@lean
def is_inside(px: float, py: float, place: np.ndarray, points: np.ndarray, first: int, last: int) -> bool:
    """Tell whether the ring points[first:last] goes around a point: whether its winding number there is not 0."""
    turns = 0
    previous = points[last - 1]
    ax, ay = place[previous, 0], place[previous, 1]
    for k in range(first, last):
        row = points[k]
        bx, by = place[row, 0], place[row, 1]
        if (ay <= py) != (by <= py):
            side = (bx - ax) * (py - ay) - (px - ax) * (by - ay)
            if by > ay and side > 0.0:
                turns += 1
            elif by < ay and side < 0.0:
                turns -= 1
        ax, ay = bx, by
    return turns != 0


@lean
def edge_gap(
    px: float, py: float, ax: float, ay: float, bx: float, by: float, ra: float, rb: float
) -> tuple[float, float, float]:
    """Return distance of a point from the axis of a thick edge, its thickness there, and where (0 to 1) that is."""
    ex, ey = bx - ax, by - ay
    squared = ex * ex + ey * ey
    t = 0.0
    if squared > 0.0:
        t = min(max(((px - ax) * ex + (py - ay) * ey) / squared, 0.0), 1.0)
    dx, dy = px - ax - t * ex, py - ay - t * ey
    return math.sqrt(dx * dx + dy * dy), ra + t * (rb - ra), t
