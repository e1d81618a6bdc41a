"""Water: the lift and drag of one water on the outline of one body; buoyancy.py calls this for all
bodies and waters in every substep h.

Lift is the hydrostatic pressure p = ρ g z at the depth z on every edge. Along an edge the pressure
is piecewise linear, and its integrals with the weights 1 - t and t of both ends (t: fraction of the
way along the edge) are exact. Over a closed ring they sum to ρ g A at the centroid of the submerged
polygon of area A, in force and torque: Archimedes' law. The least pressure around the ring is left
out, which changes neither: deep water does not crush. (Leaving out the mean would pull dry edges
outwards, and inflate a soft ring without end.)

Water acts on the *grown* ring, moved out by the skin, the distance from particles to surface
(geometry/ring.py). The line along which a force on a grown edge acts is extended to the edge
between the particles, which carry it as if it acted there.

The change of an edge's lift with its depth and rotation is a stiffness K <= ρ g L / 2 + p at each
end of an edge of length L. Where h² K is more than `EXPLICIT_SHARE` of the mass, the rest of it
acts on the velocity v' at the end of the substep, -h K v': the equilibrium is the same, and any
density is stable (the added term counts as mass, so it takes nothing of the stability bound).

Drag: ρ (½ c |u·n| n nᵀ + s) u per length of edge, with the velocity u of the water relative to the
edge, its normal n, and the coefficients drag c and linear_drag s; implicit as in resistance.py.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.elementary.angles import acos
from ecs_softbody.geometry.polygon import orientation
from ecs_softbody.geometry.ring import catching_share, grown_corner
from ecs_softbody.kernels.fluids.resistance import (
    ROUND,
    FluidParticles,
    Resistance,
    normal_speed,
    resist_all_round,
    resist_along,
)
from ecs_softbody.parallel.compiling import kernel

EXPLICIT_SHARE = 0.1
"""Largest h² K of an edge's lift, over the mass, that acts explicitly. The rest acts on the
velocity to come, so that a light body floats at its depth and never bounces into the air.
"""


class Pool(NamedTuple):
    """One water, a box from left to right and from bottom to its level."""

    level: float
    left: float
    right: float
    bottom: float  # [m]
    weight: float  # ρ g [N/m³], below 0 where gravity points upwards
    density: float  # ρ [kg/m³]
    drag: float  # c
    linear_drag: float  # s [m/s]
    flow: tuple[float, float]  # Velocity of the water [m/s]


@kernel
def integrate_depth(
    low: float, high: float, ay: float, by: float, level: float, bottom: float
) -> tuple[float, float, float]:
    """Return ∫ z (1 - t) dt and ∫ z t dt [m] of the depth z over the part low <= t <= high of an
    edge, and 1 if this part is in the water, else 0. On the part z has to be linear, so that
    Simpson's rule is exact. ay, by: heights of both ends of the edge [m].
    """
    width = high - low
    middle = 0.5 * (low + high)
    if width <= 0.0:
        return 0.0, 0.0, 0.0
    z_low = max(level - max(ay + low * (by - ay), bottom), 0.0)
    z_mid = max(level - max(ay + middle * (by - ay), bottom), 0.0)
    z_high = max(level - max(ay + high * (by - ay), bottom), 0.0)
    whole = width / 6.0 * (z_low + 4.0 * z_mid + z_high)
    far = width / 6.0 * (z_low * low + 4.0 * z_mid * middle + z_high * high)
    return whole - far, far, 1.0 if z_mid > 0.0 and ay + middle * (by - ay) > bottom else 0.0


@kernel
def fraction_at_height(ay: float, by: float, height: float, low: float, high: float) -> float:
    """Return the fraction t at which an edge from height ay to height by crosses a height [m],
    limited to [low, high].
    """
    if ay == by:
        return low
    return min(max((height - ay) / (by - ay), low), high)


@kernel
def depth_along(
    ax: float, ay: float, bx: float, by: float, pool: Pool
) -> tuple[float, float, float, float, float, float]:
    """Return three integrals over t along the edge from a to b, each with the weights 1 - t and t
    of both ends: of the depth z [m], no more than at the bottom; of 1 over the part between the
    left and right sides of the pool; of 1 over the part in the water.

    The edge is cut where it crosses the sides, the level and the bottom: z is linear in between.
    """
    level = pool.level
    left = pool.left
    right = pool.right
    bottom = pool.bottom
    low = 0.0
    high = 1.0
    if ax == bx:
        high = 1.0 if left <= ax <= right else 0.0
    else:
        one = (left - ax) / (bx - ax)
        two = (right - ax) / (bx - ax)
        low = max(min(one, two), 0.0)
        high = min(max(one, two), 1.0)
    if high <= low:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    one = fraction_at_height(ay, by, level, low, high)
    two = fraction_at_height(ay, by, bottom, low, high)
    cut = min(one, two)
    last_cut = max(one, two)
    near = 0.0
    far = 0.0
    wet_near = 0.0
    wet_far = 0.0
    for part in range(3):
        start = low if part == 0 else (cut if part == 1 else last_cut)
        stop = cut if part == 0 else (last_cut if part == 1 else high)
        z_near, z_far, wet = integrate_depth(start, stop, ay, by, level, bottom)
        share = 0.5 * (start + stop)
        near += z_near
        far += z_far
        wet_near += wet * (stop - start) * (1.0 - share)
        wet_far += wet * (stop - start) * share
    middle = 0.5 * (low + high)
    return near, far, (high - low) * (1.0 - middle), (high - low) * middle, wet_near, wet_far


@kernel
def least_depth(
    position: np.ndarray, points: np.ndarray, first: int, last: int, skin: float, pool: Pool
) -> tuple[float, float, bool]:
    """Return the least depth around a ring [m], its submerged area [m²], and whether it reaches
    beyond the left or right side. skin [m]: below 0 for a ring that runs clockwise.
    """
    least = math.inf
    area = 0.0
    out = False
    ax, ay = grown_corner(position, points, first, last, last - 1, skin)
    for k in range(first, last):
        bx, by = grown_corner(position, points, first, last, k, skin)
        near, far, _, _, _, _ = depth_along(ax, ay, bx, by, pool)
        least = min(least, max(pool.level - max(by, pool.bottom), 0.0))
        area += (near + far) * (bx - ax)
        out = out or bx < pool.left or bx > pool.right
        ax = bx
        ay = by
    return least, abs(area), out


@kernel
def where_carried(
    px: float, py: float, ix: float, iy: float, ex: float, ey: float, nx: float, ny: float
) -> float:
    """Return where the line through p along n crosses the edge that begins at i and has the vector
    e, as a fraction of the edge: 0 to 1, at most 2 beyond, 0.5 where both are parallel.
    """
    across = ex * ny - ey * nx
    if across * across <= 1e-12 * (ex * ex + ey * ey):
        return 0.5
    return min(max(((px - ix) * ny - (py - iy) * nx) / across, -2.0), 3.0)


@kernel
def press_ring(
    points: np.ndarray,
    first: int,
    last: int,
    skin: float,
    pool: Pool,
    particles: FluidParticles,
    resistance: Resistance,
) -> tuple[float, float]:
    """Add the lift of the ring points[first:last] to the forces, and its drag to `resistance`.

    Return its submerged area [m²], and the force in x [N] of a ring that reaches beyond a side of
    the pool, which has to be removed: the part beyond the side feels no pressure to balance it.
    skin [m].
    """
    position = particles.position
    force = particles.force
    turn = orientation(position, points, first, last)
    skin *= turn
    least, area, out = least_depth(position, points, first, last, skin, pool)
    if area == 0.0:
        return 0.0, 0.0
    sideways = 0.0
    ax, ay = grown_corner(position, points, first, last, first, skin)
    for k in range(first, last):
        after = k + 1 if k + 1 < last else first
        i = points[k]
        j = points[after]
        bx, by = grown_corner(position, points, first, last, after, skin)
        near, far, all_near, all_far, wet_near, wet_far = depth_along(ax, ay, bx, by, pool)
        size = math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
        if size > 0.0 and all_near + all_far > 0.0:
            # (nx, ny) points inwards.
            nx = -turn * (by - ay) / size
            ny = turn * (bx - ax) / size
            ex = position[j, 0] - position[i, 0]
            ey = position[j, 1] - position[i, 1]
            start = where_carried(ax, ay, position[i, 0], position[i, 1], ex, ey, nx, ny)
            stop = where_carried(bx, by, position[i, 0], position[i, 1], ex, ey, nx, ny)
            # Forces on the ends of the grown edge [N], then on the particles i and j.
            near = pool.weight * size * (near - least * all_near)
            far = pool.weight * size * (far - least * all_far)
            to_j = near * start + far * stop
            to_i = near + far - to_j
            force[i, 0] += to_i * nx
            force[i, 1] += to_i * ny
            force[j, 0] += to_j * nx
            force[j, 1] += to_j * ny
            sideways += (near + far) * nx
            stiff = 0.5 * abs(pool.weight) * size * (wet_near + wet_far) + abs(near + far) / size
            resistance.stiffness[i] += stiff
            resistance.stiffness[j] += stiff
            drag_edge(i, j, wet_near, wet_far, (nx, ny, size), pool, particles, resistance)
        ax = bx
        ay = by
    return area, sideways if out else 0.0


@kernel
def drag_edge(
    i: int,
    j: int,
    wet_near: float,
    wet_far: float,
    edge: tuple[float, float, float],
    pool: Pool,
    particles: FluidParticles,
    resistance: Resistance,
) -> None:
    """Add the drag of the edge (nx, ny, length [m]) between the particles i and j to `resistance`.
    wet_near, wet_far: share of the edge that is in the water, split between i and j
    (`depth_along`).
    """
    nx, ny, size = edge
    catching = size * catching_share(size, particles.rest_offset, i, j)
    speed = normal_speed(i, j, nx, ny, pool.flow, particles.velocity)
    fast = 0.5 * pool.density * pool.drag * catching * speed
    slow = pool.density * pool.linear_drag * catching
    resist_along(i, fast * wet_near, nx, ny, pool.flow, resistance)
    resist_along(j, fast * wet_far, nx, ny, pool.flow, resistance)
    resist_all_round(i, slow * wet_near, pool.flow, resistance)
    resist_all_round(j, slow * wet_far, pool.flow, resistance)


@kernel
def share_below(depth: float, radius: float) -> float:
    """Return the share of a disc's area that is under water, with its centre at this depth [m]: a
    segment of the circle, (acos(-u) + u √(1 - u²)) / π with u = depth / radius.
    """
    if depth >= radius:
        return 1.0
    if depth <= -radius:
        return 0.0
    u = depth / radius
    return (acos(-u) + u * math.sqrt(1.0 - u * u)) / math.pi


@kernel
def press_disc(
    p: int, length: float, pool: Pool, particles: FluidParticles, resistance: Resistance
) -> float:
    """Add the lift and drag of particle p, which is a disc (length 0) or stands for `length` [m] of
    a rope as thick as its diameter; return its area under water [m²].
    """
    position = particles.position
    velocity = particles.velocity
    r = particles.radius[p]
    if r == 0.0 or not pool.left <= position[p, 0] <= pool.right or position[p, 1] < pool.bottom:
        return 0.0
    share = share_below(pool.level - position[p, 1], r)
    if share == 0.0:
        return 0.0
    area = 2.0 * r * length if length > 0.0 else math.pi * r * r
    particles.force[p, 1] += pool.weight * share * area
    # Largest change of the share with the depth: 2 / (π r), where the centre is at the level.
    resistance.stiffness[p] += abs(pool.weight) * area * 2.0 / (math.pi * r)
    ux = pool.flow[0] - velocity[p, 0]
    uy = pool.flow[1] - velocity[p, 1]
    width = length if length > 0.0 else ROUND * r
    around = 2.0 * length if length > 0.0 else 2.0 * math.pi * r
    speed = math.sqrt(ux * ux + uy * uy)
    strength = pool.density * share * (0.5 * pool.drag * width * speed + pool.linear_drag * around)
    resist_all_round(p, strength, pool.flow, resistance)
    return share * area
