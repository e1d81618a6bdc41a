"""Quality: how deep bodies overlap, how deep they stick in walls, how far springs are from their
rest length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenes import Scene

Floats = NDArray[np.float64]


@dataclass
class Quality:
    """Overlap of pairs of bodies over the radius of the smaller disc, depth in walls over radius,
    stretch.
    """

    overlap_p95: float
    overlap_max: float
    wall_penetration: float
    stretch_min: float
    stretch_max: float
    finite: bool


def quality_of(scene: Scene, place: Floats) -> Quality:
    """Measure the positions (N, 2) of a scene."""
    if not np.isfinite(place).all():
        return Quality(np.nan, np.nan, np.nan, np.nan, np.nan, finite=False)
    depths = overlaps(scene, place)
    p95, most = (
        (float(np.percentile(depths, 95)), float(depths.max())) if len(depths) else (0.0, 0.0)
    )
    return Quality(p95, most, wall_penetration(scene, place), *stretch(scene, place), finite=True)


def overlaps(scene: Scene, place: Floats) -> Floats:
    """Return (sum of radii - distance) / smaller radius of the pairs of different bodies that
    touch.
    """
    if not scene.room_width:
        return np.zeros(0)
    order = np.argsort(place[:, 0])
    points = place[order]
    body = scene.body[order]
    radius = scene.radius[order]
    reach = 2.0 * radius.max()
    found = [np.zeros(0)]
    for step in range(1, len(points)):
        first = np.flatnonzero(points[step:, 0] - points[:-step, 0] < reach)
        if not len(first):
            break
        second = first + step
        depth = (
            radius[first] + radius[second] - np.linalg.norm(points[first] - points[second], axis=1)
        )
        touching = (depth > 0.0) & (body[first] != body[second])
        found.append(depth[touching] / np.minimum(radius[first], radius[second])[touching])
    return np.concatenate(found)


def wall_penetration(scene: Scene, place: Floats) -> float:
    """Return how deep the deepest disc is in a wall, over its radius."""
    if not scene.room_width:
        return 0.0
    gap = np.minimum(place[:, 1], np.minimum(place[:, 0], scene.room_width - place[:, 0]))
    return float(max(((scene.radius - gap) / scene.radius).max(), 0.0))


def stretch(scene: Scene, place: Floats) -> tuple[float, float]:
    """Return the smallest and the largest length of a spring over its rest length; 1 and 1 without
    springs.
    """
    if not scene.is_soft:
        return 1.0, 1.0
    ends = place[scene.pairs]
    ratio = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / scene.rest_length
    return float(ratio.min()), float(ratio.max())
