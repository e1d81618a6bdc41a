"""sin, cos, atan2 and acos are exact to one unit in the last place, for every number."""

import math

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ecs_softbody.elementary.angles import acos, atan2, cos, cos_sin, sin
from ecs_softbody.elementary.reduction import quarter_turns
from tests.elementary.ulp import SHARP, ulps

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ANGLES = st.one_of(st.floats(-10.0, 10.0), st.floats(-2e6, 2e6), NUMBERS)
NEAREST = 6381956970095103.0 * 2.0**797
"""The double that is nearest to a whole number of quarter turns."""
WORST = 1.0


@given(ANGLES)
@example(NEAREST)
@example(0.5 * math.pi)
@example(-1e5 * math.pi)
@example(1.5e6)
@example(5e-324)
def test_sine_and_cosine_equal_exact_ones(angle):
    with mpmath.workprec(SHARP):
        exact = mpmath.cos(mpmath.mpf(angle)), mpmath.sin(mpmath.mpf(angle))
    assert ulps(cos(angle), exact[0]) < WORST
    assert ulps(sin(angle), exact[1]) < WORST
    assert cos_sin(angle) == (cos(angle), sin(angle))


@given(st.floats(-1e300, 1e300))
def test_quarter_turns_leave_an_eighth_at_most(angle):
    _, left, rest = quarter_turns(angle)
    assert abs(left) <= 0.25 * math.pi * (1.0 + 1e-9)
    assert abs(rest) <= 1e-16


@given(NUMBERS, NUMBERS)
@example(1.0, -1e-300)
@example(1e-308, 1e-308)
@example(1.7e308, -1.7e308)
@example(5e-324, 1.0)
def test_the_angle_of_a_vector_equals_the_exact_one(y, x):
    if x == 0.0 and y == 0.0:
        return
    assert ulps(atan2(y, x), mpmath.atan2(mpmath.mpf(y), mpmath.mpf(x))) < WORST


@given(st.floats(-1.0, 1.0))
@example(math.nextafter(1.0, 0.0))
@example(math.nextafter(-1.0, 0.0))
def test_the_inverse_cosine_equals_the_exact_one(x):
    assert ulps(acos(x), mpmath.acos(mpmath.mpf(x))) < WORST


@pytest.mark.parametrize("y", [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("x", [0.0, -0.0, 2.0, -2.0, math.inf, -math.inf, math.nan])
def test_zeros_and_infinities_of_vectors_are_those_of_ieee_754(y, x):
    found = atan2(y, x)
    expected = math.atan2(y, x)
    assert math.isnan(found) == math.isnan(expected)
    assert math.isnan(found) or (math.copysign(1.0, found), found) == (
        math.copysign(1.0, expected),
        expected,
    )


def test_what_has_no_angle_is_nan():
    for function in (sin, cos):
        assert all(math.isnan(function(x)) for x in (math.inf, -math.inf, math.nan))
    assert all(math.isnan(acos(x)) for x in (1.0000001, -2.0, math.inf, math.nan))
    assert (acos(1.0), acos(0.0), acos(-1.0)) == (0.0, 0.5 * math.pi, math.pi)
    assert sin(0.0) == 0.0
