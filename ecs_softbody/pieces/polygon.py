"""Polygons: areas, crossings and what is inside, for rings of points (K, 2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

STRAIGHT = 1e-12
"""Points off a line by this times the size of the ring lie on it."""


def signed_area(ring: Floats) -> float:
    """Return the area inside a ring, negative when it goes clockwise."""
    x, y = (ring - ring[0]).T
    return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def mean_edge(ring: Floats) -> float:
    """Return the mean length of the edges of a ring."""
    edges = np.roll(ring, -1, axis=0) - ring
    return float(np.hypot(edges[:, 0], edges[:, 1]).mean())


def crosses_itself(ring: Floats) -> bool:
    """Tell whether two edges of a ring that are not neighbours cross."""
    count = len(ring)
    after = np.roll(ring, -1, axis=0)
    start_side, end_side = (_sides(ring, after, points) for points in (ring, after))
    slack = STRAIGHT * float(np.ptp(ring, axis=0).max()) ** 2
    start_side[np.abs(start_side) < slack] = end_side[np.abs(end_side) < slack] = 0.0
    apart = start_side * end_side < 0.0  # [k, l]: the ends of edge l lie on both sides of the line of edge k
    both = apart & apart.T
    index = np.arange(count)
    gap = np.abs(index[:, None] - index[None, :])
    both[(gap <= 1) | (gap == count - 1)] = False
    return bool(both.any())


def _sides(start: Floats, end: Floats, points: Floats) -> Floats:
    """Return on which side of each line k every point l is, shape (K, L)."""
    along = (end - start)[:, None, :]
    to = points[None, :, :] - start[:, None, :]
    sides: Floats = along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]
    return sides


def inside(ring: Floats, points: Floats) -> Booleans:
    """Tell which points (P, 2) lie inside a ring, by the number of edges to their right."""
    after = np.roll(ring, -1, axis=0)
    x, y = points[:, 0, None], points[:, 1, None]
    spans = (ring[:, 1] > y) != (after[:, 1] > y)
    height = np.where(spans, after[:, 1] - ring[:, 1], 1.0)
    cross = ring[:, 0] + (y - ring[:, 1]) / height * (after[:, 0] - ring[:, 0])
    odd: Booleans = (spans & (x < cross)).sum(axis=1) % 2 == 1
    return odd


def distance_to(ring: Floats, points: Floats) -> Floats:
    """Return the distance of each point (P, 2) to the nearest corner of a ring, shape (P,)."""
    away = points[:, None, :] - ring[None, :, :]
    nearest: Floats = np.hypot(away[..., 0], away[..., 1]).min(axis=1)
    return nearest
