"""Continuous collision: no particle's centre passes a static edge, and no corner of a wall a soft
edge, at any speed.

Contact impulses stop most of this; the sweep, last in each substep, catches the rest. It follows
the straight path of each particle in the substep, as seen from the edge, and puts a particle that
has crossed the edge back to where it met it. `sweep_contacts` tries particles against the edges
that they have contacts with, `sweep_bodies` whole bodies against the edges near them.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats2, Integers1, Integers2
from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows, Walls
from ecs_softbody.collision.detect.filters import Filters, may_touch
from ecs_softbody.collision.detect.margins import ParticleSpans
from ecs_softbody.collision.detect.one_way import SOLID, UNKNOWN, lies_on, state_of
from ecs_softbody.collision.detect.static_edges import WallEdges
from ecs_softbody.collision.seams.inner_edges import is_behind_wall
from ecs_softbody.collision.sweep.corner_ccd import LEAST_DISTANCE, Sweep, stop_ring_at_corner
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.geometry.outlines import DISCS, LOOP, Outlines, Shapes
from ecs_softbody.geometry.segment import path_fraction
from ecs_softbody.parallel.compiling import entry, inline, kernel
from ecs_softbody.parallel.stage_runner import run_chunks
from ecs_softbody.parallel.thread_team import ALONE

SIDE_WIDTH = 0.0001
"""A centre that comes within this distance [m] of an edge counts as having crossed it: closer,
rounding could not tell its side.
"""
ITERATIONS = 3
"""Most passes over the edges: a stop at one edge may push a particle over another one. In the last
pass particles go back to where they were.
"""
CHUNKS = 8
"""Parts into which the bodies are divided for threads.

Few, since each looks through all pairs with walls.
"""


class SweptBodies(NamedTuple):
    """B bodies, and the pairs of a body and a static edge whose boxes overlap."""

    outlines: Outlines
    spans: ParticleSpans
    # (I, 4) [m] of bodies and static edges, low x, low y, high x, high y, grown by the margins: a
    # body that is still in its box meets only the edges of its `wall_pairs`
    box: Floats2
    filters: Filters
    wall_pairs: Integers2  # (Q, 2) body and proxy of the edge; proxies of edges follow the bodies
    has_left: Flags1  # (B,) workspace: whether a body has left its box
    behind: Flags1  # (N,) particles behind a wall, which no wall stops (recover/damage.py)


class SweptEdges(NamedTuple):
    """Static edges, and the bodies to which one-way walls are solid."""

    edges: WallEdges
    # (K,) ascending: body × number of walls + wall, of one-way walls near bodies
    keys: Integers1
    # (K,) SOLID, OPEN or DROPPING, see detect/one_way.py
    states: Integers1


@kernel
def stop_at_edge(p: int, a: int, b: int, restitution: float, sweep: Sweep, iteration: int) -> bool:
    """Bring particle p back to the side of static edge a-b (rows) that it came from, if it has
    crossed.

    It is placed where it met the edge, and bounces with this restitution; in the last iteration it
    is placed where it was before, as seen from the edge, and moves with it. True if it had crossed.
    """
    position = sweep.particles.position
    velocity = sweep.particles.velocity
    previous = sweep.particles.previous_position
    vertices = sweep.walls.vertices
    vertex_velocity = sweep.walls.vertex_velocity
    dt = sweep.dt
    thickness = sweep.rows.radius[a]
    v = a - sweep.rows.offset
    w = b - sweep.rows.offset
    # The path of the particle from (x0, y0) to (x1, y1), as seen from the edge where it is now.
    ux = vertex_velocity[v, 0]
    uy = vertex_velocity[v, 1]
    x0 = previous[p, 0] + dt * ux
    y0 = previous[p, 1] + dt * uy
    x1 = position[p, 0]
    y1 = position[p, 1]
    ax = vertices[v, 0]
    ay = vertices[v, 1]
    bx = vertices[w, 0]
    by = vertices[w, 1]
    ex = bx - ax
    ey = by - ay
    length = math.sqrt(ex * ex + ey * ey)
    radius = max(sweep.rows.radius[p] + thickness, LEAST_DISTANCE)
    turn_x = vertex_velocity[w, 0] - ux
    turn_y = vertex_velocity[w, 1] - uy
    if turn_x != 0.0 or turn_y != 0.0:
        # The edge has turned: the path starts where the particle was as seen from the edge, drawn
        # from the edge now.
        fx = ex - dt * turn_x
        fy = ey - dt * turn_y
        along = ((x0 - ax) * fx + (y0 - ay) * fy) / (length * length)
        across = (fx * (y0 - ay) - fy * (x0 - ax)) / (length * length)
        x0 = ax + along * ex - across * ey
        y0 = ay + along * ey + across * ex
    if length == 0.0:
        return stop_at_circle(p, v, x0, y0, radius, sweep)
    side = 1.0 if ex * (y0 - ay) - ey * (x0 - ax) > 0.0 else -1.0
    nx = -side * ey / length
    ny = side * ex / length
    # A particle that was outside a thick edge is stopped at its surface.
    width = thickness if side * (ex * (y0 - ay) - ey * (x0 - ax)) > thickness * length else 0.0
    x1 = x1 - max(width, SIDE_WIDTH) * nx
    y1 = y1 - max(width, SIDE_WIDTH) * ny
    begin = over_gap(v, 0, sweep.walls)
    stop = over_gap(w, 1, sweep.walls)
    share = path_fraction(
        x0, y0, x1, y1, vertices[begin, 0], vertices[begin, 1], vertices[stop, 0], vertices[stop, 1]
    )
    if share > 1.0:
        return False
    # Where the path meets the edge, as a point and as a fraction of the edge; then the edge's
    # velocity there.
    hit_x = x0 + share * (x1 - x0)
    hit_y = y0 + share * (y1 - y0)
    hit = ((hit_x - ax) * ex + (hit_y - ay) * ey) / (length * length)
    ux = ux + hit * turn_x
    uy = uy + hit * turn_y
    if iteration == ITERATIONS - 1:
        # Between two edges a stop at one may cross the other: the start of the path is on the right
        # side of both.
        position[p, 0] = x0
        position[p, 1] = y0
        velocity[p, 0] = ux
        velocity[p, 1] = uy
        return True
    position[p, 0] = hit_x + radius * nx
    position[p, 1] = hit_y + radius * ny
    inward = (velocity[p, 0] - ux) * nx + (velocity[p, 1] - uy) * ny
    if inward < 0.0:
        velocity[p, 0] -= (1.0 + restitution) * inward * nx
        velocity[p, 1] -= (1.0 + restitution) * inward * ny
    return True


@inline
def over_gap(v: int, end: int, walls: Walls) -> int:
    """Return the vertex where the next edge begins that goes on at this end of vertex v's edge, or
    v: between two walls that are joined there may be a gap, which counts as part of the edge.
    """
    begin = walls.seams[v, end, 0]
    return begin if begin >= 0 else v


@kernel
def stop_at_circle(p: int, v: int, x0: float, y0: float, radius: float, sweep: Sweep) -> bool:
    """Stop particle p at the surface of a wall that is a circle around vertex v, if its path from
    (x0, y0) went through the middle; true if it did. radius [m]: of both together.
    """
    position = sweep.particles.position
    velocity = sweep.particles.velocity
    cx = sweep.walls.vertices[v, 0]
    cy = sweep.walls.vertices[v, 1]
    mx = position[p, 0] - x0
    my = position[p, 1] - y0
    squared = mx * mx + my * my
    if squared == 0.0:
        return False
    share = min(max(((cx - x0) * mx + (cy - y0) * my) / squared, 0.0), 1.0)
    nearest_x = x0 + share * mx - cx
    nearest_y = y0 + share * my - cy
    start = hypot(x0 - cx, y0 - cy)
    if start < radius or share >= 1.0 or hypot(nearest_x, nearest_y) > 0.5 * radius:
        return False
    nx = (x0 - cx) / start
    ny = (y0 - cy) / start
    position[p, 0] = cx + radius * nx
    position[p, 1] = cy + radius * ny
    ux = sweep.walls.vertex_velocity[v, 0]
    uy = sweep.walls.vertex_velocity[v, 1]
    inward = (velocity[p, 0] - ux) * nx + (velocity[p, 1] - uy) * ny
    if inward < 0.0:
        velocity[p, 0] -= inward * nx
        velocity[p, 1] -= inward * ny
    return True


@inline
def stays_before(p: int, a: int, b: int, distance: float, sweep: Sweep) -> bool:
    """True if p cannot have crossed edge a-b (rows), since it has moved by less than its distance
    to it, as seen from the edge. False if the edge rotates, or the distance [m] is tiny.
    """
    position = sweep.particles.position
    previous = sweep.particles.previous_position
    dt = sweep.dt
    vertex_velocity = sweep.walls.vertex_velocity
    v = a - sweep.rows.offset
    w = b - sweep.rows.offset
    ux = vertex_velocity[v, 0]
    uy = vertex_velocity[v, 1]
    if (
        a == b
        or distance < SIDE_WIDTH
        or ux != vertex_velocity[w, 0]
        or uy != vertex_velocity[w, 1]
    ):
        return False
    x = position[p, 0] - previous[p, 0] - dt * ux
    y = position[p, 1] - previous[p, 1] - dt * uy
    return x * x + y * y < (distance - SIDE_WIDTH) * (distance - SIDE_WIDTH)


@kernel
def sweep_contacts(contacts: ContactArrays, sweep: Sweep) -> None:
    """Stop every particle that has crossed a static edge it has a contact with.

    Stopping at one edge may push a particle over another one: in the last iteration it goes back to
    where it was.
    """
    keys = contacts.rows
    offset = sweep.rows.offset
    inverse_mass = sweep.rows.inverse_mass
    radius = sweep.rows.radius
    for iteration in range(ITERATIONS):
        stopped = False
        for c in range(keys.shape[0]):
            p = keys[c, 0]
            a = keys[c, 1]
            b = keys[c, 2]
            if a < offset or p >= offset or inverse_mass[p] == 0.0:
                continue
            contact = contacts.records[c]
            # Most particles move by less than their distance: no path is tested for these.
            if contact["active"] and stays_before(
                p, a, b, contact["separation"] + radius[p], sweep
            ):
                continue
            stopped |= stop_at_edge(p, a, b, contact["restitution"], sweep, iteration)
        if not stopped:
            break


class SweepTask(NamedTuple):
    """Data of the job `sweep_bodies`."""

    slots: np.ndarray  # (A,) the bodies that move, ascending
    bodies: SweptBodies
    static: SweptEdges
    sweep: Sweep
    chunks: int  # how many parts of the bodies there are


@entry
def sweep_bodies(
    slots: Integers1,
    bodies: SweptBodies,
    static: SweptEdges,
    motion: ParticleArrays,
    walls: Walls,
    rows: Rows,
    team: Integers1,
    job: int,
    worker_index: int,
    dt: float,
) -> None:
    """Job: stop what contacts do not cover: particles inside a ring, edges of rings at corners of
    walls, and bodies that have left the box of the last search.
    """
    chunks = CHUNKS if job != ALONE else 1
    task = SweepTask(slots, bodies, static, Sweep(motion, walls, rows, dt), chunks)
    run_chunks(team, job, worker_index, chunks, sweep_chunk, task)


@inline
def sweep_chunk(stage: int, chunk: int, worker_index: int, task: SweepTask) -> None:
    """Sweep one part of the bodies.

    Slots ascend, so each part has a range of bodies; pairs of others are passed over.
    """
    count = task.slots.shape[0]
    chunks = task.chunks
    begin = count * chunk // chunks
    end = count * (chunk + 1) // chunks
    lowest = 0 if begin == 0 else task.slots[begin - 1] + 1
    beyond = (
        0
        if end == 0
        else task.slots[end - 1] + 1
        if end < count
        else task.bodies.outlines.first.shape[0]
    )
    # Leavers come first: this call notes which bodies have left their box, and pairs pass over
    # these.
    sweep_leavers(task.slots[begin:end], task.bodies, task.static, task.sweep)
    sweep_pairs(lowest, beyond, task.bodies, task.static, task.sweep)


@kernel
def sweep_leavers(slots: np.ndarray, bodies: SweptBodies, static: SweptEdges, sweep: Sweep) -> None:
    """Test bodies that left their box against all static edges; `wall_pairs` cover the others."""
    flat = sweep.particles.position.reshape(-1)
    box = bodies.box
    outlines = bodies.outlines
    has_left = bodies.has_left
    start = bodies.spans.particle_first
    stop = bodies.spans.particle_last
    body_count = outlines.first.shape[0]
    for n in range(slots.shape[0]):
        i = slots[n]
        both = slice(2 * start[i], 2 * stop[i])
        is_out = any_outside(flat[both], box[i, 0], box[i, 1], box[i, 2], box[i, 3])
        has_left[i] = is_out and outlines.last[i] > outlines.first[i]
        for iteration in range(ITERATIONS if has_left[i] else 0):
            stopped = False
            for e in range(static.edges.ends.shape[0]):
                may = may_touch(bodies.filters, i, body_count + e)
                if may and is_solid(i, e, bodies, static, sweep):
                    stopped |= sweep_body(i, e, bodies, static, sweep, iteration)
            if not stopped:
                break


@kernel
def sweep_pairs(
    lowest: int, beyond: int, bodies: SweptBodies, static: SweptEdges, sweep: Sweep
) -> None:
    """Try the bodies [lowest, beyond) against the static edges whose boxes they overlap."""
    position = sweep.particles.position
    previous = sweep.particles.previous_position
    start = bodies.spans.particle_first
    stop = bodies.spans.particle_last
    body_count = bodies.outlines.first.shape[0]
    box = bodies.box
    wall_pairs = bodies.wall_pairs
    for k in range(wall_pairs.shape[0]):
        i = wall_pairs[k, 0]
        proxy = wall_pairs[k, 1]
        if i < lowest or i >= beyond:
            continue
        low_x = math.inf
        low_y = math.inf
        high_x = -math.inf
        high_y = -math.inf
        for p in range(start[i], stop[i] if not bodies.has_left[i] else start[i]):
            x = position[p, 0]
            y = position[p, 1]
            x0 = previous[p, 0]
            y0 = previous[p, 1]
            left = x if x < x0 else x0
            right = x0 if x < x0 else x
            lower = y if y < y0 else y0
            upper = y0 if y < y0 else y
            low_x = left if left < low_x else low_x
            high_x = right if right > high_x else high_x
            low_y = lower if lower < low_y else low_y
            high_y = upper if upper > high_y else high_y
        far_x = low_x > box[proxy, 2] + SIDE_WIDTH or high_x < box[proxy, 0] - SIDE_WIDTH
        if (
            not far_x
            and low_y <= box[proxy, 3] + SIDE_WIDTH
            and high_y >= box[proxy, 1] - SIDE_WIDTH
        ):
            sweep_body(i, proxy - body_count, bodies, static, sweep, 0)


@inline
def any_outside(flat: np.ndarray, low_x: float, low_y: float, high_x: float, high_y: float) -> bool:
    """True if a point is outside of a box; flat: x and y in turn, (2 N,).

    Vector instructions compare several.
    """
    outside = 0
    for p in range(len(flat) // 2):
        x = flat[2 * p]
        y = flat[2 * p + 1]
        outside |= 1 if (x < low_x) | (x > high_x) | (y < low_y) | (y > high_y) else 0
    return outside != 0


@kernel
def is_solid(i: int, e: int, bodies: SweptBodies, static: SweptEdges, sweep: Sweep) -> bool:
    """True if static edge e is solid to body i: all are, except one-way walls that it may pass and
    inner edges that it is behind.
    """
    edges = static.edges
    shapes = Shapes(sweep.particles.previous_position, sweep.rows.radius, bodies.outlines)
    if edges.inner[e] and is_behind_wall(
        i, e, shapes, sweep.walls.vertices, sweep.rows.offset, edges
    ):
        return False
    if edges.one_way[e, 0] == 0.0 and edges.one_way[e, 1] == 0.0:
        return True
    wall = edges.wall[e]
    state = state_of(static.keys, static.states, i * edges.chain.shape[0] + wall)
    if state != UNKNOWN:
        return bool(state == SOLID)
    return lies_on(i, wall, shapes, sweep.walls.vertices, sweep.rows.offset, edges)


@kernel
def is_far(v: int, start: int, stop: int, sweep: Sweep) -> bool:
    """True if vertex v stayed on one side of the box around the paths of the particles [start,
    stop) in this substep: no edge between these can have met it.
    """
    position = sweep.particles.position
    previous = sweep.particles.previous_position
    x1 = sweep.walls.vertices[v, 0]
    y1 = sweep.walls.vertices[v, 1]
    x0 = x1 - sweep.dt * sweep.walls.vertex_velocity[v, 0]
    y0 = y1 - sweep.dt * sweep.walls.vertex_velocity[v, 1]
    low_x = math.inf
    low_y = math.inf
    high_x = -math.inf
    high_y = -math.inf
    for p in range(start, stop):
        low_x = min(low_x, position[p, 0])
        high_x = max(high_x, position[p, 0])
        low_y = min(low_y, position[p, 1])
        high_y = max(high_y, position[p, 1])
        low_x = min(low_x, previous[p, 0])
        high_x = max(high_x, previous[p, 0])
        low_y = min(low_y, previous[p, 1])
        high_y = max(high_y, previous[p, 1])
    return (
        max(x0, x1) < low_x or min(x0, x1) > high_x or max(y0, y1) < low_y or min(y0, y1) > high_y
    )


@kernel
def sweep_body(
    i: int, e: int, bodies: SweptBodies, static: SweptEdges, sweep: Sweep, iteration: int
) -> bool:
    """Stop the particles of body i at static edge e, and the edges of its outline at the corners of
    e; true if any was stopped. iteration: see `stop_at_edge`.
    """
    position = sweep.particles.position
    previous = sweep.particles.previous_position
    box = bodies.box
    outlines = bodies.outlines
    stopped = False
    hidden = False
    proxy = outlines.first.shape[0] + e
    a = static.edges.ends[e, 0]
    b = static.edges.ends[e, 1]
    corner = static.edges.corner
    start = bodies.spans.particle_first[i]
    stop = bodies.spans.particle_last[i]
    low_x = box[proxy, 0] - SIDE_WIDTH
    low_y = box[proxy, 1] - SIDE_WIDTH
    high_x = box[proxy, 2] + SIDE_WIDTH
    high_y = box[proxy, 3] + SIDE_WIDTH
    for p in range(start, stop):
        x0 = previous[p, 0]
        y0 = previous[p, 1]
        x1 = position[p, 0]
        y1 = position[p, 1]
        hidden |= bodies.behind[p]
        if (
            max(x0, x1) < low_x
            or min(x0, x1) > high_x
            or max(y0, y1) < low_y
            or min(y0, y1) > high_y
        ):
            continue
        if sweep.rows.inverse_mass[p] > 0.0 and not bodies.behind[p]:
            stopped |= stop_at_edge(p, a, b, 0.0, sweep, iteration)
    for end in range(2 if outlines.kind[i] != DISCS and not hidden else 0):
        v = static.edges.ends[e, end] - sweep.rows.offset
        if corner[e, end] and not is_far(v, start, stop, sweep):
            ring = outlines.points[outlines.first[i] : outlines.last[i]]
            stopped |= stop_ring_at_corner(v, ring, outlines.kind[i] >= LOOP, sweep)
    return stopped
