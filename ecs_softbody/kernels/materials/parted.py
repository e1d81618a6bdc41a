"""Parted springs: the springs of the parts of a cut body.

Some stay whole, some end at the cut, some form its skin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Integers2
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.materials.severed import join_severed
from ecs_softbody.parallel.compiling import entry, kernel


class Parts(NamedTuple):
    """The parts of a plan: part f has points[first[f]:first[f + 1]], and so on."""

    points: Integers1
    is_cut: Flags1  # Which of them are on its cuts
    first: Integers1
    ring: Integers1  # Points of its ring, in order; a net has none
    ring_first: Integers1
    ends: Integers2  # First and last point of each of its cuts
    ends_first: Integers1


class Room(NamedTuple):
    """Workspace for P points and M springs."""

    local: Integers1  # (P,) row of each point in a part, -1 where it has none
    within: Flags1  # (P,) whether it has one
    is_cut: Flags1  # (P,) whether it is on the part's cuts
    cut: Integers1  # (P,) the numbers of these points
    crossing: Integers1  # (M,) springs that no part has whole
    joined: Integers2  # (M, 3) crossing springs that now end at a cut


class Found(NamedTuple):
    """The springs of all parts, one part after the other; room for S of them."""

    # (S, 3) both points, and the row of a similar spring
    springs: Integers2
    # (S, 2) rows of both points in the part
    local: Integers2
    # (S,) length at rest [m]
    length: Floats1
    # (S,) whether the body lacks the spring
    is_new: Flags1
    # (F, 3) for each part: its first spring, the first one that the body lacks, and its end
    spans: Integers2


@kernel
def added(found: np.ndarray, first: int, count: int, a: int, b: int, row: int) -> int:
    """Add a spring (point, point, row that it is like) to a part, unless these points have one
    already; return the count.
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
    """Return the spring of median stiffness among those from rows of a ring to rows `step` on.

    -1 where less than half of them are there. `further` and `rows` are room for numbers of all rows
    and springs.
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
    """Give the cut a skin like the outline's, and bending stiffness if the outline has it.

    The remainder of an edge that the cut crosses gets it, too, however short: gas would open a skin
    with a gap.
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
    """Mark in the room the points of a part; return how many are on its cuts."""
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
    """List the springs that no part has whole; return how many."""
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
    """Write the rows and the length of the springs of a part.

    A new spring has its length in the rest shape, scaled as the spring that it is like: by rest
    length over length in the rest shape.
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
    """Find the springs of all parts; return how many there are.

    Args:
        pairs: both ends of all springs; `severed`: which of them are gone.
        ring: rows of the outline of the body; none of a net.
        position, rest: of all points [m]; not asked for of a net.
        reach: see `join_severed`.
        found: they come here.
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
