"""Entanglements: damaged bodies that hang on a wall which is smaller than they are, and the way off
it.

A mouse can throw a body around a peg or a short plank so that its outline is knotted on it. Its
contacts then hold every particle on its side of the wall, and it never gets to its rest shape. A
body that stays damaged with nothing else near it has no contacts with such walls, for a
PASSING_TIME out of two, until it is whole; and as long as the wall is inside of it a motor drives
it off. A wall that is larger than the body, as every ground, keeps its contacts, and so does one on
which something presses the body: no load opens a wall.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags, Floats, Integers
from ecs_softbody.collision.detect.proxies import Proxies
from ecs_softbody.collision.detect.static_edges import StaticEdges
from ecs_softbody.collision.recover.depenetration import FASTEST, SLOWEST
from ecs_softbody.elementary.rows import distinct, length
from ecs_softbody.geometry.outlines import Shapes
from ecs_softbody.indices import flatnonzero
from ecs_softbody.storage.resource import Array, Resource, WholeArray

PASSING_TIME = 2.0
"""A body that has been damaged for so long [s] passes small walls, and again after the same time
without.
"""
AXES = (
    "A point, the direction in which the first one leaves the second, and the speed "
    "of the motor that does it."
)
"""Meaning of the columns of the axes, in files."""
NO_ENTANGLEMENTS = np.zeros((0, 2), np.int64)
"""No body hangs on a wall."""
NO_AXES = np.zeros((0, 5))
"""The axes of no entanglement."""


class Entanglements(Resource):
    """The bodies of a world that hang on small walls.

    `pairs` (P, 2) are the slots of a body and a wall, their places in the tables of Collider and
    StaticCollider; `entities` (P, 2) are the entities there, as slots are reused. `axes` (P, 5) say
    how the motor drives the body off: a point, a direction and a speed, see depenetration.X.
    """

    saved = (
        WholeArray(
            "pairs",
            ("entanglements", 2),
            "Slots of a body and of a wall.",
            below=("bodies", "walls_room"),
        ),
        WholeArray("entities", ("entanglements", 2), "Their entities."),
        Array("axes", ("entanglements", 5), AXES),
    )

    def __init__(self, walls: StaticEdges) -> None:
        self._walls = walls
        self.pairs = NO_ENTANGLEMENTS
        self.entities = NO_ENTANGLEMENTS
        self.axes = NO_AXES

    def __len__(self) -> int:
        return len(self.pairs)

    def find(
        self,
        pairs: Integers,
        stuck: Flags,
        rest_offset: Floats,
        proxies: Proxies,
        entities: Integers,
    ) -> None:
        """Find bodies that hang on small walls, among the `stuck` (B,) and those found before.

        A wall is small if both sides of its box are shorter than the longer side of the body's box
        at rest. pairs (P, 2): bodies and the proxies near them. rest_offset (N, 2) [m]: particles
        in the rest shape. entities (B,): of the slots.
        """
        known = self._known(entities)
        if not (np.count_nonzero(stuck) or len(known)):
            self.pairs = NO_ENTANGLEMENTS
            self.entities = NO_ENTANGLEMENTS
            self.axes = NO_AXES
            return
        shapes = proxies.shapes
        edges = self._walls.edges
        found = []
        axes = []
        low, high = wall_boxes(self._walls, shapes)
        for body in distinct(np.append(flatnonzero(stuck), known[:, 0])).tolist():
            rows = shapes.outlines.points[shapes.outlines.first[body] : shapes.outlines.last[body]]
            if not len(rows):  # a frozen body has no outline here, and hangs on nothing
                continue
            ring = shapes.position[rows]
            size = float(np.ptp(rest_offset[rows], axis=0).max())
            reach = shapes.radius[rows].max()  # how far the surface lies outside of the ring
            near = ((ring.min(axis=0) - reach < high) & (ring.max(axis=0) + reach > low)).all(
                axis=1
            )
            small = (high - low).max(axis=1) < size
            may_pass = stuck[body] and self._is_alone(body, pairs, small, proxies.body_count)
            for wall in flatnonzero(near & small).tolist():
                first, last = edges.chain[wall]
                is_known = bool((known == (body, wall)).all(axis=1).any())
                if self._is_solid(body, first, proxies) and (
                    may_pass
                    or (is_known and is_caught(ring, shapes.position[edges.ends[first:last]]))
                ):
                    found.append((body, wall))
                    axes.append(axis_off(ring, 0.5 * (low[wall] + high[wall]), size))
        self.pairs = np.array(found, np.int64).reshape(-1, 2)
        self.axes = np.array(axes, np.float64).reshape(-1, 5)
        self.entities = np.column_stack(
            [entities[self.pairs[:, 0]], self._walls.entities[self.pairs[:, 1]]]
        )

    def _known(self, entities: Integers) -> Integers:
        """Return the pairs of the last search whose body and wall have kept their slots."""
        if not len(self.pairs):
            return NO_ENTANGLEMENTS
        counts = len(entities), len(self._walls.edges.chain)
        pairs, then = (
            each[(self.pairs < counts).all(axis=1)] for each in (self.pairs, self.entities)
        )
        now = np.column_stack([entities[pairs[:, 0]], self._walls.entities[pairs[:, 1]]])
        kept: Integers = pairs[(now == then).all(axis=1)]
        return kept

    def _is_alone(self, body: int, pairs: Integers, small: Flags, body_count: int) -> bool:
        """Return whether nothing is near the body but small walls; `small`: flags of walls (S,)."""
        near = pairs[(pairs == body).any(axis=1)]
        edges = near[near != body] - body_count
        return bool((edges >= 0).all() and small[self._walls.edges.wall[edges]].all())

    def _is_solid(self, body: int, edge: int, proxies: Proxies) -> bool:
        """Return whether filters let the body touch a static edge, and the edge is not one-way."""
        (category, mask) = proxies.filters
        proxy = proxies.body_count + edge
        touches = category[body] & mask[proxy] and category[proxy] & mask[body]
        return bool(touches) and not self._walls.edges.one_way[edge].any()


def wall_boxes(walls: StaticEdges, shapes: Shapes) -> tuple[Floats, Floats]:
    """Return the lower and upper corners (S, 2) [m] of the boxes around the walls.

    The box of an empty slot is infinitely large, so that it is no small wall.
    """
    edges = walls.edges
    count = len(edges.chain)
    low = np.full((count, 2), np.inf)
    high = np.full((count, 2), -np.inf)
    for rows in edges.ends.T:
        radius = shapes.radius[rows][:, None]
        np.minimum.at(low, edges.wall, shapes.position[rows] - radius)
        np.maximum.at(high, edges.wall, shapes.position[rows] + radius)
    low[np.isinf(low)] = -np.inf
    high[np.isinf(high)] = np.inf
    return low, high


def is_caught(ring: Floats, ends: Floats) -> bool:
    """Return whether one of the edges of a wall crosses a ring, or begins inside of it.

    ring (K, 2) [m]: points of an outline. ends (E, 2, 2) [m]: edge, end, x and y. An edge crosses a
    side of the ring if the ends of each lie on both sides of the other. Its start is inside if the
    winding number of the ring around it is not 0: the sides that pass it upwards on its right, less
    the sides that pass it downwards.
    """
    # Sides K of the ring against edges E of the wall: a, b are the sides of the line of `along` on
    # which the edge's ends lie, c, d those of the line of `edge` on which the ends of `along` lie.
    start = ring[:, None]
    along = (np.roll(ring, -1, axis=0) - ring)[:, None]
    a, b = (cross(along, ends[None, :, k] - start) for k in (0, 1))
    edge = ends[None, :, 1] - ends[None, :, 0]
    c, d = (cross(edge, point - ends[None, :, 0]) for point in (start, start + along))
    above = ring[:, None, 1] > ends[None, :, 0, 1]
    left = above & ~np.roll(above, -1, axis=0) & (a < 0.0)
    right = ~above & np.roll(above, -1, axis=0) & (a > 0.0)
    turns = right.sum(axis=0) - left.sum(axis=0)
    return bool(((a * b < 0.0) & (c * d < 0.0)).any() or turns.any())


def cross(one: Floats, other: Floats) -> Floats:
    """Return the cross products of vectors (..., 2)."""
    product: Floats = one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]
    return product


def axis_off(ring: Floats, centre: Floats, size: float) -> Floats:
    """Return the axis (5,) from the centre of a wall to the mean of a ring, see depenetration.X.

    size [m]: of the body; the motor drives it off by its size in a second, between both limits.
    """
    away = ring.mean(axis=0) - centre
    distance = length(away)
    away = away / distance if distance > 1e-9 else np.array((0.0, 1.0))
    return np.array((*centre, *away, min(max(size, SLOWEST), FASTEST)), np.float64)
