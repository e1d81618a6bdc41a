"""Contacts of walls: the narrow phase between bodies and static edges, and how fast the surface of a wall runs.

Every point of a body meets every static edge within reach, and every corner of a wall the closest edge of an outline.
"""

import math

import numpy as np

from ecs_softbody.collision.narrow_phase import append, closest_edge, squared_distance
from ecs_softbody.collision.response import NORMAL_X, NORMAL_Y
from ecs_softbody.kernels.compiling import lean, part


@lean
def corners_on_ring(
    i: int,
    edge: int,
    item: int,
    place: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    closed: np.ndarray,
    near: float,
    edges: np.ndarray,
    corner: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
    count: int,
) -> int:
    """Contacts of the corners of a static edge with the closest edge of the outline of body i."""
    for end in range(2):
        if not corner[edge, end]:
            continue
        v = edges[edge, end]
        ring_edge, squared = closest_edge(place[v, 0], place[v, 1], place, points, first[i], last[i], closed[i], -1, 0)
        p = points[first[i] + ring_edge]
        q = points[first[i] + ring_edge + 1] if first[i] + ring_edge + 1 < last[i] else points[first[i]]
        far = reach[v] + max(reach[p], reach[q]) + near
        if squared < far * far:
            count = append(rows, items, count, v, p, q, i, item)
    return count


@lean
def find_wall_contacts(
    pairs: np.ndarray,
    body_count: int,
    place: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    box: np.ndarray,
    margin: np.ndarray,
    edges: np.ndarray,
    corner: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
    count: int,
) -> int:
    """Write the contacts of points of bodies with static edges, and of corners with outlines; as `find_contacts`."""
    room = rows.shape[0]
    for n in range(pairs.shape[0]):
        i, item = pairs[n, 0], pairs[n, 1]
        edge, near = item - body_count, margin[i] + margin[item]
        a, b = edges[edge, 0], edges[edge, 1]
        ax, ay, bx, by = place[a, 0], place[a, 1], place[b, 0], place[b, 1]
        low_x, low_y = box[item, 0] - margin[i], box[item, 1] - margin[i]
        high_x, high_y = box[item, 2] + margin[i], box[item, 3] + margin[i]
        for k in range(first[i], last[i]):
            p = points[k]
            px, py, r = place[p, 0], place[p, 1], reach[p]
            if px + r < low_x or px - r > high_x or py + r < low_y or py - r > high_y:
                continue
            far = r + reach[a] + near
            if squared_distance(px, py, ax, ay, bx, by) < far * far:
                if count < room:
                    rows[count, 0], rows[count, 1], rows[count, 2] = p, a, b
                    items[count, 0], items[count, 1] = i, item
                count += 1
        if ringed[i] and (corner[edge, 0] or corner[edge, 1]):
            count = corners_on_ring(
                i, edge, item, place, reach, points, first, last, closed, near, edges, corner, rows, items, count
            )
    return count


@part
def surface_speed(
    rows: np.ndarray,
    data: np.ndarray,
    c: int,
    offset: int,
    vertices: np.ndarray,
    reach: np.ndarray,
    spin: float,
    belt: float,
) -> float:
    """Return how fast [m/s] the surface of a wall runs along (-n_y, n_x), over what its vertices do.

    The surface of a thick edge is `reach` away from it.
    """
    p, a, b = rows[c, 0], rows[c, 1], rows[c, 2]
    if p >= offset:
        return spin * reach[p]
    along = 1.0
    ex = vertices[b - offset, 0] - vertices[a - offset, 0]
    ey = vertices[b - offset, 1] - vertices[a - offset, 1]
    length = math.sqrt(ex * ex + ey * ey)
    if length > 0.0:
        along = (ey * data[c, NORMAL_X] - ex * data[c, NORMAL_Y]) / length
    return spin * reach[a] + belt * along
