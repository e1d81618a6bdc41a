"""Springs of fragments: which springs of a cut body each fragment keeps, and which new ones it
gets.

A spring with both ends in a fragment stays. A spring that the cut crosses ends at a particle of the
cut now. Along the cut new springs make the skin, like the springs of the outline. Angular springs
stay where their three particles stay together; corners along the cut get new ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Flags, Floats, Indices, Integers
from ecs_softbody.components import AngularSprings, Springs
from ecs_softbody.elementary.rows import angles, lengths
from ecs_softbody.fracture.outlines import Outlined
from ecs_softbody.fracture.pieces import parted
from ecs_softbody.fracture.plan import Part, Plan
from ecs_softbody.indices import flatnonzero, full, lexsort
from ecs_softbody.kernels.materials.parted import Found, Parts, Room, part_springs

NO_ROWS = np.zeros(0, np.int64)
"""No rows of springs or particles."""
NO_PLACES = np.zeros((0, 2))
"""No positions: for a net, whose positions are not needed."""

SHORTEST = 0.2
"""Least length at rest of a severed spring that is joined to a particle of the cut, over the mean
edge of the outline.
"""
NEARBY = 1.0
"""A severed spring is joined to a particle of the cut that is no further than this times the mean
edge from where the spring was cut.
"""


class SplitSprings:
    """The springs of every part of a plan, made together; `of` gives the springs of one part."""

    def __init__(self, plan: Plan, springs: Springs, body: Outlined | None) -> None:
        """springs: of the body. body: its outline, None for a net, which gets no new springs."""
        pairs = springs.pairs.astype(np.int64)
        parts = plan.listed
        severed = np.zeros(len(pairs), np.bool_)
        reach = np.zeros(2)
        ring = NO_ROWS
        severed[list(plan.severed)] = True
        if body is not None:
            reach = np.array((NEARBY, SHORTEST), np.float64) * body.spacing
            ring = body.ring.astype(np.int64)
        position = NO_PLACES if plan.position is None else plan.position
        rest = NO_PLACES if plan.rest is None else plan.rest
        room = _room_for(len(plan.weights), len(pairs))
        found = _room_to_find(parts, len(pairs))
        # One kernel parts the springs of all fragments: a cut costs half as much as with one after
        # the other.
        count = part_springs(
            pairs,
            severed,
            springs.stiffness,
            springs.rest_length,
            ring,
            parts,
            position,
            rest,
            reach,
            room,
            found,
        )
        self._spans = found.spans.tolist()
        self._rows = found.springs[:count, 2]
        given: dict[str, NDArray[Any]] = {
            "pairs": found.local[:count].astype(np.int32),
            "rest_length": found.length[:count],
        }
        whole = springs.copied(self._rows, given)
        new = found.is_new[:count]
        for name in ("set_length", "play", "original_length"):
            whole.row_arrays[name][new] = 0.0
        self._pieces = parted(whole, [(first, last) for first, _, last in self._spans])

    def of(self, number: int) -> tuple[Springs | None, Integers]:
        """Return the springs of part `number`, or None without any, and the rows of the body's
        springs that come first in them; new ones follow.
        """
        first, last, end = self._spans[number]
        return (self._pieces[number], self._rows[first:last]) if end > first else (None, NO_ROWS)


def _room_for(points: int, springs: int) -> Room:
    """Return the workspace of `part_springs`."""
    flags = np.empty((2, points), np.bool_)
    rows = np.empty((2, points), np.int64)
    return Room(
        rows[0],
        flags[0],
        flags[1],
        rows[1],
        np.empty(springs, np.int64),
        np.empty((springs, 3), np.int64),
    )


def _room_to_find(parts: Parts, springs: int) -> Found:
    """Return room for as many springs as `part_springs` may find: all in each part, and two for
    each point of a ring.
    """
    number = len(parts.first) - 1
    most = number * springs + 2 * len(parts.ring)
    pairs = np.empty((most, 2), np.int64)
    flags = np.empty(most, np.bool_)
    spans = np.empty((number, 3), np.int64)
    return Found(np.empty((most, 3), np.int64), pairs, np.empty(most), flags, spans)


def angular_springs_of(
    part: Part, plan: Plan, springs: AngularSprings, body: Outlined | None
) -> tuple[AngularSprings | None, Integers]:
    """Return the angular springs of a part, or None without any, and the rows of the body's angular
    springs that come first in them; new ones follow.

    If at least half of the outline's corners had an angular spring, the corners of the fragment's
    ring that have none get one with the median stiffness of these.
    """
    triples = springs.triples.astype(np.int64)
    local = plan.rows_in(part)
    made = flatnonzero((local[triples] >= 0).all(axis=1))
    new = np.zeros((0, 3), np.int64)
    usual = 0
    if body is not None and part.ring is not None:
        around = _around(triples, body.ring, plan.old_count)
        rows = flatnonzero(around)
        if 2 * len(rows) >= len(body.ring):
            usual = _usual(rows, springs.stiffness)
            held = set(triples[made[around[made]], 1].tolist())
            corners = zip(
                [part.ring[-1], *part.ring], part.ring, [*part.ring[1:], part.ring[0]], strict=False
            )
            new = np.array(
                [corner for corner in corners if corner[1] not in held], np.int64
            ).reshape(-1, 3)
    if not len(made) and not len(new):
        return None, NO_ROWS
    result = springs.copied(np.concatenate((made, full(len(new), usual))))
    result.row_arrays["triples"][:] = local[np.concatenate((triples[made], new))]
    if len(new):
        assert plan.rest is not None
        _measure_angles(result, plan.rest[new], len(made))
    return result, made


def _usual(rows: Integers, stiffness: Floats) -> int:
    """Return which of the given rows has the median stiffness."""
    return int(rows[lexsort((rows, stiffness[rows]))[len(rows) // 2]])


def _around(triples: Integers, ring: Indices, count: int) -> Flags:
    """Return which triples (M, 3) have a row of the ring in the middle and both of its neighbours
    on the ring at the ends. count: of the body's rows.
    """
    before = np.full(count, -1, np.int64)
    after = np.full(count, -1, np.int64)
    before[ring] = np.concatenate((ring[-1:], ring[:-1]))
    after[ring] = np.concatenate((ring[1:], ring[:1]))
    one, middle, two = triples.T
    along = (before[middle] == one) & (after[middle] == two)
    against = (before[middle] == two) & (after[middle] == one)
    found: Flags = along | against
    return found


def _measure_angles(springs: AngularSprings, corners: Floats, first: int) -> None:
    """Set the rest angles [rad] and arms [m] of the angular springs from row `first` on.

    corners (T, 3, 2) [m]: their three points in the rest shape, the corner in the middle.
    """
    one = corners[:, 0] - corners[:, 1]
    two = corners[:, 2] - corners[:, 1]
    cross = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    springs.rest_angle[first:] = angles(cross, (one * two).sum(axis=1))
    springs.stage_column("arms")[first:] = np.column_stack((lengths(one), lengths(two)))
    for name in ("original_angle", "set_angle", "play"):
        springs.stage_column(name)[first:] = 0.0
