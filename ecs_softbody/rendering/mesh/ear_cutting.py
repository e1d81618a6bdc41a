"""Ear cutting: triangles between an outline and its holes, where the library mapbox-earcut is not
to be had.

The Python of browsers has none. Each hole is joined to the surrounding ring by a cut there and back
(Eberly, "Triangulation by ear clipping"); then the ears of the single remaining ring are cut. It is
slower, and yields other triangles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.geometry.polygon import signed_area
from ecs_softbody.indices import flatnonzero
from ecs_softbody.rendering.mesh.ears import clip_ears


def triangulate_float64(points: Floats, ends: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the triangles (3 T,) between rings that follow each other in points (N, 2), the
    outline first.

    Args:
        points: corners of the rings.
        ends: where each ring ends, (R,).
    """
    points = np.ascontiguousarray(points, np.float64)
    numbers = np.arange(len(points), dtype=np.int64)
    outline, *holes = (
        _turned(points, ring) for ring in np.split(numbers, ends[:-1].astype(np.intp))
    )
    for hole in sorted(
        (ring[::-1] for ring in holes), key=lambda ring: -float(points[ring, 0].max())
    ):
        outline = _joined(points, outline, hole)
    triangles = np.zeros(3 * max(len(outline) - 2, 0), np.int32)
    if len(triangles):
        scratch = np.zeros((2, len(outline)), np.int32)
        clip_ears(np.ascontiguousarray(points[outline]), scratch[0], scratch[1], triangles)
    return outline[triangles].astype(np.uint32)


def _turned(points: Floats, ring: Integers) -> Integers:
    """Return a ring that runs counter-clockwise."""
    return ring if signed_area(points[ring]) >= 0.0 else ring[::-1]


def _joined(points: Floats, outline: Integers, hole: Integers) -> Integers:
    """Return one ring of an outline and a hole that runs the other way, joined where both see each
    other.

    From the rightmost corner of the hole one looks to the right: the edge that is met first has a
    corner that is seen, or else one within the triangle in between is.
    """
    start = int(np.argmax(points[hole, 0]))
    x, y = points[hole[start]]
    a = points[outline]
    b = points[np.roll(outline, -1)]
    # These edges go upwards: the inside is to their left.
    spans = (a[:, 1] <= y) & (b[:, 1] > y)
    share = (y - a[:, 1]) / np.where(spans, b[:, 1] - a[:, 1], 1.0)
    met = np.where(spans, a[:, 0] + share * (b[:, 0] - a[:, 0]), np.inf)
    met[met < x] = np.inf
    edge = int(np.argmin(met))
    if not np.isfinite(met[edge]):
        return outline  # it lies outside: there is nothing to be cut out
    after = (edge + 1) % len(outline)
    seen = edge if a[edge, 0] > b[edge, 0] else after
    corner = points[outline[seen]]
    far = np.array((met[edge], y))
    inside = _within(points[outline], np.array((x, y)), far, corner)
    inside[seen] = False
    inside &= _looks_inwards(points[outline], np.array((x, y)))
    if inside.any():
        off = points[outline] - (x, y)
        steepness = np.full(len(outline), np.inf)
        steepness[inside] = np.abs(off[inside, 1]) / np.maximum(off[inside, 0], 1e-300)
        nearest = flatnonzero(steepness == steepness.min())
        seen = int(nearest[np.argmin(np.abs(off[nearest, 0]))])
    around = np.concatenate((hole[start:], hole[: start + 1]))
    return np.concatenate((outline[: seen + 1], around, outline[seen:]))


def _looks_inwards(ring: Floats, place: Floats) -> NDArray[np.bool_]:
    """Return from which corners of a counter-clockwise ring (N, 2) the way to a place begins inside
    of it.

    Where cuts have come to a corner before, it is there several times, and one of them looks this
    way.
    """
    come = ring - np.roll(ring, 1, axis=0)
    leave = np.roll(ring, -1, axis=0) - ring
    off = place - ring
    is_convex = come[:, 0] * leave[:, 1] - come[:, 1] * leave[:, 0] >= 0.0
    first = come[:, 0] * off[:, 1] - come[:, 1] * off[:, 0] >= 0.0
    second = leave[:, 0] * off[:, 1] - leave[:, 1] * off[:, 0] >= 0.0
    looks: NDArray[np.bool_] = np.where(is_convex, first & second, first | second)
    return looks


def _within(places: Floats, a: Floats, b: Floats, c: Floats) -> NDArray[np.bool_]:
    """Return which places (N, 2) lie in a triangle, its edges included."""
    sides = []
    for start, end in ((a, b), (b, c), (c, a)):
        along = end - start
        off = places - start
        sides.append(along[0] * off[:, 1] - along[1] * off[:, 0])
    turns = np.stack(sides)
    inside: NDArray[np.bool_] = np.logical_or(
        np.all(turns >= 0.0, axis=0), np.all(turns <= 0.0, axis=0)
    )
    return inside
