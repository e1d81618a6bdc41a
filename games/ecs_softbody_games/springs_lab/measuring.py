"""Measuring: a period, the rest position, a time, from a curve that was noted once a frame."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.indices import flatnonzero

Floats = NDArray[np.float64]


def crossings(t: Floats, y: Floats, level: float = 0.0) -> Floats:
    """Return when a curve passes a level, up or down, between two points on a straight line."""
    above = y > level
    at = flatnonzero(above[:-1] != above[1:])
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
    left = y[:-2]
    middle = y[1:-1]
    right = y[2:]
    at = (middle - left) * (right - middle) <= 0.0
    at &= (middle != left) | (right != middle)
    left = left[at]
    middle = middle[at]
    right = right[at]
    bend = left - 2.0 * middle + right
    return np.asarray(middle - (right - left) ** 2 / (8.0 * np.where(bend == 0.0, np.inf, bend)))


def tops(y: Floats) -> Floats:
    """Return the highest values between two lower ones,
    each on the parabola through three points.
    """
    left = y[:-2]
    middle = y[1:-1]
    right = y[2:]
    at = (middle > left) & (middle >= right)
    left = left[at]
    middle = middle[at]
    right = right[at]
    return np.asarray(middle - (right - left) ** 2 / (8.0 * (left - 2.0 * middle + right)))


def centre(y: Floats) -> float | None:
    """Return what a swing goes around, also one that dies out: three turning values lie on a
    geometric row.
    """
    turns = extremes(y)
    if len(turns) < 3:
        return None
    first, second, third = turns[:3]
    bend = first + third - 2.0 * second
    return float((first * third - second * second) / bend) if bend else None


def pendulum_period(ratio: float, start: float) -> float:
    """Return the period of θ'' = -ratio sin θ, let go at `start` [rad]."""
    first = 1.0
    second = float(np.cos(0.5 * start))
    for _ in range(8):
        first, second = 0.5 * (first + second), (first * second) ** 0.5
    return float(2.0 * np.pi / np.sqrt(ratio) / first)


def pendulum_swing(ratio: float, start: float, t: Floats) -> Floats:
    """Return θ by the same law [rad], in steps of a five hundredth of a swing,
    to the fourth order.
    """
    steps = max(int(500 * t[-1] / pendulum_period(ratio, start)), 1)
    h = float(t[-1]) / steps
    angle = float(start)
    speed = 0.0
    angles = []
    for _ in range(steps + 1):
        angles.append(angle)
        slopes: list[tuple[float, float]] = []
        for share in (0.0, 0.5, 0.5, 1.0):
            turn, gain = slopes[-1] if slopes else (0.0, 0.0)
            slopes.append((speed + share * h * gain, -ratio * math.sin(angle + share * h * turn)))
        one, two, three, four = slopes
        angle += h / 6.0 * (one[0] + 2.0 * two[0] + 2.0 * three[0] + four[0])
        speed += h / 6.0 * (one[1] + 2.0 * two[1] + 2.0 * three[1] + four[1])
    return np.asarray(np.interp(t, np.linspace(0.0, t[-1], steps + 1), angles))


def bisect(law: Callable[[float], float], low: float, high: float) -> float:
    """Return where a law that rises passes 0."""
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if law(middle) < 0.0 else (low, middle)
    return low
