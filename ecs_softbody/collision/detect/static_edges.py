"""StaticEdges: the edges of all static colliders (walls) in arrays, for the collision kernels.

Edges and corners are listed again when a wall comes or goes; settings that a game may write in
between (positions, velocities, filters) are compared with the last values seen, so that a world at
rest costs one pass over its walls. The seams between walls that lie side by side are in `joints`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import (
    Flags,
    Flags1,
    Flags2,
    Floats,
    Floats1,
    Floats2,
    Integers,
    Integers1,
    Integers2,
    Integers3,
    Uint32s1,
    Uint32s2,
)
from ecs_softbody.collision.detect.wall_motion import WallMotion, find_vertex_velocities
from ecs_softbody.collision.seams.meetings import WallKinds
from ecs_softbody.collision.seams.wall_seams import WallSeams, find_moved
from ecs_softbody.elementary.rows import angles
from ecs_softbody.indices import arange, repeat, sums_at
from ecs_softbody.parallel.compiling import entry
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.storage import Table
from ecs_softbody.storage.resource import Array, Flag, Part, Resource, Version, Whole
from ecs_softbody.storage.saved import Saved
from ecs_softbody.storage.store import Replaced

FLAT_TURN = 0.1
"""A vertex where the chain turns by less than this [rad] is no corner that could poke into a soft
edge.
"""
NUMBERS = 9
"""Columns of SeenSettings.numbers: radius, friction, restitution, one-way x and y, velocity x and
y, angular velocity, surface velocity.
"""
BITS = 3
"""Columns of SeenSettings.bits: category, mask, sensor (0 or 1)."""


class WallEdges(NamedTuple):
    """E static edges of S walls; wall s is the one in slot s of the table of StaticCollider."""

    # (E, 2) rows of both vertices: the rows of vertices follow those of all particles
    ends: Uint32s2
    # (E, 2) which ends are corners that can poke into a soft edge; a vertex that two edges share is
    # marked at one of them only
    corner: Flags2
    # (E,) wall of each edge
    wall: Integers1
    # (S, 2) wall s has the edges [chain[s, 0], chain[s, 1])
    chain: Integers2
    outward: Floats1
    """(E,) 1 or -1 for an edge of a closed wall that runs counter-clockwise or clockwise, 0 for an
    open one.
    """
    # (E, 2) direction of free passage, (0, 0) for none
    one_way: Floats2
    # (E,) whether it lies between two closed walls: only bodies inside its wall can reach it
    inner: Flags1


class WallSettings(NamedTuple):
    """Columns of StaticCollider that a game may write, besides positions; (S,) or (S, 2)."""

    radius: Floats1  # [m]
    friction: Floats1
    restitution: Floats1
    one_way: Floats2  # direction of free passage, (0, 0) for none
    velocity: Floats2  # [m/s]
    angular_velocity: Floats1  # [rad/s]
    surface_velocity: Floats1  # [m/s], of a conveyor
    category: Uint32s1
    mask: Uint32s1
    sensor: Flags1


class SeenSettings(NamedTuple):
    """The settings of S walls when they were last looked at."""

    numbers: Floats2  # (S, NUMBERS)
    bits: Uint32s2  # (S, BITS)

    @classmethod
    def none(cls, walls: int) -> SeenSettings:
        """Return the settings of walls that have not been read yet."""
        return cls(np.zeros((walls, NUMBERS)), np.zeros((walls, BITS), np.uint32))


class StaticEdges(Resource):
    """The E edges and V vertices of all static colliders, the walls.

    `angular_velocity` (E,) [rad/s] and `tangent_speed` (E,) [m/s], of a conveyor along the edge,
    come from the edge's wall; `vertex_velocity` (V, 2) [m/s] is the mean of the coming substep.
    """

    made = ("_rebuilt",)
    bound = ("one_way_wall", "_vertex_slot")
    saved = (
        Version("version", "That of the table of StaticCollider when edges were listed."),
        Whole("offset", "Rows before those of the vertices."),
        Array(
            "edges.outward",
            "edges",
            "1 or -1 for a closed wall: which way round it runs; 0 for others.",
        ),
        Array("edges.one_way", ("edges", 2), "Direction of free passage, (0, 0) for none."),
        Array("angular_velocity", "edges", "That of its wall.", unit="rad/s"),
        Array("tangent_speed", "edges", "That of the surface.", unit="m/s"),
        Array("vertex_velocity", ("vertices", 2), "The mean of the coming substep.", unit="m/s"),
        Flag("is_moving", "Whether a wall moves or turns."),
        Array(
            "travel",
            "vertices",
            "How far each may travel before contacts have to be found anew.",
            unit="m",
        ),
        Array(
            "seen.numbers", ("walls", NUMBERS), "Settings of walls when they were last looked at."
        ),
        Array("seen.bits", ("walls", BITS), "The same: category, mask, sensor.", dtype=np.uint32),
        Flag("changed", "Whether settings have changed since."),
        Part("joints", "How the ends of walls are joined.", WallSeams),
    )

    def __init__(self, table: Table) -> None:
        self._table = table
        self.version = self.offset = -1
        """Version of the table that the edges were listed from, and rows before the vertices."""
        # (V,) slot of the wall that each vertex belongs to.
        self._vertex_slot = np.zeros(0, np.int64)
        self.joints = WallSeams()
        ends = np.zeros((0, 2), np.uint32)
        slots = np.zeros(0, np.int64)
        joined = self.joints.joined
        chain = np.zeros((0, 2), np.int64)
        one_way = np.zeros((0, 2))
        self.edges = WallEdges(
            ends, joined.corner, slots, chain, np.zeros(0), one_way, joined.inner
        )
        self.angular_velocity = self.tangent_speed = np.zeros(0)
        self.one_way_wall = np.zeros(0, np.int64)
        """The wall (E,) of every edge that is one-way, -1 for the others."""
        self.vertex_velocity = np.zeros((0, 2))
        self.is_moving = False
        """Whether a wall moves or turns; else `vertex_velocity` is zero."""
        self.travel = np.zeros(0)
        """Distance (V,) [m] that each vertex may travel before contacts must be searched again."""
        self.seen = SeenSettings.none(0)
        self._rebuilt = Replaced()
        self._find_written = PreparedCall(
            find_written,
            lambda: (self._table.values.group(WallSettings), *self.seen),
            self._rebuilt,
        )
        self._find_moved = PreparedCall(find_moved, self._followed, self._rebuilt)
        self.changed = True

    def load(self, saved: Saved) -> None:
        """List the edges and load their state from a file, unless walls came or went since."""
        offset = saved.lengths["offset"]
        if (saved.version("version"), saved.whole("offset")) != (self._table.version, offset):
            return
        self.rebuild(offset)
        saved.lengths.update(
            edges=self.edge_count, vertices=self.vertex_count, walls=self._table.values.count
        )
        super().load(saved)
        self.one_way_wall = np.where(self.edges.one_way.any(axis=1), self.edges.wall, -1)
        self.joints.join_again(self._kinds, self.edges.outward)
        self._rebuilt.count += 1

    @property
    def seams(self) -> Integers3:
        """Which edge goes on at each vertex (V, 2, 2), in its wall or a joined one, see
        `joining.Joined`.
        """
        return self.joints.joined.seams

    def look_again(self) -> None:
        """Bind the prepared calls again, after arrays of the table were replaced."""
        self._rebuilt.count += 1

    @property
    def edge_count(self) -> int:
        """Number of edges."""
        return len(self.edges.ends)

    @property
    def vertex_count(self) -> int:
        """Number of vertex rows, unused ones among them."""
        return self._table.rows.count

    @property
    def vertex_capacity(self) -> int:
        """Number of vertex rows that are allocated."""
        return self._table.rows.capacity

    @property
    def wall_capacity(self) -> int:
        """Number of walls that there is room for."""
        return self._table.values.capacity

    @property
    def vertices(self) -> Floats:
        """Positions of the vertices [m], live."""
        vertices: Floats = self._table.rows["vertices"]
        return vertices

    @property
    def radius(self) -> Floats:
        """Radius of every vertex (V,) [m]."""
        radius: Floats = self._table.values["radius"][self._vertex_slot]
        return radius

    @property
    def first(self) -> Integers:
        """First vertex of every wall (S,), by slot."""
        return self._table.values.arrays["first"].astype(np.int64)

    @property
    def lengths(self) -> Integers:
        """Number of vertices of every wall (S,), by slot."""
        return self._table.values.arrays["last"].astype(np.int64) - self.first

    @property
    def entities(self) -> Integers:
        """Entity of every slot, 0 for none."""
        entities: Integers = self._table.values.arrays["entity"]
        return entities

    @property
    def motion(self) -> WallMotion:
        """How every wall moves: columns of StaticCollider, live."""
        return self._table.values.group(WallMotion)

    def of_edges(self, name: str) -> np.ndarray:
        """Return a value of StaticCollider for every edge (E,)."""
        value: np.ndarray = self._table.values[name][self.edges.wall]
        return value

    def slot_of(self, vertex: Integers) -> Integers:
        """Return the slots that vertices belong to; row 0 has one even where there are no walls."""
        return self._vertex_slot[vertex] if len(self._vertex_slot) else np.zeros_like(vertex)

    def rebuild(self, offset: int) -> None:
        """List edges and corners again if walls came or went, or `offset` has changed.

        offset: row of the first vertex, after the rows of all particles.
        """
        if self.version != self._table.version or self.offset != offset:
            self.version = self._table.version
            self.offset = offset
            self._rebuild(offset)
            self.changed = True

    def has_changed(self) -> bool:
        """True if a game has written settings, other than positions, since the last refresh."""
        if self._table.values.count:
            self.changed |= bool(self._find_written())
        return self.changed

    def refresh(self) -> bool:
        """Bring the arrays of edges up to date; true if anything has changed."""
        moved = self._table.values.count > 0 and bool(self._find_moved())
        if not self.has_changed() and not moved:
            return False
        self.changed = False
        self.joints.update(self.vertices, self._kinds, moved=moved)
        one_way = self.of_edges("one_way")
        self.edges = self.edges._replace(one_way=one_way)
        self.one_way_wall = np.where(one_way.any(axis=1), self.edges.wall, -1)
        self.angular_velocity, self.tangent_speed = (
            self.of_edges("angular_velocity"),
            self.of_edges("surface_velocity"),
        )
        was_moving = self.is_moving
        self.is_moving = bool(self._table.values["velocity"].any() or self.angular_velocity.any())
        if was_moving and not self.is_moving:
            self.vertex_velocity[:] = 0.0
        return True

    def find_velocities(self, dt: float) -> None:
        """Write `vertex_velocity`, as walls move in the coming substep of dt [s]."""
        find_vertex_velocities(self.vertices, self.motion, dt, self.vertex_velocity)

    @property
    def _kinds(self) -> WallKinds:
        """The settings that decide which walls may be joined, as they were last seen."""
        return WallKinds(*self.seen, self._table.values["pivot"])

    def _followed(self) -> tuple[object, ...]:
        """Return the arguments of `find_moved`."""
        values = self._table.values.group(WallMotion)
        return (self.vertices, *self.joints.followed(values.first, values.last))

    def _rebuild(self, offset: int) -> None:
        """List the edges of all walls, joined to nothing yet: `refresh` joins them.

        A chain of n vertices has n - 1 edges, n if it is closed; a single vertex has one edge, from
        it to itself.
        """
        values = self._table.values
        count = self.vertex_count
        first = values["first"].astype(np.int64)
        closed = values["closed"]
        vertices = values["last"].astype(np.int64) - first
        self._vertex_slot = np.zeros(count, np.int64)
        self.vertex_velocity = np.zeros((count, 2))
        self.travel = np.zeros(count)
        self.seen = SeenSettings.none(values.count)
        # By wall: number of edges, and where its edges end in the list. By edge: its wall, its
        # first vertex, and the last vertex of the wall.
        edges = np.where(vertices > 0, np.maximum(vertices - 1, 1) + closed, 0)
        stop = np.cumsum(edges, dtype=np.int64)
        wall = repeat(arange(values.count), edges)
        a = first[wall] + arange(len(wall)) - (stop - edges)[wall]
        last = first[wall] + vertices[wall] - 1
        ends = np.stack([a, np.where(a < last, a + 1, first[wall])], axis=1)
        self._vertex_slot[ends[:, 0]] = self._vertex_slot[ends[:, 1]] = wall
        outward = np.where(closed, self._orientations(ends, wall), 0.0)[wall]
        corner = self._corners(ends)
        self.joints.restart(
            self.vertices, ends, wall, self._vertex_slot, values.count, corner, outward
        )
        self.edges = WallEdges(
            ends=ends.astype(np.uint32) + np.uint32(offset),
            corner=self.joints.joined.corner,
            wall=wall,
            chain=np.where(edges > 0, [stop - edges, stop], 0).T.copy(),
            outward=outward,
            one_way=np.zeros((len(ends), 2)),
            inner=self.joints.joined.inner,
        )
        self._rebuilt.count += 1

    def _orientations(self, ends: Integers, wall: Integers) -> Floats:
        """Return 1 for each wall (S,) whose chain runs counter-clockwise, -1 for the others.

        It is the sign of the shoelace sum of a × b over its edges a-b.
        """
        a = self.vertices[ends[:, 0]]
        b = self.vertices[ends[:, 1]]
        shares = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        return np.sign(sums_at(wall, shares, minlength=self._table.values.count))

    def _corners(self, edges: Integers) -> Flags:
        """Return which ends (E, 2) of the edges (E, 2) can poke into a soft edge.

        These are the ends of open chains, and vertices at which a chain turns by more than
        FLAT_TURN. A vertex is marked at the edge that leaves it; the last one of an open chain,
        which none leaves, at the edge that arrives.
        """
        corner = np.zeros(edges.shape, np.bool_)
        if not len(edges):
            return corner
        position = self.vertices
        own = arange(len(self.vertices))
        a, b = edges[edges[:, 0] != edges[:, 1]].T
        # By vertex: the one before and the one after it in its chain, itself at an end.
        before = own.copy()
        after = own.copy()
        after[a] = b
        before[b] = a
        arriving = position - position[before]
        leaving = position[after] - position
        free = (before == own) | (after == own)
        cross = arriving[:, 0] * leaving[:, 1] - arriving[:, 1] * leaving[:, 0]
        turn = np.abs(angles(cross, (arriving * leaving).sum(axis=1)))
        pokes = free | (turn > FLAT_TURN)
        corner[:, 0] = pokes[edges[:, 0]]
        at_end = (after[edges[:, 1]] == edges[:, 1]) & (edges[:, 0] != edges[:, 1])
        corner[:, 1] = pokes[edges[:, 1]] & at_end
        return corner


@entry
def find_written(settings: WallSettings, seen: Floats2, seen_bits: Uint32s2) -> bool:
    """True if a setting of a wall differs from the last value seen; note the present values.

    seen (S, NUMBERS), seen_bits (S, BITS): columns as listed at these constants.
    """
    radius = settings.radius
    friction = settings.friction
    restitution = settings.restitution
    one_way = settings.one_way
    velocity = settings.velocity
    angular_velocity = settings.angular_velocity
    category = settings.category
    surface_velocity = settings.surface_velocity
    mask = settings.mask
    changed = False
    for s in range(radius.shape[0]):
        flag = np.uint32(1) if settings.sensor[s] else np.uint32(0)
        changed |= (
            seen[s, 0] != radius[s] or seen[s, 1] != friction[s] or seen[s, 2] != restitution[s]
        )
        changed |= seen[s, 3] != one_way[s, 0] or seen[s, 4] != one_way[s, 1]
        changed |= seen[s, 5] != velocity[s, 0] or seen[s, 6] != velocity[s, 1]
        changed |= seen[s, 7] != angular_velocity[s] or seen[s, 8] != surface_velocity[s]
        changed |= (
            seen_bits[s, 0] != category[s] or seen_bits[s, 1] != mask[s] or seen_bits[s, 2] != flag
        )
        seen[s, 0] = radius[s]
        seen[s, 1] = friction[s]
        seen[s, 2] = restitution[s]
        seen[s, 3] = one_way[s, 0]
        seen[s, 4] = one_way[s, 1]
        seen[s, 5] = velocity[s, 0]
        seen[s, 6] = velocity[s, 1]
        seen[s, 7] = angular_velocity[s]
        seen[s, 8] = surface_velocity[s]
        seen_bits[s, 0] = category[s]
        seen_bits[s, 1] = mask[s]
        seen_bits[s, 2] = flag
    return changed
