"""Outlines: which points make the outline of each body or wall, and how they are joined; for all
that deals with surfaces: contacts, queries, wind and water.

The points are particles of bodies or vertices of walls. The surface of a shape, where contacts are,
is a disc around each point, or a thick edge between each two neighbours, whose thickness is
interpolated linearly between the radii of both ends.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Uint32s1
from ecs_softbody.indices import arange, repeat
from ecs_softbody.parallel.compiling import entry, kernel
from ecs_softbody.storage import Table

LEAST_RADIUS = 0.001
"""Smallest radius of a particle in contacts [m]."""

DISCS, CHAIN, LOOP, FILLED = 0, 1, 2, 3
"""Kinds of outlines: single points, an open chain of edges, a closed one, a closed one with all
that is inside.

So an outline has edges where its kind is not DISCS, and is closed from LOOP on.
"""


class Outlines(NamedTuple):
    """S outlines: outline s goes through the rows points[first[s]:last[s]]."""

    points: Uint32s1  # (K,) rows of particles or vertices
    first: Integers1  # (S,)
    last: Integers1  # (S,)
    kind: Integers1  # (S,) DISCS, CHAIN, LOOP or FILLED


class Shapes(NamedTuple):
    """Outlines in space, over N rows."""

    position: Floats2  # (N, 2) [m]
    radius: Floats1  # (N,) distance of the surface from the point [m]
    outlines: Outlines


class BodyOutlines:
    """Keeps the outlines of all bodies up to date, one for each slot of Collider: its ring or
    chain, or else all particles of the body, as discs.
    """

    def __init__(self, colliders: Table, particles: Table) -> None:
        self._colliders = colliders
        self._particles = particles
        self._versions = (-1, -1)
        self._outlines = Outlines(np.zeros(0, np.uint32), *np.zeros((3, 0), np.int64))

    def now(self) -> Outlines:
        """Return the outlines, rebuilt if bodies came or went; the tables must be up to date."""
        versions = (self._colliders.version, self._particles.version)
        values = self._colliders.values
        if self._versions != versions:
            self._versions = versions
            self._outlines = list_outlines(self._colliders)
        find_kinds(values["first"], values["last"], values["closed"], self._outlines.kind)
        return self._outlines


def list_outlines(colliders: Table) -> Outlines:
    """Return the outlines of all bodies with a Collider: its outline if it has one, else all
    particles of the body, as discs.
    """
    rows = colliders.rows
    values = colliders.values
    first = values["first"].astype(np.int64)
    last = values["last"].astype(np.int64)
    has_edges = last > first
    points: NDArray[np.uint32] = rows["packed_outline"]
    if not has_edges.all():
        start = values["particle_first"].astype(np.int64)
        stop = values["particle_last"].astype(np.int64)
        counts = np.where(has_edges, 0, stop - start)
        ends = rows.count + np.cumsum(counts, dtype=np.int64)
        discs = arange(counts.sum()) + repeat(start - (ends - counts) + rows.count, counts)
        points = np.concatenate([points, discs.astype(np.uint32)])
        first = np.where(has_edges, first, ends - counts)
        last = np.where(has_edges, last, ends)
    kind = np.zeros(len(first), np.int64)
    find_kinds(values["first"], values["last"], values["closed"], kind)
    return Outlines(points, first, last, kind)


@entry
def find_kinds(first: Uint32s1, last: Uint32s1, closed: Flags1, kind: Integers1) -> bool:
    """Write the kind (S,) of each body's outline; true if any has changed.

    Body s has the rows [first[s], last[s]) of Collider.outline, none for discs; closed[s]: whether
    the last one is joined with the first.
    """
    changed = False
    for s in range(kind.shape[0]):
        new = DISCS if last[s] == first[s] else FILLED if closed[s] else CHAIN
        changed |= kind[s] != new
        kind[s] = new
    return changed


@kernel
def next_point(points: np.ndarray, first: int, last: int, kind: int, k: int) -> int:
    """Return the point where the edge that begins at points[k] of the outline points[first:last]
    ends. For a disc it is points[k] itself, at the end of an open chain -1: there is no edge.
    """
    if kind == DISCS:
        return points[k]
    if k + 1 < last:
        return points[k + 1]
    return -1 if kind == CHAIN else points[first]


@entry
def find_boxes(shapes: Shapes, box: Floats2) -> None:
    """Write the axis-aligned box of every shape with its thickness, (S, 4) as (low x, low y, high
    x, high y) [m]. An empty shape gets an inverted box, from inf to -inf, which overlaps nothing.
    """
    position = shapes.position
    radius = shapes.radius
    points = shapes.outlines.points
    first = shapes.outlines.first
    last = shapes.outlines.last
    for s in range(first.shape[0]):
        low_x = math.inf
        low_y = math.inf
        high_x = -math.inf
        high_y = -math.inf
        for k in range(first[s], last[s]):
            p = points[k]
            x = position[p, 0]
            y = position[p, 1]
            r = radius[p]
            # min and max, which care for NaN, would cost several times as much here.
            low_x = x - r if x - r < low_x else low_x
            low_y = y - r if y - r < low_y else low_y
            high_x = x + r if x + r > high_x else high_x
            high_y = y + r if y + r > high_y else high_y
        box[s, 0] = low_x
        box[s, 1] = low_y
        box[s, 2] = high_x
        box[s, 3] = high_y
