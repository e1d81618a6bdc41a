"""Targets: the shapes of all bodies, or of all walls, as queries and sensors test them.

A closed wall counts as its edges, and as filled only if it is a sensor: bodies may be in a room.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Flags1, Floats2, Integers1, Integers2, Uint32s1
from ecs_softbody.geometry.outlines import (
    CHAIN,
    DISCS,
    FILLED,
    LEAST_RADIUS,
    LOOP,
    BodyOutlines,
    Outlines,
    Shapes,
    find_boxes,
)
from ecs_softbody.indices import flatnonzero
from ecs_softbody.storage import Table


class Hits(NamedTuple):
    """Results of a query on each of S shapes."""

    # (S, 2) rows of both ends of the edge
    edge: Integers2
    # (S, 3) distance [m], inf for none, and the normal, which points away from the shape
    surface: Floats2


class FilterColumns(NamedTuple):
    """Columns of Collider or StaticCollider that filters read, (S,) each; see Filter of queries."""

    entity: Integers1
    category: Uint32s1
    mask: Uint32s1
    sensor: Flags1


@dataclass(frozen=True)
class Targets:
    """S shapes and their filters.

    `base` (S,) is the row at which an entity's own rows begin: a game counts them from 0.
    """

    shapes: Shapes
    base: NDArray[np.uint32]
    filters: FilterColumns

    @property
    def count(self) -> int:
        """Number of shapes."""
        return len(self.filters.entity)

    def boxes(self) -> NDArray[np.float64]:
        """Return the box of every shape (S, 4): low x, low y, high x, high y [m]."""
        box = np.empty((self.count, 4))
        find_boxes(self.shapes, box)
        return box

    def new_hits(self) -> Hits:
        """Return arrays for a query to write to."""
        return Hits(np.empty((self.count, 2), np.int64), np.empty((self.count, 3)))


class BodyTargets:
    """Makes Targets of the colliders of bodies."""

    def __init__(self, colliders: Table, particles: Table) -> None:
        self._colliders = colliders
        self._particles = particles
        self._outlines = BodyOutlines(colliders, particles)

    def now(self) -> Targets:
        """Return the shapes as they are now, in the slots of Collider; the tables must be up to
        date.
        """
        rows = self._particles.rows
        values = self._colliders.values
        radius = np.maximum(rows["radius"], LEAST_RADIUS)
        shapes = Shapes(rows["position"], radius, self._outlines.now())
        return Targets(shapes, values["particle_first"], values.group(FilterColumns))


class WallTargets:
    """Makes Targets of the static colliders."""

    def __init__(self, static_colliders: Table) -> None:
        self._table = static_colliders
        self._version = -1

    def now(self) -> Targets:
        """Return the shapes as they are now, in the slots of StaticCollider; the table must be up
        to date.
        """
        rows = self._table.rows
        values = self._table.values
        if self._version != self._table.version:
            self._version = self._table.version
            self._first = values["first"].astype(np.int64)
            self._last = values["last"].astype(np.int64)
            self._points = np.arange(rows.count, dtype=np.uint32)
            self._slot = np.zeros(rows.count, np.int64)
            for slot in flatnonzero(self._last > self._first):
                self._slot[self._first[slot] : self._last[slot]] = slot
        closed = np.where(values["sensor"], np.int64(FILLED), np.int64(LOOP))
        kind = np.where(
            self._last - self._first == 1, DISCS, np.where(values["closed"], closed, CHAIN)
        )
        outlines = Outlines(self._points, self._first, self._last, kind)
        shapes = Shapes(rows["vertices"], values["radius"][self._slot], outlines)
        return Targets(shapes, values["first"], values.group(FilterColumns))
