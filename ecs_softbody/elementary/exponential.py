"""Exponentials: exp, expm1, and powers, with the same bits on every machine (why: __init__.py).

x = k ln 2 + r with |r| <= ln 2 / 2, and exp(x) = 2^k (1 + r + r^2 q(r)) with a polynomial q. A
power is exp(b log a); its logarithm is a pair of doubles (pairs.py), a number and its rounding
error, so that the product with b has the bits that the exponential needs.
"""

import math

import numpy as np

from ecs_softbody.elementary.pairs import add_exactly, multiply_exactly
from ecs_softbody.parallel.compiling import entry, inline, kernel
from ecs_softbody.parallel.instructions import bits_of, float_of

LOG2_E = 1.4426950408889634
# ln 2 as a sum of two doubles. LN2_HIGH has 32 bits: its product with a whole number of up to 21
# bits is exact.
LN2_HIGH = 0.6931471803691238
LN2_LOW = 1.9082149292705877e-10
LARGEST, SMALLEST = 709.782712893384, -745.1332191019412
"""exp() of more is infinite, of less is 0."""
MANTISSA = (1 << 52) - 1
"""Mask of the bits of a double's mantissa."""
STEPS = 32
"""Intervals of equal width of [1, 2); the tables below have an entry for each."""
UPPER = 13
"""From this interval on (near sqrt(2)) the logarithm of a mantissa m is taken as log(m / 2) + log
2, so that the logarithm of a number just below 1 does not lose its digits to a difference.
"""
# RECIPROCAL: r, near the reciprocal of the middle of each interval; LOG_HIGH and LOG_LOW: -log(r)
# as a pair of doubles. Then log(m) = -log(r) + log(1 + s) with a small s = m r - 1.
RECIPROCAL = (
    np.array(
        (
            256,
            245,
            237,
            231,
            224,
            218,
            213,
            207,
            202,
            197,
            193,
            188,
            184,
            360,
            352,
            345,
            338,
            331,
            324,
            318,
            312,
            306,
            301,
            295,
            290,
            285,
            280,
            275,
            271,
            266,
            262,
            256,
        ),
        np.int64,
    )
    / 256.0
)
LOG_HIGH = np.array(
    (
        0.0,
        0.04391923393483549,
        0.07711730334443129,
        0.10275973395776894,
        0.13353139262452263,
        0.16068238169047347,
        0.18388527877013736,
        0.2124586512141934,
        0.2369097470783577,
        0.26197371574157396,
        0.2824872555746769,
        0.3087354816496133,
        0.33024168687057687,
        -0.3409265869705932,
        -0.3184537311185346,
        -0.2983669725517973,
        -0.2778684510034563,
        -0.2569409308975004,
        -0.2355660713127669,
        -0.21687393830061436,
        -0.19782574332991987,
        -0.1784076574728183,
        -0.16193282026931324,
        -0.14179791186025734,
        -0.12470347850095724,
        -0.10731173578908805,
        -0.08961215868968714,
        -0.07159365318700882,
        -0.056941376400138424,
        -0.0383188643021366,
        -0.02316705928153438,
        0.0,
    )
)
LOG_LOW = np.array(
    (
        0.0,
        1.762355270004629e-18,
        2.5654358635266204e-18,
        -4.707630866560681e-18,
        -3.664457663660085e-18,
        -3.650183553047837e-18,
        6.716094199344591e-18,
        -9.63115306272449e-18,
        1.9682402978398164e-18,
        3.769957084925505e-18,
        1.3652325538490778e-17,
        -1.6199186085148102e-17,
        -1.0828321637483858e-17,
        -1.7467136443544747e-17,
        -2.7114779367326236e-17,
        1.1440869858035824e-18,
        9.16018294909263e-19,
        -6.30788074376329e-18,
        2.3943371495187355e-18,
        -4.551026193234283e-18,
        -1.2821194372980142e-17,
        1.2432553788701131e-17,
        -9.773924675229098e-18,
        -1.3587228662372945e-17,
        4.6522609636496624e-18,
        -4.480328406815626e-19,
        5.4268129336647135e-18,
        3.804421579719008e-19,
        -4.849020418096643e-19,
        2.357996157351286e-18,
        1.1769544932063305e-18,
        0.0,
    )
)


@inline
def scale(number: float, power: int) -> float:
    """Return number 2^power, rounded once; |number| is between 1/4 and 4. Powers at the ends of the
    range of doubles are applied in two steps, so that results without full precision come out
    right, too.
    """
    if power > 1021:
        return number * float_of((power + 1021) << 52) * 4.0
    if power < -1020:
        return number * float_of((power + 1087) << 52) * 2.0**-64
    return number * float_of((power + 1023) << 52)


@inline
def exponential_tail(r: float, rest: float) -> float:
    """Return exp(r + rest) - 1 - r for |r| <= ln 2 / 2, where rest is a rounding error of r."""
    q = 2.091821231913398e-09 + r * 1.6086677666787362e-10
    q = 2.755726307730941e-07 + r * (2.5052070959803662e-08 + r * q)
    q = 2.480158733663095e-05 + r * (2.7557319247344507e-06 + r * q)
    q = 0.0013888888888879004 + r * (0.00019841269841263252 + r * q)
    q = 0.04166666666666668 + r * (0.008333333333333333 + r * q)
    q = 0.5 + r * (0.16666666666666666 + r * q)
    return r * r * q + (rest + rest * r)


@inline
def exponential_of(x: float, rest: float) -> float:
    """Return exp(x + rest), rounded, where |rest| is below 1e-12, a rounding error of x."""
    if not x <= LARGEST:
        return math.inf if x > LARGEST else math.nan
    if x < SMALLEST:
        return 0.0
    power = math.floor(x * LOG2_E + 0.5)
    high = x - power * LN2_HIGH
    low = power * LN2_LOW
    about = high - low
    rest += (high - about) - low
    r = about + rest
    whole, lost = add_exactly(1.0, r)
    return scale(whole + (lost + exponential_tail(r, (about - r) + rest)), power)


@kernel
def exp(x: float) -> float:
    """Return e to the power of x."""
    return exponential_of(float(x), 0.0)


@kernel
def expm1(x: float) -> float:
    """Return exp(x) - 1, with all digits for small x, too."""
    x = float(x)
    if not -40.0 < x < 40.0:
        return exponential_of(x, 0.0) - 1.0
    power = math.floor(x * LOG2_E + 0.5)
    high = x - power * LN2_HIGH
    low = power * LN2_LOW
    r = high - low
    tail = exponential_tail(r, (high - r) - low)
    if power == 0:
        return r + tail
    factor = scale(1.0, power)
    if power > 53:
        return factor * (1.0 + (r + tail)) - 1.0
    whole, lost = add_exactly(factor - 1.0, factor * r)
    return whole + (lost + factor * tail)


@inline
def logarithm(a: float) -> tuple[float, float]:
    """Return the natural logarithm of a as a pair of doubles; a is positive and finite.

    a = 2^power m. With r from the table and s = m r - 1, log(a) = power ln 2 - log(r) + s - s²/2 +
    s³ p(s), p a polynomial.
    """
    power = 0
    if a < 2.2250738585072014e-308:
        a = a * 2.0**54
        power = -54
    bits = bits_of(a)
    power += (bits >> 52) - 1023
    step = (bits >> 47) & (STEPS - 1)
    m = float_of((bits & MANTISSA) | (1023 << 52))
    if step >= UPPER:
        m = 0.5 * m
        power = power + 1
    product, error = multiply_exactly(m, RECIPROCAL[step])
    s = product - 1.0
    square, square_low = multiply_exactly(s, s)
    p = 0.11128886987006753 - s * 0.10016294793490492
    p = 0.14285703432369223 - s * (0.12499990050908094 - s * p)
    p = 0.20000000002120089 - s * (0.16666666668610122 - s * p)
    p = 0.3333333333333327 - s * (0.24999999999999942 - s * p)
    total, first = add_exactly(power * LN2_HIGH, LOG_HIGH[step])
    total, second = add_exactly(total, s)
    total, third = add_exactly(total, -0.5 * square)
    small = (
        power * LN2_LOW + LOG_LOW[step] + (error - error * s) - 0.5 * square_low + s * square * p
    )
    small += (first + second) + third
    high = total + small
    return high, (total - high) + small


@entry
def power_of(base: float, exponent: float) -> float:
    """Return base to the power of exponent, for a base of 0 or more; NaN for a negative one."""
    a = float(base)
    b = float(exponent)
    if b == 0.0 or a == 1.0:
        return 1.0
    if not a >= 0.0 or math.isnan(b):
        return math.nan
    if not 0.0 < a < math.inf:
        return math.inf if (a == 0.0) == (b < 0.0) else 0.0
    high, low = logarithm(a)
    about = b * high
    if not -800.0 < about < 800.0:
        return math.inf if about > 0.0 else 0.0
    if abs(about) < 1e-30:
        return 1.0
    product, error = multiply_exactly(b, high)
    return exponential_of(product, error + b * low)
