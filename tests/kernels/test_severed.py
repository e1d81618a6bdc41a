"""Severed springs: they end at the point of the cut nearest to where they cross it, or nowhere."""

import numpy as np
import pytest

from ecs_softbody.kernels.materials.severed import join_severed

PLACES = np.array(
    [(0.0, 1.0), (1.0, 1.0), (0.0, -1.0), (1.0, -1.0), (-0.1, 0.0), (0.9, 0.0), (0.45, 0.0)]
)
"""Two rows above a cut, two below it, and three points along it."""
CUT = np.array([4, 5, 6], np.int64)
PAIRS = np.array([(0, 2), (3, 1), (0, 3), (2, 3)], np.int64)


def joined(reach: tuple[float, float], *, upper: bool) -> list[list[int]]:
    """Return what one side gets of springs that go across, as (row, point of the cut, spring)."""
    within = np.zeros(7, np.bool_)
    on_cut = np.zeros(7, np.bool_)
    found = np.empty((3, 3), np.int64)
    within[[0, 1, 4, 5, 6] if upper else [2, 3, 4, 5, 6]] = True
    on_cut[CUT] = True
    ends = np.array([(4, 5)], np.int64)
    rows = np.array([0, 1, 2], np.int64)
    count = join_severed(
        PAIRS, rows, within, on_cut, CUT, ends, PLACES, PLACES, np.array(reach), found
    )
    return found[:count].tolist()


def test_each_side_joins_its_end_to_the_nearest_point_of_the_cut() -> None:
    assert joined((1.0, 0.1), upper=True) == [[0, 4, 0], [1, 5, 1], [0, 6, 2]]
    assert joined((1.0, 0.1), upper=False) == [[2, 4, 0], [3, 5, 1], [3, 6, 2]]


@pytest.mark.parametrize(
    ("reach", "count"), [((0.07, 0.1), 1), ((0.01, 0.1), 0), ((1.0, 1.05), 1), ((1.0, 2.0), 0)]
)
def test_what_would_be_far_from_the_cut_or_short_is_left_out(
    reach: tuple[float, float], count: int
) -> None:
    assert len(joined(reach, upper=True)) == count
