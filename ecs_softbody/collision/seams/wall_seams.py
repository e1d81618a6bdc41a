"""WallSeams: which static colliders (walls) are joined, so that bodies slide over them as over one.

Walls at rest are joined with each other, as are walls that move as one. A wall whose vertices a
game writes frame after frame is joined to nothing until it has been at rest for a while. A look
compares all walls with their state at the look before, once in each frame and search; it decides
whether walls are joined again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import (
    Flags,
    Floats,
    Floats2,
    Integers,
    Integers1,
    Integers2,
    Uint32s1,
    Uint32s2,
)
from ecs_softbody.collision.seams.joining import ELSEWHERE, Joined, join_walls
from ecs_softbody.collision.seams.meetings import (
    NOBODY,
    SPEED_X,
    TOLERANCE,
    TURNING,
    Cells,
    Chains,
    Places,
    WallKinds,
    find_places,
    find_reaches,
)
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.geometry.segment import squared_distance
from ecs_softbody.indices import arange, flatnonzero
from ecs_softbody.parallel.compiling import entry
from ecs_softbody.storage.resource import Array, FlagArray, Resource, WholeArray

RESTS = 0
"""State of a wall: it stays where it is, and is joined to walls at rest."""
MOVES = 1
"""State of a wall: it moves by its velocities, and is joined to walls that move as it does."""
BY_HAND = 2
"""State of a wall: a game writes its vertices again and again, and it is not joined."""
LOOKS_AT_REST = 10
"""Number of looks without a change of its vertices after which a wall is at rest."""
LOOSE = 2.0 * TOLERANCE
"""Walls that move as one are joined again once joined ends are further apart than this [m]."""
KINDS = [0, 3, 4, 5, 6, 7]
"""Columns of the settings of a wall that decide about joining: radius, one-way direction, velocity
and angular velocity, see `meetings.may_join`.
"""
LEAST_CELL = 4.0 * TOLERANCE
"""Least side of a cell [m] of the grid that finds ends in one place."""


class Followed(NamedTuple):
    """Data that tells whether S walls were moved other than by their velocities."""

    first: Uint32s1  # (S,) first vertex of each wall
    last: Uint32s1  # (S,) the vertex after its last one
    state: Integers1  # (S,) RESTS, MOVES or BY_HAND
    unchanged_looks: Integers1  # (S,) looks since the vertices changed, at most LOOKS_AT_REST
    placed: Floats2  # (V, 2) [m] where the vertices were joined


class WallSeams(Resource):
    """How the ends of S walls with E edges and V vertices are joined: the result is `joined`, see
    `joining.Joined`.

    `state` (S,) is RESTS, MOVES or BY_HAND, `unchanged_looks` (S,) counts looks since the vertices
    changed, `placed` (V, 2) [m] is where the vertices were joined.
    """

    saved = (
        FlagArray(
            "corner",
            ("edges", 2),
            "Which ends of edges are corners that meet no other wall.",
            in_place=True,
        ),
        WholeArray(
            "state",
            "walls",
            "0: rests, 1: moves, 2: a game moves them.",
            below=BY_HAND + 1,
            in_place=True,
        ),
        WholeArray(
            "unchanged_looks",
            "walls",
            "Looks since its vertices changed.",
            below=LOOKS_AT_REST + 1,
            in_place=True,
            name="quiet",
        ),
        Array(
            "placed", ("vertices", 2), "Where the vertices were joined.", unit="m", in_place=True
        ),
    )

    made = ("joined", "_apart", "_chains", "_places", "_kinds", "_is_new")

    def __init__(self) -> None:
        self.corner: Flags = np.zeros((0, 2), np.bool_)
        """Corners (E, 2) of walls that meet no other one."""
        none = np.zeros(0, np.int64)
        self.state = none
        self.unchanged_looks = none
        self.placed = np.zeros((0, 2))
        # `seams` without any joints between walls; `_chains` and `_places` are the arrays of the
        # kernels, `_kinds` the settings at the last joining (columns KINDS, and bits), and
        # `_is_new` says whether walls have come or gone since.
        self._apart: Integers = np.zeros((0, 2, 2), np.int64)
        self.joined = Joined(self._apart, self.corner, np.zeros(0, np.bool_))
        pairs = np.zeros((0, 2), np.int64)
        numbers = np.zeros(0)
        self._chains = Chains(self.placed, pairs, none, none, pairs, numbers, numbers)
        self._places = Places(none, none, none, none)
        self._kinds: tuple[Floats, Uint32s2] = (
            np.zeros((0, len(KINDS))),
            np.zeros((0, 3), np.uint32),
        )
        self._is_new = False

    def restart(
        self,
        vertices: Floats,
        ends: Integers,
        wall: Integers,
        wall_of_vertex: Integers,
        walls: int,
        corner: Flags,
        outward: Floats,
    ) -> None:
        """Start again with these chains, each wall joined to nothing but itself.

        vertices (V, 2) [m]; ends (E, 2): vertices of each edge; wall (E,), wall_of_vertex (V,);
        walls: how many; corner (E, 2), outward (E,): see WallEdges.
        """
        vertex_count = len(vertices)
        edge_count = len(ends)
        a, b = ends[ends[:, 0] != ends[:, 1]].T
        edge_at = np.full((vertex_count, 2), NOBODY, np.int64)
        edge_at[a, 0] = edge_at[b, 1] = flatnonzero(ends[:, 0] != ends[:, 1])
        own = arange(vertex_count)
        self._apart = np.empty((vertex_count, 2, 2), np.int64)
        self._apart[:] = own[:, None, None]
        self._apart[b, 1, 1] = np.where(edge_at[b, 0] == NOBODY, b, ends[edge_at[b, 0], 1])
        self._apart[a[edge_at[a, 1] != NOBODY], 0] = ELSEWHERE
        self.corner = corner
        self.joined = Joined(self._apart.copy(), corner.copy(), np.zeros(edge_count, np.bool_))
        self.state = np.zeros(walls, np.int64)
        self.unchanged_looks = np.full(walls, LOOKS_AT_REST, np.int64)
        self.placed = vertices.copy()
        reach = np.zeros(vertex_count)
        self._chains = Chains(self.placed, ends, wall, wall_of_vertex, edge_at, outward, reach)
        self._places = Places(own, *np.full((3, vertex_count), NOBODY, np.int64))
        self._is_new = True

    def join_again(self, kinds: WallKinds, outward: Floats) -> None:
        """After loading a file: restore the joints between walls, at their saved positions."""
        self._chains = self._chains._replace(outward=outward)
        self._remember(kinds)
        self._is_new = False
        self._part(np.ones(len(self.state), np.bool_))
        self._join(RESTS, kinds)
        self._join(MOVES, kinds)

    def followed(self, first: Uint32s1, last: Uint32s1) -> tuple[Followed, Places, Integers]:
        """Return the arguments of `find_moved`; wall s has the vertices [first[s], last[s])."""
        return (
            Followed(first, last, self.state, self.unchanged_looks, self.placed),
            self._places,
            self._chains.ends,
        )

    def update(self, vertices: Floats, kinds: WallKinds, *, moved: bool) -> None:
        """Join walls again where anything has changed that decides about joining.

        vertices (V, 2) [m]. moved: whether `find_moved` has found walls moved. If only moving walls
        have changed, walls at rest keep their joints.
        """
        moves = (kinds.numbers[:, SPEED_X : TURNING + 1] != 0.0).any(axis=1)
        starts = moves & (self.state != MOVES)
        stops = ~moves & (self.state == MOVES)
        # Walls whose settings have changed; then whether walls at rest must be joined anew, and
        # whether moving ones must.
        numbers, bits = self._kinds
        is_other = np.ones(len(moves), np.bool_)
        if not self._is_new:
            is_other = (numbers != kinds.numbers[:, KINDS]).any(axis=1) | (bits != kinds.bits).any(
                axis=1
            )
        resting = (
            self._is_new
            or moved
            or bool((starts | stops).any() or (is_other & (self.state == RESTS)).any())
        )
        moving = self._is_new or moved or bool((is_other & (moves | (self.state == MOVES))).any())
        before = self.state.copy()
        self.state[starts] = MOVES
        self.state[stops] = RESTS
        self.unchanged_looks[stops] = LOOKS_AT_REST
        self._remember(kinds)
        self._is_new = False
        if resting or moving:
            # Moving walls are joined where they are now; others where they were last seen.
            follows = (stops | (self.state == MOVES))[self._chains.wall_of_vertex]
            self.placed[follows] = vertices[follows]
        if resting:
            self._part(np.ones(len(before), np.bool_))
            self._join(RESTS, kinds)
            self._join(MOVES, kinds)
        elif moving:
            self._part((before == MOVES) | (self.state == MOVES))
            self._join(MOVES, kinds)

    def _remember(self, kinds: WallKinds) -> None:
        """Note the settings that decide about joining, to see later whether they change."""
        self._kinds = kinds.numbers[:, KINDS], kinds.bits.copy()

    def _part(self, walls: Flags) -> None:
        """Undo the joints of these walls (S,): each is for itself again."""
        edges = walls[self._chains.wall]
        vertices = walls[self._chains.wall_of_vertex]
        self.joined.seams[vertices] = self._apart[vertices]
        self.joined.corner[edges] = self.corner[edges]
        self.joined.inner[edges] = False
        self._places.place[vertices] = flatnonzero(vertices)
        self._places.on[vertices] = NOBODY

    def _join(self, state: int, kinds: WallKinds) -> None:
        """Join the walls in this state with each other; before the call they have no joints."""
        chains = self._chains
        is_one = self.state == state
        chosen = flatnonzero(is_one[chains.wall])
        if len(chosen) < 2:
            return
        is_vertex = np.zeros(len(chains.placed), np.bool_)
        is_vertex[chains.ends[chosen].reshape(-1)] = True
        rows = flatnonzero(is_vertex)
        find_reaches(chains)
        a, b = chains.placed[chains.ends[chosen]].transpose(1, 0, 2)
        size = lengths(b - a)
        usual = size[np.isfinite(size) & (size > 0.0)]
        width = 4
        while width * width < len(rows):
            width *= 2
        cells = Cells(
            width,
            max(float(np.median(usual)), LEAST_CELL) if len(usual) else LEAST_CELL,
            np.zeros(len(chains.placed), np.int64),
            np.zeros(width * width + 1, np.int64),
            np.zeros(len(rows), np.int64),
        )
        find_places(chosen, rows, chains, kinds, self._places, cells)
        join_walls(chosen, rows, chains, self._places, self.joined)


@entry
def find_moved(vertices: Floats2, walls: Followed, places: Places, ends: Integers2) -> bool:
    """True if walls must be joined again, since vertices (V, 2) [m] moved other than by velocities.

    One look at all walls. Moving walls: joined vertices are further than LOOSE apart. Others: a
    vertex has changed; then the wall is BY_HAND if it had changed in the LOOKS_AT_REST looks
    before, until it has been at rest for as many.
    """
    state = walls.state
    unchanged_looks = walls.unchanged_looks
    placed = walls.placed
    changed = False
    for s in range(state.shape[0]):
        if state[s] == MOVES:
            for v in range(walls.first[s], walls.last[s]):
                u = places.place[v]
                e = places.on[v]
                dx = vertices[v, 0] - vertices[u, 0]
                dy = vertices[v, 1] - vertices[u, 1]
                changed |= dx * dx + dy * dy > LOOSE * LOOSE
                if e != NOBODY:
                    a = ends[e, 0]
                    b = ends[e, 1]
                    ax = vertices[a, 0]
                    ay = vertices[a, 1]
                    bx = vertices[b, 0]
                    by = vertices[b, 1]
                    changed |= (
                        squared_distance(vertices[v, 0], vertices[v, 1], ax, ay, bx, by)
                        > LOOSE * LOOSE
                    )
            continue
        moved = False
        for v in range(walls.first[s], walls.last[s]):
            moved |= vertices[v, 0] != placed[v, 0] or vertices[v, 1] != placed[v, 1]
        if moved:
            for v in range(walls.first[s], walls.last[s]):
                placed[v, 0] = vertices[v, 0]
                placed[v, 1] = vertices[v, 1]
            changed |= state[s] == RESTS
            state[s] = BY_HAND if unchanged_looks[s] < LOOKS_AT_REST else state[s]
            unchanged_looks[s] = 0
        elif unchanged_looks[s] < LOOKS_AT_REST:
            unchanged_looks[s] += 1
            if unchanged_looks[s] == LOOKS_AT_REST and state[s] == BY_HAND:
                state[s] = RESTS
                changed = True
    return changed
