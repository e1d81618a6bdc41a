"""Refresh: normal, gap, masses and couple of every contact at the present positions, before impulses are solved."""

import math

import numpy as np

from ecs_softbody.collision.busy import DISCS, EDGES, IDLE, are_discs, is_busy, list_edge, write_disc
from ecs_softbody.collision.correction import RESTITUTION_THRESHOLD
from ecs_softbody.collision.response import (
    ACTIVE,
    ALONG,
    APPROACH,
    FRICTION,
    FRICTION_IMPULSE,
    FRICTION_WEIGHT,
    GAP,
    IMPULSE,
    IMPULSE_BEFORE,
    LEVER_X,
    LEVER_Y,
    NORMAL_X,
    NORMAL_Y,
    RESTITUTION,
    SURFACE,
    WEIGHT,
    normal_speed,
)
from ecs_softbody.collision.wall_contacts import surface_speed
from ecs_softbody.kernels.compiling import part

LONGEST_LEVER = 1.5
"""A soft edge gives no friction to a point further away than this, over its length."""


@part
def refresh_contacts(
    rows: np.ndarray,
    items: np.ndarray,
    data: np.ndarray,
    position: np.ndarray,
    vertices: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    spin: np.ndarray,
    belt: np.ndarray,
    body_count: int,
    offset: int,
    velocity: np.ndarray,
    predicted: np.ndarray,
    weight: np.ndarray,
    reach: np.ndarray,
    dt: float,
    disc_rows: np.ndarray,
    discs: np.ndarray,
    edge_rows: np.ndarray,
    edges: np.ndarray,
    idle: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Bring every contact up to the present positions, and list which are busy and which idle (busy.py).

    before and after: the neighbours of each static vertex in its chain, itself at a free end. spin [rad/s] and belt
    [m/s] belong to the static edges, which are the items from `body_count` on.
    """
    disc_count, edge_count, idle_count, rate = 0, 0, 0, 1.0 / dt
    for c in range(rows.shape[0]):
        if are_discs(rows, c, offset):
            active, busy = refresh_disc(
                rows, data, c, position, velocity, predicted, weight, reach, offset, dt, rate, disc_rows, discs,
                disc_count,
            )  # fmt: skip
            # Whether a disc is busy is hard to guess, so both lists are written to and one of them grows.
            idle[idle_count] = c
            disc_count += active & busy
            idle_count += active & (not busy)
            continue
        active = refresh_edge(rows, data, c, position, vertices, before, after, offset, predicted, weight, reach)
        active = active and weigh_edge(rows, data, c, weight)
        data[c, ACTIVE] = 1.0 if active else 0.0
        if not active:
            continue
        if items[c, 1] >= body_count:
            e = items[c, 1] - body_count
            if spin[e] != 0.0 or belt[e] != 0.0:
                data[c, SURFACE] = surface_speed(rows, data, c, offset, vertices, reach, spin[e], belt[e])
        if is_busy(data[c, GAP], data[c, APPROACH], data[c, IMPULSE], data[c, IMPULSE_BEFORE], dt):
            list_edge(rows, data, c, weight, rate, edge_rows, edges, edge_count)
            edge_count += 1
        else:
            idle[idle_count] = c
            idle_count += 1
        if data[c, RESTITUTION] > 0.0 and rows[c, 0] < offset:
            set_touching_speed(rows, data, c, offset, velocity, predicted, dt)
    counts[DISCS], counts[EDGES], counts[IDLE] = disc_count, edge_count, idle_count


@part
def refresh_disc(
    rows: np.ndarray,
    data: np.ndarray,
    c: int,
    position: np.ndarray,
    velocity: np.ndarray,
    predicted: np.ndarray,
    weight: np.ndarray,
    reach: np.ndarray,
    offset: int,
    dt: float,
    rate: float,
    disc_rows: np.ndarray,
    discs: np.ndarray,
    k: int,
) -> tuple[bool, bool]:
    """Write normal, gap, weight and approach speed of two discs, also as the k-th that is busy.

    Tell whether one of them can move, and whether the contact is busy.
    """
    p, a = rows[c, 0], rows[c, 1]
    dx, dy = position[p, 0] - position[a, 0], position[p, 1] - position[a, 1]
    wp, wa = weight[p], weight[a]
    distance, softness = math.sqrt(dx * dx + dy * dy), wp + wa
    if distance > 1e-9:
        inverse = 1.0 / distance
        nx, ny = inverse * dx, inverse * dy
    else:
        nx, ny = data[c, NORMAL_X], data[c, NORMAL_Y]
        if nx == 0.0 and ny == 0.0:
            ny = 1.0
    gap, active = distance - reach[p] - reach[a], softness > 0.0
    approach = (predicted[p, 0] - predicted[a, 0]) * nx + (predicted[p, 1] - predicted[a, 1]) * ny
    mass = 1.0 / softness if active else 0.0
    data[c, NORMAL_X], data[c, NORMAL_Y], data[c, GAP], data[c, APPROACH] = nx, ny, gap, approach
    data[c, WEIGHT], data[c, ACTIVE] = mass, 1.0 if active else 0.0
    last, before = data[c, IMPULSE], data[c, IMPULSE_BEFORE]
    write_disc(p, a, c, nx, ny, gap, mass, last, before, wp, wa, rate, disc_rows, discs, k)
    if data[c, RESTITUTION] > 0.0 and active:
        set_touching_speed(rows, data, c, offset, velocity, predicted, dt)
    return active, is_busy(gap, approach, last, before, dt)


@part
def refresh_edge(
    rows: np.ndarray,
    data: np.ndarray,
    c: int,
    position: np.ndarray,
    vertices: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    offset: int,
    predicted: np.ndarray,
    weight: np.ndarray,
    reach: np.ndarray,
) -> bool:
    """Write normal, place along the edge, gap, lever and approach speed of a point and an edge.

    In a chain each point is left to the one edge that is closest, so bodies slide over inner vertices without a bump:
    tell whether this is the edge.
    """
    p, a, b = rows[c, 0], rows[c, 1], rows[c, 2]
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
    not_here = p >= offset and not 0.0 < t < 1.0
    if a >= offset and squared > 0.0:
        not_here |= belongs_to_neighbour(px, py, t, a - offset, b - offset, vertices, before, after)
    if not_here:
        data[c, IMPULSE] = data[c, FRICTION_IMPULSE] = 0.0
        data[c, WEIGHT] = math.inf
        return False
    t = min(max(t, 0.0), 1.0)
    dx, dy = px - ax - t * ex, py - ay - t * ey
    distance = math.sqrt(dx * dx + dy * dy)
    if distance > 1e-9:
        data[c, NORMAL_X], data[c, NORMAL_Y] = dx / distance, dy / distance
    elif data[c, NORMAL_X] == 0.0 and data[c, NORMAL_Y] == 0.0:
        length = math.sqrt(squared)
        data[c, NORMAL_X] = -ey / length if length > 0.0 else 0.0
        data[c, NORMAL_Y] = ex / length if length > 0.0 else 1.0
    data[c, LEVER_X] = data[c, LEVER_Y] = 0.0
    if a < offset:
        set_lever(data, c, ex, ey, squared, distance)
    data[c, ALONG] = t
    data[c, GAP] = distance - reach[p] - (1.0 - t) * reach[a] - t * reach[b]
    data[c, APPROACH] = normal_speed(predicted, p, a, b, t, data[c, NORMAL_X], data[c, NORMAL_Y])
    return True


@part
def set_lever(data: np.ndarray, c: int, ex: float, ey: float, squared: float, distance: float) -> None:
    """Write the couple on a and b that takes back the torque of a unit of friction; no friction from far away."""
    share = 0.0
    if distance * distance < LONGEST_LEVER * LONGEST_LEVER * squared:
        share = distance / squared
    else:
        data[c, FRICTION] = 0.0
    data[c, LEVER_X], data[c, LEVER_Y] = -share * ey, share * ex


@part
def weigh_edge(rows: np.ndarray, data: np.ndarray, c: int, weight: np.ndarray) -> bool:
    """Write the masses that normal and friction move; tell whether anything can move.

    That of friction is 1 / (w_p + w_a |(1-t) τ - l|² + w_b |t τ + l|²) with the couple ± l.
    """
    p, a, b, t = rows[c, 0], rows[c, 1], rows[c, 2], data[c, ALONG]
    wp, wa, wb = weight[p], weight[a], weight[b]
    softness = wp + (1.0 - t) * (1.0 - t) * wa + t * t * wb
    if not softness > 0.0:
        data[c, WEIGHT] = 0.0
        return False
    data[c, WEIGHT] = 1.0 / softness
    lx, ly, nx, ny = data[c, LEVER_X], data[c, LEVER_Y], data[c, NORMAL_X], data[c, NORMAL_Y]
    if lx != 0.0 or ly != 0.0:
        ax, ay = lx + (1.0 - t) * ny, ly - (1.0 - t) * nx
        bx, by = lx - t * ny, ly + t * nx
        softness = wp + wa * (ax * ax + ay * ay) + wb * (bx * bx + by * by)
    data[c, FRICTION_WEIGHT] = 1.0 / softness if softness > 0.0 else 0.0
    return True


@part
def set_touching_speed(
    rows: np.ndarray,
    data: np.ndarray,
    c: int,
    offset: int,
    velocity: np.ndarray,
    predicted: np.ndarray,
    dt: float,
) -> None:
    """Turn the approach speed at the end of the substep into that at the moment of touching, which may come before."""
    p, a, b = rows[c, 0], rows[c, 1], rows[c, 2]
    nx, ny, t, approach = data[c, NORMAL_X], data[c, NORMAL_Y], data[c, ALONG], data[c, APPROACH]
    start = velocity[p, 0] * nx + velocity[p, 1] * ny
    if a >= offset:
        start -= ((1.0 - t) * predicted[a, 0] + t * predicted[b, 0]) * nx
        start -= ((1.0 - t) * predicted[a, 1] + t * predicted[b, 1]) * ny
    else:
        start -= ((1.0 - t) * velocity[a, 0] + t * velocity[b, 0]) * nx
        start -= ((1.0 - t) * velocity[a, 1] + t * velocity[b, 1]) * ny
    if min(start, approach) > -RESTITUTION_THRESHOLD:
        return  # it does not bounce
    share = 1.0
    if approach < 0.0:
        share = min(max(data[c, GAP], 0.0) / max(-approach * dt, 1e-30), 1.0)
    data[c, APPROACH] = start + share * (approach - start)


@part
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
