"""StaticEdges: the segments of all static colliders in arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.kernels.compiling import kernel
from ecs_softbody.storage import Table

FLAT_TURN = 0.1
"""A vertex where the chain turns by less than this [rad] is no corner that could poke into a soft edge."""


class StaticEdges:
    """Edges (E, 2) of vertex rows counted from `offset`, and per edge what a contact needs to know.

    `before` and `after` (V,) are the neighbours of each vertex in its chain, itself at a free end; `corner` (E, 2)
    marks the ends that can poke into a soft edge, each vertex at one edge only; `slots` (E,) tell the colliders.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._version = -1
        self._offset = -1
        self._slot = self._vertex_slot = np.zeros(0, np.int64)
        self.edges = np.zeros((0, 2), np.uint32)
        self.corner = np.zeros((0, 2), np.bool_)
        self.before = self.after = np.zeros(0, np.int64)

    @property
    def edge_count(self) -> int:
        """Number of edges."""
        return len(self.edges)

    @property
    def vertex_count(self) -> int:
        """Number of vertex rows, unused ones among them."""
        return self._table.rows.count

    @property
    def vertex_capacity(self) -> int:
        """Vertex rows there is room for."""
        return self._table.rows.capacity

    @property
    def slots(self) -> NDArray[np.int64]:
        """Slot of every edge's collider."""
        return self._slot

    @property
    def vertices(self) -> NDArray[np.float64]:
        """Positions of the vertices [m], live."""
        vertices: NDArray[np.float64] = self._table.rows["vertices"]
        return vertices

    @property
    def first(self) -> NDArray[np.int64]:
        """First vertex row of every slot."""
        return self._table.values.arrays["first"].astype(np.int64)

    @property
    def entities(self) -> NDArray[np.int64]:
        """Entity of every slot, 0 for none."""
        entities: NDArray[np.int64] = self._table.values.arrays["entity"]
        return entities

    def slot_of(self, vertex: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the slots that vertices belong to; row 0 has one even where there are no walls."""
        return self._vertex_slot[vertex] if len(self._vertex_slot) else np.zeros_like(vertex)

    def refresh(self, offset: int) -> None:
        """Bring the arrays up to date; cheap unless static colliders came, went or changed their number."""
        if self._version != self._table.version or self._offset != offset:
            self._version, self._offset = self._table.version, offset
            self._rebuild(offset)
        values = self._table.values
        self.vertex_velocity = values["velocity"][self._vertex_slot]
        self.reach = values["radius"][self._vertex_slot]
        self.category, self.mask = values["category"][self._slot], values["mask"][self._slot]
        self.friction, self.restitution = values["friction"][self._slot], values["restitution"][self._slot]
        self.sensor = values["sensor"][self._slot]
        self.one_way, self.entity = values["one_way"][self._slot], values["entity"][self._slot]

    def boxes(self) -> NDArray[np.float64]:
        """Return the box of every edge (E, 4): low x, low y, high x, high y [m]."""
        ends = self.vertices[self.edges - np.uint32(self._offset)]
        reach = values_column(self._table, "radius", self._slot)[:, None]
        return np.concatenate([ends.min(axis=1) - reach, ends.max(axis=1) + reach], axis=1)

    def _rebuild(self, offset: int) -> None:
        values, count = self._table.values, self.vertex_count
        self._vertex_slot = np.zeros(count, np.int64)
        self.before, self.after = np.arange(count), np.arange(count)
        edges: list[tuple[int, int]] = []
        slots: list[int] = []
        for slot in range(values.count):
            first, last = int(values["first"][slot]), int(values["last"][slot])
            if last <= first:
                continue
            self._vertex_slot[first:last] = slot
            chain = [(row, row + 1) for row in range(first, last - 1)] or [(first, first)]
            if values["closed"][slot]:
                chain.append((last - 1, first))
            edges += chain
            slots += [slot] * len(chain)
            for a, b in chain:
                if a != b:
                    self.after[a], self.before[b] = b, a
        self._slot = np.array(slots, np.int64)
        self.edges = np.array(edges, np.uint32).reshape(-1, 2) + np.uint32(offset)
        self.corner = self._corners(np.array(edges, np.int64).reshape(-1, 2))

    def _corners(self, edges: NDArray[np.int64]) -> NDArray[np.bool_]:
        corner = np.zeros(edges.shape, np.bool_)
        if not len(edges):
            return corner
        place = self.vertices
        arriving, leaving = place - place[self.before], place[self.after] - place
        free = (self.before == np.arange(len(place))) | (self.after == np.arange(len(place)))
        cross = arriving[:, 0] * leaving[:, 1] - arriving[:, 1] * leaving[:, 0]
        turn = np.abs(np.arctan2(cross, (arriving * leaving).sum(axis=1)))
        pokes = free | (turn > FLAT_TURN)
        corner[:, 0] = pokes[edges[:, 0]]
        at_end = (self.after[edges[:, 1]] == edges[:, 1]) & (edges[:, 0] != edges[:, 1])
        corner[:, 1] = pokes[edges[:, 1]] & at_end
        return corner


def values_column(table: Table, name: str, slots: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a value of each of the slots."""
    column: NDArray[np.float64] = table.values[name][slots]
    return column


@kernel
def move_vertices(vertices: np.ndarray, first: np.ndarray, last: np.ndarray, velocity: np.ndarray, dt: float) -> None:
    """Move the vertices [first[s], last[s]) of every static collider s by its velocity."""
    for s in range(first.shape[0]):
        if velocity[s, 0] != 0.0 or velocity[s, 1] != 0.0:
            for v in range(first[s], last[s]):
                vertices[v, 0] += dt * velocity[s, 0]
                vertices[v, 1] += dt * velocity[s, 1]
