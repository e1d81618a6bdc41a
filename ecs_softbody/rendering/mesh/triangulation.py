"""Triangulation: well-shaped triangles between a ring of points and points inside it, for skins.

Ears are cut from the ring; each point inside splits the triangle that it lies in; then edges are
flipped until every one is Delaunay (Lawson, 1977), except the ring's own edges. The library that
fills polygons leaves out points in the middle of straight sides, and here each is a corner.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats, Floats2, Integers, Integers1, Integers2
from ecs_softbody.indices import arange
from ecs_softbody.parallel.compiling import entry, kernel
from ecs_softbody.rendering.mesh.ears import clip_ears
from ecs_softbody.rendering.mesh.mesh import Int32s

MOST_FLIPS = 64
"""Rounds of flips; far fewer are needed, and a round that changes nothing is the last."""


def triangulate_with_points(points: ArrayLike, ring: ArrayLike) -> Int32s:
    """Return triangles (T, 3), counter-clockwise, of all `points` (N, 2); `ring` (K,) lists the
    outer points.

    Points that lie outside the ring are left out. Names of triangles count rows of `points`.
    """
    position = np.ascontiguousarray(points, np.float64)
    corners = np.asarray(ring, np.int64)
    ears = np.zeros(3 * (len(corners) - 2), np.int32)
    scratch = np.zeros((2, len(corners)), np.int32)
    clip_ears(position[corners], scratch[0], scratch[1], ears)
    inner = np.setdiff1d(arange(len(position)), corners)
    return with_points_inside(position, corners[ears.reshape(-1, 3)], inner)


def with_points_inside(points: ArrayLike, triangles: Integers, inner: Integers) -> Int32s:
    """Return triangles (T, 3), counter-clockwise, with points (N, 2) inside: the rows `inner` (I,)
    of them.

    No edge that has only one triangle is flipped, so holes stay open.
    """
    position = np.ascontiguousarray(points, np.float64)
    ears = np.array(triangles, np.int64)
    low = position.min(axis=0)
    high = position.max(axis=0)
    position = (position - low) / max(float((high - low).max()), 1e-300)
    a = position[ears[:, 0]]
    b = position[ears[:, 1]]
    c = position[ears[:, 2]]
    turned = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (
        c[:, 0] - a[:, 0]
    ) < 0.0
    ears[turned] = ears[turned][:, ::-1]
    all_triangles = np.zeros((len(ears) + 2 * len(inner), 3), np.int64)
    all_triangles[: len(ears)] = ears
    beside = np.full_like(all_triangles, -1, np.int64)
    _join(ears, beside)
    count = np.array([len(ears)], np.int64)
    insert_points(position, np.asarray(inner, np.int64), all_triangles, beside, count)
    made: Int32s = all_triangles[: count[0]].astype(np.int32)
    return made


def _join(triangles: Integers, beside: Integers) -> None:
    """Write which triangle lies beside each edge; edge e runs from corner e to the next."""
    open_edges: dict[tuple[int, int], tuple[int, int]] = {}
    for number, corners in enumerate(triangles.tolist()):
        for e in range(3):
            a = corners[e]
            b = corners[(e + 1) % 3]
            other = open_edges.pop((b, a), None)
            if other is None:
                open_edges[a, b] = (number, e)
            else:
                beside[number, e] = other[0]
                beside[other] = number


@kernel
def turn_of(p: Floats, a: int, b: int, c: int) -> float:
    """Return twice the area of a triangle, positive counter-clockwise."""
    return float(
        (p[b, 0] - p[a, 0]) * (p[c, 1] - p[a, 1]) - (p[b, 1] - p[a, 1]) * (p[c, 0] - p[a, 0])
    )


@kernel
def relink(beside: Integers, number: int, old: int, new: int) -> None:
    """Replace the neighbour `old` of a triangle by `new`."""
    if number >= 0:
        for e in range(3):
            if beside[number, e] == old:
                beside[number, e] = new
                break


@kernel
def flip(p: Floats, triangles: Integers, beside: Integers, t: int, e: int) -> bool:
    """Flip edge e of triangle t where the other diagonal is Delaunay; return whether it did.

    The edge a-b has t = (a, b, c) on one side and s with the corner d on the other. It is flipped
    to c-d where d lies in the circle through a, b and c (`inside` > 0).
    """
    s = beside[t, e]
    if s < 0:
        return False
    a = triangles[t, e]
    b = triangles[t, (e + 1) % 3]
    c = triangles[t, (e + 2) % 3]
    f = 0
    while f < 3 and triangles[s, f] != b:
        f += 1
    if f == 3 or triangles[s, (f + 1) % 3] != a:
        return False
    d = triangles[s, (f + 2) % 3]
    if not (turn_of(p, a, d, c) > 1e-14 and turn_of(p, d, b, c) > 1e-14):
        return False
    ax = p[a, 0] - p[d, 0]
    ay = p[a, 1] - p[d, 1]
    bx = p[b, 0] - p[d, 0]
    by = p[b, 1] - p[d, 1]
    cx = p[c, 0] - p[d, 0]
    cy = p[c, 1] - p[d, 1]
    inside = (ax * ax + ay * ay) * (bx * cy - by * cx) - (bx * bx + by * by) * (ax * cy - ay * cx)
    inside += (cx * cx + cy * cy) * (ax * by - ay * bx)
    if inside <= 1e-12 and turn_of(p, a, b, c) > 1e-14 and turn_of(p, b, a, d) > 1e-14:
        return False
    bc = beside[t, (e + 1) % 3]
    ca = beside[t, (e + 2) % 3]
    ad = beside[s, (f + 1) % 3]
    db = beside[s, (f + 2) % 3]
    triangles[t, 0] = a
    triangles[t, 1] = d
    triangles[t, 2] = c
    triangles[s, 0] = d
    triangles[s, 1] = b
    triangles[s, 2] = c
    beside[t, 0] = ad
    beside[t, 1] = s
    beside[t, 2] = ca
    beside[s, 0] = db
    beside[s, 1] = bc
    beside[s, 2] = t
    relink(beside, ad, s, t)
    relink(beside, bc, t, s)
    return True


@entry
def insert_points(
    p: Floats2, inner: Integers1, triangles: Integers2, beside: Integers2, count: Integers1
) -> None:
    """Split triangles at the `inner` points (I,), given by row of p (N, 2), and flip edges.

    triangles (T, 3), of which `count` (1,) are in use; beside (T, 3): the triangle at each edge, -1
    for none.
    """
    for n in range(inner.shape[0]):
        q = inner[n]
        for t in range(count[0]):
            a = triangles[t, 0]
            b = triangles[t, 1]
            c = triangles[t, 2]
            if turn_of(p, a, b, q) <= 0.0 or turn_of(p, b, c, q) < 0.0 or turn_of(p, c, a, q) < 0.0:
                continue
            one = count[0]
            two = count[0] + 1
            count[0] += 2
            ab = beside[t, 0]
            bc = beside[t, 1]
            ca = beside[t, 2]
            triangles[t, 2] = q
            triangles[one, 0] = b
            triangles[one, 1] = c
            triangles[one, 2] = q
            triangles[two, 0] = c
            triangles[two, 1] = a
            triangles[two, 2] = q
            beside[t, 0] = ab
            beside[t, 1] = one
            beside[t, 2] = two
            beside[one, 0] = bc
            beside[one, 1] = two
            beside[one, 2] = t
            beside[two, 0] = ca
            beside[two, 1] = t
            beside[two, 2] = one
            relink(beside, bc, t, one)
            relink(beside, ca, t, two)
            break
    for _ in range(MOST_FLIPS):
        changed = False
        for t in range(count[0]):
            for e in range(3):
                changed = flip(p, triangles, beside, t, e) or changed
        if not changed:
            break
