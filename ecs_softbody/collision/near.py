"""Near: which shapes hold a point, are close to it, or overlap a box; which particle is closest."""

import math

import numpy as np

from ecs_softbody.collision.overlap import boxes_near, shapes_overlap
from ecs_softbody.collision.shapes import FILLED, Geometry, edge_gap, is_inside, next_point
from ecs_softbody.kernels.compiling import lean


@lean
def find_near(
    geometry: Geometry,
    wanted: np.ndarray,
    box: np.ndarray,
    x: float,
    y: float,
    radius: float,
    edge: np.ndarray,
    found: np.ndarray,
) -> None:
    """Write edge (S, 2), rows of the edge of each shape closest to (x, y), and found (S, 3): distance, normal.

    The distance is that of the surface, negative inside; inf where it is more than `radius`. The normal points out.
    """
    place, reach, points, first, last, kind = geometry
    for s in range(first.shape[0]):
        found[s, 0] = math.inf
        if not wanted[s]:
            continue
        if not (box[s, 0] <= x + radius and x - radius <= box[s, 2]):
            continue
        if not (box[s, 1] <= y + radius and y - radius <= box[s, 3]):
            continue
        side = -1.0 if kind[s] == FILLED and is_inside(x, y, place, points, first[s], last[s]) else 1.0
        nearest, start = math.inf, first[s]
        for k in range(first[s], last[s]):
            p, q = points[k], next_point(points, first[s], last[s], kind[s], k)
            if q < 0:
                break
            distance, thickness, _ = edge_gap(
                x, y, place[p, 0], place[p, 1], place[q, 0], place[q, 1], reach[p], reach[q]
            )
            if distance - side * thickness < nearest:
                nearest, start = distance - side * thickness, k
        if nearest == math.inf or side * nearest > radius:
            continue
        p, q = points[start], next_point(points, first[s], last[s], kind[s], start)
        distance, _, t = edge_gap(x, y, place[p, 0], place[p, 1], place[q, 0], place[q, 1], reach[p], reach[q])
        ex, ey = place[q, 0] - place[p, 0], place[q, 1] - place[p, 1]
        nx, ny = x - place[p, 0] - t * ex, y - place[p, 1] - t * ey
        length = math.hypot(nx, ny)
        if length == 0.0:
            nx, ny, length = (-ey, ex, math.hypot(ex, ey)) if p != q else (0.0, 1.0, 1.0)
        found[s, 0] = side * nearest
        found[s, 1], found[s, 2] = (side * nx / length, side * ny / length) if length > 0.0 else (0.0, 1.0)
        edge[s, 0], edge[s, 1] = p, q


@lean
def find_in_region(
    geometry: Geometry,
    wanted: np.ndarray,
    box: np.ndarray,
    region: Geometry,
    region_box: np.ndarray,
    inside: np.ndarray,
) -> None:
    """Write inside (S,): whether each wanted shape overlaps a shape of `region`."""
    for s in range(box.shape[0]):
        inside[s] = False
        if wanted[s]:
            for i in range(region_box.shape[0]):
                if boxes_near(region_box, i, box, s, 0.0) and shapes_overlap(region, i, geometry, s, box, 0.0):
                    inside[s] = True


@lean
def nearest_row(
    position: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    wanted: np.ndarray,
    x: float,
    y: float,
    limit: float,
) -> tuple[int, int]:
    """Return the body and the row of the particle closest to (x, y), at most `limit` [m] away; (-1, -1): none."""
    body, row = -1, -1
    nearest = limit * limit
    for s in range(first.shape[0]):
        if not wanted[s]:
            continue
        for p in range(np.int64(first[s]), np.int64(last[s])):
            dx, dy = position[p, 0] - x, position[p, 1] - y
            squared = dx * dx + dy * dy
            if squared < nearest or (squared == nearest and row < 0):
                nearest, body, row = squared, s, p
    return body, row
