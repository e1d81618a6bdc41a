"""Sums of products: the kernels round as numpy's own sums do."""

import numpy as np
import pytest

from ecs_softbody.elementary.sums import SHORT, dot, total
from ecs_softbody.indices import arange

LENGTHS = (0, 1, 2, 7, 8, 9, 15, 16, 17, 63, SHORT - 1, SHORT, SHORT + 1, 300)


@pytest.mark.parametrize("count", LENGTHS)
def test_sums_are_those_of_numpy_to_the_bit(count: int) -> None:
    random = np.random.default_rng(count)
    for scale in (1e-9, 1.0, 1e9):
        weights = random.standard_normal(count) * scale
        values = random.standard_normal(count)
        vectors = random.standard_normal((count, 2))
        rows = random.standard_normal((3, count)) * scale
        assert total(weights) == weights.sum()
        assert dot(weights, values) == (weights * values).sum()
        assert dot(rows, values).tolist() == (rows * values).sum(axis=-1).tolist()
        assert dot(weights, vectors).tolist() == (weights[:, None] * vectors).sum(axis=0).tolist()
        assert dot(rows, vectors).tolist() == (rows[..., None] * vectors).sum(axis=-2).tolist()


def test_arrays_that_do_not_lie_in_a_row_give_the_same_sums() -> None:
    random = np.random.default_rng(3)
    vectors = random.standard_normal((2, 40)).T
    weights = random.standard_normal((40, 4))[:, 1]
    assert not vectors.flags.c_contiguous
    assert not weights.flags.c_contiguous
    assert dot(weights, vectors) == pytest.approx(
        dot(weights.copy(), vectors.copy()), rel=1e-12, abs=1e-12
    )
    assert dot(arange(3), np.ones((3, 2))).tolist() == [3.0, 3.0]


def test_one_vector_and_many_sizes_of_vectors() -> None:
    assert dot(np.array((1.0, 2.0)), np.array((3.0, 4.0))) == 11.0
    for width in (1, 2, 3, 20):
        vectors = np.random.default_rng(width).standard_normal((30, width))
        weights = np.linspace(-1.0, 2.0, 30)
        assert dot(weights, vectors).tolist() == (weights[:, None] * vectors).sum(axis=0).tolist()
