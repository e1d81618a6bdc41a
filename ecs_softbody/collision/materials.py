"""Materials: friction, restitution and slop of contacts, by what touches."""

import math

import numpy as np

from ecs_softbody.collision.correction import LEAST_SLOP, SELF_SLOP
from ecs_softbody.collision.response import FRAME_IMPULSE, FRICTION, RESTITUTION, SLOP, SURFACE
from ecs_softbody.kernels.compiling import lean


@lean
def friction_of(rows: np.ndarray, items: np.ndarray, c: int, body_count: int, friction: np.ndarray) -> float:
    """Return the coefficient of a contact; two discs have none, see response.py."""
    i, j = items[c, 0], items[c, 1]
    if rows[c, 1] == rows[c, 2] and j < body_count:
        return 0.0
    return math.sqrt(friction[i] * friction[j])


@lean
def set_materials(
    rows: np.ndarray,
    items: np.ndarray,
    data: np.ndarray,
    body_count: int,
    friction: np.ndarray,
    restitution: np.ndarray,
    reach: np.ndarray,
) -> None:
    """Write what depends on both items of a contact; friction and restitution are those of items."""
    for c in range(rows.shape[0]):
        i, j = items[c, 0], items[c, 1]
        data[c, FRICTION] = friction_of(rows, items, c, body_count, friction)
        data[c, RESTITUTION] = max(restitution[i], restitution[j])
        data[c, SLOP], data[c, SURFACE] = LEAST_SLOP, 0.0
        if i == j:
            data[c, SLOP] = max(SELF_SLOP * (reach[rows[c, 0]] + reach[rows[c, 1]]), LEAST_SLOP)


@lean
def begin_frame(rows: np.ndarray, items: np.ndarray, data: np.ndarray, body_count: int, friction: np.ndarray) -> None:
    """Begin the impulses of a frame with contacts of the one before.

    A point that was too far away for friction has it again: it may have come nearer.
    """
    for c in range(rows.shape[0]):
        data[c, FRAME_IMPULSE] = 0.0
        if data[c, FRICTION] == 0.0:
            data[c, FRICTION] = friction_of(rows, items, c, body_count, friction)
