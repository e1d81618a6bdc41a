"""Parted springs: which springs the fragments of a cut body get, for the module `fracture`.

A cut divides the points (particles) of a body into parts, each of which becomes a fragment. A part
keeps the springs between its own points. A spring to a point of another part is shortened to a
point of the cut (severed.py). Along the cut, new springs form a skin like the one of the outline.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Integers2
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.materials.severed import join_severed
from ecs_softbody.parallel.compiling import entry, kernel


class Parts(NamedTuple):
    """The parts of a cut body, F of them, as lists one after another: part f has the points
    points[first[f]:first[f + 1]], the ring ring[ring_first[f]:ring_first[f + 1]] and the cuts
    ends[ends_first[f]:ends_first[f + 1]]. A part may have several cuts.
    """

    points: Integers1
    is_cut: Flags1  # Whether each of the points is on a cut of the part
    first: Integers1  # (F + 1,)
    ring: Integers1  # Points of the part's outline, in order; a net has none
    ring_first: Integers1  # (F + 1,)
    ends: Integers2  # (K, 2) first and last point of each cut
    ends_first: Integers1  # (F + 1,)


class Room(NamedTuple):
    """Workspace for P points and M springs. The first four are of the part that is looked at."""

    local: Integers1  # (P,) row of each point within the part, -1 if it is not in the part
    within: Flags1  # (P,) whether a point is in the part
    is_cut: Flags1  # (P,) whether it is on one of the part's cuts
    cut: Integers1  # (P,) numbers of the points on the cuts
    crossing: Integers1  # (M,) springs that no part has whole: they cross a cut
    joined: Integers2  # (M, 3) crossing springs that now end at a cut, as `join_severed` lists them


class Found(NamedTuple):
    """The springs of all parts, one part after the other; room for S of them."""

    # (S, 3) both points, and the row of the spring of the body that it is or is made like
    springs: Integers2
    # (S, 2) rows of both points in the part
    local: Integers2
    # (S,) rest length [m]
    length: Floats1
    # (S,) whether the spring is not one of the body's
    is_new: Flags1
    # (F, 3) for each part: its first spring, its first new one, and the end of its springs
    spans: Integers2


@kernel
def added(found: np.ndarray, first: int, count: int, a: int, b: int, row: int) -> int:
    """Append a spring between the points a and b, like the spring `row` of the body, to `found`,
    unless the part, which begins at `first`, has one between these points; return the new count.
    """
    if a == b:
        return count
    for k in range(first, count):
        one = found[k, 0]
        two = found[k, 1]
        if (one == a and two == b) or (one == b and two == a):
            return count
    found[count, 0] = a
    found[count, 1] = b
    found[count, 2] = row
    return count + 1


@kernel
def usual_row(
    pairs: np.ndarray,
    stiffness: np.ndarray,
    ring: np.ndarray,
    step: int,
    further: np.ndarray,
    rows: np.ndarray,
) -> int:
    """Return the row of the model for new springs along a cut: the spring of median stiffness among
    the body's springs from a point of its ring to the point `step` places on. step 1: springs of
    the skin, 2: springs that give the skin its bending stiffness. -1 where less than half of the
    ring has such springs.

    pairs (M, 2), stiffness (M,) [N/m]: springs of the body. `further` and `rows`: workspace for
    numbers of all points and all springs.
    """
    size = len(ring)
    count = 0
    distinct = 0
    further[:] = -1
    for k in range(size):
        further[ring[k]] = ring[(k + step) % size]
    for row in range(len(pairs)):
        a = pairs[row, 0]
        b = pairs[row, 1]
        if further[a] == b or further[b] == a:
            # Several springs between the same two points count once.
            is_new = True
            for k in range(count):
                one = pairs[rows[k], 0]
                two = pairs[rows[k], 1]
                is_new = is_new and not ((one == a and two == b) or (one == b and two == a))
            distinct += 1 if is_new else 0
            rows[count] = row
            count += 1
    if 2 * distinct < size:
        return -1
    # The median is the spring with half of the others below it.
    for k in range(count):
        softer = 0
        here = stiffness[rows[k]]
        for other in range(count):
            there = stiffness[rows[other]]
            softer += 1 if there < here or (there == here and other < k) else 0
        if softer == count // 2:
            found: int = rows[k]
            return found
    return -1


@kernel
def add_skin(
    ring: np.ndarray,
    is_cut: np.ndarray,
    skin: int,
    bend: int,
    found: np.ndarray,
    first: int,
    count: int,
) -> int:
    """Add the springs of the skin along the cuts of a part, and springs for its bending stiffness,
    to `found`; return the new count. skin, bend: rows of their models, -1: the outline has none.

    The remainder of an edge that the cut crosses gets a spring, too, however short: gas would open
    a skin with a gap.
    """
    size = len(ring)
    if skin >= 0:
        for k in range(size):
            a = ring[k]
            b = ring[(k + 1) % size]
            if is_cut[a] or is_cut[b]:
                count = added(found, first, count, a, b, skin)
    if bend >= 0 and size > 4:
        for k in range(size):
            before = ring[k - 1 if k > 0 else size - 1]
            after = ring[(k + 1) % size]
            if is_cut[before] or is_cut[ring[k]] or is_cut[after]:
                count = added(found, first, count, before, after, bend)
    return count


@kernel
def mark_points(parts: Parts, part: int, room: Room) -> int:
    """Write local, within, is_cut and cut of `room` for a part; return how many points are on its
    cuts.
    """
    room.local[:] = -1
    room.within[:] = False
    room.is_cut[:] = False
    first = parts.first[part]
    count = 0
    for k in range(first, parts.first[part + 1]):
        point = parts.points[k]
        room.local[point] = k - first
        room.within[point] = True
        room.is_cut[point] = parts.is_cut[k]
    for point in range(len(room.is_cut)):
        if room.is_cut[point]:
            room.cut[count] = point
            count += 1
    return count


@kernel
def find_crossing(pairs: np.ndarray, parts: Parts, room: Room) -> int:
    """Write the springs that no part has whole to `room.crossing`; return their number."""
    room.crossing[:] = 1
    for part in range(len(parts.first) - 1):
        mark_points(parts, part, room)
        for row in range(len(pairs)):
            if room.within[pairs[row, 0]] and room.within[pairs[row, 1]]:
                room.crossing[row] = 0
    count = 0
    for row in range(len(pairs)):
        if room.crossing[row] == 1:
            room.crossing[count] = row  # in place: the count is never ahead of the row
            count += 1
    return count


@kernel
def measure(
    found: Found,
    part: int,
    local: np.ndarray,
    pairs: np.ndarray,
    rest_length: np.ndarray,
    rest: np.ndarray,
) -> None:
    """Write local, length and is_new of the springs of a part.

    A new spring gets its length in the rest shape, times the prestress of its model: the model's
    rest length over its length in the rest shape. rest (P, 2): places in the rest shape [m].
    """
    for k in range(found.spans[part, 0], found.spans[part, 2]):
        a = found.springs[k, 0]
        b = found.springs[k, 1]
        row = found.springs[k, 2]
        found.local[k, 0], found.local[k, 1] = local[a], local[b]
        found.length[k], found.is_new[k] = rest_length[row], k >= found.spans[part, 1]
        if found.is_new[k]:
            one = pairs[row, 0]
            two = pairs[row, 1]
            long = hypot(rest[two, 0] - rest[one, 0], rest[two, 1] - rest[one, 1])
            ratio = rest_length[row] / long if long > 0.0 else 1.0
            found.length[k] = hypot(rest[a, 0] - rest[b, 0], rest[a, 1] - rest[b, 1]) * ratio


@entry
def part_springs(
    pairs: Integers2,
    severed: Flags1,
    stiffness: Floats1,
    rest_length: Floats1,
    ring: Integers1,
    parts: Parts,
    position: Floats2,
    rest: Floats2,
    reach: Floats1,
    room: Room,
    found: Found,
) -> int:
    """Write the springs of all parts to `found`; return how many there are.

    Args:
        pairs: (M, 2) both ends of all springs of the body; `severed` (M,): which of them the cut
            removes.
        stiffness, rest_length: (M,) [N/m] and [m].
        ring: points of the outline of the body; empty for a net, a body without outline.
        position, rest: (P, 2) present places and places in the rest shape of all points [m];
            unused for a net.
        reach: (2,) [m], see `join_severed`.
    """
    skin = bend = -1
    if len(ring) > 0:
        skin = usual_row(pairs, stiffness, ring, 1, room.local, room.crossing)
        bend = usual_row(pairs, stiffness, ring, 2, room.local, room.crossing)
    crossing = find_crossing(pairs, parts, room)
    count = 0
    springs = found.springs
    for part in range(len(parts.first) - 1):
        on_cut = mark_points(parts, part, room)
        first = count
        for row in range(len(pairs)):
            a = pairs[row, 0]
            b = pairs[row, 1]
            if not severed[row] and room.within[a] and room.within[b]:
                springs[count, 0] = a
                springs[count, 1] = b
                springs[count, 2] = row
                count += 1
        found.spans[part, 0] = first
        found.spans[part, 1] = count
        if on_cut > 0:
            ends = parts.ends[parts.ends_first[part] : parts.ends_first[part + 1]]
            ending = join_severed(
                pairs,
                room.crossing[:crossing],
                room.within,
                room.is_cut,
                room.cut[:on_cut],
                ends,
                position,
                rest,
                reach,
                room.joined,
            )
            for k in range(ending):
                count = added(
                    springs, first, count, room.joined[k, 0], room.joined[k, 1], room.joined[k, 2]
                )
            around = parts.ring[parts.ring_first[part] : parts.ring_first[part + 1]]
            count = add_skin(around, room.is_cut, skin, bend, springs, first, count)
        found.spans[part, 2] = count
        measure(found, part, room.local, pairs, rest_length, rest)
    return count
