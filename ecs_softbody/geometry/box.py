"""Boxes: tests of axis-aligned bounding boxes, for the broad phase of collisions and for queries. A
box is a row (low x, low y, high x, high y) [m] of an array (N, 4).
"""

import math

import numpy as np

from ecs_softbody.parallel.compiling import inline, kernel


@inline
def is_finite_box(box: np.ndarray, i: int) -> bool:
    """True if box i is finite and not inverted, as boxes of empty shapes are."""
    return bool(
        math.isfinite(box[i, 0])
        and math.isfinite(box[i, 1])
        and math.isfinite(box[i, 2])
        and math.isfinite(box[i, 3])
        and box[i, 0] <= box[i, 2]
        and box[i, 1] <= box[i, 3]
    )


@inline
def overlaps(box: np.ndarray, i: int, j: int) -> bool:
    """True if the boxes i and j of one array overlap or touch."""
    return (
        box[i, 0] <= box[j, 2]
        and box[j, 0] <= box[i, 2]
        and box[i, 1] <= box[j, 3]
        and box[j, 1] <= box[i, 3]
    )


@kernel
def boxes_within(a: np.ndarray, i: int, b: np.ndarray, j: int, distance: float) -> bool:
    """True if box i of a and box j of b are no further than a distance [m] apart along both
    axes.
    """
    return bool(
        a[i, 0] <= b[j, 2] + distance
        and b[j, 0] <= a[i, 2] + distance
        and a[i, 1] <= b[j, 3] + distance
        and b[j, 1] <= a[i, 3] + distance
    )


@kernel
def is_beyond(px: float, py: float, box: np.ndarray, i: int, distance: float) -> bool:
    """True if a point is further than a distance [m] from box i along x or y."""
    return (
        px < box[i, 0] - distance
        or px > box[i, 2] + distance
        or py < box[i, 1] - distance
        or py > box[i, 3] + distance
    )
