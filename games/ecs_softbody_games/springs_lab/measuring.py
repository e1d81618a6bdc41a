"""Measuring: a period, the rest position, a time, from a curve that was noted once a frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def crossings(t: Floats, y: Floats, level: float = 0.0) -> Floats:
    """Return when a curve passes a level, up or down, between two points on a straight line."""
    above = y > level
    at = np.flatnonzero(above[:-1] != above[1:])
    return np.asarray(t[at] + (t[at + 1] - t[at]) * (level - y[at]) / (y[at + 1] - y[at]))


def period(t: Floats, y: Floats, level: float = 0.0) -> float | None:
    """Return the period of a swing around a level: twice the mean time between two passes."""
    times = crossings(t, y, level)
    if len(times) < 2:
        return None
    count = len(times) - 1 if len(times) < 3 else (len(times) - 1) // 2 * 2
    return float(2.0 * (times[count] - times[0]) / count)


def extremes(y: Floats) -> Floats:
    """Return the turning values of a curve, each on the parabola through three points."""
    left, middle, right = y[:-2], y[1:-1], y[2:]
    at = (middle - left) * (right - middle) <= 0.0
    at &= (middle != left) | (right != middle)
    left, middle, right = left[at], middle[at], right[at]
    bend = left - 2.0 * middle + right
    return np.asarray(middle - (right - left) ** 2 / (8.0 * np.where(bend == 0.0, np.inf, bend)))


def centre(y: Floats) -> float | None:
    """Return what a swing goes around, also one that dies out: three turning values lie on a geometric row."""
    turns = extremes(y)
    if len(turns) < 3:
        return None
    first, second, third = turns[:3]
    bend = first + third - 2.0 * second
    return float((first * third - second * second) / bend) if bend else None
