"""Water on outlines: hydrostatic pressure p = ρ g z at the depth z, on every edge, and drag.

Along an edge the pressure is linear in pieces, and its integrals with the weights 1 - t and t of both ends are exact.
Over a closed ring they sum to ρ g A at the centroid of the submerged polygon of area A, in force and torque. The least
pressure around the ring is left out, which changes neither: deep water does not crush. (Leaving out the mean would pull
dry edges outwards, and inflate a soft ring without end.) A force on an edge that the skin has moved out is carried
by its two particles where its line of action crosses theirs.

What an edge's lift changes with its depth, and with its turning, is a stiffness K <= ρ g L / 2 + p at each end. Where
h² K is more than `EXPLICIT_SHARE` of the mass, the rest of it acts on the velocity to come, -h K v': the equilibrium is
the same, and any density is stable (what is added counts as mass, so nothing of the stability bound is taken). Drag:
ρ (½ c |u·n| n nᵀ + s) u per length, implicit as in resistance.py.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.outline import catching_share, grown_corner
from ecs_softbody.kernels.resistance import resist_all_round, resist_along

EXPLICIT_SHARE = 0.1
ROUND = 8.0 / 3.0
"""Width of a disc over its radius, as the sum of its edges feels it."""


@lean
def integrate_piece(
    low: float, high: float, ay: float, by: float, level: float, bottom: float
) -> tuple[float, float, float]:
    """Return ∫ z (1-t) dt and ∫ z t dt of the depth z on the share low to high of an edge, and whether it is wet."""
    width, middle = high - low, 0.5 * (low + high)
    if width <= 0.0:
        return 0.0, 0.0, 0.0
    z_low = max(level - max(ay + low * (by - ay), bottom), 0.0)
    z_mid = max(level - max(ay + middle * (by - ay), bottom), 0.0)
    z_high = max(level - max(ay + high * (by - ay), bottom), 0.0)
    whole = width / 6.0 * (z_low + 4.0 * z_mid + z_high)
    far = width / 6.0 * (z_low * low + 4.0 * z_mid * middle + z_high * high)
    return whole - far, far, 1.0 if z_mid > 0.0 and ay + middle * (by - ay) > bottom else 0.0


@lean
def crossing(ay: float, by: float, height: float, low: float, high: float) -> float:
    """Return where (0 to 1) an edge crosses a height, held between low and high."""
    if ay == by:
        return low
    return min(max((height - ay) / (by - ay), low), high)


@lean
def depth_along(
    ax: float, ay: float, bx: float, by: float, level: float, left: float, right: float, bottom: float
) -> tuple[float, float, float, float, float, float]:
    """Return ∫ z (1-t) dt and ∫ z t dt along the edge from a to b, and ∫ 1-t and t: of all above the bed, of the wet.

    z: depth [m], that of the bottom below it; only what lies between left and right counts.
    """
    low, high = 0.0, 1.0
    if ax == bx:
        high = 1.0 if left <= ax <= right else 0.0
    else:
        one, two = (left - ax) / (bx - ax), (right - ax) / (bx - ax)
        low, high = max(min(one, two), 0.0), min(max(one, two), 1.0)
    if high <= low:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    one, two = crossing(ay, by, level, low, high), crossing(ay, by, bottom, low, high)
    cut, last_cut = min(one, two), max(one, two)
    near, far, wet_near, wet_far = 0.0, 0.0, 0.0, 0.0
    for piece in range(3):
        start = low if piece == 0 else (cut if piece == 1 else last_cut)
        stop = cut if piece == 0 else (last_cut if piece == 1 else high)
        z_near, z_far, wet = integrate_piece(start, stop, ay, by, level, bottom)
        share = 0.5 * (start + stop)
        near += z_near
        far += z_far
        wet_near += wet * (stop - start) * (1.0 - share)
        wet_far += wet * (stop - start) * share
    middle = 0.5 * (low + high)
    return near, far, (high - low) * (1.0 - middle), (high - low) * middle, wet_near, wet_far


@lean
def least_depth(
    place: np.ndarray, points: np.ndarray, first: int, last: int, skin: float,
    level: float, left: float, right: float, bottom: float,
) -> tuple[float, float, bool]:  # fmt: skip
    """Return the least depth around a ring, its submerged area, and whether it reaches beyond left or right."""
    least, area, out = math.inf, 0.0, False
    ax, ay = grown_corner(place, points, first, last, last - 1, skin)
    for k in range(first, last):
        bx, by = grown_corner(place, points, first, last, k, skin)
        near, far, _, _, _, _ = depth_along(ax, ay, bx, by, level, left, right, bottom)
        least = min(least, max(level - max(by, bottom), 0.0))
        area += (near + far) * (bx - ax)
        out = out or bx < left or bx > right
        ax, ay = bx, by
    return least, abs(area), out


@lean
def where_carried(px: float, py: float, ix: float, iy: float, ex: float, ey: float, nx: float, ny: float) -> float:
    """Return where (0 to 1, or a little beyond) the line through p along n crosses the edge e from i."""
    across = ex * ny - ey * nx
    if across * across <= 1e-12 * (ex * ex + ey * ey):
        return 0.5
    return min(max(((px - ix) * ny - (py - iy) * nx) / across, -2.0), 3.0)


@lean
def press_ring(
    place: np.ndarray, rest: np.ndarray, velocity: np.ndarray, points: np.ndarray, first: int, last: int,
    skin: float, turn: float,
    level: float, left: float, right: float, bottom: float, weight: float, density: float, drag: float,
    linear_drag: float, flow_x: float, flow_y: float, resistance: np.ndarray, carried: np.ndarray,
    stiffness: np.ndarray, force: np.ndarray,
) -> tuple[float, float]:  # fmt: skip
    """Add lift and drag of a ring; skin < 0 and turn -1 where it runs clockwise; weight: ρ g [N/m³].

    Return its submerged area, and the force in x that must not be: that of water without a bank.
    """
    least, area, out = least_depth(place, points, first, last, skin, level, left, right, bottom)
    if area == 0.0:
        return 0.0, 0.0
    astray = 0.0
    ax, ay = grown_corner(place, points, first, last, first, skin)
    for k in range(first, last):
        after = k + 1 if k + 1 < last else first
        i, j = points[k], points[after]
        bx, by = grown_corner(place, points, first, last, after, skin)
        near, far, all_near, all_far, wet_near, wet_far = depth_along(ax, ay, bx, by, level, left, right, bottom)
        size = math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
        if size > 0.0 and all_near + all_far > 0.0:
            nx, ny = -turn * (by - ay) / size, turn * (bx - ax) / size  # inwards
            ex, ey = place[j, 0] - place[i, 0], place[j, 1] - place[i, 1]
            start = where_carried(ax, ay, place[i, 0], place[i, 1], ex, ey, nx, ny)
            stop = where_carried(bx, by, place[i, 0], place[i, 1], ex, ey, nx, ny)
            near, far = weight * size * (near - least * all_near), weight * size * (far - least * all_far)
            to_j = near * start + far * stop
            to_i = near + far - to_j
            force[i, 0] += to_i * nx
            force[i, 1] += to_i * ny
            force[j, 0] += to_j * nx
            force[j, 1] += to_j * ny
            astray += (near + far) * nx
            stiff = 0.5 * abs(weight) * size * (wet_near + wet_far) + abs(near + far) / size
            stiffness[i] += stiff
            stiffness[j] += stiff
            ux = flow_x - 0.5 * (velocity[i, 0] + velocity[j, 0])
            uy = flow_y - 0.5 * (velocity[i, 1] + velocity[j, 1])
            catching = size * catching_share(size, rest, i, j)
            fast = 0.5 * density * drag * catching * abs(ux * nx + uy * ny)
            slow = density * linear_drag * catching
            resist_along(i, fast * wet_near, nx, ny, flow_x, flow_y, resistance, carried)
            resist_along(j, fast * wet_far, nx, ny, flow_x, flow_y, resistance, carried)
            resist_all_round(i, slow * wet_near, flow_x, flow_y, resistance, carried)
            resist_all_round(j, slow * wet_far, flow_x, flow_y, resistance, carried)
        ax, ay = bx, by
    return area, astray if out else 0.0


@lean
def share_below(depth: float, radius: float) -> float:
    """Return the share of a disc's area under water, its middle at a depth: the circle's segment."""
    if depth >= radius:
        return 1.0
    if depth <= -radius:
        return 0.0
    u = depth / radius
    return (math.acos(-u) + u * math.sqrt(1.0 - u * u)) / math.pi


@lean
def press_disc(
    p: int, place: np.ndarray, velocity: np.ndarray, radius: np.ndarray, length: float,
    level: float, left: float, right: float, bottom: float, weight: float, density: float, drag: float,
    linear_drag: float, flow_x: float, flow_y: float, resistance: np.ndarray, carried: np.ndarray,
    stiffness: np.ndarray, force: np.ndarray,
) -> float:  # fmt: skip
    """Add lift and drag of a particle on its own, or of its `length` of a rope (0: a disc); return the area below."""
    r = radius[p]
    if r == 0.0 or not left <= place[p, 0] <= right or place[p, 1] < bottom:
        return 0.0
    share = share_below(level - place[p, 1], r)
    if share == 0.0:
        return 0.0
    area = 2.0 * r * length if length > 0.0 else math.pi * r * r
    force[p, 1] += weight * share * area
    stiffness[p] += abs(weight) * area * 2.0 / (math.pi * r)
    ux, uy = flow_x - velocity[p, 0], flow_y - velocity[p, 1]
    width = length if length > 0.0 else ROUND * r
    around = 2.0 * length if length > 0.0 else 2.0 * math.pi * r
    speed = math.sqrt(ux * ux + uy * uy)
    strength = density * share * (0.5 * drag * width * speed + linear_drag * around)
    resist_all_round(p, strength, flow_x, flow_y, resistance, carried)
    return share * area
