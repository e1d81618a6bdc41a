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
    GAP,
    IMPULSE,
    NORMAL_X,
    NORMAL_Y,
    RESTITUTION,
    SLOP,
    WEIGHT,
)
from ecs_softbody.kernels.compiling import lean, part

LEAST_SLOP = 0.0005
"""Overlap [m] that is left alone."""
SELF_SLOP = 0.5
"""... within one body this share of the thickness: a tight fold has no room for more."""
PUSH_SHARE = 0.1
FASTEST_PUSH = 1.0
"""Overlap beyond that is taken back by this share in a substep, at most at this speed [m/s]."""
RESTITUTION_THRESHOLD = 0.5
"""Slower approaches [m/s] do not bounce."""


@lean
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
    dt: float,
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
        if data[c, ACTIVE] == 0.0 or (data[c, IMPULSE] == 0.0 and data[c, GAP] > 0.0):
            continue  # what needed no impulse is still apart
        p, a, b, t = rows[c, 0], rows[c, 1], rows[c, 2], data[c, ALONG]
        nx, ny, w = data[c, NORMAL_X], data[c, NORMAL_Y], data[c, WEIGHT]
        bounces = data[c, IMPULSE] > 0.0 and data[c, RESTITUTION] > 0.0 and data[c, APPROACH] < -RESTITUTION_THRESHOLD
        x, y = difference(position, vertices, offset, p, a, b, t)
        if x * nx + y * ny > reach[p] + (1.0 - t) * reach[a] + t * reach[b] - data[c, SLOP] and not bounces:
            continue
        if a != b:
            t = place_on_edge(position, vertices, offset, p, a, b)
            softness = weight[p] + (1.0 - t) * (1.0 - t) * weight[a] + t * t * weight[b]
            if softness == 0.0:
                continue
            w = 1.0 / softness
            x, y = difference(position, vertices, offset, p, a, b, t)
        distance = math.sqrt(x * x + y * y)
        side = 1.0 if x * nx + y * ny >= 0.0 else -1.0
        if distance > 1e-9:
            nx, ny = side * x / distance, side * y / distance
        distance *= side
        overlap = reach[p] + (1.0 - t) * reach[a] + t * reach[b] - data[c, SLOP] - distance
        vx, vy = difference(velocity, vertex_velocity, offset, p, a, b, t)
        if overlap > 0.0 and (distance >= 0.0 or a == b or a >= offset):
            push = min(PUSH_SHARE * overlap, FASTEST_PUSH * dt)
            move(position, weight, p, a, b, t, w * push * nx, w * push * ny, offset)
            if p < offset and a < offset and distance > 0.0:
                # The pair is wider now: its angular momentum stays if it turns more slowly.
                slower = w * (vx * ny - vy * nx) * push / (distance + push)
                move(velocity, weight, p, a, b, t, -slower * ny, slower * nx, offset)
                for row in (p, a, b):
                    limit_speed(velocity, row, speed_limit)
        if bounces:
            late = max(-(fall_x * nx + fall_y * ny), 0.0)
            # The normal has turned in the move: what is across it now came, in part, from along it.
            across, before = vx * ny - vy * nx, vx * data[c, NORMAL_Y] - vy * data[c, NORMAL_X]
            back = data[c, RESTITUTION] * (late - data[c, APPROACH])
            back = math.sqrt(max(back * back + before * before - across * across, 0.0))
            bounce = w * (back + late - (vx * nx + vy * ny))
            if bounce > 0.0:
                move(velocity, weight, p, a, b, t, bounce * nx, bounce * ny, offset)
                for row in (p, a, b):
                    if row < offset:
                        limit_speed(velocity, row, speed_limit)
                data[c, FRAME_IMPULSE] += bounce


@part
def place_on_edge(position: np.ndarray, vertices: np.ndarray, offset: int, p: int, a: int, b: int) -> float:
    """Return where on the edge a-b, 0 to 1, the closest point to p is now."""
    ex, ey = difference(position, vertices, offset, b, a, a, 0.0)
    dx, dy = difference(position, vertices, offset, p, a, a, 0.0)
    squared = ex * ex + ey * ey
    return min(max((dx * ex + dy * ey) / squared, 0.0), 1.0) if squared > 0.0 else 0.0


@part
def difference(
    values: np.ndarray, of_vertices: np.ndarray, offset: int, p: int, a: int, b: int, t: float
) -> tuple[float, float]:
    """Return the value at the point p minus that at the place t of the edge a-b."""
    if p >= offset:
        x, y = of_vertices[p - offset, 0], of_vertices[p - offset, 1]
    else:
        x, y = values[p, 0], values[p, 1]
    if a >= offset:
        x -= (1.0 - t) * of_vertices[a - offset, 0] + t * of_vertices[b - offset, 0]
        y -= (1.0 - t) * of_vertices[a - offset, 1] + t * of_vertices[b - offset, 1]
    else:
        x -= (1.0 - t) * values[a, 0] + t * values[b, 0]
        y -= (1.0 - t) * values[a, 1] + t * values[b, 1]
    return x, y


@part
def limit_speed(velocity: np.ndarray, row: int, speed_limit: float) -> None:
    """Shorten a velocity that is above the limit [m/s]."""
    speed = math.hypot(velocity[row, 0], velocity[row, 1])
    if speed > speed_limit:
        velocity[row, 0] *= speed_limit / speed
        velocity[row, 1] *= speed_limit / speed


@part
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
