"""One-way walls, such as platforms that a character jumps through: which bodies they are solid to.

This is decided in each search for contacts, for the whole body and the whole wall, and kept.

A wall is solid to a body that lies entirely on its solid side when they come near each other, and
stays so until they part. To any other body it is open, until no part of the body is near it any
more: so nothing that is half through is lifted or caught, wherever it stops or turns.
"""

from __future__ import annotations

import math

import numpy as np

from ecs_softbody.arrays import Flags, Flags1, Floats, Floats2, Integers, Integers1, Integers2
from ecs_softbody.collision.detect.edges import closest_edge
from ecs_softbody.collision.detect.filters import Filters, may_touch
from ecs_softbody.collision.detect.proxies import Proxies
from ecs_softbody.collision.detect.static_edges import StaticEdges, WallEdges
from ecs_softbody.geometry.outlines import DISCS, Shapes
from ecs_softbody.geometry.segment import from_segment, squared_distance
from ecs_softbody.indices import argsort, flatnonzero, searchsorted, unique
from ecs_softbody.parallel.compiling import entry, kernel
from ecs_softbody.storage.resource import Members, Resource, Row, Whole, WholeArray

UNKNOWN = 0
"""State of a wall for a body that has just come near."""
SOLID = 1
"""State of a wall that carries the body."""
OPEN = 2
"""State of a wall that the body may pass."""
DROPPING = 3
"""Open although the body lies on the solid side, since a game said so."""

STATE = "What the wall is to the body: 0 unknown, 1 solid, 2 open, 3 open since a game said so."
"""Meaning of the states, in files."""
PARTED = 0.005
"""A body further than this [m] from a wall has parted from it. Until then the state stays, so that
bodies halfway through are neither lifted nor caught.
"""
DEEPEST_SHARE = 0.25
"""A body that overlaps the wall by less than this fraction of the sum of both radii still lies on
it.
"""
DEEPEST = 0.01
"""The same limit in metres; the smaller one counts."""
LEAST_FACING = 1e-6
"""An edge has a solid side if the cosine between its normal and the direction of free passage is at
least this: edges along that direction have none.
"""


class OneWayStates(Resource):
    """The state of every one-way wall for every body near it, kept between searches."""

    saved = (
        WholeArray(
            "entities",
            "near",
            "Body and one-way wall near it, entities: body × 2³² + wall, ascending.",
        ),
        WholeArray("entity_states", "near", STATE, below=DROPPING + 1),
        Members(
            "asked",
            "Walls that a game has opened to a body.",
            Row("", "", Whole("body"), Whole("wall")),
            set,
        ),
        WholeArray("keys", "found", "The same by slots: body × number of walls + wall, ascending."),
        WholeArray("states", "found", STATE, below=DROPPING + 1),
    )

    def __init__(self) -> None:
        # Keys of entities outlast a change of slots: body × 2³² + wall, ascending, and the states.
        self.entities = np.zeros(0, np.int64)
        self.entity_states = np.zeros(0, np.int64)
        # (body, wall), entities, that a game has asked to open since the last search.
        self.asked: set[tuple[int, int]] = set()
        self.keys, self.states = np.zeros(0, np.int64), np.zeros(0, np.int64)
        """The same by slots, for the sweep: body × number of walls + wall, ascending."""

    def ask(self, body: int, wall: int) -> None:
        """Open a wall to a body (entities) as soon as they are near each other, until they part."""
        self.asked.add((body, wall))

    @property
    def is_watching(self) -> bool:
        """Whether a body is near a one-way wall, or a game has asked to open one."""
        return bool(len(self.keys) or self.asked)

    def is_needed(self, walls: StaticEdges) -> bool:
        """Whether there are one-way walls; forget all states where there are none."""
        if np.count_nonzero(walls.edges.one_way):
            return True
        if self.is_watching or len(self.entities):
            self._forget()
            self.asked.clear()
        return False

    def _forget(self) -> None:
        """Forget all states: no body is near a one-way wall."""
        self.keys = self.states = np.zeros(0, np.int64)
        self.entities = self.entity_states = np.zeros(0, np.int64)

    def find_solid(
        self,
        pairs: Integers,
        bodies: Integers,
        walls: StaticEdges,
        proxies: Proxies,
        before: Floats,
    ) -> Flags | None:
        """Find the states of all pairs of a body and a one-way edge; return which pairs (P,) are
        not open.

        None if there are no such pairs. bodies (B,): entities of the bodies. before (N, 2) [m]: the
        particles a substep ago, as their velocities say.
        """
        asked = tuple(self.asked)
        self.asked.clear()
        edges = walls.edges
        of_one_way = np.zeros(len(pairs), np.bool_)
        if not select_pairs(pairs, len(bodies), walls.one_way_wall, proxies.filters, of_one_way):
            if len(self.keys) or len(self.entities):
                self._forget()
            return None
        kept = np.ones(len(pairs), np.bool_)
        chosen = flatnonzero(of_one_way)
        wall_count = len(edges.chain)
        keys, where = unique(
            pairs[chosen, 0] * wall_count + walls.one_way_wall[pairs[chosen, 1] - len(bodies)],
            return_inverse=True,
        )
        # From here on each pair of a body and a wall is listed once, however many edges are near.
        body, wall = np.divmod(keys, wall_count)
        entities = (bodies[body] << 32) | walls.entities[wall]
        states = self._known(entities)
        for pair in asked:
            states[entities == (pair[0] << 32 | pair[1])] = DROPPING
        find_states(body, wall, states, proxies.shapes, before, edges)
        self.keys = keys
        self.states = states
        order = argsort(entities)
        self.entities = entities[order]
        self.entity_states = states[order]
        kept[chosen] = (states == SOLID)[where]
        return kept

    def _known(self, entities: Integers) -> Integers:
        """Return the state that each pair of entities had, UNKNOWN for a new one."""
        states = np.zeros(len(entities), np.int64)
        if len(self.entities):
            at = np.minimum(searchsorted(self.entities, entities), len(self.entities) - 1)
            states = np.where(self.entities[at] == entities, self.entity_states[at], UNKNOWN)
        return states


@entry
def select_pairs(
    pairs: Integers2, body_count: int, wall_of: Integers1, filters: Filters, chosen: Flags1
) -> bool:
    """Mark in `chosen` (P,) the pairs of a body and an edge of a one-way wall that may touch; true
    if there are any.

    Edges are the proxies from body_count on. wall_of (E,): slot of each edge's wall if that is
    one-way, else -1.
    """
    found = False
    for k in range(pairs.shape[0]):
        i = pairs[k, 0]
        j = pairs[k, 1]
        chosen[k] = j >= body_count and wall_of[j - body_count] >= 0 and may_touch(filters, i, j)
        found |= chosen[k]
    return found


@kernel
def state_of(keys: np.ndarray, states: np.ndarray, key: int) -> int:
    """Return the state stored for a key, UNKNOWN where there is none.

    keys, states (K,): see OneWayStates; keys ascend.
    """
    at = np.searchsorted(keys, key)
    return int(states[at]) if at < keys.shape[0] and keys[at] == key else UNKNOWN


@entry
def find_states(
    body: Integers1,
    wall: Integers1,
    states: Integers1,
    shapes: Shapes,
    before: Floats2,
    edges: WallEdges,
) -> None:
    """Bring the states (K,) of pairs of a body and a wall up to date, in place; body, wall: slots.

    A state SOLID or OPEN stays while they are near. Else the wall becomes SOLID to a body on its
    solid side, unless that is DROPPING, and OPEN to any other. A fast body may come near the wall
    and overlap it in one substep: then its positions `before` (N, 2) [m] that substep count.
    """
    for k in range(body.shape[0]):
        state = states[k]
        near = is_near(body[k], wall[k], shapes, edges)
        if near and state in (SOLID, OPEN):
            continue
        solid = lies_on(body[k], wall[k], shapes, shapes.position, 0, edges)
        if not solid and near and state == UNKNOWN:
            solid = lies_on(
                body[k],
                wall[k],
                Shapes(before, shapes.radius, shapes.outlines),
                shapes.position,
                0,
                edges,
            )
        if not solid:
            states[k] = OPEN
        elif state != DROPPING:
            states[k] = SOLID


@kernel
def is_near(i: int, wall: int, shapes: Shapes, edges: WallEdges) -> bool:
    """True if any point or edge of body i is within PARTED of a wall."""
    position = shapes.position
    radius = shapes.radius
    outlines = shapes.outlines
    points = outlines.points
    first = outlines.first[i]
    last = outlines.last[i]
    for e in range(edges.chain[wall, 0], edges.chain[wall, 1]):
        a = edges.ends[e, 0]
        b = edges.ends[e, 1]
        for k in range(first, last):
            p = points[k]
            squared = squared_distance(
                position[p, 0],
                position[p, 1],
                position[a, 0],
                position[a, 1],
                position[b, 0],
                position[b, 1],
            )
            far = radius[p] + radius[a] + PARTED
            if squared < far * far:
                return True
        if outlines.kind[i] != DISCS:
            for v in (a, b):
                own_edge, squared = closest_edge(
                    position[v, 0], position[v, 1], position, outlines, i, -1, 0
                )
                far = radius[v] + radius[points[first + own_edge]] + PARTED
                if squared < far * far:
                    return True
    return False


@kernel
def facing(ex: float, ey: float, outward: float, dx: float, dy: float) -> float:
    """Return the cosine of the angle between the normal of an edge's solid side and the direction
    of free passage (dx, dy). (ex, ey): along the edge [m].

    outward is 1 or -1 for the edges of a ring that runs counter-clockwise or clockwise: only the
    outer side can be solid. It is 0 for an open chain: there both sides are alike.
    """
    length = math.sqrt(ex * ex + ey * ey)
    if length == 0.0:
        return 1.0
    cosine = (ey * dx - ex * dy) / length
    return abs(cosine) if outward == 0.0 else outward * cosine


@kernel
def lies_on(
    i: int, wall: int, shapes: Shapes, vertices: np.ndarray, offset: int, edges: WallEdges
) -> bool:
    """True if all of body i lies on the solid side of a wall, the side to which free passage leads.

    Each point is compared with the closest part of the chain: along the passage it must be at least
    as high over it as both surfaces are thick, less the overlap that is allowed, times the cosine
    of the edge's slope. Beyond the ends of the chain its height over the end counts. offset: row of
    the first vertex, 0 if `vertices` counts as rows do.
    """
    position = shapes.position
    radius = shapes.radius
    points = shapes.outlines.points
    start = edges.chain[wall, 0]
    stop = edges.chain[wall, 1]
    dx = edges.one_way[start, 0]
    dy = edges.one_way[start, 1]
    for k in range(shapes.outlines.first[i], shapes.outlines.last[i]):
        p = points[k]
        # Of the closest part of the wall: squared distance, height of the point over it along the
        # passage, and cosine of its slope; the flattest edge counts where several are as close.
        nearest = math.inf
        height = -math.inf
        looks = 0.0
        for e in range(start, stop):
            a = edges.ends[e, 0] - offset
            b = edges.ends[e, 1] - offset
            ax = vertices[a, 0]
            ay = vertices[a, 1]
            bx = vertices[b, 0]
            by = vertices[b, 1]
            cosine = facing(bx - ax, by - ay, edges.outward[e], dx, dy)
            if cosine < LEAST_FACING:
                continue
            x, y = from_segment(position[p, 0], position[p, 1], ax, ay, bx, by)
            squared = x * x + y * y
            if squared < nearest * (1.0 - 1e-9):
                nearest = squared
                height = x * dx + y * dy
                looks = cosine
            elif squared <= nearest * (1.0 + 1e-9):
                looks = max(looks, cosine)
        thick = radius[p] + radius[edges.ends[start, 0]]
        if height < (thick - min(DEEPEST_SHARE * thick, DEEPEST)) * looks or looks == 0.0:
            return False
    return True
