"""Ground below: how high the ground is under each of some points, and the shadows that bodies throw
on it.
"""

from __future__ import annotations

import math

from ecs_softbody.arrays import Floats1, Floats2, Integers1
from ecs_softbody.parallel.compiling import entry

UPRIGHT = 1e-9
"""Segments that run less than this to the side count as running so far."""


@entry
def find_ground_below(points: Floats2, ends: Integers1, places: Floats2, ground: Floats1) -> None:
    """Write the height of the highest segment below each place (B, 2), -inf where there is none.

    The segments belong to chains: points (V, 2), one chain after the other; `ends` (C,) is the end
    of each.
    """
    for b in range(places.shape[0]):
        ground[b] = -math.inf
    first = 0
    for c in range(ends.shape[0]):
        for k in range(first, ends[c] - 1):
            low = min(points[k, 0], points[k + 1, 0])
            high = max(points[k, 0], points[k + 1, 0])
            run = points[k + 1, 0] - points[k, 0]
            slope = (points[k + 1, 1] - points[k, 1]) / (run if abs(run) >= UPRIGHT else UPRIGHT)
            for b in range(places.shape[0]):
                x = places[b, 0]
                if x >= low and x <= high:
                    height = points[k, 1] + slope * (x - points[k, 0])
                    if height <= places[b, 1] and height > ground[b]:
                        ground[b] = height
        first = ends[c]


@entry
def place_shadows(
    boxes: Floats2, ground: Floats1, scale: float, reach: float, least: float, ellipses: Floats2
) -> int:
    """Write the shadows (B, 5) that bodies throw on the ground below them, and return how many
    there are.

    A body has middle x, y, thickness, left, bottom, right, top and visible in `boxes` (B, 8) [px];
    `ground` is as `find_ground_below` wrote it. A shadow has x, y, half width, half height [px] and
    a share of full darkness: (1 - h / `reach`)^1.5 at a height h [m] of the body's lowest point; it
    is at least `least` [px] half high.
    """
    count = 0
    for b in range(boxes.shape[0]):
        height = (boxes[b, 4] - ground[b]) / scale
        if height < reach:
            share = 1.0 - min(max(height, 0.0), reach) / reach
            wide = 0.5 * (boxes[b, 5] - boxes[b, 3]) * (0.75 + 0.35 * share)
            ellipses[count, 0], ellipses[count, 1] = boxes[b, 0], ground[b] - 0.02 * scale
            ellipses[count, 2] = wide
            ellipses[count, 3] = max(0.16 * wide, least)
            ellipses[count, 4] = share * math.sqrt(share)
            count += 1
    return count
