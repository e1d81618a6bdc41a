"""Hyperbolic sine and cosine are those of mpmath, but for their last digits."""

import math

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ecs_softbody.elementary.hyperbolic import cosh, sinh
from tests.elementary.ulp import ulps

WORST = 3.0
NUMBERS = st.one_of(st.floats(-710.4, 710.4), st.floats(-2.0, 2.0), st.floats(-1e-9, 1e-9))


@given(NUMBERS)
@example(0.0)
@example(709.9)
@example(-22.0)
def test_they_equal_the_exact_ones(x):
    assert ulps(sinh(x), mpmath.sinh(mpmath.mpf(x))) < WORST
    assert ulps(cosh(x), mpmath.cosh(mpmath.mpf(x))) < WORST
    assert sinh(-x) == -sinh(x)
    assert cosh(-x) == cosh(x)


@pytest.mark.parametrize("x", [math.inf, -math.inf, 1e4, -1e4])
def test_what_is_too_large_is_infinite(x):
    assert (sinh(x), cosh(x)) == (math.copysign(math.inf, x), math.inf)
    assert math.isnan(sinh(math.nan))
    assert math.isnan(cosh(math.nan))
