"""Crossings: the points where a line enters and leaves a ring, and the chords between.

A point on the line counts as being left of it, so a line enters as often as it leaves, even if it
touches corners or edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.elementary.rows import length
from ecs_softbody.elementary.sums import dot
from ecs_softbody.indices import flatnonzero

NEAR_END = 0.2
"""A crossing nearer to an end of its edge than this fraction takes the particle there."""
KEPT_OFF = 0.1
"""Where it must not take it, because the line passes a dent there, it stays this fraction away."""


@dataclass
class RingCrossing:
    """Where the line crosses the edge from ring[edge] to the next: `fraction` of the way, or at the
    ring's `vertex`.
    """

    edge: int
    fraction: float
    along: float
    vertex: int | None = None

    @property
    def ring_position(self) -> float:
        """Where it is around the ring: the vertex before it and the fraction of the edge."""
        return float(self.vertex) if self.vertex is not None else self.edge + self.fraction


Ends = tuple[RingCrossing, RingCrossing]
"""Where a chord begins and ends."""


def ring_crossings(
    ring: Floats, start: Floats, end: Floats, orientation: float
) -> list[RingCrossing]:
    """Return the crossings of a ring (K, 2) with the line from `start` to `end`, in the order along
    the line.
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
    """Remove pairs of crossings at one vertex: the line cuts nothing there, or passes a dent."""
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
    """Return the pairs of crossings between which the line is inside and that a segment of `length`
    reaches.

    through: only the chord at this distance along the line.
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
