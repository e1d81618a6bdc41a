"""Corner sweep: no corner of a wall passes an edge of a ring, however fast either is."""

import math

import numpy as np

from ecs_softbody.collision.correction import limit_speed
from ecs_softbody.kernels.compiling import lean

LEAST_DISTANCE = 0.001
"""An edge is stopped at least this far [m] before a corner."""
ROUNDS = 10
"""Times that a ring is tried against a corner."""


@lean
def passing_time(ex: float, ey: float, dx: float, dy: float, fx: float, fy: float, gx: float, gy: float) -> float:
    """Return when (0 to 1) a point passes the line of a moving segment, or 2 when it ends on the side where it was.

    The segment turns from e to f; the point, seen from the segment's start, goes from d to g. Which side it is on,
    e × d, is a quadratic in time.
    """
    before, after = ex * dy - ey * dx, fx * gy - fy * gx
    if (before > 0.0) == (after > 0.0):
        return 2.0
    bend = (fx - ex) * (gy - dy) - (fy - ey) * (gx - dx)
    slope = after - before - bend
    root = math.sqrt(max(slope * slope - 4.0 * bend * before, 0.0))
    half = -0.5 * (slope + (root if slope >= 0.0 else -root))
    first = half / bend if bend != 0.0 else 2.0
    second = before / half if half != 0.0 else 2.0
    return min(max(first if 0.0 <= first <= 1.0 else second, 0.0), 1.0)


@lean
def stop_edge_at_corner(
    a: int,
    b: int,
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    ux: float,
    uy: float,
    thickness: float,
    reach: np.ndarray,
    weight: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    previous_position: np.ndarray,
) -> bool:
    """Bring ring edge a-b back to its side of a corner that went from (x0, y0) to (x1, y1) with velocity u."""
    ax, ay, bx, by = position[a, 0], position[a, 1], position[b, 0], position[b, 1]
    px, py, qx, qy = previous_position[a, 0], previous_position[a, 1], previous_position[b, 0], previous_position[b, 1]
    if max(x0, x1) < min(ax, bx, px, qx) or min(x0, x1) > max(ax, bx, px, qx):
        return False
    if max(y0, y1) < min(ay, by, py, qy) or min(y0, y1) > max(ay, by, py, qy):
        return False
    ex, ey, fx, fy = qx - px, qy - py, bx - ax, by - ay
    time = passing_time(ex, ey, x0 - px, y0 - py, fx, fy, x1 - ax, y1 - ay)
    if time > 1.0:
        return False
    hx, hy = ex + time * (fx - ex), ey + time * (fy - ey)
    dx, dy = x0 - px + time * (x1 - ax - x0 + px), y0 - py + time * (y1 - ay - y0 + py)
    squared, length = hx * hx + hy * hy, math.hypot(fx, fy)
    if squared == 0.0 or length == 0.0 or not 0.0 <= dx * hx + dy * hy <= squared:
        return False
    t = min(max(((x1 - ax) * fx + (y1 - ay) * fy) / (length * length), 0.0), 1.0)
    wa, wb = weight[a] * (1.0 - t), weight[b] * t
    inverse = wa * (1.0 - t) + wb * t
    if inverse == 0.0:
        return False
    side = 1.0 if ex * (y0 - py) - ey * (x0 - px) > 0.0 else -1.0
    nx, ny = -side * fy / length, side * fx / length
    far = max(thickness + (1.0 - t) * reach[a] + t * reach[b], LEAST_DISTANCE)
    push = (far - (x1 - ax) * nx - (y1 - ay) * ny) / inverse
    position[a, 0], position[a, 1] = ax - wa * push * nx, ay - wa * push * ny
    position[b, 0], position[b, 1] = bx - wb * push * nx, by - wb * push * ny
    closing = (ux - (1.0 - t) * velocity[a, 0] - t * velocity[b, 0]) * nx
    closing += (uy - (1.0 - t) * velocity[a, 1] - t * velocity[b, 1]) * ny
    if closing < 0.0:
        fastest = max(math.hypot(velocity[a, 0], velocity[a, 1]), math.hypot(velocity[b, 0], velocity[b, 1]))
        fastest = max(fastest, math.hypot(ux, uy))  # the lever of the edge may fling an end: not beyond this
        velocity[a, 0] += wa * closing / inverse * nx
        velocity[a, 1] += wa * closing / inverse * ny
        velocity[b, 0] += wb * closing / inverse * nx
        velocity[b, 1] += wb * closing / inverse * ny
        limit_speed(velocity, a, fastest)
        limit_speed(velocity, b, fastest)
    return True


@lean
def stop_ring_at_corner(
    v: int,
    points: np.ndarray,
    first: int,
    last: int,
    closed: bool,
    vertices: np.ndarray,
    vertex_velocity: np.ndarray,
    thickness: float,
    reach: np.ndarray,
    weight: np.ndarray,
    dt: float,
    position: np.ndarray,
    velocity: np.ndarray,
    previous_position: np.ndarray,
) -> bool:
    """Bring every edge of the ring points[first:last] that has passed vertex v back to its side of it.

    That moves the edges next to it, which may pass the vertex now.
    """
    any_stopped = False
    ux, uy = vertex_velocity[v, 0], vertex_velocity[v, 1]
    x1, y1 = vertices[v, 0], vertices[v, 1]
    x0, y0 = x1 - dt * ux, y1 - dt * uy
    for _ in range(ROUNDS):
        stopped = False
        a = points[last - 1] if closed else points[first]
        for k in range(first if closed else first + 1, last):
            b = points[k]
            stopped |= stop_edge_at_corner(
                a, b, x0, y0, x1, y1, ux, uy, thickness, reach, weight, position, velocity, previous_position
            )
            a = b
        any_stopped |= stopped
        if not stopped:
            break
    return any_stopped
