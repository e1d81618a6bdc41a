"""Correction: after the move, overlap is taken back and fast contacts bounce.

Overlap is mended on positions alone, so that it adds no energy. Restitution is a pass of its own, since a speculative
contact has braked the particle before it touches.
"""

import math

import numpy as np

from ecs_softbody.collision.busy import DISCS, EDGES, PUSH, W_A, W_P, X, Y
from ecs_softbody.collision.response import (
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
PUSH_RATE = 50.0
FASTEST_PUSH = 1.0
"""Overlap beyond that goes down at this rate [1/s], at most at this speed [m/s]."""
RESTITUTION_THRESHOLD = 0.5
"""Slower approaches [m/s] do not bounce."""


@lean
def correct_contacts(
    disc_rows: np.ndarray,
    discs: np.ndarray,
    edge_rows: np.ndarray,
    counts: np.ndarray,
    data: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    vertices: np.ndarray,
    vertex_velocity: np.ndarray,
    reach: np.ndarray,
    weight: np.ndarray,
    offset: int,
    share: float,
    furthest: float,
    fall_x: float,
    fall_y: float,
    speed_limit: float,
) -> None:
    """After the move: take overlap back by positions alone, and let what was fast enough bounce.

    share and furthest [m]: how much of an overlap goes in this substep, and how much at most, see `push_of`.
    (fall_x, fall_y) is half the velocity that gravity gives in a substep: symplectic Euler keeps velocities half a
    substep behind positions, so the speed of impact is that much larger and the speed after it is stored as that
    much larger. Without this a ball with restitution 1 would lose 2 g h / v of its energy in every bounce.
    """
    for k in range(counts[DISCS]):
        correct_disc(
            disc_rows, discs, k, data, position, velocity, reach, share, furthest, fall_x, fall_y, speed_limit
        )  # fmt: skip
    for k in range(counts[EDGES]):
        correct_edge(
            edge_rows, k, data, position, velocity, vertices, vertex_velocity, reach, weight, offset, share, furthest,
            fall_x, fall_y, speed_limit,
        )  # fmt: skip


@part
def push_of(dt: float) -> tuple[float, float]:
    """Return the share of an overlap that goes in a substep, and how much [m] at most."""
    return 1.0 - math.exp(-PUSH_RATE * dt), FASTEST_PUSH * dt


@part
def correct_disc(
    disc_rows: np.ndarray,
    discs: np.ndarray,
    k: int,
    data: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    reach: np.ndarray,
    share: float,
    furthest: float,
    fall_x: float,
    fall_y: float,
    speed_limit: float,
) -> None:
    """Correct the k-th busy contact of two discs."""
    p, a, c, nx, ny = disc_rows[k, 0], disc_rows[k, 1], disc_rows[k, 3], discs[k, X], discs[k, Y]
    x, y = position[p, 0] - position[a, 0], position[p, 1] - position[a, 1]
    close = reach[p] + reach[a] - LEAST_SLOP
    squared, side = x * x + y * y, 1.0 if x * nx + y * ny >= 0.0 else -1.0
    bounces = discs[k, PUSH] > 0.0 and does_bounce(data, c)
    if squared >= close * close and side > 0.0 and not bounces:
        return
    wp, wa = discs[k, W_P], discs[k, W_A]
    w, distance = 1.0 / (wp + wa), math.sqrt(squared)
    if distance > 1e-9:
        nx, ny = side * x / distance, side * y / distance
    distance *= side
    vx, vy = velocity[p, 0] - velocity[a, 0], velocity[p, 1] - velocity[a, 1]
    ix, iy, overlap = 0.0, 0.0, close - distance
    if overlap > 0.0:
        push = w * min(share * overlap, furthest)
        position[p, 0] += wp * push * nx
        position[p, 1] += wp * push * ny
        position[a, 0] -= wa * push * nx
        position[a, 1] -= wa * push * ny
        if distance > 0.0:
            # The pair is wider now: its angular momentum stays if it turns more slowly.
            slower = (vx * ny - vy * nx) * push / (distance + push / w)
            ix, iy = -slower * ny, slower * nx
    if bounces:
        bounce = w * bounce_speed(data, c, nx, ny, vx, vy, fall_x, fall_y)
        data[c, FRAME_IMPULSE] += bounce
        ix, iy = ix + bounce * nx, iy + bounce * ny
    velocity[p, 0] += wp * ix
    velocity[p, 1] += wp * iy
    velocity[a, 0] -= wa * ix
    velocity[a, 1] -= wa * iy
    limit_speed(velocity, p, speed_limit)
    limit_speed(velocity, a, speed_limit)


@part
def correct_edge(
    edge_rows: np.ndarray,
    k: int,
    data: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    vertices: np.ndarray,
    vertex_velocity: np.ndarray,
    reach: np.ndarray,
    weight: np.ndarray,
    offset: int,
    share: float,
    furthest: float,
    fall_x: float,
    fall_y: float,
    speed_limit: float,
) -> None:
    """Correct the k-th busy contact of a point and an edge."""
    p, a, b, c = edge_rows[k, 0], edge_rows[k, 1], edge_rows[k, 2], edge_rows[k, 3]
    if data[c, IMPULSE] == 0.0 and data[c, GAP] > 0.0:
        return  # what needed no impulse is still apart
    nx, ny, w, t = data[c, NORMAL_X], data[c, NORMAL_Y], data[c, WEIGHT], data[c, ALONG]
    bounces = data[c, IMPULSE] > 0.0 and does_bounce(data, c)
    x, y = difference(position, vertices, offset, p, a, b, t)
    if x * nx + y * ny > reach[p] + (1.0 - t) * reach[a] + t * reach[b] - data[c, SLOP] and not bounces:
        return
    if a != b:
        t = place_on_edge(position, vertices, offset, p, a, b)
        softness = weight[p] + (1.0 - t) * (1.0 - t) * weight[a] + t * t * weight[b]
        if softness == 0.0:
            return
        w = 1.0 / softness
        x, y = difference(position, vertices, offset, p, a, b, t)
    distance, side = math.sqrt(x * x + y * y), 1.0 if x * nx + y * ny >= 0.0 else -1.0
    if distance > 1e-9:
        nx, ny = side * x / distance, side * y / distance
    distance *= side
    overlap = reach[p] + (1.0 - t) * reach[a] + t * reach[b] - data[c, SLOP] - distance
    vx, vy = difference(velocity, vertex_velocity, offset, p, a, b, t)
    ix, iy = 0.0, 0.0
    if overlap > 0.0 and (distance >= 0.0 or a == b or a >= offset):
        push = min(share * overlap, furthest)
        move(position, weight, p, a, b, t, w * push * nx, w * push * ny, offset)
        if p < offset and a < offset and distance > 0.0:
            slower = w * (vx * ny - vy * nx) * push / (distance + push)
            ix, iy = -slower * ny, slower * nx
    if bounces:
        bounce = w * bounce_speed(data, c, nx, ny, vx, vy, fall_x, fall_y)
        data[c, FRAME_IMPULSE] += bounce
        ix, iy = ix + bounce * nx, iy + bounce * ny
    if ix != 0.0 or iy != 0.0:
        move(velocity, weight, p, a, b, t, ix, iy, offset)
        for row in (p, a, b):
            if row < offset:
                limit_speed(velocity, row, speed_limit)


@part
def does_bounce(data: np.ndarray, c: int) -> bool:
    """Tell whether a contact that pushed is elastic and was fast enough."""
    return data[c, RESTITUTION] > 0.0 and data[c, APPROACH] < -RESTITUTION_THRESHOLD


@part
def bounce_speed(
    data: np.ndarray, c: int, nx: float, ny: float, vx: float, vy: float, fall_x: float, fall_y: float
) -> float:
    """Return the speed [m/s] along the normal now, n, that is still missing after a bounce; at least 0."""
    late = max(-(fall_x * nx + fall_y * ny), 0.0)
    # The normal has turned in the move: what is across it now came, in part, from along it.
    across, before = vx * ny - vy * nx, vx * data[c, NORMAL_Y] - vy * data[c, NORMAL_X]
    back = data[c, RESTITUTION] * (late - data[c, APPROACH])
    back = math.sqrt(max(back * back + before * before - across * across, 0.0))
    return max(back + late - (vx * nx + vy * ny), 0.0)


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
    vx, vy = velocity[row, 0], velocity[row, 1]
    if vx * vx + vy * vy > speed_limit * speed_limit:
        speed = math.hypot(vx, vy)
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
