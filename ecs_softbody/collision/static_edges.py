"""StaticEdges: the segments of all static colliders in arrays, and how they move."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.kernels.compiling import lean
from ecs_softbody.storage import Table

FLAT_TURN = 0.1
"""A vertex where the chain turns by less than this [rad] is no corner that could poke into a soft edge."""
NUMBERS, BITS = 9, 3
"""What a game may write to a wall besides places: so many numbers, and so many words of bits."""


class StaticEdges:
    """Edges (E, 2) of vertex rows counted from `offset`, and per edge what a contact needs to know.

    `before` and `after` (V,) are the neighbours of each vertex in its chain, itself at a free end; `corner` (E, 2)
    marks the ends that can poke into a soft edge, each vertex at one edge only. `slot` (E,) is the wall of each edge,
    `chain` (S, 2) the edges [start, stop) of each wall, `outward` (E,) which way round a closed chain runs: 1 or -1,
    0 for an open one.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._version = -1
        self._offset = -1
        self.slot = np.zeros(0, np.int64)
        self.chain = np.zeros((0, 2), np.int64)
        self.outward = np.zeros(0)
        self._vertex_slot = np.zeros(0, np.int64)
        self.edges = np.zeros((0, 2), np.uint32)
        self.corner = np.zeros((0, 2), np.bool_)
        self.before = self.after = np.zeros(0, np.int64)
        self.vertex_velocity = np.zeros((0, 2))
        self.is_moving = False
        """Whether a wall moves or turns; else `vertex_velocity` is zero."""
        self.way = np.zeros(0)
        """How far (V,) [m] each vertex may go before contacts have to be found anew."""
        self._seen, self._seen_bits = np.zeros((0, NUMBERS)), np.zeros((0, BITS), np.uint32)
        self._changed = True

    @property
    def version(self) -> int:
        """The version of the table that the edges were listed from."""
        return self._version

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

    @property
    def velocity(self) -> NDArray[np.float64]:
        """Velocity of every slot (S, 2) [m/s], live."""
        velocity: NDArray[np.float64] = self._table.values["velocity"]
        return velocity

    @property
    def angular_velocity(self) -> NDArray[np.float64]:
        """Spin of every slot (S,) [rad/s], live."""
        spin: NDArray[np.float64] = self._table.values["angular_velocity"]
        return spin

    @property
    def pivot(self) -> NDArray[np.float64]:
        """What every slot turns about (S, 2) [m], live."""
        pivot: NDArray[np.float64] = self._table.values["pivot"]
        return pivot

    def rebuild(self, offset: int) -> None:
        """List edges and corners anew, if static colliders came, went or rows are counted from another offset."""
        if self._version != self._table.version or self._offset != offset:
            self._version, self._offset = self._table.version, offset
            self._rebuild(offset)
            self._changed = True

    def has_changed(self) -> bool:
        """Tell whether a game has written anything but places since the last refresh."""
        values = self._table.values
        if values.count:
            self._changed |= find_written(
                values["radius"], values["friction"], values["restitution"], values["one_way"], values["velocity"],
                values["angular_velocity"], values["surface_velocity"], values["category"], values["mask"],
                values["sensor"], self._seen, self._seen_bits,
            )  # fmt: skip
        return self._changed

    def refresh(self) -> bool:
        """Bring the arrays of edges up to date; tell whether anything has changed."""
        if not self.has_changed():
            return False
        self._changed = False
        values = self._table.values
        self.reach = values["radius"][self._vertex_slot]
        self.category, self.mask = values["category"][self.slot], values["mask"][self.slot]
        self.friction, self.restitution = values["friction"][self.slot], values["restitution"][self.slot]
        self.one_way, self.entity = values["one_way"][self.slot], values["entity"][self.slot]
        self.spin, self.belt = values["angular_velocity"][self.slot], values["surface_velocity"][self.slot]
        was_moving, self.is_moving = self.is_moving, bool(values["velocity"].any() or self.spin.any())
        if was_moving and not self.is_moving:
            self.vertex_velocity[:] = 0.0
        self.sensor = values["sensor"][self.slot]
        return True

    def find_velocities(self, dt: float) -> None:
        """Bring `vertex_velocity` (V, 2) [m/s] up to date: the mean velocities in the coming substep."""
        values = self._table.values
        find_vertex_velocities(
            self.vertices, values["first"], values["last"], values["velocity"], values["angular_velocity"],
            values["pivot"], dt, self.vertex_velocity,
        )  # fmt: skip

    def _rebuild(self, offset: int) -> None:
        values, count = self._table.values, self.vertex_count
        self._vertex_slot = np.zeros(count, np.int64)
        self.vertex_velocity, self.way = np.zeros((count, 2)), np.zeros(count)
        self._seen, self._seen_bits = np.zeros((values.count, NUMBERS)), np.zeros((values.count, BITS), np.uint32)
        self.before, self.after = np.arange(count), np.arange(count)
        edges: list[tuple[int, int]] = []
        slots: list[int] = []
        self.chain = np.zeros((values.count, 2), np.int64)
        for slot in range(values.count):
            first, last = int(values["first"][slot]), int(values["last"][slot])
            if last <= first:
                continue
            self._vertex_slot[first:last] = slot
            chain = [(row, row + 1) for row in range(first, last - 1)] or [(first, first)]
            if values["closed"][slot]:
                chain.append((last - 1, first))
            self.chain[slot] = len(edges), len(edges) + len(chain)
            edges += chain
            slots += [slot] * len(chain)
            for a, b in chain:
                if a != b:
                    self.after[a], self.before[b] = b, a
        self.slot = np.array(slots, np.int64)
        self.edges = np.array(edges, np.uint32).reshape(-1, 2) + np.uint32(offset)
        self.corner = self._corners(np.array(edges, np.int64).reshape(-1, 2))
        self.outward = np.where(values["closed"], self._turning(), 0.0)[self.slot]

    def _turning(self) -> NDArray[np.float64]:
        """Return the sign of the area of every chain, as if closed: 1 where it runs counter-clockwise."""
        ends = self.vertices[self.edges - np.uint32(self._offset)]
        shares = ends[:, 0, 0] * ends[:, 1, 1] - ends[:, 0, 1] * ends[:, 1, 0]
        return np.sign(np.bincount(self.slot, shares, minlength=len(self.chain)))

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


@lean
def find_vertex_velocities(
    vertices: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    velocity: np.ndarray,
    angular_velocity: np.ndarray,
    pivot: np.ndarray,
    dt: float,
    vertex_velocity: np.ndarray,
) -> None:
    """Write the velocities that bring the vertices [first[s], last[s]) of every collider s to where they will be.

    These are chords of the arcs, so that a point which follows the velocity stays on the edge exactly.
    """
    for s in range(first.shape[0]):
        half = math.sin(0.5 * dt * angular_velocity[s])
        ahead, across = -2.0 * half * half / dt, math.sin(dt * angular_velocity[s]) / dt
        for v in range(first[s], last[s]):
            x, y = vertices[v, 0] - pivot[s, 0], vertices[v, 1] - pivot[s, 1]
            vertex_velocity[v, 0] = velocity[s, 0] + ahead * x - across * y
            vertex_velocity[v, 1] = velocity[s, 1] + across * x + ahead * y


@lean
def move_vertices(
    vertices: np.ndarray,
    arm: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    velocity: np.ndarray,
    angular_velocity: np.ndarray,
    pivot: np.ndarray,
    angle: np.ndarray,
    dt: float,
) -> None:
    """Move and turn the vertices [first[s], last[s]) of every static collider s.

    A vertex is pivot + R(angle) arm, so that rounding never adds up to a change of shape. Where that is not what the
    vertex is, a game has written it or the pivot: then the arm is taken anew.
    """
    for s in range(first.shape[0]):
        if velocity[s, 0] == 0.0 and velocity[s, 1] == 0.0 and angular_velocity[s] == 0.0:
            continue
        cosine, sine = math.cos(angle[s]), math.sin(angle[s])
        for v in range(first[s], last[s]):
            x, y = vertices[v, 0] - pivot[s, 0], vertices[v, 1] - pivot[s, 1]
            same_x = vertices[v, 0] == pivot[s, 0] + (cosine * arm[v, 0] - sine * arm[v, 1])
            if not same_x or vertices[v, 1] != pivot[s, 1] + (sine * arm[v, 0] + cosine * arm[v, 1]):
                arm[v, 0], arm[v, 1] = cosine * x + sine * y, cosine * y - sine * x
        angle[s] += dt * angular_velocity[s]
        pivot[s, 0] += dt * velocity[s, 0]
        pivot[s, 1] += dt * velocity[s, 1]
        cosine, sine = math.cos(angle[s]), math.sin(angle[s])
        for v in range(first[s], last[s]):
            vertices[v, 0] = pivot[s, 0] + (cosine * arm[v, 0] - sine * arm[v, 1])
            vertices[v, 1] = pivot[s, 1] + (sine * arm[v, 0] + cosine * arm[v, 1])


@lean
def find_written(
    radius: np.ndarray,
    friction: np.ndarray,
    restitution: np.ndarray,
    one_way: np.ndarray,
    velocity: np.ndarray,
    angular_velocity: np.ndarray,
    surface_velocity: np.ndarray,
    category: np.ndarray,
    mask: np.ndarray,
    sensor: np.ndarray,
    seen: np.ndarray,
    seen_bits: np.ndarray,
) -> bool:
    """Tell whether anything differs from what was seen (S, NUMBERS) and (S, BITS), and see it."""
    changed = False
    for s in range(radius.shape[0]):
        flag = np.uint32(1) if sensor[s] else np.uint32(0)
        changed |= seen[s, 0] != radius[s] or seen[s, 1] != friction[s] or seen[s, 2] != restitution[s]
        changed |= seen[s, 3] != one_way[s, 0] or seen[s, 4] != one_way[s, 1]
        changed |= seen[s, 5] != velocity[s, 0] or seen[s, 6] != velocity[s, 1]
        changed |= seen[s, 7] != angular_velocity[s] or seen[s, 8] != surface_velocity[s]
        changed |= seen_bits[s, 0] != category[s] or seen_bits[s, 1] != mask[s] or seen_bits[s, 2] != flag
        seen[s, 0], seen[s, 1], seen[s, 2] = radius[s], friction[s], restitution[s]
        seen[s, 3], seen[s, 4], seen[s, 5], seen[s, 6] = one_way[s, 0], one_way[s, 1], velocity[s, 0], velocity[s, 1]
        seen[s, 7], seen[s, 8] = angular_velocity[s], surface_velocity[s]
        seen_bits[s, 0], seen_bits[s, 1], seen_bits[s, 2] = category[s], mask[s], flag
    return changed
