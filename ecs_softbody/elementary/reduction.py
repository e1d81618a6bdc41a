"""Reduction, the first step of sin and cos (angles.py): an angle as a whole number of quarter turns
and a remainder r of at most pi/4, with all digits.

Up to a million quarter turns, a multiple of pi/2 is subtracted in three parts, whose products are
exact (W. J. Cody and W. Waite). Beyond, and where the remainder is tiny, the angle is multiplied by
the relevant bits of 2/pi in integers, which gives quarter turns before the point and their fraction
behind it (M. Payne and R. Hanek).
"""

import math

import numpy as np

from ecs_softbody.elementary.pairs import add_exactly, multiply_exactly
from ecs_softbody.parallel.compiling import inline, kernel
from ecs_softbody.parallel.instructions import bits_of

TWO_OVER_PI = 0.6366197723675814
FIRST, SECOND, THIRD = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
"""The parts of pi/2: their sum is pi/2 to more digits than a double has. The first two have 33
bits.
"""
MOST = 1.5e6
"""Up to this angle [rad], the number of quarter turns has 20 bits, and its products with the first
two parts have the 53 bits of a double at most: they are exact.
"""
LEAST = 2.0**-24
"""The three parts suffice for remainders of at least this [rad]."""
# pi/2 as a pair of doubles.
HALF_PI = 1.5707963267948966
HALF_PI_LOW = 6.123233995736766e-17
LIMB = (1 << 24) - 1
"""Mask of a limb, a digit of 24 bits: sums of products of two limbs fit into an int64."""
BELOW = 10
"""Limbs of the product behind the point that are computed: 240 bits."""
LIMBS = np.array(
    (
        10680707,
        7228996,
        1387004,
        2578385,
        16069853,
        12639074,
        9804092,
        4427841,
        16666979,
        11263675,
        12935607,
        2387514,
        4345298,
        14681673,
        3074569,
        13734428,
        16653803,
        1880361,
        10960616,
        8533493,
        3062596,
        8710556,
        7349940,
        6258241,
        3772886,
        3769171,
        3798172,
        8675211,
        12450088,
        3874808,
        9961438,
        366607,
        15675153,
        9132554,
        7151469,
        3571407,
        2607881,
        12013382,
        4155038,
        6285869,
        7677882,
        13102053,
        15825725,
        473591,
        9065106,
        15363067,
        6271263,
        9264392,
        5636912,
        4652155,
        7056368,
        13614112,
        10155062,
        1944035,
    ),
    np.int64,
)
"""2/pi in limbs of 24 bits, the highest first."""


@inline
def limb_of(k: int) -> int:
    """Return limb k of 2/pi, 0 for limbs before the first, i.e. in front of the point."""
    return int(LIMBS[k]) if k >= 0 else 0


@kernel
def quarter_turns_of_many(angle: float) -> tuple[int, float, float]:
    """Return the result of `quarter_turns` for any finite angle of at least 1 rad.

    angle = mantissa · 2^exponent. The product with 2/pi is summed up limb by limb from the lowest
    place, with carries. `high`, `mid` and `low` keep the last six limbs, two in each: 144 bits of
    the fraction. A fraction of half a quarter turn or more becomes the next turn less the rest.
    """
    bits = bits_of(abs(angle))
    mantissa = (bits & ((1 << 52) - 1)) | (1 << 52)
    exponent = (bits >> 52) - 1075
    shift = (exponent + 72) % 24
    whole = (exponent - shift) // 24
    # The mantissa is cut into limbs, shifted so that the point lies between two of them.
    m0 = ((mantissa & LIMB) << shift) & LIMB
    m1 = (mantissa >> (24 - shift)) & LIMB
    m2 = (mantissa >> (48 - shift)) & LIMB
    m3 = (mantissa >> 49) >> (23 - shift)
    high = mid = low = carry = 0
    for place in range(-BELOW, 0):
        k = whole - 1 - place
        carry += m0 * limb_of(k) + m1 * limb_of(k + 1) + m2 * limb_of(k + 2) + m3 * limb_of(k + 3)
        low = (low >> 24) | ((mid & LIMB) << 24)
        mid = (mid >> 24) | ((high & LIMB) << 24)
        high = (high >> 24) | ((carry & LIMB) << 24)
        carry >>= 24
    k = whole - 1
    carry += m0 * limb_of(k) + m1 * limb_of(k + 1) + m2 * limb_of(k + 2) + m3 * limb_of(k + 3)
    turns = carry & 3
    sign = 1.0
    if high >= 1 << 47:
        turns = turns + 1
        sign = -1.0
        high = (1 << 48) - 1 - high
        mid = (1 << 48) - 1 - mid
        low = (1 << 48) - low
    part, rest = add_exactly(high * 2.0**-48, mid * 2.0**-96)
    rest += low * 2.0**-144
    product, error = multiply_exactly(part, HALF_PI)
    error += part * HALF_PI_LOW + rest * HALF_PI
    r = product + error
    error = (product - r) + error
    if angle < 0.0:
        turns = -turns
        sign = -sign
    return turns & 3, sign * r, sign * error


@inline
def quarter_turns(angle: float) -> tuple[int, float, float]:
    """Return the number of quarter turns in an angle [rad], of which only the last two bits count,
    and the remainder [rad] as a pair of doubles: NaN for an angle that is not finite.
    """
    if not -math.inf < angle < math.inf:
        return 0, math.nan, 0.0
    if abs(angle) > MOST:
        return quarter_turns_of_many(angle)
    turns = math.floor(angle * TWO_OVER_PI + 0.5)
    if turns == 0:
        return 0, angle, 0.0
    left, lost = add_exactly(angle - turns * FIRST, -(turns * SECOND))
    last = turns * THIRD
    r = left - last
    if abs(r) < LEAST:
        return quarter_turns_of_many(angle)
    return turns & 3, r, ((left - r) - last) + lost
