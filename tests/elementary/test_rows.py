"""Elementary functions of arrays, lengths, and sums of products."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ecs_softbody.elementary.angles import atan2, cos_sin
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.elementary.rows import angles, directions, length, lengths
from ecs_softbody.elementary.sums import dot, solve_spread
from tests.elementary.ulp import ulps

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(NUMBERS, NUMBERS)
@example(1.7e308, 1.7e308)
@example(5e-324, 5e-324)
@example(1e-200, 1e-170)
@example(0.0, 0.0)
def test_a_length_equals_the_exact_one(x, y):
    assert ulps(hypot(x, y), mpmath.sqrt(mpmath.mpf(x) ** 2 + mpmath.mpf(y) ** 2)) < 1.5


@pytest.mark.parametrize(("x", "y"), [(math.inf, math.nan), (math.nan, -math.inf), (math.inf, 0.0)])
def test_an_infinite_length_is_infinite(x, y):
    assert hypot(x, y) == math.inf


def test_arrays_of_every_shape_and_layout():
    vectors = np.random.default_rng(1).normal(size=(3, 4, 5, 2))[:, ::2]
    assert (
        lengths(vectors).tolist() == np.vectorize(hypot)(vectors[..., 0], vectors[..., 1]).tolist()
    )
    assert lengths(np.zeros((0, 2))).shape == (0,)
    assert length(np.array((3, 4), np.int64)) == 5.0
    flat = vectors.reshape(-1, 2)
    assert angles(flat[:, 1], flat[:, 0]).tolist() == [atan2(y, x) for x, y in flat.tolist()]
    assert directions(flat[:, 0]).tolist() == [list(cos_sin(x)) for x in flat[:, 0].tolist()]


def test_sums_of_products_equal_those_of_numpy():
    random = np.random.default_rng(2)
    weights = random.normal(size=(4, 9))
    values = random.normal(size=(9, 2))
    assert np.allclose(dot(weights, values), weights @ values)
    assert np.allclose(dot(weights[0], values), weights[0] @ values)
    assert np.allclose(dot(values.T, weights[0]), values.T @ weights[0])
    assert np.isclose(dot(weights[0], weights[1]), weights[0] @ weights[1])


@pytest.mark.parametrize("flattened", [(1.0, 1.0), (1.0, 0.0), (0.0, 3.0), (1.0, 1e-3), (0.0, 0.0)])
def test_the_slope_over_points_equals_the_pseudo_inverse(flattened):
    random = np.random.default_rng(3)
    turn = np.array(((0.6, -0.8), (0.8, 0.6)))
    offset = random.normal(size=(7, 2)) * flattened @ turn
    weights = random.uniform(0.5, 2.0, 7)
    target = random.normal(size=2)
    spread = (offset * weights[:, None]).T @ offset
    expected = np.linalg.pinv(spread, rcond=1e-9, hermitian=True) @ target
    assert np.allclose(solve_spread(weights, offset, target), expected, rtol=1e-6, atol=1e-12)
