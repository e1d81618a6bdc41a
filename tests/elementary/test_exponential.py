"""exp, expm1 and powers are exact to one unit in the last place."""

import math

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ecs_softbody.elementary.exponential import exp, expm1, power_of
from ecs_softbody.elementary.pairs import add_exactly, multiply_exactly
from tests.elementary.ulp import ulps

WORST = 1.0


@given(st.one_of(st.floats(-745.0, 709.7), st.floats(-1.0, 1.0)))
@example(709.782712893384)
@example(-745.1332191019411)
@example(0.0)
def test_the_exponential_equals_the_exact_one(x):
    assert ulps(exp(x), mpmath.exp(mpmath.mpf(x))) < WORST


@given(st.one_of(st.floats(-100.0, 709.7), st.floats(-1.0, 1.0), st.floats(-1e-10, 1e-10)))
@example(0.3687)
@example(-40.0)
def test_the_exponential_less_one_equals_the_exact_one(x):
    assert ulps(expm1(x), mpmath.expm1(mpmath.mpf(x))) < WORST


@given(st.floats(1e-300, 1e300), st.floats(-3.0, 3.0))
@example(6.086926079175165e-293, 0.8760730251223812)
@example(5e-324, 0.5)
@example(0.9999999999999999, 1e18)
def test_a_power_equals_the_exact_one(base, exponent):
    assert ulps(power_of(base, exponent), mpmath.mpf(base) ** mpmath.mpf(exponent)) < WORST


@pytest.mark.parametrize("base", [0.0, 0.5, 1.0, 2.0, math.inf, math.nan])
@pytest.mark.parametrize(
    "exponent", [0.0, 1.0, -1.0, 0.3, -1e6, 1e6, math.inf, -math.inf, math.nan]
)
def test_special_powers_are_those_of_ieee_754(base, exponent):
    found = power_of(base, exponent)
    try:
        expected = math.pow(base, exponent)
    except (ValueError, OverflowError):  # Python raises where IEEE 754 has infinity
        expected = math.inf
    assert found == expected or (math.isnan(found) and math.isnan(expected))


def test_a_negative_base_has_no_power():
    assert math.isnan(power_of(-2.0, 0.5))


def test_special_exponentials():
    assert (exp(math.inf), exp(-math.inf), exp(1e4), exp(-1e4)) == (math.inf, 0.0, math.inf, 0.0)
    assert (expm1(math.inf), expm1(-math.inf), expm1(0.0)) == (math.inf, -1.0, 0.0)
    assert math.isnan(exp(math.nan))
    assert math.isnan(expm1(math.nan))


@given(st.floats(-1e140, 1e140), st.floats(-1e140, 1e140))
def test_pairs_lose_nothing(a, b):
    total, lost = add_exactly(a, b)
    assert mpmath.mpf(total) + mpmath.mpf(lost) == mpmath.mpf(a) + mpmath.mpf(b)
    if abs(a * b) > 1e-250:
        product, rest = multiply_exactly(a, b)
        assert mpmath.mpf(product) + mpmath.mpf(rest) == mpmath.mpf(a) * mpmath.mpf(b)
