"""Joining: which edge goes on where walls meet, which edges lie between two walls, and which
corners are left.

The result lets bodies slide over several static colliders (walls) as over one. A wall is a chain of
edges between vertices; a place is where vertices of walls lie together (meetings.py). A point
beyond the end of an edge belongs to one edge only. In a chain this is the edge that arrives at the
vertex, until the point is beside the next edge. Where ends of several walls meet, the two that best
continue each other are treated as two edges of a chain; the point belongs to none of the other
edges, nor to an edge whose end lies on another edge: that one is nearer.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Flags2, Integers1, Integers3
from ecs_softbody.collision.seams.meetings import NOBODY, Chains, Places
from ecs_softbody.parallel.compiling import entry, kernel

ELSEWHERE = -1
"""In place of the vertices of the next edge: points beyond this end belong to another edge."""
LEAVES = 0
"""End of an edge at its first vertex."""
ARRIVES = 1
"""End of an edge at its second vertex."""
FLAT_TANGENT = 0.1003
"""Tangent of the least turn of a corner, see `static_edges.FLAT_TURN`."""
MOST_ENDS = 32
"""Limit of the vertices of one place that are compared with each other; more than four are rare."""


class Joined(NamedTuple):
    """Result of joining V vertices and E edges."""

    seams: Integers3
    """(V, 2, 2) by vertex and end, LEAVES or ARRIVES: both vertices of the edge that goes on beyond
    this end of this vertex's edge; the vertex itself, twice, if none does; ELSEWHERE if points
    beyond this end belong to another edge.
    """
    corner: Flags2  # (E, 2), see WallEdges
    inner: Flags1  # (E,), see WallEdges


class Pair(NamedTuple):
    """The two ends of edges at a place that continue each other best.

    Points beyond both belong to the edge of the first one, as if it arrived and the other left.
    """

    ends: int  # number of ends at the place, without those of inner edges
    one: int  # vertex of the first end, or NOBODY
    one_end: int  # LEAVES or ARRIVES
    other: int  # vertex of the second end, or NOBODY
    other_end: int


@kernel
def way(chains: Chains, v: int, end: int) -> tuple[float, float]:
    """Return the unit vector from vertex v along the edge that has this end (LEAVES, ARRIVES)
    there.
    """
    e = chains.edge_at[v, end]
    w = chains.ends[e, 1 - end]
    x = chains.placed[w, 0] - chains.placed[v, 0]
    y = chains.placed[w, 1] - chains.placed[v, 1]
    length = math.sqrt(x * x + y * y)
    return (x / length, y / length) if length > 0.0 else (0.0, 0.0)


@kernel
def lies_within(e: int, f: int, chains: Chains, places: Places) -> bool:
    """True if edge e lies on edge f of another, closed wall, and the walls are on opposite sides.

    Both ends of e lie on f or at its ends. The insides are on opposite sides if the edges run in
    opposite directions with the walls running the same way round, or the other way about.
    """
    ends = chains.ends
    place = places.place
    on = places.on
    if f == NOBODY or chains.wall[f] == chains.wall[e] or chains.outward[f] == 0.0:
        return False
    for end in range(2):
        v = ends[e, end]
        if on[v] != f and place[v] != place[ends[f, 0]] and place[v] != place[ends[f, 1]]:
            return False
    ax, ay = way(chains, ends[e, 0], LEAVES)
    bx, by = way(chains, ends[f, 0], LEAVES)
    return chains.outward[e] * chains.outward[f] * (ax * bx + ay * by) < 0.0


@kernel
def is_between(e: int, chains: Chains, places: Places) -> bool:
    """True if all of edge e of a closed wall lies on an edge of another closed wall, so that it is
    an inner one.

    Candidates are the edges on which an end of e lies, and edges that begin or end there.
    """
    if chains.outward[e] == 0.0:
        return False
    for end in range(2):
        v = chains.ends[e, end]
        if lies_within(e, places.on[v], chains, places):
            return True
        u = places.first[places.place[v]]
        seen = 0
        while u != NOBODY and seen < MOST_ENDS:
            if lies_within(e, chains.edge_at[u, LEAVES], chains, places):
                return True
            if lies_within(e, chains.edge_at[u, ARRIVES], chains, places):
                return True
            u = places.following[u]
            seen = seen + 1
    return False


@kernel
def counts(u: int, end: int, chains: Chains, inner: np.ndarray) -> bool:
    """True if an edge has this end at vertex u that is neither inner nor a single point."""
    e = chains.edge_at[u, end]
    return e != NOBODY and not inner[e] and chains.ends[e, 0] != chains.ends[e, 1]


@kernel
def best_pair(place: int, chains: Chains, places: Places, inner: np.ndarray) -> Pair:
    """Return the two ends at a place that continue each other best: their directions away from the
    place have the least dot product.
    """
    found = Pair(0, NOBODY, 0, NOBODY, 0)
    least = math.inf
    count = 0
    # Each end is compared with the ends of the vertices before it in the list of the place, and the
    # two ends of one vertex with each other.
    u = places.first[place]
    while u != NOBODY:
        for end in range(2):
            if not counts(u, end, chains, inner):
                continue
            count += 1
            ux, uy = way(chains, u, end)
            v = places.first[place]
            seen = 0
            while v != u and seen < MOST_ENDS:
                for v_end in range(2):
                    if counts(v, v_end, chains, inner):
                        vx, vy = way(chains, v, v_end)
                        if ux * vx + uy * vy < least:
                            least = ux * vx + uy * vy
                            found = Pair(0, v, v_end, u, end)
                seen += 1
                v = places.following[v]
            if end == ARRIVES and counts(u, LEAVES, chains, inner):
                vx, vy = way(chains, u, LEAVES)
                if ux * vx + uy * vy < least:
                    least = ux * vx + uy * vy
                    found = Pair(0, u, ARRIVES, u, LEAVES)
        u = places.following[u]
    if found.one_end == LEAVES and found.other_end == ARRIVES:  # as in a chain
        return Pair(count, found.other, found.other_end, found.one, found.one_end)
    return Pair(count, found.one, found.one_end, found.other, found.other_end)


@kernel
def is_corner(pair: Pair, chains: Chains) -> bool:
    """True if a chain of both edges turns so much that it could poke into a soft edge."""
    ax, ay = way(chains, pair.one, pair.one_end)
    bx, by = way(chains, pair.other, pair.other_end)
    ahead = -(ax * bx + ay * by)
    return not abs(ax * by - ay * bx) <= FLAT_TANGENT * ahead


@kernel
def join_place(place: int, chains: Chains, places: Places, joined: Joined) -> None:
    """Let the best pair of ends at a place continue each other, and take the other ends out.

    If the place lies on another edge, all ends are taken out. An end that is alone stays as it is,
    and is a corner. A place with only the two ends of one vertex is left as its chain has it.
    """
    is_covered = places.on[place] != NOBODY
    pair = best_pair(place, chains, places, joined.inner)
    if pair.ends == 0 or (not is_covered and pair.ends == 2 and pair.one == pair.other):
        return
    alone = pair.ends == 1 and not is_covered
    u = places.first[place]
    while u != NOBODY:
        for end in range(2):
            if counts(u, end, chains, joined.inner):
                joined.corner[chains.edge_at[u, end], end] = alone
                if not alone:
                    joined.seams[u, end, :] = ELSEWHERE
        u = places.following[u]
    if alone or is_covered:
        return
    following = chains.edge_at[pair.other, pair.other_end]
    joined.corner[following, pair.other_end] = is_corner(pair, chains)
    joined.seams[pair.one, pair.one_end, 0] = pair.other
    joined.seams[pair.one, pair.one_end, 1] = chains.ends[following, 1 - pair.other_end]


@entry
def join_walls(
    chosen: Integers1, rows: Integers1, chains: Chains, places: Places, joined: Joined
) -> None:
    """Join the edges `chosen`, whose vertices are `rows`, where they meet: write `joined`.

    Before the call they are joined to nothing. Inner edges are found first, as they do not count at
    their places.
    """
    for e in chosen:
        joined.inner[e] = is_between(e, chains, places)
    for v in rows:
        here = places.place[v]
        if here == v and (places.on[v] != NOBODY or places.following[places.first[v]] != NOBODY):
            join_place(v, chains, places, joined)
