"""Closest points: kernels of queries. Which shapes hold a point, are close to it, or overlap a
region; which particle is closest.
"""

import math

import numpy as np

from ecs_softbody.arrays import Flags1, Floats2, Uint32s1
from ecs_softbody.collision.query.overlap import shapes_overlap
from ecs_softbody.collision.query.targets import Hits
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.geometry.box import boxes_within
from ecs_softbody.geometry.outlines import FILLED, Shapes, next_point
from ecs_softbody.geometry.polygon import is_inside
from ecs_softbody.geometry.segment import distance_to_thick_edge, thick_edge
from ecs_softbody.parallel.compiling import entry


@entry
def find_closest_points(
    shapes: Shapes, wanted: Flags1, box: Floats2, x: float, y: float, radius: float, hits: Hits
) -> None:
    """Find the edge of each wanted shape that is closest to (x, y) [m], and the normal there.

    The distance is measured to the surface, negative inside; inf if it is more than `radius` [m].
    wanted (S,): shapes that count. box (S, 4): of the shapes. hits: written.
    """
    position = shapes.position
    thickness = shapes.radius
    edge = hits.edge
    found = hits.surface
    outlines = shapes.outlines
    points = outlines.points
    first = outlines.first
    last = outlines.last
    kind = outlines.kind
    for s in range(first.shape[0]):
        found[s, 0] = math.inf
        if not wanted[s]:
            continue
        if not (box[s, 0] <= x + radius and x - radius <= box[s, 2]):
            continue
        if not (box[s, 1] <= y + radius and y - radius <= box[s, 3]):
            continue
        side = (
            -1.0
            if kind[s] == FILLED and is_inside(x, y, position, points, first[s], last[s])
            else 1.0
        )
        nearest = math.inf
        start = first[s]
        for k in range(first[s], last[s]):
            p = points[k]
            q = next_point(points, first[s], last[s], kind[s], k)
            if q < 0:
                break
            distance, thick, _ = distance_to_thick_edge(x, y, thick_edge(position, thickness, p, q))
            if distance - side * thick < nearest:
                nearest = distance - side * thick
                start = k
        if nearest == math.inf or side * nearest > radius:
            continue
        p = points[start]
        q = next_point(points, first[s], last[s], kind[s], start)
        distance, _, t = distance_to_thick_edge(x, y, thick_edge(position, thickness, p, q))
        ex = position[q, 0] - position[p, 0]
        ey = position[q, 1] - position[p, 1]
        nx = x - position[p, 0] - t * ex
        ny = y - position[p, 1] - t * ey
        length = hypot(nx, ny)
        if length == 0.0:
            nx, ny, length = (-ey, ex, hypot(ex, ey)) if p != q else (0.0, 1.0, 1.0)
        found[s, 0] = side * nearest
        found[s, 1], found[s, 2] = (
            (side * nx / length, side * ny / length) if length > 0.0 else (0.0, 1.0)
        )
        edge[s, 0] = p
        edge[s, 1] = q


@entry
def find_in_region(
    shapes: Shapes,
    wanted: Flags1,
    box: Floats2,
    region: Shapes,
    region_box: Floats2,
    inside: Flags1,
) -> None:
    """Write to `inside` (S,) whether each wanted shape overlaps a shape of `region`.

    box (S, 4), region_box (R, 4) [m]: of the shapes and of the shapes in the region.
    """
    for s in range(box.shape[0]):
        inside[s] = False
        if wanted[s]:
            for i in range(region_box.shape[0]):
                if boxes_within(region_box, i, box, s, 0.0) and shapes_overlap(
                    region, i, shapes, s, box, 0.0
                ):
                    inside[s] = True


@entry
def find_nearest_particle(
    position: Floats2,
    first: Uint32s1,
    last: Uint32s1,
    wanted: Flags1,
    x: float,
    y: float,
    limit: float,
) -> tuple[int, int]:
    """Return the body and the row of the particle closest to (x, y) [m], at most `limit` [m] away;
    (-1, -1): none. Body s has the rows [first[s], last[s]); wanted (B,): bodies that count.
    """
    body = -1
    row = -1
    nearest = limit * limit
    for s in range(first.shape[0]):
        if not wanted[s]:
            continue
        for p in range(np.int64(first[s]), np.int64(last[s])):
            dx = position[p, 0] - x
            dy = position[p, 1] - y
            squared = dx * dx + dy * dy
            if squared < nearest or (squared == nearest and row < 0):
                nearest = squared
                body = s
                row = p
    return body, row
