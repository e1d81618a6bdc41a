"""One-way walls: which bodies they are solid to, decided once for the whole body and the whole wall.

A wall is solid to a body that lies entirely on its solid side when they come near each other, and stays so until they
part. To any other body it is open, until no part of the body is near it any more: so nothing that is half through is
lifted or caught, wherever it stops or turns.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.items import Items
from ecs_softbody.collision.narrow_phase import closest_edge, may_touch
from ecs_softbody.collision.static_edges import StaticEdges
from ecs_softbody.kernels.compiling import kernel, lean

UNKNOWN, SOLID, OPEN, DROPPING = 0, 1, 2, 3
"""DROPPING: open although the body lies on the solid side, since a game said so."""

PARTED = 0.005
"""A body further than this [m] from a wall has left it."""
DEEPEST_SHARE, DEEPEST = 0.25, 0.01
"""A body that overlaps the wall by less than this share of its reach, and this [m], still lies on it."""
LEAST_FACING = 1e-6
"""Edges along the direction of passage have no solid side."""


class OneWayStates:
    """What every one-way wall is to every body near it, kept from one look for contacts to the next."""

    def __init__(self) -> None:
        self._entities, self._entity_states = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._asked: set[tuple[int, int]] = set()
        self.keys, self.states = np.zeros(0, np.int64), np.zeros(0, np.int64)
        """For the sweep: body × number of walls + wall, ascending, and the state of each."""

    def ask(self, body: int, wall: int) -> None:
        """Open a wall to a body (entities) as soon as they are near each other, until they part."""
        self._asked.add((body, wall))

    @property
    def is_watching(self) -> bool:
        """Whether a body is near a one-way wall, or a game has asked to open one."""
        return bool(len(self.keys) or self._asked)

    def is_needed(self, walls: StaticEdges) -> bool:
        """Whether there are one-way walls; forget all states where there are none."""
        if walls.one_way.any():
            return True
        if self.is_watching or len(self._entities):
            self._forget()
            self._asked = set()
        return False

    def _forget(self) -> None:
        self.keys = self.states = np.zeros(0, np.int64)
        self._entities = self._entity_states = np.zeros(0, np.int64)

    def find_solid(
        self,
        pairs: NDArray[np.int64],
        bodies: NDArray[np.int64],
        walls: StaticEdges,
        items: Items,
        before: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Find the states of all pairs of a body and a one-way edge; tell which pairs (P,) are not open.

        bodies (B,) are the entities of the bodies; before (N, 2) [m] is where the velocities say that the particles
        were a substep ago.
        """
        asked, self._asked = self._asked, set()
        kept = np.ones(len(pairs), np.bool_)
        wall_of = np.concatenate([np.full(len(bodies), -1), np.where(walls.one_way.any(axis=1), walls.slot, -1)])
        chosen = np.flatnonzero(select_pairs(pairs, wall_of, items.category, items.mask))
        if not len(chosen):
            self._forget()
            return kept
        wall_count = len(walls.chain)
        keys, where = np.unique(pairs[chosen, 0] * wall_count + wall_of[pairs[chosen, 1]], return_inverse=True)
        body, wall = np.divmod(keys, wall_count)
        entities = (bodies[body] << 32) | walls.entity[walls.chain[wall, 0]]
        states = self._known(entities)
        for pair in asked:
            states[entities == (pair[0] << 32 | pair[1])] = DROPPING
        find_states(
            body, wall, states, items.points, items.first, items.last, items.ringed, items.closed, items.place,
            before, items.reach, walls.chain, walls.edges, walls.outward, walls.one_way,
        )  # fmt: skip
        self.keys, self.states = keys, states
        order = np.argsort(entities)
        self._entities, self._entity_states = entities[order], states[order]
        kept[chosen] = (states == SOLID)[where]
        return kept

    def _known(self, entities: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the state that each pair of entities had, UNKNOWN for a new one."""
        states = np.zeros(len(entities), np.int64)
        if len(self._entities):
            at = np.minimum(np.searchsorted(self._entities, entities), len(self._entities) - 1)
            states = np.where(self._entities[at] == entities, self._entity_states[at], UNKNOWN)
        return states


@kernel
def select_pairs(pairs: np.ndarray, wall_of: np.ndarray, category: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Mark the pairs (P, 2) whose second item is an edge of a one-way wall and that may touch."""
    chosen = np.zeros(pairs.shape[0], np.bool_)
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        chosen[k] = wall_of[j] >= 0 and may_touch(category, mask, i, j)
    return chosen


@lean
def state_of(keys: np.ndarray, states: np.ndarray, key: int) -> int:
    """Return the state stored for a key, UNKNOWN where there is none; keys ascend."""
    at = np.searchsorted(keys, key)
    return int(states[at]) if at < keys.shape[0] and keys[at] == key else UNKNOWN


@lean
def find_states(
    body: np.ndarray,
    wall: np.ndarray,
    states: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    place: np.ndarray,
    before: np.ndarray,
    reach: np.ndarray,
    chain: np.ndarray,
    edges: np.ndarray,
    outward: np.ndarray,
    one_way: np.ndarray,
) -> None:
    """Bring the states of pairs (body, wall) up to date, in place.

    A fast body may come near the wall and overlap it in one substep: then it counts where it was before.
    """
    for k in range(body.shape[0]):
        i, start, stop, state = body[k], chain[wall[k], 0], chain[wall[k], 1], states[k]
        near = is_near(i, points, first, last, ringed, closed, place, reach, start, stop, edges)
        if near and state in (SOLID, OPEN):
            continue
        solid = lies_on(i, points, first, last, place, place, reach, start, stop, edges, 0, outward, one_way)
        if not solid and near and state == UNKNOWN:
            solid = lies_on(i, points, first, last, before, place, reach, start, stop, edges, 0, outward, one_way)
        if not solid:
            states[k] = OPEN
        elif state != DROPPING:
            states[k] = SOLID


@lean
def is_near(
    i: int,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    place: np.ndarray,
    reach: np.ndarray,
    start: int,
    stop: int,
    edges: np.ndarray,
) -> bool:
    """Tell whether any point or ring edge of body i is within PARTED of the chain of edges [start, stop)."""
    for e in range(start, stop):
        a, b = edges[e, 0], edges[e, 1]
        for k in range(first[i], last[i]):
            p = points[k]
            dx, dy = from_segment(place[p, 0], place[p, 1], place, a, b, 0)
            far = reach[p] + reach[a] + PARTED
            if dx * dx + dy * dy < far * far:
                return True
        if ringed[i]:
            for v in (a, b):
                ring_edge, squared = closest_edge(
                    place[v, 0], place[v, 1], place, points, first[i], last[i], closed[i], -1, 0
                )
                far = reach[v] + reach[points[first[i] + ring_edge]] + PARTED
                if squared < far * far:
                    return True
    return False


@lean
def from_segment(px: float, py: float, vertices: np.ndarray, a: int, b: int, offset: int) -> tuple[float, float]:
    """Return the vector from the closest point of the segment between rows a and b to a point."""
    ax, ay = vertices[a - offset, 0], vertices[a - offset, 1]
    ex, ey = vertices[b - offset, 0] - ax, vertices[b - offset, 1] - ay
    squared = ex * ex + ey * ey
    t = 0.0
    if squared > 0.0:
        t = min(max(((px - ax) * ex + (py - ay) * ey) / squared, 0.0), 1.0)
    return px - ax - t * ex, py - ay - t * ey


@lean
def facing(vertices: np.ndarray, a: int, b: int, offset: int, outward: float, dx: float, dy: float) -> float:
    """Return the cosine of the angle between the solid side of an edge and the direction of passage (dx, dy).

    outward is 1 or -1 for the edges of a ring that runs counter-clockwise or clockwise: only what looks outwards can
    be solid. It is 0 for an open chain: there both sides look the same.
    """
    ex, ey = vertices[b - offset, 0] - vertices[a - offset, 0], vertices[b - offset, 1] - vertices[a - offset, 1]
    length = math.sqrt(ex * ex + ey * ey)
    if length == 0.0:
        return 1.0
    cosine = (ey * dx - ex * dy) / length
    return abs(cosine) if outward == 0.0 else outward * cosine


@lean
def lies_on(
    i: int,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    position: np.ndarray,
    vertices: np.ndarray,
    reach: np.ndarray,
    start: int,
    stop: int,
    edges: np.ndarray,
    offset: int,
    outward: np.ndarray,
    one_way: np.ndarray,
) -> bool:
    """Tell whether all of body i lies on the solid side of the chain of edges [start, stop).

    Each point is compared with the part of the chain that is closest. Beyond the ends of the chain its height over the
    end counts. Rows of edges count `vertices` from `offset` on.
    """
    dx, dy = one_way[start, 0], one_way[start, 1]
    for k in range(first[i], last[i]):
        p = points[k]
        nearest, height, looks = math.inf, -math.inf, 0.0
        for e in range(start, stop):
            a, b = edges[e, 0], edges[e, 1]
            cosine = facing(vertices, a, b, offset, outward[e], dx, dy)
            if cosine < LEAST_FACING:
                continue
            x, y = from_segment(position[p, 0], position[p, 1], vertices, a, b, offset)
            squared = x * x + y * y
            if squared < nearest * (1.0 - 1e-9):
                nearest, height, looks = squared, x * dx + y * dy, cosine
            elif squared <= nearest * (1.0 + 1e-9):
                looks = max(looks, cosine)
        thick = reach[p] + reach[edges[start, 0]]
        if height < (thick - min(DEEPEST_SHARE * thick, DEEPEST)) * looks or looks == 0.0:
            return False
    return True
