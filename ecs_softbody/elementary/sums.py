"""Sums and sums of products with the same bits on every machine, for plain Python and kernels.

numpy's `@` calls BLAS, whose order of summing, and so whose rounding, depends on the processor. The
functions here sum in the order of numpy's own `sum`, which is the same everywhere.
"""

import math

import numpy as np

from ecs_softbody.arrays import Floats, Floats1, Floats2
from ecs_softbody.parallel.compiling import entry, kernel

FLAT = 1e-9
"""Offsets count as on a line if the sum of their squares across it is less than this share of that
along it.
"""
SHORT = 128
"""Up to this many numbers are summed in one loop; numpy sums more in halves, each for itself."""
KNOWN = np.dtype(np.float64)
"""The dtype that kernels take; numpy has one object for it, so `is` compares fast."""


@kernel
def sum_of_lanes(
    s0: float, s1: float, s2: float, s3: float, s4: float, s5: float, s6: float, s7: float
) -> float:
    """Return the sum of eight partial sums in the order in which numpy adds them."""
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@kernel
def sum_of_few(values: np.ndarray) -> float:
    """Return the sum of `SHORT` numbers or fewer in numpy's order: eight partial sums, each of
    every eighth number, are added, then the numbers left over at the end.
    """
    count = len(values)
    k = 0
    found = 0.0
    if count >= 8:
        s0 = values[0]
        s1 = values[1]
        s2 = values[2]
        s3 = values[3]
        s4 = values[4]
        s5 = values[5]
        s6 = values[6]
        s7 = values[7]
        k = 8
        while k + 8 <= count:
            s0 = s0 + values[k]
            s1 = s1 + values[k + 1]
            s2 = s2 + values[k + 2]
            s3 = s3 + values[k + 3]
            s4 = s4 + values[k + 4]
            s5 = s5 + values[k + 5]
            s6 = s6 + values[k + 6]
            s7 = s7 + values[k + 7]
            k += 8
        found = sum_of_lanes(s0, s1, s2, s3, s4, s5, s6, s7)
    while k < count:
        found += values[k]
        k += 1
    return found


@entry
def sum_of(values: Floats1) -> float:
    """Return the sum of numbers (N,) in numpy's order: more than `SHORT` in halves (pairwise
    summation); the first half is a multiple of 8 long.
    """
    count = len(values)
    if count <= SHORT:
        return sum_of_few(values)
    half = count // 2
    half -= half % 8
    return sum_of(values[:half]) + sum_of(values[half:])


@entry
def dot_numbers(weights: Floats1, values: Floats1, room: Floats1) -> float:
    """Return the sum of weights × values, (N,) each, as numpy sums it; room (N,): scratch."""
    for k in range(len(values)):
        room[k] = weights[k] * values[k]
    return sum_of(room)


@entry
def dot_vectors(weights: Floats2, values: Floats2, sums: Floats2) -> None:
    """Write the sums (P, D) over k of weights[p, k] values[k], in the order of k, as numpy adds
    rows. weights (P, N), values (N, D).
    """
    for p in range(len(weights)):
        for d in range(values.shape[1]):
            found = 0.0
            for k in range(len(values)):
                found += weights[p, k] * values[k, d]
            sums[p, d] = found


def dot(weights: Floats, values: Floats) -> Floats:
    """Return the sums over k of weights[..., k] values[k]; values are numbers (N,) or vectors
    (N, D).

    They equal numpy's own sums to the bit, without its arrays of the products.
    """
    if (
        _is_plain(weights)
        and _is_plain(values)
        and weights.ndim <= 2
        and weights.shape[-1] == len(values)
    ):
        if values.ndim == 2 and values.shape[1] > 1:
            found = np.empty((*weights.shape[:-1], values.shape[1]))
            one = weights.ndim == 1
            dot_vectors(weights[None] if one else weights, values, found[None] if one else found)
            return found
        if values.ndim == 1 and weights.ndim == 1:
            number: Floats = np.float64(dot_numbers(weights, values, np.empty(len(values))))  # type: ignore[assignment]
            return number
    return _dot_of_any(weights, values)


def _is_plain(numbers: Floats) -> bool:
    """Return whether a kernel takes an array as it is: float64, contiguous, not a single number."""
    return (
        isinstance(numbers, np.ndarray)
        and numbers.dtype is KNOWN
        and numbers.ndim > 0
        and numbers.flags.c_contiguous
    )


def _dot_of_any(weights: Floats, values: Floats) -> Floats:
    """Return the same sums as `dot` by numpy alone, for arrays that kernels do not take."""
    if values.ndim == 1:
        sums: Floats = (weights * values).sum(axis=-1)
    else:
        sums = (weights[..., None] * values).sum(axis=-2)
    return sums


def total(values: Floats) -> float:
    """Return the sum of numbers (N,) that lie one after the other, as numpy's own `sum` does."""
    return sum_of(values)


@kernel
def spread_along(
    weights: np.ndarray, offset: np.ndarray, one: int, two: int, room: np.ndarray
) -> float:
    """Return Σ w r_one r_two over offsets r (N, 2) with weights w (N,); one, two: 0 for x, 1 for y.
    room (2, N): scratch.
    """
    for k in range(len(weights)):
        room[0, k] = offset[k, one] * offset[k, two]
    found: float = dot_numbers(weights, room[0], room[1])
    return found


@entry
def spread_solution(
    weights: Floats1, offset: Floats2, to_x: float, to_y: float, room: Floats2
) -> tuple[float, float]:
    """Return the vector (x, y) that `solve_spread` returns, for the target (to_x, to_y), in
    kernels; room (2, N): scratch.

    The 2 x 2 system M s = target, M = Σ w r rᵀ, is solved along the principal axes of M.
    """
    xx = spread_along(weights, offset, 0, 0, room)
    xy = spread_along(weights, offset, 0, 1, room)
    yy = spread_along(weights, offset, 1, 1, room)
    half = 0.5 * (xx - yy)
    spread = math.sqrt(half * half + xy * xy)
    larger = 0.5 * (xx + yy) + spread
    if not larger > 0.0:
        return 0.0, 0.0
    x, y = (half + spread, xy) if half >= 0.0 else (xy, spread - half)
    size = math.sqrt(x * x + y * y)
    x, y = (x / size, y / size) if size > 0.0 else (1.0, 0.0)
    smaller = (xx * yy - xy * xy) / larger
    along = (x * to_x + y * to_y) / larger
    if not smaller > FLAT * larger:
        return x * along, y * along
    across = (-y * to_x + x * to_y) / smaller
    return x * along + -y * across, y * along + x * across


def solve_spread(weights: Floats, offset: Floats, target: Floats) -> Floats:
    """Return the vector s (2,) with Σ w r (r · s) = target, for weights w (N,) and offsets r (N,
    2).

    Where the offsets lie on a line (FLAT), no s may reach the target; s is then the shortest vector
    that comes nearest to it, along the line.
    """
    weight, flat = (
        np.ascontiguousarray(numbers, dtype=np.float64) for numbers in (weights, offset)
    )
    x, y = spread_solution(
        weight, flat, float(target[0]), float(target[1]), np.empty((2, len(weight)))
    )
    return np.array((x, y), np.float64)
