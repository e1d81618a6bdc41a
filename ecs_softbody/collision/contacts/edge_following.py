"""Edge following: between two searches for contacts, a contact moves along an outline to the edge
that is closest to its point.

A search gives a point the closest edge of another outline. When a frame begins without one, a
contact whose point has come closer to the edge before or behind moves there: beyond the end of an
edge it would push aslant. Corners of walls have contacts with all edges near them, and static edges
leave points to their neighbours (prepare.py).
"""

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2
from ecs_softbody.collision.contacts.contact import ContactArrays
from ecs_softbody.collision.detect.edges import SELF_NEIGHBOURS, is_further
from ecs_softbody.geometry.outlines import LOOP, Outlines
from ecs_softbody.geometry.segment import squared_distance
from ecs_softbody.parallel.compiling import entry, kernel

NONE = -1
"""Instead of an index in an outline: there is none."""


@entry
def follow_points(
    contacts: ContactArrays, position: Floats2, radius: Floats1, outlines: Outlines, offset: int
) -> None:
    """Move contacts of a particle and an outline to the closest edge; rows >= `offset` are walls.

    Contacts whose separation exceeds the sum of both radii are left alone: they come nearer within
    some frames, or the next search replaces them.
    """
    rows = contacts.rows
    proxies = contacts.proxies
    for c in range(rows.shape[0]):
        if rows[c, 0] >= offset or rows[c, 1] >= offset or rows[c, 1] == rows[c, 2]:
            continue
        if contacts.records[c]["separation"] > radius[rows[c, 0]] + radius[rows[c, 1]]:
            continue
        own = (
            index_of(rows[c, 0], outlines, proxies[c, 1])
            if proxies[c, 0] == proxies[c, 1]
            else NONE
        )
        start = index_of(rows[c, 1], outlines, proxies[c, 1])
        if start == NONE:
            continue
        closest = walk_along(start, own, rows[c, 0], position, outlines, proxies[c, 1])
        if closest != start:
            first = outlines.first[proxies[c, 1]]
            count = outlines.last[proxies[c, 1]] - outlines.first[proxies[c, 1]]
            rows[c, 1] = outlines.points[first + closest]
            rows[c, 2] = outlines.points[first + (closest + 1) % count]


@kernel
def index_of(row: int, outlines: Outlines, i: int) -> int:
    """Return the index of a row in outline i, from 0, or NONE."""
    for k in range(outlines.first[i], outlines.last[i]):
        if outlines.points[k] == row:
            return k - outlines.first[i]
    return NONE


@kernel
def walk_along(
    start: int, own: int, p: int, position: np.ndarray, outlines: Outlines, i: int
) -> int:
    """Return the edge of outline i that a walk from edge `start` to ever closer neighbours ends at:
    a local minimum of the distance to point p.

    An edge is given by the index of its start. own: the index of p in the outline, if it is one of
    its points, else NONE; the edges next to it are left out.
    """
    points = outlines.points
    first = outlines.first[i]
    closed = outlines.kind[i] >= LOOP
    count = outlines.last[i] - first
    px = position[p, 0]
    py = position[p, 1]
    a = points[first + start]
    b = points[first + (start + 1) % count]
    nearest = squared_distance(
        px, py, position[a, 0], position[a, 1], position[b, 0], position[b, 1]
    )
    for _ in range(count):
        best = NONE
        for ahead in (-1, 1):
            edge = start + ahead
            if closed:
                edge %= count
            elif edge < 0 or edge > count - 2:
                continue
            if own != NONE and not is_further(edge - own, SELF_NEIGHBOURS, count, closed):
                continue
            a = points[first + edge]
            b = points[first + (edge + 1) % count]
            squared = squared_distance(
                px, py, position[a, 0], position[a, 1], position[b, 0], position[b, 1]
            )
            if squared < nearest:
                best = edge
                nearest = squared
        if best == NONE:
            break
        start = best
    return start
