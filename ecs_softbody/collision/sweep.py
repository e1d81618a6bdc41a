"""Sweep: no particle's centre enters a static edge, and no corner of a wall passes a soft edge, however fast it is."""

import math

import numpy as np

from ecs_softbody.collision.corner_sweep import stop_ring_at_corner
from ecs_softbody.collision.narrow_phase import may_touch
from ecs_softbody.collision.one_way import SOLID, UNKNOWN, lies_on, state_of
from ecs_softbody.collision.response import ACTIVE, GAP, RESTITUTION
from ecs_softbody.kernels.compiling import lean, part

LEAST_DISTANCE = 0.001
"""A swept particle is stopped at least this far [m] before the edge."""
SIDE_WIDTH = 0.0001
"""A centre as near to an edge as this [m] has crossed it, since rounding could not tell its side."""
ROUNDS = 3
"""Times that a particle is tried against the edges."""


@part
def crossing(x0: float, y0: float, x1: float, y1: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Return where (0 to 1) the way (x0, y0)-(x1, y1) crosses the segment a-b, or 2 when it does not."""
    ex, ey = bx - ax, by - ay
    mx, my = x1 - x0, y1 - y0
    side0 = ex * (y0 - ay) - ey * (x0 - ax)
    side1 = ex * (y1 - ay) - ey * (x1 - ax)
    if (side0 > 0.0) == (side1 > 0.0) or side0 == side1:
        return 2.0
    share = side0 / (side0 - side1)
    along = (x0 + share * mx - ax) * ex + (y0 + share * my - ay) * ey
    squared = ex * ex + ey * ey
    if along < -1e-9 * squared or along > (1.0 + 1e-9) * squared:
        return 2.0
    return share


@lean
def stop_at_edge(
    p: int,
    a: int,
    b: int,
    vertices: np.ndarray,
    vertex_velocity: np.ndarray,
    radius: float,
    thickness: float,
    restitution: float,
    dt: float,
    position: np.ndarray,
    velocity: np.ndarray,
    previous_position: np.ndarray,
    round_number: int,
) -> bool:
    """Bring particle p back to the side of static edge a-b that it came from, if it has crossed.

    It is placed where it met the edge, in the last round where it was, as seen from the edge.
    """
    ux, uy = vertex_velocity[a, 0], vertex_velocity[a, 1]
    x0, y0 = previous_position[p, 0] + dt * ux, previous_position[p, 1] + dt * uy
    x1, y1 = position[p, 0], position[p, 1]
    ax, ay, bx, by = vertices[a, 0], vertices[a, 1], vertices[b, 0], vertices[b, 1]
    ex, ey = bx - ax, by - ay
    length = math.sqrt(ex * ex + ey * ey)
    reach = max(radius + thickness, LEAST_DISTANCE)
    turn_x, turn_y = vertex_velocity[b, 0] - ux, vertex_velocity[b, 1] - uy
    if turn_x != 0.0 or turn_y != 0.0:
        # The edge has turned: its start is where the particle was as seen from the edge, drawn from the edge now.
        fx, fy = ex - dt * turn_x, ey - dt * turn_y
        along = ((x0 - ax) * fx + (y0 - ay) * fy) / (length * length)
        across = (fx * (y0 - ay) - fy * (x0 - ax)) / (length * length)
        x0, y0 = ax + along * ex - across * ey, ay + along * ey + across * ex
    if length == 0.0:
        return stop_at_circle(p, ax, ay, ux, uy, x0, y0, reach, position, velocity)
    side = 1.0 if ex * (y0 - ay) - ey * (x0 - ax) > 0.0 else -1.0
    nx, ny = -side * ey / length, side * ex / length
    # What was outside a thick edge is stopped at its surface.
    width = thickness if side * (ex * (y0 - ay) - ey * (x0 - ax)) > thickness * length else 0.0
    x1, y1 = x1 - max(width, SIDE_WIDTH) * nx, y1 - max(width, SIDE_WIDTH) * ny
    share = crossing(x0, y0, x1, y1, ax, ay, bx, by)
    if share > 1.0:
        return False
    hit_x, hit_y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
    hit = ((hit_x - ax) * ex + (hit_y - ay) * ey) / (length * length)
    ux, uy = ux + hit * turn_x, uy + hit * turn_y
    if round_number == ROUNDS - 1:
        position[p, 0], position[p, 1] = x0, y0
        velocity[p, 0], velocity[p, 1] = ux, uy
        return True
    position[p, 0] = hit_x + reach * nx
    position[p, 1] = hit_y + reach * ny
    inward = (velocity[p, 0] - ux) * nx + (velocity[p, 1] - uy) * ny
    if inward < 0.0:
        velocity[p, 0] -= (1.0 + restitution) * inward * nx
        velocity[p, 1] -= (1.0 + restitution) * inward * ny
    return True


@lean
def stop_at_circle(
    p: int,
    cx: float,
    cy: float,
    ux: float,
    uy: float,
    x0: float,
    y0: float,
    reach: float,
    position: np.ndarray,
    velocity: np.ndarray,
) -> bool:
    """Stop particle p where its way from (x0, y0) enters the circle around c, if it went through the middle."""
    mx, my = position[p, 0] - x0, position[p, 1] - y0
    squared = mx * mx + my * my
    if squared == 0.0:
        return False
    share = min(max(((cx - x0) * mx + (cy - y0) * my) / squared, 0.0), 1.0)
    nearest_x, nearest_y = x0 + share * mx - cx, y0 + share * my - cy
    start = math.hypot(x0 - cx, y0 - cy)
    if start < reach or share >= 1.0 or math.hypot(nearest_x, nearest_y) > 0.5 * reach:
        return False
    nx, ny = (x0 - cx) / start, (y0 - cy) / start
    position[p, 0], position[p, 1] = cx + reach * nx, cy + reach * ny
    inward = (velocity[p, 0] - ux) * nx + (velocity[p, 1] - uy) * ny
    if inward < 0.0:
        velocity[p, 0] -= inward * nx
        velocity[p, 1] -= inward * ny
    return True


@part
def stays_before(
    p: int,
    a: int,
    b: int,
    distance: float,
    vertex_velocity: np.ndarray,
    dt: float,
    position: np.ndarray,
    previous_position: np.ndarray,
) -> bool:
    """Tell whether particle p went less far than to the surface of an edge that does not turn, seen from the edge."""
    ux, uy = vertex_velocity[a, 0], vertex_velocity[a, 1]
    if a == b or distance < SIDE_WIDTH or ux != vertex_velocity[b, 0] or uy != vertex_velocity[b, 1]:
        return False
    x = position[p, 0] - previous_position[p, 0] - dt * ux
    y = position[p, 1] - previous_position[p, 1] - dt * uy
    return x * x + y * y < (distance - SIDE_WIDTH) * (distance - SIDE_WIDTH)


@lean
def sweep_contacts(
    rows: np.ndarray,
    data: np.ndarray,
    offset: int,
    vertices: np.ndarray,
    vertex_velocity: np.ndarray,
    reach: np.ndarray,
    weight: np.ndarray,
    dt: float,
    position: np.ndarray,
    velocity: np.ndarray,
    previous_position: np.ndarray,
) -> None:
    """Stop every particle that has crossed a static edge it has a contact with.

    Stopping at one edge may push a particle over another one: in the last round it goes back to where it was.
    """
    for round_number in range(ROUNDS):
        stopped = False
        for c in range(rows.shape[0]):
            p, a, b = rows[c, 0], rows[c, 1], rows[c, 2]
            if a < offset or p >= offset or weight[p] == 0.0:
                continue
            if data[c, ACTIVE] > 0.0 and stays_before(
                p, a - offset, b - offset, data[c, GAP] + reach[p], vertex_velocity, dt, position, previous_position
            ):
                continue
            if stop_at_edge(
                p, a - offset, b - offset, vertices, vertex_velocity, reach[p], reach[a],
                data[c, RESTITUTION], dt, position, velocity, previous_position, round_number,
            ):  # fmt: skip
                stopped = True
        if not stopped:
            break


@lean
def sweep_bodies(
    lowest: int,
    beyond: int,
    slots: np.ndarray,
    wall_pairs: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    box: np.ndarray,
    category: np.ndarray,
    mask: np.ndarray,
    edges: np.ndarray,
    corner: np.ndarray,
    one_way: np.ndarray,
    slot: np.ndarray,
    chain: np.ndarray,
    outward: np.ndarray,
    keys: np.ndarray,
    states: np.ndarray,
    offset: int,
    vertices: np.ndarray,
    vertex_velocity: np.ndarray,
    reach: np.ndarray,
    weight: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    previous_position: np.ndarray,
    fast: np.ndarray,
    dt: float,
) -> None:
    """Stop what contacts do not hold: points inside a ring, ring edges at corners, and bodies that have left their box.

    The latter are tried against all static edges: what has stayed in its box has met the edges of `wall_pairs` only.
    slots: the bodies that move, all of them in [lowest, beyond): pairs of others are passed over. Body i has the
    particles [start[i], stop[i]). fast: room for every body.
    """
    body_count, place = first.shape[0], position.reshape(-1)
    for n in range(slots.shape[0]):
        i = slots[n]
        both = slice(2 * start[i], 2 * stop[i])
        fast[i] = any_outside(place[both], box[i, 0], box[i, 1], box[i, 2], box[i, 3]) and last[i] > first[i]
        for round_number in range(ROUNDS if fast[i] else 0):
            stopped = False
            for e in range(edges.shape[0]):
                if may_touch(category, mask, i, body_count + e) and is_closed(
                    i, e, points, first, last, edges, one_way, slot, chain, outward, keys, states, offset, vertices,
                    reach, previous_position,
                ):  # fmt: skip
                    stopped |= sweep_body(
                        i, e, points, first, last, ringed, closed, start, stop, box, edges, corner, offset, vertices,
                        vertex_velocity, reach, weight, dt, position, velocity, previous_position, round_number,
                    )  # fmt: skip
            if not stopped:
                break
    for k in range(wall_pairs.shape[0]):
        i, item = wall_pairs[k, 0], wall_pairs[k, 1]
        if i < lowest or i >= beyond:
            continue
        low_x, low_y, high_x, high_y = math.inf, math.inf, -math.inf, -math.inf
        for p in range(start[i], stop[i] if not fast[i] else start[i]):
            x, y, x0, y0 = position[p, 0], position[p, 1], previous_position[p, 0], previous_position[p, 1]
            left, right, lower, upper = (
                x if x < x0 else x0,
                x0 if x < x0 else x,
                y if y < y0 else y0,
                y0 if y < y0 else y,
            )
            low_x, high_x = left if left < low_x else low_x, right if right > high_x else high_x
            low_y, high_y = lower if lower < low_y else low_y, upper if upper > high_y else high_y
        far_x = low_x > box[item, 2] + SIDE_WIDTH or high_x < box[item, 0] - SIDE_WIDTH
        if not far_x and low_y <= box[item, 3] + SIDE_WIDTH and high_y >= box[item, 1] - SIDE_WIDTH:
            sweep_body(
                i, item - body_count, points, first, last, ringed, closed, start, stop, box, edges, corner, offset,
                vertices, vertex_velocity, reach, weight, dt, position, velocity, previous_position, 0,
            )  # fmt: skip


@part
def any_outside(place: np.ndarray, low_x: float, low_y: float, high_x: float, high_y: float) -> bool:
    """Tell whether a point is outside of a box; place: x and y in turn, (2 N,). Several are compared at once."""
    outside = 0
    for p in range(len(place) // 2):
        x, y = place[2 * p], place[2 * p + 1]
        outside |= 1 if (x < low_x) | (x > high_x) | (y < low_y) | (y > high_y) else 0
    return outside != 0


@lean
def is_closed(
    i: int,
    e: int,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    edges: np.ndarray,
    one_way: np.ndarray,
    slot: np.ndarray,
    chain: np.ndarray,
    outward: np.ndarray,
    keys: np.ndarray,
    states: np.ndarray,
    offset: int,
    vertices: np.ndarray,
    reach: np.ndarray,
    previous_position: np.ndarray,
) -> bool:
    """Tell whether static edge e is solid to body i: all are but those of one-way walls that the body may pass."""
    if one_way[e, 0] == 0.0 and one_way[e, 1] == 0.0:
        return True
    wall = slot[e]
    state = state_of(keys, states, i * chain.shape[0] + wall)
    if state != UNKNOWN:
        return bool(state == SOLID)
    return lies_on(
        i, points, first, last, previous_position, vertices, reach, chain[wall, 0], chain[wall, 1], edges, offset,
        outward, one_way,
    )  # fmt: skip


@lean
def is_far(
    vertices: np.ndarray,
    vertex_velocity: np.ndarray,
    v: int,
    start: int,
    stop: int,
    position: np.ndarray,
    previous_position: np.ndarray,
    dt: float,
) -> bool:
    """Tell whether a vertex stayed outside of the box that the particles [start, stop) were in during the substep."""
    x1, y1 = vertices[v, 0], vertices[v, 1]
    x0, y0 = x1 - dt * vertex_velocity[v, 0], y1 - dt * vertex_velocity[v, 1]
    low_x, low_y, high_x, high_y = math.inf, math.inf, -math.inf, -math.inf
    for p in range(start, stop):
        low_x, high_x = min(low_x, position[p, 0]), max(high_x, position[p, 0])
        low_y, high_y = min(low_y, position[p, 1]), max(high_y, position[p, 1])
        low_x, high_x = min(low_x, previous_position[p, 0]), max(high_x, previous_position[p, 0])
        low_y, high_y = min(low_y, previous_position[p, 1]), max(high_y, previous_position[p, 1])
    return max(x0, x1) < low_x or min(x0, x1) > high_x or max(y0, y1) < low_y or min(y0, y1) > high_y


@lean
def sweep_body(
    i: int,
    e: int,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    box: np.ndarray,
    edges: np.ndarray,
    corner: np.ndarray,
    offset: int,
    vertices: np.ndarray,
    vertex_velocity: np.ndarray,
    reach: np.ndarray,
    weight: np.ndarray,
    dt: float,
    position: np.ndarray,
    velocity: np.ndarray,
    previous_position: np.ndarray,
    round_number: int,
) -> bool:
    """Stop the particles of body i at static edge e, and its ring edges at the corners of e; tell whether any did."""
    stopped, item = False, first.shape[0] + e
    a, b = edges[e, 0] - offset, edges[e, 1] - offset
    low_x, low_y = box[item, 0] - SIDE_WIDTH, box[item, 1] - SIDE_WIDTH
    high_x, high_y = box[item, 2] + SIDE_WIDTH, box[item, 3] + SIDE_WIDTH
    for p in range(start[i], stop[i]):
        x0, y0, x1, y1 = previous_position[p, 0], previous_position[p, 1], position[p, 0], position[p, 1]
        if max(x0, x1) < low_x or min(x0, x1) > high_x or max(y0, y1) < low_y or min(y0, y1) > high_y:
            continue
        if weight[p] > 0.0 and stop_at_edge(
            p, a, b, vertices, vertex_velocity, reach[p], reach[edges[e, 0]], 0.0, dt, position, velocity,
            previous_position, round_number,
        ):  # fmt: skip
            stopped = True
    for end in range(2 if ringed[i] else 0):
        v = edges[e, end] - offset
        if not corner[e, end] or is_far(
            vertices, vertex_velocity, v, start[i], stop[i], position, previous_position, dt
        ):
            continue
        if stop_ring_at_corner(
            v, points, first[i], last[i], closed[i], vertices, vertex_velocity,
            reach[edges[e, end]], reach, weight, dt, position, velocity, previous_position,
        ):  # fmt: skip
            stopped = True
    return stopped
