"""Skylines against numpy, and the order that keeps them thin."""

import numpy as np
import pytest

from ecs_softbody.indices import arange, argsort
from ecs_softbody.kernels.joints.skyline import factor, order_rows, solve_factored


def skyline(matrix, first):
    """Lay out the rows of A from their first entry to the diagonal."""
    count = len(matrix)
    lengths = arange(count) - first + 1
    start = np.cumsum(lengths, dtype=np.int64) - lengths
    low, high = np.zeros((2, lengths.sum()))
    for i in range(count):
        for j in range(first[i], i + 1):
            low[start[i] + j - first[i]] = matrix[i, j]
            high[start[i] + j - first[i]] = matrix[j, i]
    return start, low, high


@pytest.mark.parametrize("count", [1, 2, 7, 30])
@pytest.mark.parametrize("seed", range(4))
def test_solving_is_that_of_numpy(count, seed):
    rng = np.random.default_rng(seed)
    first = np.array([rng.integers(i + 1) for i in range(count)], np.int64)
    matrix = np.zeros((count, count))
    for i in range(count):
        for j in range(first[i], i):
            matrix[i, j], matrix[j, i] = rng.normal(size=2)
    matrix += np.diag(np.abs(matrix).sum(axis=1) + 1.0)
    start, low, high = skyline(matrix, first)
    x = rng.normal(size=count)
    expected = np.linalg.solve(matrix, x)
    factor(first, start, 0, count, low, high)
    solve_factored(first, start, 0, count, low, high, x)
    assert x == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_group_leaves_the_others_alone():
    """Two blocks one after the other: solving the second one changes nothing of the first."""
    matrix = np.array([[2.0, 1, 0, 0], [1, 2, 0, 0], [0, 0, 4, 1], [0, 0, 2, 5]])
    first = np.array([0, 0, 2, 2], np.int64)
    start, low, high = skyline(matrix, first)
    before = low[:3].copy()
    x = np.array([1.0, 1, 1, 1])
    factor(first, start, 2, 4, low, high)
    solve_factored(first, start, 2, 4, low, high, x)
    assert np.array_equal(x[:2], [1, 1])
    assert np.array_equal(low[:3], before)
    assert x[2:] == pytest.approx(np.linalg.solve(matrix[2:, 2:], [1, 1]))


def test_a_row_that_says_what_another_says_is_no_fault():
    matrix = np.array([[1.0, 1.0], [1.0, 1.0]])
    first = np.array([0, 0], np.int64)
    start, low, high = skyline(matrix, first)
    x = np.array([1.0, 1.0])
    factor(first, start, 0, 2, low, high)
    solve_factored(first, start, 0, 2, low, high, x)
    assert np.isfinite(x).all()
    assert matrix @ x == pytest.approx([1.0, 1.0])


def test_a_chain_in_any_order_becomes_a_band_and_groups_stay_apart():
    rng = np.random.default_rng(3)
    count = 40
    name = rng.permutation(count)
    links = [(name[k], name[k + 1]) for k in range(count - 1) if k != 24]
    neighbours = [
        sorted([b for a, b in links if a == i] + [a for a, b in links if b == i])
        for i in range(count)
    ]
    adjacent_first = np.append(0, np.cumsum([len(others) for others in neighbours], dtype=np.int64))
    adjacent = np.array([other for others in neighbours for other in others], np.int64)
    order, group = np.zeros((2, count), np.int64)
    assert order_rows(adjacent_first, adjacent, order, group, np.full(count, -1, np.int64)) == 2
    assert sorted(order) == list(range(count))
    place = argsort(order)
    assert max(abs(place[a] - place[b]) for a, b in links) == 1
    assert (np.diff(group) >= 0).all()
    assert {group[place[name[k]]] for k in range(25)}.isdisjoint(
        {group[place[name[k]]] for k in range(25, count)}
    )
