"""Continuous collision of corners: no corner of a wall passes an edge of a body's outline, however
fast either is.

The sweep (ccd.py) calls this after the move, for bodies near a corner: an edge that the corner has
passed is brought back to its side, and no longer moves towards it.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.collision.contacts.contact import ParticleArrays, Rows, Walls
from ecs_softbody.collision.solve.correct import limit_speed
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import kernel

LEAST_DISTANCE = 0.001
"""Particles and edges are stopped at least this far [m] before an edge or a corner."""
ITERATIONS = 10
"""Most passes over a ring for one corner: an edge that is moved takes its neighbours along, which
may pass the corner then.
"""


class Sweep(NamedTuple):
    """The arrays of a substep after the move."""

    particles: ParticleArrays
    walls: Walls  # vertices have moved, too
    rows: Rows
    dt: float  # [s]


@kernel
def passing_time(
    ex: float, ey: float, dx: float, dy: float, fx: float, fy: float, gx: float, gy: float
) -> float:
    """Return when (0 to 1) a point passes the line of a moving segment, or 2 when it ends on the
    side where it was.

    The segment's vector goes from e to f; the point, seen from the segment's start, goes from d to
    g. Both do so at a constant rate, so the side that it is on, the sign of segment × point, is a
    quadratic in time: bend t² + slope t + before.
    """
    before = ex * dy - ey * dx
    after = fx * gy - fy * gx
    if (before > 0.0) == (after > 0.0):
        return 2.0
    # The roots of bend t² + slope t + before, in the form that loses no digits: half / bend and
    # before / half.
    bend = (fx - ex) * (gy - dy) - (fy - ey) * (gx - dx)
    slope = after - before - bend
    root = math.sqrt(max(slope * slope - 4.0 * bend * before, 0.0))
    half = -0.5 * (slope + (root if slope >= 0.0 else -root))
    first = half / bend if bend != 0.0 else 2.0
    second = before / half if half != 0.0 else 2.0
    return min(max(first if 0.0 <= first <= 1.0 else second, 0.0), 1.0)


class Corner(NamedTuple):
    """A vertex of a wall during the substep, and how thick the wall is."""

    x0: float  # [m] before the substep
    y0: float
    x1: float  # [m] after it
    y1: float
    ux: float  # [m/s] velocity
    uy: float
    thickness: float  # [m] radius of the wall


@kernel
def stop_edge_at_corner(a: int, b: int, corner: Corner, sweep: Sweep) -> bool:
    """Bring ring edge a-b (rows) back to its side of a corner that it has passed; true if it had.

    Both ends are moved along the edge's normal, by inverse mass and nearness, until the surfaces of
    both touch; then the approach of edge and corner is stopped.
    """
    position = sweep.particles.position
    velocity = sweep.particles.velocity
    previous = sweep.particles.previous_position
    x0 = corner.x0
    y0 = corner.y0
    x1 = corner.x1
    y1 = corner.y1
    ux = corner.ux
    uy = corner.uy
    inverse_mass = sweep.rows.inverse_mass
    radius = sweep.rows.radius
    ax = position[a, 0]
    ay = position[a, 1]
    bx = position[b, 0]
    by = position[b, 1]
    px = previous[a, 0]
    py = previous[a, 1]
    qx = previous[b, 0]
    qy = previous[b, 1]
    if max(x0, x1) < min(ax, bx, px, qx) or min(x0, x1) > max(ax, bx, px, qx):
        return False
    if max(y0, y1) < min(ay, by, py, qy) or min(y0, y1) > max(ay, by, py, qy):
        return False
    ex = qx - px
    ey = qy - py
    fx = bx - ax
    fy = by - ay
    time = passing_time(ex, ey, x0 - px, y0 - py, fx, fy, x1 - ax, y1 - ay)
    if time > 1.0:
        return False
    # The edge h, and the corner seen from its start, d, at the moment at which they meet: it must
    # be beside the edge.
    hx = ex + time * (fx - ex)
    hy = ey + time * (fy - ey)
    dx = x0 - px + time * (x1 - ax - x0 + px)
    dy = y0 - py + time * (y1 - ay - y0 + py)
    squared = hx * hx + hy * hy
    length = hypot(fx, fy)
    if squared == 0.0 or length == 0.0 or not 0.0 <= dx * hx + dy * hy <= squared:
        return False
    # Where the corner is along the edge now, and the inverse effective mass of the edge there.
    t = min(max(((x1 - ax) * fx + (y1 - ay) * fy) / (length * length), 0.0), 1.0)
    wa = inverse_mass[a] * (1.0 - t)
    wb = inverse_mass[b] * t
    inverse = wa * (1.0 - t) + wb * t
    if inverse == 0.0:
        return False
    side = 1.0 if ex * (y0 - py) - ey * (x0 - px) > 0.0 else -1.0
    nx = -side * fy / length
    ny = side * fx / length
    far = max(corner.thickness + (1.0 - t) * radius[a] + t * radius[b], LEAST_DISTANCE)
    # Beside an end that cannot move, the other one is moved by 1 / t of the way. It is then only
    # brought to its side: a rope that was pinned in a corner was flung metres away.
    beyond = -(x1 - ax) * nx - (y1 - ay) * ny
    share = max(wa, wb) / inverse
    push = max(min(far + beyond, far / share), LEAST_DISTANCE + beyond) / inverse
    position[a, 0] = ax - wa * push * nx
    position[a, 1] = ay - wa * push * ny
    position[b, 0] = bx - wb * push * nx
    position[b, 1] = by - wb * push * ny
    closing = (ux - (1.0 - t) * velocity[a, 0] - t * velocity[b, 0]) * nx
    closing += (uy - (1.0 - t) * velocity[a, 1] - t * velocity[b, 1]) * ny
    if closing < 0.0:
        fastest = max(hypot(velocity[a, 0], velocity[a, 1]), hypot(velocity[b, 0], velocity[b, 1]))
        # A short arm may fling an end: its speed is limited to this.
        fastest = max(fastest, hypot(ux, uy))
        velocity[a, 0] += wa * closing / inverse * nx
        velocity[a, 1] += wa * closing / inverse * ny
        velocity[b, 0] += wb * closing / inverse * nx
        velocity[b, 1] += wb * closing / inverse * ny
        limit_speed(velocity, a, fastest)
        limit_speed(velocity, b, fastest)
    return True


@kernel
def stop_ring_at_corner(v: int, outline: np.ndarray, closed: bool, sweep: Sweep) -> bool:
    """Bring every edge of an outline (K,) of rows that has passed vertex v back to its side; true
    if any had. That moves the neighbouring edges, which may pass the vertex then: so it is
    repeated.
    """
    any_stopped = False
    ux = sweep.walls.vertex_velocity[v, 0]
    uy = sweep.walls.vertex_velocity[v, 1]
    x1 = sweep.walls.vertices[v, 0]
    y1 = sweep.walls.vertices[v, 1]
    thickness = sweep.rows.radius[v + sweep.rows.offset]
    corner = Corner(x1 - sweep.dt * ux, y1 - sweep.dt * uy, x1, y1, ux, uy, thickness)
    for _ in range(ITERATIONS):
        stopped = False
        a = outline[outline.shape[0] - 1] if closed else outline[0]
        for k in range(0 if closed else 1, outline.shape[0]):
            b = outline[k]
            stopped |= stop_edge_at_corner(a, b, corner, sweep)
            a = b
        any_stopped |= stopped
        if not stopped:
            break
    return any_stopped
