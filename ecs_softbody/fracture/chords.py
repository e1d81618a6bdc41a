"""Chords: where the line of a cut enters and leaves a body's closed outline, the ring.

A crossing is a point where the line meets an edge of the ring; a chord is the stretch of the line
between entering and leaving, along which the body is cut. A point on the line counts as being left
of it, so a line enters as often as it leaves, even if it touches corners or edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.elementary.rows import length
from ecs_softbody.elementary.sums import dot
from ecs_softbody.indices import flatnonzero

NEAR_END = 0.2
"""A crossing nearer to an end of its edge than this fraction of the edge is moved to the particle
there, which the cut then goes through.
"""
KEPT_OFF = 0.1
"""A crossing that must not be moved to the particle, because the line passes a dent there, stays at
least this fraction of the edge away from it.
"""


@dataclass
class RingCrossing:
    """Where the line crosses the edge from ring[edge] to the next vertex of the ring."""

    edge: int
    # of the way along the edge, 0 to 1
    fraction: float
    # [m] from the start of the cut along the line
    along: float
    # vertex of the ring that the crossing was moved to, if any
    vertex: int | None = None

    @property
    def ring_position(self) -> float:
        """Where it is around the ring, from 0 to the number of vertices: the vertex before it plus
        the fraction of the edge.
        """
        return float(self.vertex) if self.vertex is not None else self.edge + self.fraction


Ends = tuple[RingCrossing, RingCrossing]
"""Where a chord begins and ends."""


def ring_crossings(
    ring: Floats, start: Floats, end: Floats, orientation: float
) -> list[RingCrossing]:
    """Return the crossings of a ring (K, 2) [m] with the line through `start` and `end`, in the
    order along the line. orientation: 1 for a ring that runs counter-clockwise, else -1.
    """
    count = len(ring)
    direction = (end - start) / length(end - start)
    position = ring - start
    side = direction[0] * position[:, 1] - direction[1] * position[:, 0]
    ahead = dot(position, direction)
    found = []
    left = side >= 0.0
    for edge in flatnonzero(left != np.concatenate((left[1:], left[:1]))).tolist():
        after = (edge + 1) % count
        fraction = float(side[edge] / (side[edge] - side[after]))
        vertex = edge if fraction < NEAR_END else after if fraction > 1.0 - NEAR_END else None
        along = float((1.0 - fraction) * ahead[edge] + fraction * ahead[after])
        found.append(RingCrossing(edge, fraction, along, vertex))
    return sorted(_without_tips(found, ring, orientation), key=lambda crossing: crossing.along)


def _without_tips(
    found: list[RingCrossing], ring: Floats, orientation: float
) -> list[RingCrossing]:
    """Resolve pairs of crossings that were moved to one vertex.

    At a convex vertex the line cuts off just a tip: both are removed. At a dent it leaves the ring
    and enters again: both are moved back onto their edges.
    """
    at: dict[int | None, list[RingCrossing]] = {}
    for crossing in found:
        at.setdefault(crossing.vertex, []).append(crossing)
    for vertex, both in at.items():
        if vertex is not None and len(both) > 1:
            before = ring[vertex] - ring[vertex - 1]
            after = ring[(vertex + 1) % len(ring)] - ring[vertex]
            if (before[0] * after[1] - before[1] * after[0]) * orientation >= 0.0:
                found = [crossing for crossing in found if crossing not in both]
            else:
                for crossing in both:
                    crossing.vertex = None
                    crossing.fraction = min(max(crossing.fraction, KEPT_OFF), 1.0 - KEPT_OFF)
    return found


def chords_of(crossings: list[RingCrossing], length: float, through: float | None) -> list[Ends]:
    """Return the chords that a segment of this length [m] cuts from end to end.

    Crossings along the line enter and leave in turn, so each two of them bound a chord. through:
    only the chord at this distance [m] along the line.
    """
    pairs = zip(crossings[::2], crossings[1::2], strict=False)
    # Crossings at exactly the ends of the segment count, despite rounding.
    slack = 1e-9 * length
    return [
        (enters, leaves)
        for enters, leaves in pairs
        if enters.along >= -slack
        and leaves.along <= length + slack
        and (through is None or enters.along - slack <= through <= leaves.along + slack)
    ]
