"""Elementary functions of whole arrays, for plain Python: numpy's sin, arctan2 and hypot differ
from machine to machine, these do not (why: __init__.py). And `distinct`, a quick `numpy.unique`.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.arrays import Flags1, Floats, Floats1, Floats2, Integers1
from ecs_softbody.elementary.angles import atan2, cos, cos_sin, sin
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.indices import lexsort
from ecs_softbody.parallel.compiling import entry

Number = TypeVar("Number", bound=np.integer)


@entry
def fill_lengths(vector: Floats2, length: Floats1) -> None:
    """Write the length (N,) of every vector (N, 2)."""
    for k in range(len(length)):
        length[k] = hypot(vector[k, 0], vector[k, 1])


@entry
def fill_angles(y: Floats1, x: Floats1, angle: Floats1) -> None:
    """Write the angle (N,) [rad] of every vector (x[k], y[k])."""
    for k in range(len(angle)):
        angle[k] = atan2(y[k], x[k])


@entry
def fill_directions(angle: Floats1, direction: Floats2) -> None:
    """Write the cosine and the sine (N, 2) of every angle [rad]."""
    for k in range(len(angle)):
        direction[k, 0], direction[k, 1] = cos_sin(angle[k])


@entry
def mark_met(corners: Floats2, first: Integers1, share: float, met: Flags1) -> None:
    """Write to `met` (N,) which corners (N, 2) of rings are near a corner of another ring: nearer
    than `share` times the mean edge of their own ring.

    Ring r has the corners corners[first[r]:first[r + 1]].
    """
    for ring in range(len(first) - 1):
        start = first[ring]
        end = first[ring + 1]
        edges = 0.0
        for k in range(start, end):
            after = k + 1 if k + 1 < end else start
            edges += hypot(corners[after, 0] - corners[k, 0], corners[after, 1] - corners[k, 1])
        near = share * (edges / max(end - start, 1))
        for k in range(start, end):
            met[k] = False
            for other in range(len(corners)):
                x = corners[k, 0] - corners[other, 0]
                y = corners[k, 1] - corners[other, 1]
                if not start <= other < end and x * x + y * y < near * near:
                    met[k] = True
                    break


def lengths(vectors: ArrayLike) -> Floats:
    """Return the lengths (...) of vectors (..., 2)."""
    rows = np.ascontiguousarray(vectors, dtype=np.float64)
    found = np.empty(rows.shape[:-1])
    fill_lengths(rows.reshape(-1, 2), found.reshape(-1))
    return found


def length(vector: ArrayLike) -> float:
    """Return the length of one vector (2,)."""
    return float(lengths(vector))


def angles(y: Floats, x: Floats) -> Floats:
    """Return the angles of the vectors (x, y) [rad], both of one shape, from -pi to pi."""
    found = np.empty(np.shape(y))
    up, along = (np.ascontiguousarray(part, dtype=np.float64).reshape(-1) for part in (y, x))
    fill_angles(up, along, found.reshape(-1))
    return found


def turned(vectors: Floats, angle: float) -> Floats:
    """Return vectors (..., 2), turned by an angle [rad]."""
    cosine = cos(angle)
    sine = sin(angle)
    x = vectors[..., 0]
    y = vectors[..., 1]
    found: Floats = np.stack((x * cosine - y * sine, x * sine + y * cosine), axis=-1)
    return found


def directions(angle: Floats) -> Floats:
    """Return the unit vectors (N, 2) at angles (N,) [rad]: their cosines and sines."""
    found = np.empty((len(angle), 2))
    fill_directions(np.ascontiguousarray(angle, dtype=np.float64), found)
    return found


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Return the different values of an array, in order; numpy's `unique` would first load a
    module, in 20 ms.
    """
    ordered = np.sort(values, axis=None)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def distinct_rows(rows: NDArray[Number]) -> NDArray[Number]:
    """Return the different rows of an array (N, D), sorted by the first column, then the second,
    and so on.
    """
    ordered = rows[lexsort(rows.T[::-1])]
    first = np.ones(len(ordered), np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered[first]
