"""Skin shapes: which triangles carry the picture of a body, and how each corner follows the
particles.

A skin is made once, from the rest shape; skin_mesh.py moves it in every picture. Its corners are
weighted means of controls. A control is a particle, or a place a radius outside of it. Where a
body has particles inside its ring (its outline), they are corners; where it has none, corners
inside follow the whole ring, as a membrane would: each is a mean of its neighbours, with the
weights of M. Floater, Mean value coordinates (2003).
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats, Floats1, Floats2, Integers, Integers1, Integers2
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.indices import arange, flatnonzero, nonzero, repeat, searchsorted
from ecs_softbody.rendering.mesh.curves import sample_curve
from ecs_softbody.rendering.mesh.triangulation import triangulate_with_points

MOST_SUBDIVISIONS = 4
"""Limit of the parts that an edge of a ring is divided into."""
SAMPLES = 64
"""Approximate number of corners around a ring."""
FEW_SAMPLES = 24
"""The same around a ring that is small on the screen."""
INNER_ACROSS = 4
"""Corners across a body that has no particles inside."""
FEW_ACROSS = 3
"""The same across a body that is small on the screen."""
DISC_CORNERS = 16
"""Number of corners of a disc with a picture."""
SHARP = math.cos(math.radians(60.0))
"""Cosine of the turn of a ring at a particle, 60 degrees; from there on it stays a corner, and the
skin follows both edges straight.
"""
FARTHEST = 2.0
"""At a corner a skin reaches at most this many radii beyond the particle; elsewhere one."""
SMALLEST_WEIGHT = 1e-4
"""Controls with less weight than this in a corner are left out there."""
MOST_CACHED = 512
"""Shapes that are remembered: bodies of one form share one."""


class SkinShape(NamedTuple):
    """The skins of one or several bodies, one after another; all indices are relative to the first
    index of the body.
    """

    # (C,) particle of each control
    rows: Integers1
    # (C,) the particles before and after it: the normal is to the right of the line between them
    before: Integers1
    after: Integers1
    # (C, 2) outward offset at rest, in radii; where before = after, it holds at any time
    direction: Floats2
    # (V + 1,) corner v is the mean of the controls control[k] with weights weight[k], for k from
    # first[v] to before first[v + 1]
    first: Integers1
    control: Integers1
    weight: Floats1
    # (3 T,) corners of the triangles
    triangles: Integers1
    # (R, 3) corners on the edge of the skin, each with the one before and after it
    rim: Integers2
    # (E, 2) neighbours on the edge, as rows of `rim`
    edges: Integers2
    # (1,) number of leading controls that form the outline of a body
    ring: Integers1


class Controls(NamedTuple):
    """Controls of a skin in the making, C of them; as in SkinShape."""

    rows: Integers
    before: Integers
    after: Integers
    direction: Floats


def ring_shape(rest: Floats, ring: Integers, *, coarse: bool) -> SkinShape:
    """Return the skin of a body with an outline: `rest` (N, 2) of its particles [m], `ring` (K,)
    counter-clockwise.
    """
    inner = np.setdiff1d(arange(len(rest)), ring)
    # Bytes are keys of the cache: bodies of the same form share one skin.
    return _ring_shape(_rounded(rest).tobytes(), ring.tobytes(), inner.tobytes(), coarse)


@functools.lru_cache(maxsize=MOST_CACHED)
def _ring_shape(
    rest_bytes: bytes, ring_bytes: bytes, inner_bytes: bytes, coarse: bool
) -> SkinShape:
    rest = np.frombuffer(rest_bytes).reshape(-1, 2)
    ring = np.frombuffer(ring_bytes, np.int64)
    inner = np.frombuffer(inner_bytes, np.int64)
    count = len(ring)
    controls = _controls(rest, ring, inner)
    split = int(
        np.clip(math.ceil((FEW_SAMPLES if coarse else SAMPLES) / count), 1, MOST_SUBDIVISIONS)
    )
    # Weights (points of the curve, controls of the ring): the curve is linear in its controls, so
    # its answer to a unit vector in place of control k is the weight of k in each point.
    spread = np.zeros((count * split, count))
    for k in range(count):  # the effect of each control on the curve through them all
        unit = np.zeros((count, 2))
        curve = np.zeros((count * split, 2))
        unit[k] = 1.0
        sample_curve(unit, count, True, split, curve)
        spread[:, k] = curve[:, 0]
    # A curve through a sharp corner would swing out beside it.
    for k in flatnonzero(_sharp(rest[ring])).tolist():
        for one in ((k - 1) % count, k):
            spread[one * split : (one + 1) * split] = 0.0
            share = arange(split) / split
            spread[one * split : (one + 1) * split, one] = 1.0 - share
            spread[one * split : (one + 1) * split, (one + 1) % count] = share
    around = spread @ rest[ring]
    has_inner = len(inner) > 0
    within = (
        rest[inner]
        if has_inner
        else _grid_within(rest[ring], FEW_ACROSS if coarse else INNER_ACROSS)
    )
    corners = np.concatenate((around, within))
    triangles = triangulate_with_points(corners, arange(len(around)))
    weights = np.zeros((len(corners), len(controls.rows)))
    weights[: len(around), :count] = spread
    if has_inner:
        weights[len(around) :, count:] = np.eye(len(inner))
    elif len(within):
        weights[len(around) :, :count] = _membrane(corners, triangles, len(around)) @ spread
    return _shape(controls, weights, triangles, count)


def net_shape(rest: Floats, pairs: Integers) -> SkinShape:
    """Return the skin of a net of links (M, 2): triangles two or three sides of which are links."""
    return _net_shape(_rounded(rest).tobytes(), pairs.tobytes())


@functools.lru_cache(maxsize=MOST_CACHED)
def _net_shape(rest_bytes: bytes, pair_bytes: bytes) -> SkinShape:
    rest = np.frombuffer(rest_bytes).reshape(-1, 2)
    low = rest.min(axis=0)
    high = rest.max(axis=0)
    far = 2.0 * (high - low).max() + 1.0
    box = np.concatenate(
        (
            rest,
            [low - far, (high[0] + far, low[1] - far), high + far, (low[0] - far, high[1] + far)],
        )
    )
    made = triangulate_with_points(box, arange(len(rest), len(rest) + 4))
    links = {
        frozenset(pair) for pair in np.frombuffer(pair_bytes, np.int64).reshape(-1, 2).tolist()
    }
    kept = [
        (a, b, c)
        for a, b, c in made.tolist()
        if sum(frozenset(side) in links for side in ((a, b), (b, c), (c, a))) > 1
    ]
    rows = arange(len(rest))
    controls = Controls(rows, rows, rows, np.zeros_like(rest))
    return _shape(controls, np.eye(len(rest)), np.array(kept, np.int64).reshape(-1, 3), 0)


def rope_shape(path: Integers) -> SkinShape:
    """Return the skin of a rope through these particles in order: as wide as they are."""
    count = len(path)
    before = np.concatenate((path[:1], path[:-1]))
    after = np.concatenate((path[1:], path[-1:]))
    down = np.tile((0.0, -1.0), (count, 1))
    controls = Controls(
        np.concatenate((path, path)),
        np.concatenate((before, after)),
        np.concatenate((after, before)),
        np.concatenate((down, -down)),
    )
    split = int(np.clip(math.ceil(SAMPLES / count), 1, MOST_SUBDIVISIONS))
    along = np.zeros((split * (count - 1) + 1, count))
    for k in range(count):
        unit = np.zeros((count, 2))
        curve = np.zeros((len(along), 2))
        unit[k] = 1.0
        sample_curve(unit, count, False, split, curve)
        along[:, k] = curve[:, 0]
    weights = np.zeros((2 * len(along), 2 * count))
    weights[: len(along), :count] = weights[len(along) :, count:] = along
    a = arange(len(along) - 1)
    b = a + len(along)
    triangles = np.concatenate(
        (np.stack((a, a + 1, b + 1), axis=1), np.stack((a, b + 1, b), axis=1))
    )
    return _shape(controls, weights, triangles, 0)


def disc_shape(count: int) -> SkinShape:
    """Return the skin of particles that are discs."""
    angles = 2.0 * np.pi * arange(DISC_CORNERS) / DISC_CORNERS
    rows = repeat(arange(count), DISC_CORNERS)
    direction = np.tile(np.column_stack((np.cos(angles), np.sin(angles))), (count, 1))
    fan = np.array([(0, k, k + 1) for k in range(1, DISC_CORNERS - 1)])
    triangles = np.concatenate([fan + n * DISC_CORNERS for n in range(count)])
    return _shape(Controls(rows, rows, rows, direction), np.eye(len(rows)), triangles, 0)


def _rounded(rest: Floats) -> Floats:
    """Return places relative to the lower left corner of their box, rounded: bodies of one form
    have the same bytes, wherever they are, and share a cached shape.
    """
    moved = rest - rest.min(axis=0)
    scale = max(float(moved.max()), 1e-300)
    return np.ascontiguousarray(np.round(moved / scale, 6) * scale)


def _sharp(ring: Floats) -> NDArray[np.bool_]:
    """Return at which corners a ring (K, 2) turns sharply."""
    along = np.roll(ring, -1, axis=0) - ring
    before = np.roll(along, 1, axis=0)
    size = lengths(along)
    found: NDArray[np.bool_] = (before * along).sum(axis=1) < SHARP * size * np.roll(size, 1)
    return found


def _controls(rest: Floats, ring: Integers, inner: Integers) -> Controls:
    """Return the controls of a body with an outline: for each particle of the ring a place outside
    of it, then the inner particles themselves.
    """
    before = np.roll(ring, 1)
    after = np.roll(ring, -1)
    along = rest[after] - rest[before]
    outwards = np.column_stack((along[:, 1], -along[:, 0]))
    outwards /= np.maximum(np.hypot(outwards[:, 0], outwards[:, 1]), 1e-300)[:, None]
    edge = rest[after] - rest[ring]
    edge /= np.maximum(np.hypot(edge[:, 0], edge[:, 1]), 1e-300)[:, None]
    cosine = outwards[:, 0] * edge[:, 1] - outwards[:, 1] * edge[:, 0]
    outwards /= np.maximum(cosine, 1.0 / FARTHEST)[:, None]
    return Controls(
        np.concatenate((ring, inner)),
        np.concatenate((before, inner)),
        np.concatenate((after, inner)),
        np.concatenate((outwards, np.zeros((len(inner), 2)))),
    )


def _grid_within(ring: Floats, across: int) -> Floats:
    """Return places evenly inside a ring (K, 2), `across` it, and away from its edge."""
    low = ring.min(axis=0)
    high = ring.max(axis=0)
    step = float((high - low).max()) / across
    if not step > 0.0:
        return np.zeros((0, 2))
    x, y = np.meshgrid(
        *(np.arange(a + 0.5 * step, b, step) for a, b in zip(low, high, strict=True))
    )
    places = np.column_stack((x.ravel(), y.ravel()))
    a = ring
    b = np.roll(ring, -1, axis=0)
    inside = np.zeros(len(places), np.bool_)
    near = np.full(len(places), np.inf)
    for start, end in zip(a, b, strict=True):
        side = (end[0] - start[0]) * (places[:, 1] - start[1]) - (end[1] - start[1]) * (
            places[:, 0] - start[0]
        )
        inside ^= ((start[1] > places[:, 1]) != (end[1] > places[:, 1])) & (
            (side > 0) == (end[1] > start[1])
        )
        along = end - start
        share = np.clip((places - start) @ along / max(float(along @ along), 1e-300), 0.0, 1.0)
        near = np.minimum(near, np.hypot(*(places - start - share[:, None] * along).T))
    return places[inside & (near > 0.3 * step)]


def _membrane(corners: Floats, triangles: NDArray[np.int32], fixed: int) -> Floats:
    """Return the weights of the first `fixed` corners in each of the others (V - fixed, fixed).

    Mean value coordinates: corner i is the mean of its neighbors j with the weights
    (tan(α/2) + tan(β/2)) / |x_j - x_i|, α and β the angles at i beside the edge to j.
    """
    count = len(corners)
    pull = np.zeros((count, count))
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        i = triangles[:, a]
        j = triangles[:, b]
        k = triangles[:, c]
        one = corners[j] - corners[i]
        two = corners[k] - corners[i]
        long_one = np.hypot(*one.T)
        long_two = np.hypot(*two.T)
        angle = np.arctan2(
            np.abs(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]), (one * two).sum(axis=1)
        )
        half = np.tan(0.5 * np.minimum(angle, 3.0))
        np.add.at(pull, (i, j), half / np.maximum(long_one, 1e-12))
        np.add.at(pull, (i, k), half / np.maximum(long_two, 1e-12))
    free = pull[fixed:]
    free = free / np.maximum(free.sum(axis=1, keepdims=True), 1e-300)
    lonely = free.sum(axis=1) < 0.5  # in no triangle
    free[lonely, 0] = 1.0
    weights: Floats = np.linalg.solve(np.eye(count - fixed) - free[:, fixed:], free[:, :fixed])
    return weights


def _shape(
    controls: Controls, weights: Floats, triangles: NDArray[np.integer], ring: int
) -> SkinShape:
    """Return a skin whose corners are means of controls with `weights` (V, C). `ring`: number of
    leading controls that form the outline of the body, 0 without one.
    """
    small = np.abs(weights) < SMALLEST_WEIGHT
    weights = np.where(small, 0.0, weights)
    weights = weights / np.where(weights.sum(axis=1) == 0.0, 1.0, weights.sum(axis=1))[:, None]
    corner, control = nonzero(weights)
    first = searchsorted(corner, arange(len(weights) + 1))
    sides = {
        (a, b) for one in triangles.tolist() for a, b in zip(one, (*one[1:], one[0]), strict=True)
    }
    outer = sorted((a, b) for a, b in sides if (b, a) not in sides)
    following = dict(outer)
    leading = {b: a for a, b in outer}
    rim = sorted(set(following) & set(leading))
    number = {corner: row for row, corner in enumerate(rim)}
    edges = [(number[a], number[b]) for a, b in outer if a in number and b in number]
    return SkinShape(
        np.ascontiguousarray(controls.rows, np.int64),
        np.ascontiguousarray(controls.before, np.int64),
        np.ascontiguousarray(controls.after, np.int64),
        np.ascontiguousarray(controls.direction, np.float64),
        first.astype(np.int64),
        control.astype(np.int64),
        np.ascontiguousarray(weights[corner, control]),
        np.ascontiguousarray(triangles, np.int64).ravel(),
        np.array(
            [(corner, leading[corner], following[corner]) for corner in rim], np.int64
        ).reshape(-1, 3),
        np.array(edges, np.int64).reshape(-1, 2),
        np.array([ring], np.int64),
    )
