"""Passing: tests whether a wall lies between two particles of a body, or was passed by one.

The search for particles behind walls (damage.py) uses them. "Row" is a particle; a static edge is
solid to a body if their filters let them touch and it is not one-way.
"""

import numpy as np

from ecs_softbody.collision.detect.filters import Filters, may_touch
from ecs_softbody.collision.detect.static_edges import WallEdges
from ecs_softbody.collision.recover.interpenetration import crossing_fraction, is_beside_box
from ecs_softbody.geometry.outlines import Shapes
from ecs_softbody.parallel.compiling import kernel

JUMP = 0.25
"""A body has jumped if its first point has moved in a substep by more than this times the length of
the edge there: it is tested at once, since a game may have put it there, and later nothing tells
where it came from.
"""


@kernel
def has_jumped(i: int, shapes: Shapes, before: np.ndarray) -> bool:
    """True if the first point of ring i has moved far in the last substep, see JUMP.

    before (N, 2) [m]: the positions before it.
    """
    position = shapes.position
    first = shapes.outlines.first[i]
    p = shapes.outlines.points[first]
    q = shapes.outlines.points[first + 1]
    x = position[p, 0] - before[p, 0]
    y = position[p, 1] - before[p, 1]
    ex = position[q, 0] - position[p, 0]
    ey = position[q, 1] - position[p, 1]
    return bool(x * x + y * y > JUMP * JUMP * (ex * ex + ey * ey))


@kernel
def is_solid_to(i: int, e: int, edges: WallEdges, filters: Filters) -> bool:
    """True if body i may not pass static edge e: their filters match and it is not one-way.

    Static edge e has the proxy I - E + e: proxies are bodies, then static edges.
    """
    may = may_touch(filters, i, filters.category.shape[0] - edges.ends.shape[0] + e)
    return bool(may and edges.one_way[e, 0] == 0.0 and edges.one_way[e, 1] == 0.0)


@kernel
def crossed_edge(
    i: int, a: int, b: int, position: np.ndarray, edges: WallEdges, filters: Filters
) -> int:
    """Return a static edge between the rows a and b of body i, solid to it, or -1."""
    low_x = min(position[a, 0], position[b, 0])
    high_x = max(position[a, 0], position[b, 0])
    low_y = min(position[a, 1], position[b, 1])
    high_y = max(position[a, 1], position[b, 1])
    for e in range(edges.ends.shape[0]):
        v = edges.ends[e, 0]
        w = edges.ends[e, 1]
        if is_beside_box(position, v, w, low_x, low_y, high_x, high_y):
            continue
        if crossing_fraction(position, a, b, v, w)[0] <= 1.0 and is_solid_to(i, e, edges, filters):
            return e
    return -1


@kernel
def has_passed(
    i: int, p: int, before: np.ndarray, position: np.ndarray, edges: WallEdges, filters: Filters
) -> bool:
    """True if row p of body i has passed a static edge, solid to it, in the last substep.

    Before and now it lies on different sides of the edge's line, and its path crosses the line
    between both ends. before, position (N, 2) [m].
    """
    x = before[p, 0]
    y = before[p, 1]
    px = position[p, 0]
    py = position[p, 1]
    for e in range(edges.ends.shape[0]):
        v = edges.ends[e, 0]
        w = edges.ends[e, 1]
        if is_beside_box(position, v, w, min(x, px), min(y, py), max(x, px), max(y, py)):
            continue
        ex = position[w, 0] - position[v, 0]
        ey = position[w, 1] - position[v, 1]
        was = ex * (y - position[v, 1]) - ey * (x - position[v, 0])
        now = ex * (py - position[v, 1]) - ey * (px - position[v, 0])
        if was * now >= 0.0:
            continue
        share = was / (was - now)
        along = (x + share * (px - x) - position[v, 0]) * ex + (
            y + share * (py - y) - position[v, 1]
        ) * ey
        if 0.0 <= along <= ex * ex + ey * ey and is_solid_to(i, e, edges, filters):
            return True
    return False
