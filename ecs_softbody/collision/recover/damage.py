"""Damage: kernels that find bodies which neither contacts nor springs bring back into shape.

They run in each search for contacts; MENDING brings the bodies that they mark back to their rest
shape. A row is a particle of a body; an inner row is one that is not on the outline. A body is
damaged while its outline crosses itself or runs the wrong way round, while an inner row is outside
of its outline, or while rows of it are behind a wall. Only a body whose rest shape is whole can be
mended.

Behind a wall: rows are linked along the outline, and every inner row to its neighbours in the rest
shape. A link that crosses a wall is cut. The links that are left join the rows into groups (found
by union-find): the body is where the group is that has most rows which were not behind before and
have not jumped past a wall in the last step; all other rows are behind. These have no contact with
walls and are not stopped by walls while a motor drives the body off the wall; contacts hold the
other rows as usual.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Integers2
from ecs_softbody.collision.detect.candidates import Candidates
from ecs_softbody.collision.detect.filters import Filters
from ecs_softbody.collision.detect.static_edges import WallEdges
from ecs_softbody.collision.recover.depenetration import (
    AXIS_X,
    AXIS_Y,
    FASTEST,
    SLOWEST,
    SPEED,
    X,
    Y,
)
from ecs_softbody.collision.recover.interpenetration import (
    LOCAL,
    LOOK_EVERY,
    Sums,
    is_self_intersecting,
)
from ecs_softbody.collision.recover.passing import crossed_edge, has_jumped, has_passed, is_solid_to
from ecs_softbody.collision.recover.straddling import add_wall_crossings, size_of
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.geometry.outlines import DISCS, LOOP, Outlines, Shapes
from ecs_softbody.geometry.polygon import is_inside, orientation
from ecs_softbody.parallel.compiling import entry, kernel

NEIGHBOURS = 2
"""Edges that are at least this many steps apart may not cross in a whole body: adjacent edges, one
step apart, share a corner.
"""
KINKED = 30.0
"""Tests in a row that find a kink, two edges fewer than LOCAL steps apart that cross, after which
the kink is damage. There is a test in every LOOK_EVERY searches, so this is 4 s with a search in
every frame. Gas and bending straighten most kinks before; a blob of 5 m kept one for minutes.
"""
REACH = 1.6
"""An inner row is linked to all rows within this times the distance of the nearest row: in a square
lattice its eight neighbours, of which those on diagonals are 1.41 times as far.
"""


class BodyRows(NamedTuple):
    """Columns of N particles, and which of them belong to each of B bodies."""

    # (N, 2) [m], position in the rest shape
    rest_offset: Floats2
    # (N,) [1/kg]
    inverse_mass: Floats1
    # (N, 2) [m], before the last substep, and before a game has moved it since
    previous_position: Floats2
    # (N,) whether the row is in no outline
    inner: Flags1
    # (N,) whether the row is behind a wall
    behind: Flags1
    # (B,) first row of each body, and the row after its last one
    particle_first: Integers1
    particle_last: Integers1


class Damage(NamedTuple):
    """State of B bodies, from search to search."""

    # (B,) sense in which the rest shape runs, 1 or -1; 0: it is not whole, and cannot be mended
    winding: Floats1
    # (B,) whether a body has no contacts with itself: it crosses itself or is damaged
    self_intersecting: Flags1
    # (B,) whether a body is to be mended
    damaged: Flags1
    # (B,) consecutive tests that found the outline to cross itself, be it only in a kink
    kinked: Floats1


@kernel
def learn_rest_shape(i: int, bodies: BodyRows, outlines: Outlines, damage: Damage) -> None:
    """Write whether body i can be mended (its winding), and which of its rows are inner ones."""
    points = outlines.points
    first = outlines.first[i]
    last = outlines.last[i]
    damage.winding[i] = 0.0
    damage.damaged[i] = damage.self_intersecting[i] = False
    if outlines.kind[i] < LOOP:
        return
    for p in range(bodies.particle_first[i], bodies.particle_last[i]):
        bodies.inner[p] = True
    for k in range(first, last):
        bodies.inner[points[k]] = False
    if not is_self_intersecting(bodies.rest_offset, outlines, i, NEIGHBOURS):
        damage.winding[i] = orientation(bodies.rest_offset, points, first, last)


@kernel
def is_damaged(
    i: int, position: np.ndarray, bodies: BodyRows, outlines: Outlines, winding: float
) -> bool:
    """True if ring i, which does not cross itself, runs the wrong way round or leaves an inner row
    outside. winding: the right way round, 1 or -1, as in the rest shape.
    """
    points = outlines.points
    first = outlines.first[i]
    last = outlines.last[i]
    if orientation(position, points, first, last) != winding:
        return True
    start = bodies.particle_first[i]
    stop = bodies.particle_last[i]
    for p in range(start, stop if stop - start > last - first else start):
        if bodies.inner[p] and not is_inside(
            position[p, 0], position[p, 1], position, points, first, last
        ):
            return True
    return False


@entry
def find_damage(
    self_collision: Flags1,
    search: int,
    new: Flags1,
    bodies: BodyRows,
    shapes: Shapes,
    damage: Damage,
) -> int:
    """Mark the damaged bodies (B,), and bodies without self-contacts; return how many of these.

    A body is tested in one of LOOK_EVERY searches, in its turn; `new` (B,) and marked bodies are
    tested in each. A damaged body must lose every kink, too, before it counts as whole. search: the
    number of this search, which tells whose turn it is. self_collision (B,): as colliders have it.
    """
    position = shapes.position
    outlines = shapes.outlines
    count = 0
    crosses = damage.self_intersecting
    damaged = damage.damaged
    winding = damage.winding
    for i in range(self_collision.shape[0]):
        if new[i]:
            learn_rest_shape(i, bodies, outlines, damage)
        if outlines.kind[i] == DISCS or not (self_collision[i] or winding[i] != 0.0):
            crosses[i] = damaged[i] = False
        elif crosses[i] or damaged[i] or new[i] or (i + search) % LOOK_EVERY == 0:
            # One body in eight has its turn in each search: a test visits all edges of the outline.
            crosses[i] = is_self_intersecting(position, outlines, i, NEIGHBOURS)
            damage.kinked[i] = damage.kinked[i] + 1.0 if crosses[i] else 0.0
            if crosses[i] and not damaged[i] and (damage.kinked[i] < KINKED or winding[i] == 0.0):
                crosses[i] = is_self_intersecting(position, outlines, i, LOCAL)
            damaged[i] = False
            if winding[i] != 0.0 and outlines.kind[i] >= LOOP:
                crosses[i] = damaged[i] = crosses[i] or is_damaged(
                    i, position, bodies, outlines, winding[i]
                )
        count += crosses[i]
    return count


@entry
def find_across_walls(
    pairs: Integers2, search: int, shapes: Shapes, edges: WallEdges, filters: Filters, sums: Sums,
    bodies: BodyRows, damage: Damage, due: Flags1,
) -> int:  # fmt: skip
    """Mark in `due` (B,) the bodies whose outline crosses a static edge that is near; return how
    many bodies are marked.

    pairs (P, 2): proxies that are near each other. A body is tested in one of LOOK_EVERY searches,
    in its turn, and after a jump. Bodies that are marked already stay so. sums: workspace (1,).
    """
    count = 0
    body_count = shapes.outlines.first.shape[0]
    kind = shapes.outlines.kind
    for k in range(pairs.shape[0]):
        i = pairs[k, 0]
        e = pairs[k, 1] - body_count
        if e < 0 or due[i] or damage.winding[i] == 0.0 or kind[i] < LOOP:
            continue
        # A body that a game has put across a wall does not wait for its turn: by then nothing tells
        # on which side it was.
        if (i + search) % LOOK_EVERY != 0 and not has_jumped(i, shapes, bodies.previous_position):
            continue
        if (
            is_solid_to(i, e, edges, filters)
            and add_wall_crossings(i, shapes, edges.ends, e, e + 1, sums[0]) > 0
        ):
            due[i] = True
    for i in range(body_count):
        count += due[i]
    return count


@kernel
def root_of(group: np.ndarray, i: int) -> int:
    """Return the number of the group of row i: the root of its tree in the union-find `group`.

    Rows count from the first one of the body; each names a row of its group, a root itself.
    """
    while group[i] != i:
        group[i] = group[group[i]]
        i = group[i]
    return i


@kernel
def is_next_to(p: int, q: int, nearest: float, rest_offset: np.ndarray) -> bool:
    """True if row q is a neighbour of inner row p in the rest shape.

    nearest: squared distance [m²] from p to the closest other row, see `nearest_of`.
    """
    x = rest_offset[q, 0] - rest_offset[p, 0]
    y = rest_offset[q, 1] - rest_offset[p, 1]
    return bool(q != p and x * x + y * y <= REACH * REACH * nearest)


@kernel
def nearest_of(p: int, start: int, stop: int, rest_offset: np.ndarray) -> float:
    """Return the squared distance [m²] of row p to the nearest other one of [start, stop) in the
    rest shape.
    """
    nearest = math.inf
    for q in range(start, stop):
        x = rest_offset[q, 0] - rest_offset[p, 0]
        y = rest_offset[q, 1] - rest_offset[p, 1]
        if q != p and x * x + y * y < nearest:
            nearest = x * x + y * y
    return nearest


@kernel
def follow_link(
    i: int,
    a: int,
    b: int,
    start: int,
    shapes: Shapes,
    edges: WallEdges,
    filters: Filters,
    group: np.ndarray,
) -> None:
    """Join the groups of the rows a and b of body i if no wall is between them.

    start: the body's first row. group: see `root_of`.
    """
    if crossed_edge(i, a, b, shapes.position, edges, filters) < 0:
        one = root_of(group, a - start)
        other = root_of(group, b - start)
        group[max(one, other)] = min(one, other)


@kernel
def join_rows(
    i: int, bodies: BodyRows, shapes: Shapes, edges: WallEdges, filters: Filters, group: np.ndarray
) -> None:
    """Write to `group` (N,) the group of each row of body i, given by the lowest row in it.

    All rows count from the first one of the body.
    """
    points = shapes.outlines.points
    first = shapes.outlines.first[i]
    last = shapes.outlines.last[i]
    start = bodies.particle_first[i]
    stop = bodies.particle_last[i]
    rest_offset = bodies.rest_offset
    for p in range(start, stop):
        group[p - start] = p - start
    before = points[last - 1]
    for k in range(first, last):
        follow_link(i, before, points[k], start, shapes, edges, filters, group)
        before = points[k]
    for p in range(start, stop):
        if bodies.inner[p]:
            nearest = nearest_of(p, start, stop, rest_offset)
            for q in range(start, stop):
                if is_next_to(p, q, nearest, rest_offset):
                    follow_link(i, p, q, start, shapes, edges, filters, group)
    for p in range(start, stop):
        group[p - start] = root_of(group, p - start)


@kernel
def greatest_group(group: np.ndarray, behind: np.ndarray, votes: np.ndarray) -> int:
    """Return the group with most rows that were not behind a wall before: the body is there.

    group, behind (N,): of the rows of one body. votes: workspace, (N,) or longer.
    """
    best = group[0]
    votes[: group.shape[0]] = 0
    for p in range(group.shape[0]):
        votes[group[p]] += 0 if behind[p] else 1
    for p in range(group.shape[0]):
        if votes[group[p]] > votes[best]:
            best = group[p]
    return best


@entry
def find_rows_behind_walls(
    i: int,
    bodies: BodyRows,
    shapes: Shapes,
    edges: WallEdges,
    filters: Filters,
    group: Integers2,
    axis: Floats1,
) -> bool:
    """Mark the rows of body i that are behind a wall; true if there are any.

    Then `axis` (5,) says how the motor drives the body off the walls that its outline crosses:
    along the mean of their normals, at the mean of the points of these walls that are nearest to
    it, with columns as in depenetration.X. group: workspace (2, N).
    """
    start = bodies.particle_first[i]
    stop = bodies.particle_last[i]
    own = group[0, : stop - start]
    position = shapes.position
    join_rows(i, bodies, shapes, edges, filters, own)
    if has_jumped(i, shapes, bodies.previous_position):
        # This precedes the vote, in which rows behind a wall have no say: otherwise a body that a
        # game has put through a wall would belong where it is now.
        for p in range(start, stop):
            bodies.behind[p] |= has_passed(i, p, bodies.previous_position, position, edges, filters)
    best = greatest_group(own, bodies.behind[start:stop], group[1])
    found = False
    axis[:] = 0.0
    points = shapes.outlines.points
    first = shapes.outlines.first[i]
    last = shapes.outlines.last[i]
    for p in range(start, stop):
        bodies.behind[p] = own[p - start] != best
        found |= bodies.behind[p]
    if not found:
        return False
    before = points[last - 1]
    crossings = 0
    for k in range(first, last):
        here = points[k]
        if bodies.behind[before] != bodies.behind[here]:
            e = crossed_edge(i, before, here, position, edges, filters)
            if e >= 0:
                crossings += 1
                add_normal(
                    before if bodies.behind[here] else here,
                    edges.ends[e, 0],
                    edges.ends[e, 1],
                    position,
                    axis,
                )
        before = here
    length = hypot(axis[AXIS_X], axis[AXIS_Y])
    size = size_of(position, shapes.outlines, i)
    if crossings > 0:
        axis[X] /= crossings
        axis[Y] /= crossings
    axis[SPEED] = min(max(size, SLOWEST), FASTEST) if length > 1e-9 else 0.0
    axis[AXIS_X] /= max(length, 1e-9)
    axis[AXIS_Y] /= max(length, 1e-9)
    return True


@entry
def is_intact(
    i: int,
    bodies: BodyRows,
    shapes: Shapes,
    edges: WallEdges,
    filters: Filters,
    group: Integers2,
    winding: float,
    pinned: bool,
) -> bool:
    """True if body i is not damaged, tested at once and not in its turn.

    A `pinned` body may lie across walls, as nothing could drive it off. group: workspace (2, N).
    """
    position = shapes.position
    outlines = shapes.outlines
    if is_self_intersecting(position, outlines, i, NEIGHBOURS) or is_damaged(
        i, position, bodies, outlines, winding
    ):
        return False
    count = bodies.particle_last[i] - bodies.particle_first[i]
    split = False
    if not pinned:
        join_rows(i, bodies, shapes, edges, filters, group[0])
        for p in range(count):
            split |= group[0, p] != group[0, 0]
    return not split


@kernel
def add_normal(p: int, v: int, w: int, position: np.ndarray, axis: np.ndarray) -> None:
    """Add to `axis` the unit normal of the static edge v-w that points to row p, and the point of
    the edge that is closest to p [m]. p, v and w are rows of `position`.
    """
    ex = position[w, 0] - position[v, 0]
    ey = position[w, 1] - position[v, 1]
    squared = ex * ex + ey * ey
    dx = position[p, 0] - position[v, 0]
    dy = position[p, 1] - position[v, 1]
    along = min(max((dx * ex + dy * ey) / squared, 0.0), 1.0)
    side = (1.0 if ex * dy - ey * dx >= 0.0 else -1.0) / math.sqrt(squared)
    axis[X] += position[v, 0] + along * ex
    axis[Y] += position[v, 1] + along * ey
    axis[AXIS_X] -= side * ey
    axis[AXIS_Y] += side * ex


@entry
def drop_contacts_behind_walls(found: Candidates, count: int, behind: Flags1, offset: int) -> int:
    """Take out the contacts between walls and rows behind a wall: they would hold a row there.

    Return how many of the `count` contacts are left. offset: row of the first vertex of a wall.
    """
    kept = 0
    rows = found.rows
    proxies = found.proxies
    for c in range(count):
        p = rows[c, 0]
        a = rows[c, 1]
        b = rows[c, 2]
        hidden = behind[p] if a >= offset else p >= offset and (behind[a] or behind[b])
        if not hidden:
            rows[kept, 0] = p
            rows[kept, 1] = a
            rows[kept, 2] = b
            proxies[kept, 0], proxies[kept, 1] = proxies[c, 0], proxies[c, 1]
            kept += 1
    return kept
