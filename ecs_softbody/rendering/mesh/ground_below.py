"""Ground below: how high the ground is under each of some points."""

from __future__ import annotations

import math

from ecs_softbody.arrays import Floats1, Floats2, Integers1
from ecs_softbody.parallel.compiling import entry

UPRIGHT = 1e-9
"""Segments that run less than this to the side count as running so far."""


@entry
def find_ground_below(points: Floats2, ends: Integers1, places: Floats2, ground: Floats1) -> None:
    """Write the height of the highest segment below each place (B, 2), -inf where there is none.

    The segments are those of chains: points (V, 2), one chain after the other; `ends` (C,) is where each ends.
    """
    for b in range(places.shape[0]):
        ground[b] = -math.inf
    first = 0
    for c in range(ends.shape[0]):
        for k in range(first, ends[c] - 1):
            low, high = min(points[k, 0], points[k + 1, 0]), max(points[k, 0], points[k + 1, 0])
            run = points[k + 1, 0] - points[k, 0]
            slope = (points[k + 1, 1] - points[k, 1]) / (run if abs(run) >= UPRIGHT else UPRIGHT)
            for b in range(places.shape[0]):
                x = places[b, 0]
                if x >= low and x <= high:
                    height = points[k, 1] + slope * (x - points[k, 0])
                    if height <= places[b, 1] and height > ground[b]:
                        ground[b] = height
        first = ends[c]
