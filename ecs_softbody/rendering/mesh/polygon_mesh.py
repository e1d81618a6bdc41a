"""Polygons: any ring of points becomes triangles, with holes where the ring goes around them the
other way. `fill_polygon` does it, for pictures of ground, walls and shapes of a game.

The library mapbox-earcut cuts them. It needs the outline separate from its holes, whereas a ring of
a collider contains both, joined by cuts there and back: so a ring is split at repeated points. A
place is inside where the winding number of the ring is not 0, as it is for contacts. If the
triangles do not cover the area that the ring encloses, it crosses or touches itself between its
points: it then gets a point there, too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.geometry.polygon import is_convex, signed_area
from ecs_softbody.indices import arange, bincount, flatnonzero, repeat
from ecs_softbody.rendering.mesh.mesh import Int32s

EXACT = 1e-6
"""Share of the area of a ring by which its triangles may be off."""
NEAR = 1e-12
"""Share of the size of a ring within which a point lies on an edge."""
TURNS = (0.0, 1.0, 2.0, 3.0)
"""Angles [rad] by which a polygon is turned before the library cuts it, tried one after another
until the triangles cover it.
"""
MOST_POINTS = 2000
"""Crossings are looked for in rings of at most this many points, which takes a tenth of a second; a
longer ring is drawn without.
"""
MOST_CROSSINGS = 500
"""A ring that crosses itself more often is drawn without them, too."""


def fill_polygon(points: ArrayLike) -> tuple[Floats, Int32s]:
    """Return corners (V, 2) and the triangles (3 T,) of them that fill a polygon of N >= 3 points,
    shape (N, 2).

    The corners are the points, and behind them the places where the ring crosses itself, if any. It
    may run either way; where it has no area, or a place that is not finite, there are no triangles.
    """
    ring = np.ascontiguousarray(points, np.float64)
    area = signed_area(ring)
    if not math.isfinite(area):
        return ring, np.zeros(0, np.int32)
    if area and is_convex(ring):
        return ring, _fan(len(ring))
    loops = _loops(ring, arange(len(ring)))
    triangles, is_right = _fill(ring, loops)
    if len(loops) != 1:
        is_right = is_right and _is_near(area_of(ring, triangles), abs(area))
    if is_right or len(ring) > MOST_POINTS:
        return ring, triangles
    corners, order = _with_crossings(ring)
    if len(corners) > len(ring) + MOST_CROSSINGS:
        return ring, triangles
    return corners, _fill(
        corners, [loop for walk in _uncrossed(corners, order) for loop in _loops(corners, walk)]
    )[0]


@lru_cache(maxsize=256)
def _fan(count: int) -> Int32s:
    """Return the triangles of a convex ring."""
    after = np.arange(1, count - 1, dtype=np.int32)
    return np.stack((np.zeros_like(after), after, after + np.int32(1)), axis=1).ravel()


def cut(points: Floats, rings: Sequence[Integers]) -> tuple[Int32s, bool]:
    """Return the triangles (3 T,) between an outline and its holes, each a ring of rows of points
    (N, 2).

    And whether they cover exactly this area: shapes that touch in one direction mislead the
    library, so other directions are tried, too.
    """
    try:
        from mapbox_earcut import triangulate_float64
    except ImportError:  # a browser's Python
        from ecs_softbody.rendering.mesh.ear_cutting import triangulate_float64
    rows = np.concatenate(rings) if len(rings) > 1 else rings[0]
    corners = points[rows]
    ends = np.cumsum([len(ring) for ring in rings], dtype=np.uint32)
    outline, *holes = (abs(signed_area(points[ring])) for ring in rings)
    first = None
    for turn in TURNS:
        axes = np.array(((math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))))
        found = triangulate_float64(corners if turn == 0.0 else corners @ axes, ends)
        if _is_near(area_of(corners, found), outline - sum(holes)):
            return rows[found].astype(np.int32), True
        first = found if first is None else first
    return rows[first].astype(np.int32), False


def _is_near(area: float, expected: float) -> bool:
    """Return whether an area is as expected, and not zero."""
    return abs(area - expected) <= EXACT * expected and expected > 0.0


def area_of(points: Floats, triangles: NDArray[np.integer]) -> float:
    """Return the sum of the areas of triangles (3 T,) or (T, 3) of points (N, 2)."""
    return float(_areas(points[triangles.reshape(-1, 3)]).sum())


def _areas(corners: Floats) -> Floats:
    """Return the areas of triangles (T, 3, 2)."""
    (a, b), (c, d) = (corners[:, 1:] - corners[:, :1]).transpose(1, 2, 0)
    areas: Floats = 0.5 * np.abs(a * d - b * c)
    return areas


def _fill(points: Floats, loops: Sequence[Integers]) -> tuple[Int32s, bool]:
    """Return the triangles where the winding number of rings that do not cross, rows of points, is
    not 0.

    And whether all of them cover the expected area.
    """
    if len(loops) == 1:
        return cut(points, loops)
    each = [(loop, signed_area(points[loop]), *cut(points, [loop])) for loop in loops]
    # Loops without triangles have no area.
    each = sorted((one for one in each if len(one[2])), key=lambda one: -abs(one[1]))
    is_right = all(one[3] for one in each)
    loops = [loop for loop, *_ in each]
    insides = [_place_in(points[triangles.reshape(-1, 3)]) for _, _, triangles, _ in each]
    turns = {-1: 0}
    outlines = {-1: -1}  # outlines around all loops
    # Each key is the number of an outline; its value lists the outline and its holes.
    filled: dict[int, list[Integers]] = {}
    for number, parent in enumerate(_parents(points, loops, insides)):
        around = turns[parent]
        outline = outlines[parent]
        winding = around + (1 if each[number][1] > 0.0 else -1)
        if winding and not around:
            outline = number
            filled[outline] = [loops[number]]
        elif around and not winding:
            filled[outline].append(loops[number])
        turns[number] = winding
        outlines[number] = outline
    parts = [cut(points, rings) for rings in filled.values()]
    triangles = np.concatenate([np.zeros(0, np.int32), *(part for part, _ in parts)])
    return triangles, is_right and all(right for _, right in parts)


def _place_in(corners: Floats) -> Floats:
    """Return the middle of the largest of some triangles (T, 3, 2)."""
    middle: Floats = corners[np.argmax(_areas(corners))].mean(axis=0)
    return middle


def _loops(points: Floats, order: Integers) -> list[Integers]:
    """Return the parts of a ring that visit no place twice, as rows of points, without lines there
    and back.
    """
    places = [tuple(place) for place in points[order].tolist()]
    if len(set(places)) == len(places):
        return [order]
    loops = []
    way = list[int]()
    step_at = dict[tuple[float, ...], int]()
    for row, place in zip(order.tolist(), places, strict=True):
        start = step_at.get(place)
        if start is not None:
            loops.append(way[start:])
            for passed in way[start:]:
                del step_at[tuple(points[passed].tolist())]
            del way[start:]
        step_at[place] = len(way)
        way.append(row)
    return [np.array(loop) for loop in (*loops, way) if len(loop) > 2]


def _parents(points: Floats, loops: Sequence[Integers], insides: Sequence[Floats]) -> list[int]:
    """Return the smallest loop around each, -1 for none, where none crosses another and the largest
    come first.

    insides: a place in each.
    """
    if not loops:
        return []
    starts = points[np.concatenate(loops)]
    ends = points[np.concatenate([np.roll(loop, -1) for loop in loops])]
    loop_of = repeat(arange(len(loops)), [len(loop) for loop in loops])
    first = np.cumsum([0, *map(len, loops)], dtype=np.int64)
    parents = []
    for number, (x, y) in enumerate(insides):
        a = starts[: first[number]]
        b = ends[: first[number]]
        spans = flatnonzero((a[:, 1] <= y) != (b[:, 1] <= y))
        a = a[spans]
        b = b[spans]
        is_right = a[:, 0] + (y - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0]) > x
        around = flatnonzero(bincount(loop_of[spans[is_right]], minlength=1) % 2)
        parents.append(int(around[-1]) if len(around) else -1)
    return parents


def _with_crossings(ring: Floats) -> tuple[Floats, Integers]:
    """Return the points of a ring with the crossings of its edges, and the order in which it visits
    them.

    A point that lies on another edge is one of that edge, too.
    """
    count = len(ring)
    near = NEAR * float(np.ptp(ring, axis=0).max())
    along = np.roll(ring, -1, axis=0) - ring
    size = np.maximum(lengths(along), 1e-300)
    # Each stop on an edge is its distance along the edge, and its row.
    stops: list[list[tuple[float, int]]] = [[] for _ in range(count)]
    crossings: list[Floats] = []
    for k in range(count):
        off = ring - ring[k]
        side = (along[k, 0] * off[:, 1] - along[k, 1] * off[:, 0]) / size[k]
        share = off @ along[k] / size[k]
        touching = flatnonzero((np.abs(side) <= near) & (share > near) & (share < size[k] - near))
        stops[k] += [(float(share[row]), int(row)) for row in touching]
        here = side[k + 1 :]
        there = np.roll(side, -1)[k + 1 :]
        apart = (
            k
            + 1
            + flatnonzero((here * there < 0.0) & (np.minimum(np.abs(here), np.abs(there)) > near))
        )
        turn = along[k, 0] * along[apart, 1] - along[k, 1] * along[apart, 0]
        far_along = (
            (off[apart, 0] * along[apart, 1] - off[apart, 1] * along[apart, 0]) / turn * size[k]
        )
        for other, far in zip(apart.tolist(), far_along.tolist(), strict=True):
            if near < far < size[k] - near:
                place = ring[k] + far / size[k] * along[k]
                stops[k].append((far, count + len(crossings)))
                stops[other].append((math.dist(place, ring[other]), count + len(crossings)))
                crossings.append(place)
        if len(crossings) > MOST_CROSSINGS:
            break
    order = [row for k in range(count) for row in (k, *(found for _, found in sorted(stops[k])))]
    return np.concatenate((ring, np.reshape(crossings, (-1, 2)))), np.array(order)


def _uncrossed(points: Floats, order: Integers) -> list[Integers]:
    """Return closed walks along the edges of a ring, none of which crosses itself or another.

    Edges there and back are left out. At each place, an incoming edge continues along the adjacent
    outgoing edge.
    """
    row_at: dict[tuple[float, ...], int] = {}
    rows = [row_at.setdefault(tuple(points[row].tolist()), row) for row in order.tolist()]
    times = Counter(zip(rows, [*rows[1:], rows[0]], strict=True))
    edges = [
        (a, b) for (a, b), count in times.items() if a != b for _ in range(count - times[b, a])
    ]
    # Each spoke of a place is its direction, its edge, and 1 for out or 0 for in.
    spokes: dict[int, list[tuple[float, int, int]]] = {}
    for edge, (a, b) in enumerate(edges):
        (x, y) = (points[b] - points[a]).tolist()
        spokes.setdefault(a, []).append((math.atan2(y, x), edge, 1))
        # The negative number keeps the left one of equal edges on the left.
        spokes.setdefault(b, []).append((math.atan2(-y, -x), -edge, 0))
    following: dict[int, int] = {}
    for around in spokes.values():
        waiting: list[tuple[int, int]] = []
        for _, edge, is_out in sorted(around):
            if waiting and waiting[-1][1] != is_out:
                other = waiting.pop()[0]
                following[abs(edge if not is_out else other)] = abs(edge if is_out else other)
            else:
                waiting.append((edge, is_out))
    walks = []
    while following:
        edge, onward = following.popitem()
        walk = [edges[edge][0]]
        while onward in following:
            walk.append(edges[onward][0])
            onward = following.pop(onward)
        walks.append(np.array(walk))
    return walks
