"""Parted springs: whole ones, those that end at the cut, and its skin; each once."""

import numpy as np

from ecs_softbody.indices import arange
from ecs_softbody.kernels.materials.parted import Found, Parts, Room, part_springs

RING = np.array([0, 1, 2, 3, 4, 5], np.int64)
REST = np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (0.0, 1.0)])
"""Two squares side by side; the cut goes from row 1 to row 4."""
PAIRS = np.array([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 4), (0, 2), (0, 3)], np.int64)
STIFFNESS = np.array([3.0, 1.0, 5.0, 2.0, 6.0, 4.0, 1.0, 1.0, 1.0])
LENGTHS = np.array([1.0, 1.0, 1.0, 1.2, 1.0, 1.0, 1.0, 1.0, 1.0])
NOWHERE = np.zeros((0, 2))


def parted(
    parts: Parts, ring: np.ndarray, severed: tuple[int, ...] = (), *, net: bool = False
) -> list[list[tuple]]:
    """Return (point, point, spring that it is like, length, whether it is new) of the springs of
    each part.
    """
    gone = np.zeros(len(PAIRS), np.bool_)
    count = len(PAIRS)
    gone[list(severed)] = True
    room = Room(
        np.empty(6, np.int64),
        *np.empty((2, 6), np.bool_),
        np.empty(6, np.int64),
        np.empty(count, np.int64),
        np.empty((count, 3), np.int64),
    )
    most = 2 * count + 2 * len(parts.ring)
    found = Found(np.empty((most, 3), np.int64), np.empty((most, 2), np.int64), np.empty(most),
                  np.empty(most, np.bool_), np.empty((2, 3), np.int64))  # fmt: skip
    rest = NOWHERE if net else REST
    reach = np.array((1.0, 0.2))
    number = part_springs(
        PAIRS, gone, STIFFNESS, LENGTHS, ring, parts, rest, rest, reach, room, found
    )
    assert number == found.spans[-1, 2]
    for part, (first, new, end) in enumerate(found.spans.tolist()):
        points = parts.points[parts.first[part] : parts.first[part + 1]]
        assert (points[found.local[first:end]] == found.springs[first:end, :2]).all()
        assert found.is_new[first:end].tolist() == [False] * (new - first) + [True] * (end - new)
    columns = zip(found.springs.tolist(), found.length.tolist(), found.is_new.tolist(), strict=True)
    rows = [(*row, length, is_new) for row, length, is_new in columns]
    return [rows[first:end] for first, _, end in found.spans.tolist()]


def halves() -> Parts:
    """Return the parts on both sides of the cut."""
    points = np.array([0, 1, 4, 5, 1, 2, 3, 4], np.int64)
    cut = np.array([False, True, True, False, True, False, False, True])
    return Parts(
        points,
        cut,
        np.array([0, 4, 8], np.int64),
        points,
        np.array([0, 4, 8], np.int64),
        np.array([(1, 4), (4, 1)], np.int64),
        arange(3),
    )


def test_whole_springs_stay_in_order_and_the_cut_gets_the_usual_skin() -> None:
    left, right = parted(halves(), RING)
    assert [row[2] for row in left if not row[4]] == [0, 4, 5, 6]
    assert [row[2] for row in right if not row[4]] == [1, 2, 3]
    skin = 5  # of stiffness 4, the median of 1, 2, 3, 4, 5, 6
    assert (1, 4, skin, 1.0, True) in left
    assert (4, 1, skin, 1.0, True) in right


def test_severed_springs_end_at_the_cut_once() -> None:
    left, right = parted(halves(), RING)
    # they would end where a spring is already
    assert not [row for row in left if row[2] in (7, 8)]
    # which it crosses as near as 4
    assert [row[:3] for row in right if row[2] == 8] == [(3, 1, 8)]
    assert np.isclose(next(row[3] for row in right if row[2] == 8), np.sqrt(2.0) / np.sqrt(5.0))


def test_a_net_gets_nothing_new() -> None:
    none = np.zeros(3, np.int64)
    nothing = np.zeros(0, np.int64)
    points = np.array([0, 1, 4, 5, 2, 3], np.int64)
    parts = Parts(
        points,
        np.zeros(6, np.bool_),
        np.array([0, 4, 6], np.int64),
        nothing,
        none,
        np.zeros((0, 2), np.int64),
        none,
    )
    left, right = parted(parts, nothing, (0, 1), net=True)
    assert [row[2] for row in left] == [4, 5, 6]
    assert [row[2] for row in right] == [2]
    assert not [row for row in left + right if row[4]]
