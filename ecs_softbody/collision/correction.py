"""Correction: after the move, overlap is taken back and fast contacts bounce.

Overlap is mended on positions alone, so that it adds no energy. Restitution is a pass of its own, since a speculative
contact has braked the particle before it touches.
"""

import math

import numpy as np

from ecs_softbody.collision.response import (
    ACTIVE,
    ALONG,
    APPROACH,
    FRAME_IMPULSE,
    IMPULSE,
    NORMAL_X,
    NORMAL_Y,
    RESTITUTION,
    WEIGHT,
)
from ecs_softbody.kernels.compiling import kernel

SLOP = 0.0005
"""Overlap [m] that is left alone."""
PUSH_SHARE = 0.2
LARGEST_PUSH = 0.05
"""Overlap beyond SLOP is taken back by this share, at most this far [m], in a substep."""
RESTITUTION_THRESHOLD = 0.5
"""Slower approaches [m/s] do not bounce."""


@kernel
def correct_contacts(
    rows: np.ndarray,
    data: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    vertices: np.ndarray,
    vertex_velocity: np.ndarray,
    reach: np.ndarray,
    weight: np.ndarray,
    offset: int,
    fall_x: float,
    fall_y: float,
    speed_limit: float,
) -> None:
    """After the move: take overlap back by positions alone, and let what was fast enough bounce.

    (fall_x, fall_y) is half the velocity that gravity gives in a substep: symplectic Euler keeps velocities half a
    substep behind positions, so the speed of impact is that much larger and the speed after it is stored as that
    much larger. Without this a ball with restitution 1 would lose 2 g h / v of its energy in every bounce.
    """
    for c in range(rows.shape[0]):
        if data[c, ACTIVE] == 0.0:
            continue
        p, a, b, t = rows[c, 0], rows[c, 1], rows[c, 2], data[c, ALONG]
        nx, ny, w = data[c, NORMAL_X], data[c, NORMAL_Y], data[c, WEIGHT]
        x, y, vx, vy = 0.0, 0.0, 0.0, 0.0
        if p >= offset:
            x, y = vertices[p - offset, 0], vertices[p - offset, 1]
            vx, vy = vertex_velocity[p - offset, 0], vertex_velocity[p - offset, 1]
        else:
            x, y, vx, vy = position[p, 0], position[p, 1], velocity[p, 0], velocity[p, 1]
        if a >= offset:
            x -= (1.0 - t) * vertices[a - offset, 0] + t * vertices[b - offset, 0]
            y -= (1.0 - t) * vertices[a - offset, 1] + t * vertices[b - offset, 1]
            vx -= (1.0 - t) * vertex_velocity[a - offset, 0] + t * vertex_velocity[b - offset, 0]
            vy -= (1.0 - t) * vertex_velocity[a - offset, 1] + t * vertex_velocity[b - offset, 1]
        else:
            x -= (1.0 - t) * position[a, 0] + t * position[b, 0]
            y -= (1.0 - t) * position[a, 1] + t * position[b, 1]
            vx -= (1.0 - t) * velocity[a, 0] + t * velocity[b, 0]
            vy -= (1.0 - t) * velocity[a, 1] + t * velocity[b, 1]
        overlap = reach[p] + (1.0 - t) * reach[a] + t * reach[b] - SLOP - (x * nx + y * ny)
        if overlap > 0.0:
            push = w * min(PUSH_SHARE * overlap, LARGEST_PUSH)
            move(position, weight, p, a, b, t, push * nx, push * ny, offset)
        if data[c, IMPULSE] > 0.0 and data[c, RESTITUTION] > 0.0 and data[c, APPROACH] < -RESTITUTION_THRESHOLD:
            late = max(-(fall_x * nx + fall_y * ny), 0.0)
            bounce = w * (data[c, RESTITUTION] * (late - data[c, APPROACH]) + late - (vx * nx + vy * ny))
            if bounce > 0.0:
                move(velocity, weight, p, a, b, t, bounce * nx, bounce * ny, offset)
                for row in (p, a, b):
                    if row < offset:
                        limit_speed(velocity, row, speed_limit)
                data[c, FRAME_IMPULSE] += bounce


@kernel
def limit_speed(velocity: np.ndarray, row: int, speed_limit: float) -> None:
    """Shorten a velocity that is above the limit [m/s]."""
    speed = math.hypot(velocity[row, 0], velocity[row, 1])
    if speed > speed_limit:
        velocity[row, 0] *= speed_limit / speed
        velocity[row, 1] *= speed_limit / speed


@kernel
def move(
    values: np.ndarray, weight: np.ndarray, p: int, a: int, b: int, t: float, x: float, y: float, offset: int
) -> None:
    """Add (x, y), split by inverse masses and lever, to the rows of the contact that are particles."""
    if p < offset:
        values[p, 0] += weight[p] * x
        values[p, 1] += weight[p] * y
    if a < offset:
        values[a, 0] -= weight[a] * (1.0 - t) * x
        values[a, 1] -= weight[a] * (1.0 - t) * y
        values[b, 0] -= weight[b] * t * x
        values[b, 1] -= weight[b] * t * y
