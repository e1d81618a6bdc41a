"""Refresh: normal, gap, masses and couple of every contact at the present positions, before impulses are solved."""

import math

import numpy as np

from ecs_softbody.collision.response import (
    ACTIVE,
    ALONG,
    APPROACH,
    FRICTION,
    FRICTION_IMPULSE,
    FRICTION_WEIGHT,
    GAP,
    IMPULSE,
    LEVER_X,
    LEVER_Y,
    NORMAL_X,
    NORMAL_Y,
    RESTITUTION,
    SURFACE,
    WEIGHT,
    normal_speed,
)
from ecs_softbody.kernels.compiling import kernel

LONGEST_LEVER = 1.5
"""A soft edge gives no friction to a point further away than this, over its length."""


@kernel
def refresh_contacts(
    rows: np.ndarray,
    data: np.ndarray,
    position: np.ndarray,
    vertices: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    offset: int,
    velocity: np.ndarray,
    predicted: np.ndarray,
    weight: np.ndarray,
    reach: np.ndarray,
    dt: float,
) -> None:
    """Recompute normal, gap, weight and approach speed of every contact at the present positions.

    before and after: the neighbours of each static vertex in its chain, itself at a free end. In a chain each
    point is left to the one edge that is closest, so bodies slide over inner vertices without a bump.
    """
    for c in range(rows.shape[0]):
        p, a, b = rows[c, 0], rows[c, 1], rows[c, 2]
        data[c, ACTIVE], data[c, WEIGHT] = 0.0, math.inf
        if p >= offset:
            px, py = vertices[p - offset, 0], vertices[p - offset, 1]
        else:
            px, py = position[p, 0], position[p, 1]
        if a >= offset:
            ax, ay = vertices[a - offset, 0], vertices[a - offset, 1]
            bx, by = vertices[b - offset, 0], vertices[b - offset, 1]
        else:
            ax, ay, bx, by = position[a, 0], position[a, 1], position[b, 0], position[b, 1]
        ex, ey = bx - ax, by - ay
        squared = ex * ex + ey * ey
        t = ((px - ax) * ex + (py - ay) * ey) / squared if squared > 0.0 else 0.0
        if (
            a >= offset
            and squared > 0.0
            and belongs_to_neighbour(px, py, t, a - offset, b - offset, vertices, before, after)
        ):
            data[c, IMPULSE] = data[c, FRICTION_IMPULSE] = 0.0
            continue
        if p >= offset and not 0.0 < t < 1.0:
            data[c, IMPULSE] = data[c, FRICTION_IMPULSE] = 0.0
            continue
        t = min(max(t, 0.0), 1.0)
        dx, dy = px - ax - t * ex, py - ay - t * ey
        distance = math.sqrt(dx * dx + dy * dy)
        if distance > 1e-9:
            data[c, NORMAL_X], data[c, NORMAL_Y] = dx / distance, dy / distance
        elif data[c, NORMAL_X] == 0.0 and data[c, NORMAL_Y] == 0.0:
            length = math.sqrt(squared)
            data[c, NORMAL_X] = -ey / length if length > 0.0 else 0.0
            data[c, NORMAL_Y] = ex / length if length > 0.0 else 1.0
        if a < offset and a != b:
            set_lever(data, c, ex, ey, squared, distance)
        else:
            data[c, LEVER_X] = data[c, LEVER_Y] = 0.0
        data[c, ALONG] = t
        data[c, GAP] = distance - reach[p] - (1.0 - t) * reach[a] - t * reach[b]
        inverse = weight[p] + (1.0 - t) * (1.0 - t) * weight[a] + t * t * weight[b]
        if a == b:
            inverse = weight[p] + weight[a]
        data[c, APPROACH] = normal_speed(predicted, p, a, b, t, data[c, NORMAL_X], data[c, NORMAL_Y])
        if not inverse > 0.0:
            data[c, WEIGHT] = 0.0
            continue
        data[c, WEIGHT] = 1.0 / inverse
        data[c, FRICTION_WEIGHT] = friction_weight(data, c, weight[p], weight[a], weight[b], inverse)
        data[c, ACTIVE] = 1.0
        if data[c, RESTITUTION] > 0.0 and p < offset:
            set_touching_speed(data, c, p, a, b, offset, velocity, predicted, dt)


@kernel
def set_lever(data: np.ndarray, c: int, ex: float, ey: float, squared: float, distance: float) -> None:
    """Write the couple on a and b that takes back the torque of a unit of friction; no friction from far away."""
    share = 0.0
    if distance < LONGEST_LEVER * math.sqrt(squared):
        share = distance / squared
    else:
        data[c, FRICTION] = 0.0
    data[c, LEVER_X], data[c, LEVER_Y] = -share * ey, share * ex


@kernel
def friction_weight(data: np.ndarray, c: int, wp: float, wa: float, wb: float, inverse: float) -> float:
    """Return the mass that friction moves: 1 / (w_p + w_a |(1-t) τ - l|² + w_b |t τ + l|²) with the couple ± l."""
    lx, ly, t = data[c, LEVER_X], data[c, LEVER_Y], data[c, ALONG]
    if lx == 0.0 and ly == 0.0:
        return 1.0 / inverse
    nx, ny = data[c, NORMAL_X], data[c, NORMAL_Y]
    ax, ay = lx + (1.0 - t) * ny, ly - (1.0 - t) * nx
    bx, by = lx - t * ny, ly + t * nx
    softness = wp + wa * (ax * ax + ay * ay) + wb * (bx * bx + by * by)
    return float(1.0 / softness) if softness > 0.0 else 0.0


@kernel
def set_touching_speed(
    data: np.ndarray,
    c: int,
    p: int,
    a: int,
    b: int,
    offset: int,
    velocity: np.ndarray,
    predicted: np.ndarray,
    dt: float,
) -> None:
    """Turn the approach speed at the end of the substep into that at the moment of touching, which may come before."""
    nx, ny, t, approach = data[c, NORMAL_X], data[c, NORMAL_Y], data[c, ALONG], data[c, APPROACH]
    start = velocity[p, 0] * nx + velocity[p, 1] * ny
    if a >= offset:
        start -= ((1.0 - t) * predicted[a, 0] + t * predicted[b, 0]) * nx
        start -= ((1.0 - t) * predicted[a, 1] + t * predicted[b, 1]) * ny
    else:
        start -= ((1.0 - t) * velocity[a, 0] + t * velocity[b, 0]) * nx
        start -= ((1.0 - t) * velocity[a, 1] + t * velocity[b, 1]) * ny
    share = 1.0
    if approach < 0.0:
        share = min(max(data[c, GAP], 0.0) / max(-approach * dt, 1e-30), 1.0)
    data[c, APPROACH] = start + share * (approach - start)


@kernel
def belongs_to_neighbour(
    px: float,
    py: float,
    t: float,
    a: int,
    b: int,
    vertices: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
) -> bool:
    """Tell whether a point beyond the end of static edge a-b is nearer to the next edge of the chain."""
    if t < 0.0:
        return before[a] != a
    if t > 1.0 and after[b] != b:
        ex = vertices[after[b], 0] - vertices[b, 0]
        ey = vertices[after[b], 1] - vertices[b, 1]
        return (px - vertices[b, 0]) * ex + (py - vertices[b, 1]) * ey > 0.0
    return False


@kernel
def set_surface_speeds(
    rows: np.ndarray,
    items: np.ndarray,
    data: np.ndarray,
    body_count: int,
    offset: int,
    vertices: np.ndarray,
    spin: np.ndarray,
    belt: np.ndarray,
    reach: np.ndarray,
) -> None:
    """Write how fast the surface of a wall runs along (-n_y, n_x), over what its vertices do.

    spin [rad/s] and belt [m/s] belong to the static edges. The surface of a thick edge is `reach` away from it.
    """
    for c in range(rows.shape[0]):
        if items[c, 1] < body_count:
            continue
        edge = items[c, 1] - body_count
        p, a, b = rows[c, 0], rows[c, 1], rows[c, 2]
        if p >= offset:
            data[c, SURFACE] = spin[edge] * reach[p]
            continue
        along = 1.0
        ex = vertices[b - offset, 0] - vertices[a - offset, 0]
        ey = vertices[b - offset, 1] - vertices[a - offset, 1]
        length = math.sqrt(ex * ex + ey * ey)
        if length > 0.0:
            along = (ey * data[c, NORMAL_X] - ex * data[c, NORMAL_Y]) / length
        data[c, SURFACE] = spin[edge] * reach[a] + belt[edge] * along
