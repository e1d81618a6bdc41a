"""Meetings: which vertices of walls lie in one place, and which lie on the edge of another wall.

Games lay out floors from many static colliders (walls), such as tiles. Where they meet, bodies have
to go over them as over one; joining.py does this for the meetings that are found here, when walls
come, go or stop. Vertices are sorted into the cells of a grid that repeats (cells a whole grid
apart share one entry); every edge looks into the cells that it goes through.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers1, Integers2, Uint32s2
from ecs_softbody.parallel.compiling import entry, inline, kernel

TOLERANCE = 0.001
"""Ends within this distance [m] are joined, and a gap between them is bridged."""
LEAST_SHARE = 0.1
"""The same limit as a fraction of the shorter edge; the smaller limit counts, so that the two ends
of a short edge are not joined with each other.
"""
FARTHEST_CELL = 1e12
"""Cells along an axis end here: a quotient beyond it would not fit into 64 bits."""
SHIFT = 0.37
"""How far the grid is moved, in cells: tiles lie at whole numbers, and unmoved, their edges would
lie on the border between two rows of cells.
"""
MOST_LOOKS = 400
"""Vertices tested per edge, in the mean: tens of thousands of walls in one place would take
minutes. Edges beyond the limit are not joined.
"""
LEAST_LOOKS = 1_000_000
"""Vertices tested in addition, however few edges there are."""
RADIUS = 0
"""Column of the settings of a wall, see `static_edges.find_written`: its radius [m]."""
ONE_WAY_X = 3
"""Column of the direction of free passage, x."""
ONE_WAY_Y = 4
"""Column of the direction of free passage, y."""
SPEED_X = 5
"""Column of the velocity of a wall [m/s], x."""
SPEED_Y = 6
"""Column of the velocity of a wall [m/s], y."""
TURNING = 7
"""Column of the angular velocity of a wall [rad/s]."""
NOBODY = -1
"""Instead of a vertex or an edge: there is none."""


class Chains(NamedTuple):
    """V vertices and E edges of S walls; each wall is a chain of edges, open or closed."""

    # (V, 2) positions at which the vertices are joined [m]
    placed: Floats2
    # (E, 2) vertices at both ends of each edge
    ends: Integers2
    # (E,) wall of each edge
    wall: Integers1
    # (V,) wall of each vertex
    wall_of_vertex: Integers1
    # (V, 2) edge that leaves each vertex, and edge that arrives there, or NOBODY
    edge_at: Integers2
    # (E,) 1 or -1 for an edge of a closed wall that runs counter-clockwise or clockwise, else 0
    outward: Floats1
    # (V,) tolerance of every vertex [m], 0 for vertices that are never joined
    reach: Floats1


class WallKinds(NamedTuple):
    """Settings that decide whether two of S walls may be joined."""

    numbers: Floats2  # (S, 9) with the columns RADIUS to TURNING, see static_edges.NUMBERS
    bits: Uint32s2  # (S, 3) category, mask, sensor
    pivot: Floats2  # (S, 2) [m]


class Places(NamedTuple):
    """Where V vertices meet. A place is a set of vertices that lie together, named by the lowest of
    them; its members form a linked list.
    """

    place: Integers1  # (V,) the place of each vertex; while searching, a union-find tree
    first: Integers1  # (V,) of a place: the first vertex in its list
    following: Integers1  # (V,) the next vertex in the list, or NOBODY
    on: Integers1  # (V,) the edge that the vertex's place lies on, between its ends, or NOBODY


class Cells(NamedTuple):
    """A workspace: a grid of width x width cells, the width a power of two."""

    width: int
    side: float  # of a cell [m]
    cell: Integers1  # (V,) cell of each vertex
    start: Integers1  # (width² + 1,) the vertices of cell c are order[start[c]:start[c + 1]]
    order: Integers1  # (V,) vertices by cell


@kernel
def may_join(s: int, t: int, kinds: WallKinds) -> bool:
    """True if walls s and t may be joined: no sensors, with equal filters, radii and directions of
    free passage, and moving as one. Friction, restitution and conveyor speed may differ.
    """
    numbers = kinds.numbers
    bits = kinds.bits
    if bits[s, 2] != 0 or bits[t, 2] != 0 or bits[s, 0] != bits[t, 0] or bits[s, 1] != bits[t, 1]:
        return False
    if numbers[s, RADIUS] != numbers[t, RADIUS]:
        return False
    for k in range(ONE_WAY_X, TURNING + 1):
        if numbers[s, k] != numbers[t, k]:
            return False
    if numbers[s, TURNING] == 0.0:
        return True
    return kinds.pivot[s, 0] == kinds.pivot[t, 0] and kinds.pivot[s, 1] == kinds.pivot[t, 1]


@entry
def find_reaches(chains: Chains) -> None:
    """Write the tolerance of every vertex, `chains.reach` [m].

    It is TOLERANCE, less next to a short edge, and 0 at an edge without a length or with infinite
    numbers.
    """
    placed = chains.placed
    ends = chains.ends
    reach = chains.reach
    reach[:] = TOLERANCE
    for e in range(ends.shape[0]):
        a = ends[e, 0]
        b = ends[e, 1]
        dx = placed[b, 0] - placed[a, 0]
        dy = placed[b, 1] - placed[a, 1]
        length = math.sqrt(dx * dx + dy * dy)
        share = LEAST_SHARE * length if math.isfinite(length) else 0.0
        reach[a], reach[b] = min(reach[a], share), min(reach[b], share)


@inline
def cell_number(position: float, side: float) -> int:
    """Return the number along one axis of the cell that a coordinate [m] lies in, unwrapped."""
    return math.floor(min(max(position / side + SHIFT, -FARTHEST_CELL), FARTHEST_CELL))


@kernel
def sort_into_cells(rows: np.ndarray, chains: Chains, cells: Cells) -> None:
    """Sort the vertices `rows` into cells, by a counting sort; vertices never joined are left
    out.
    """
    placed = chains.placed
    reach = chains.reach
    start = cells.start
    order = cells.order
    last = cells.width - 1
    start[:] = 0
    for v in rows:
        if reach[v] > 0.0:
            column = cell_number(placed[v, 0], cells.side) & last
            row = cell_number(placed[v, 1], cells.side) & last
            cells.cell[v] = row * cells.width + column
            start[cells.cell[v]] += 1
    total = 0
    for c in range(start.shape[0]):
        total += start[c]
        start[c] = total
    for n in range(rows.shape[0] - 1, -1, -1):
        v = rows[n]
        if reach[v] > 0.0:
            start[cells.cell[v]] -= 1
            order[start[cells.cell[v]]] = v


@kernel
def place_of(place: np.ndarray, v: int) -> int:
    """Return the lowest vertex of the place that v belongs to so far: the root of its union-find
    tree. place: see Places.
    """
    while place[v] != v:
        place[v] = place[place[v]]
        v = place[v]
    return v


@kernel
def meet(e: int, w: int, chains: Chains, kinds: WallKinds, places: Places) -> None:
    """Note where vertex w meets edge e, if it does: the places of w and of that end become one, or
    w lies on the edge between its ends, where an edge of a closed wall takes precedence.
    """
    placed = chains.placed
    a = chains.ends[e, 0]
    b = chains.ends[e, 1]
    if w in (a, b):
        return
    tolerance = min(chains.reach[w], chains.reach[a], chains.reach[b])
    x = placed[w, 0] - placed[a, 0]
    y = placed[w, 1] - placed[a, 1]
    ex = placed[b, 0] - placed[a, 0]
    ey = placed[b, 1] - placed[a, 1]
    # The vector from the closest point of the edge to w.
    t = min(max((x * ex + y * ey) / (ex * ex + ey * ey), 0.0), 1.0)
    dx = x - t * ex
    dy = y - t * ey
    most = tolerance * tolerance
    if not dx * dx + dy * dy <= most or not may_join(
        chains.wall[e], chains.wall_of_vertex[w], kinds
    ):
        return
    if x * x + y * y <= most:
        one = place_of(places.place, a)
        other = place_of(places.place, w)
    elif (x - ex) * (x - ex) + (y - ey) * (y - ey) <= most:
        one = place_of(places.place, b)
        other = place_of(places.place, w)
    else:
        if places.on[w] == NOBODY or chains.outward[e] != 0.0:
            places.on[w] = e
        return
    places.place[max(one, other)] = min(one, other)


@kernel
def meet_cells(
    e: int, chains: Chains, kinds: WallKinds, places: Places, cells: Cells, most: int
) -> int:
    """Note all vertices that edge e meets, from the cells that it goes through; return how many
    cells and vertices it has looked at.

    If the edge goes through more than about `most` cells, return -1 with nothing done: to look at
    all vertices is faster.
    """
    placed = chains.placed
    side = cells.side
    a = chains.ends[e, 0]
    b = chains.ends[e, 1]
    ax = placed[a, 0]
    ay = placed[a, 1]
    bx = placed[b, 0]
    by = placed[b, 1]
    wide = TOLERANCE
    low = cell_number(min(ay, by) - wide, side)
    high = cell_number(max(ay, by) + wide, side)
    last = cells.width - 1
    columns = cell_number(max(ax, bx) + wide, side) - cell_number(min(ax, bx) - wide, side)
    looks = 0
    if 2 * (high - low) + columns > most:
        return -1
    for row in range(low, high + 1):
        # The stretch [from_x, to_x] of the edge within this row of cells, a little wider.
        from_x = ax
        to_x = bx
        if high > low and ay != by:
            slope = (bx - ax) / (by - ay)
            from_x = ax + slope * (
                min(max((row - SHIFT) * side - wide, min(ay, by)), max(ay, by)) - ay
            )
            to_x = ax + slope * (
                min(max((row + 1 - SHIFT) * side + wide, min(ay, by)), max(ay, by)) - ay
            )
        first = cell_number(min(from_x, to_x) - wide, side)
        stop = cell_number(max(from_x, to_x) + wide, side) + 1
        for column in range(first, stop):
            c = (row & last) * cells.width + (column & last)
            looks += 1 + cells.start[c + 1] - cells.start[c]
            for k in range(cells.start[c], cells.start[c + 1]):
                meet(e, cells.order[k], chains, kinds, places)
    return looks


@entry
def find_places(
    chosen: Integers1,
    rows: Integers1,
    chains: Chains,
    kinds: WallKinds,
    places: Places,
    cells: Cells,
) -> None:
    """Find where the edges `chosen`, whose vertices are `rows`, meet; both ascend.

    First every edge notes the vertices that it meets, as long as the limit of looks lasts; then the
    vertices of each place are linked to a list, and agree on the edge that their place lies on.
    """
    place = places.place
    first = places.first
    following = places.following
    on = places.on
    for v in rows:
        place[v] = v
        first[v] = NOBODY
        following[v] = NOBODY
        on[v] = NOBODY
    sort_into_cells(rows, chains, cells)
    left = LEAST_LOOKS + MOST_LOOKS * chosen.shape[0]
    for e in chosen:
        a = chains.ends[e, 0]
        b = chains.ends[e, 1]
        if a == b or chains.reach[a] <= 0.0 or chains.reach[b] <= 0.0 or left < 0:
            continue
        looks = meet_cells(e, chains, kinds, places, cells, rows.shape[0])
        left -= looks if looks >= 0 else rows.shape[0]
        for n in range(0 if looks >= 0 else rows.shape[0]):
            if chains.reach[rows[n]] > 0.0:
                meet(e, rows[n], chains, kinds, places)
    for n in range(rows.shape[0] - 1, -1, -1):
        v = rows[n]
        here = place_of(place, v)
        place[v] = here
        following[v] = first[here]
        first[here] = v
    for v in rows:
        e = on[v]
        here = place[v]
        # An edge that begins or ends at the place itself covers nothing beyond it.
        if e != NOBODY and (place[chains.ends[e, 0]] == here or place[chains.ends[e, 1]] == here):
            e = on[v] = NOBODY
        if on[here] == NOBODY:
            on[here] = e
    for v in rows:
        on[v] = on[place[v]]
