"""Angles: sin, cos, atan2 and acos, with the same bits on every machine (why: __init__.py).

sin and cos: an angle is n pi/2 + r with |r| <= pi/4 (reduction.py), where polynomials give sin(r)
and cos(r); n says which of them it is, with which sign. atan2: a quotient q = y/x is near k/8, and
atan(q) = atan(k/8) + atan(z) with z = (q - k/8) / (1 + q k/8), |z| at most 1/16. Numbers that need
more than 53 bits are pairs of doubles (pairs.py), a number and its rounding error.
"""

import math

import numpy as np

from ecs_softbody.elementary.pairs import add_exactly, multiply_exactly
from ecs_softbody.elementary.reduction import quarter_turns
from ecs_softbody.parallel.compiling import entry, inline, kernel

# pi as a pair of doubles.
PI = 3.141592653589793
PI_LOW = 1.2246467991473532e-16
# TURN_HIGH and TURN_LOW: atan(k / 8) for k = 0 to 8, as pairs of doubles.
TURN_HIGH = np.array(
    (
        0.0,
        0.12435499454676144,
        0.24497866312686414,
        0.35877067027057225,
        0.4636476090008061,
        0.5585993153435624,
        0.6435011087932844,
        0.7188299996216245,
        0.7853981633974483,
    )
)
TURN_LOW = np.array(
    (
        0.0,
        -3.1253241424539383e-18,
        1.0698755618734451e-17,
        -2.4623815582638635e-17,
        2.2698777452961687e-17,
        -5.4556305485916264e-18,
        1.5834785051444286e-17,
        -2.1478388444456983e-17,
        3.061616997868383e-17,
    )
)
STEEP = 2.0**70
"""Where y/x or x/y is more, the smaller one does not change the angle of the larger one's axis: it
is pi/2, or y/x itself.
"""


@inline
def sine_of(r: float, rest: float) -> float:
    """Return sin(r + rest) for |r| <= pi/4, where rest is a rounding error of r."""
    s = r * r
    p = -2.5052106219521895e-08 + s * (1.6058529572267877e-10 - s * 7.586576588171073e-13)
    p = 0.008333333333333331 + s * (-0.00019841269841265017 + s * (2.755731921930192e-06 + s * p))
    return r + (rest * (1.0 - 0.5 * s) + r * s * (-0.16666666666666666 + s * p))


@inline
def cosine_of(r: float, rest: float) -> float:
    """Return cos(r + rest) for |r| <= pi/4, where rest is a rounding error of r."""
    s = r * r
    p = -2.7557317260008837e-07 + s * (2.0876143827993133e-09 - s * 1.1382456778061306e-11)
    p = 0.041666666666666664 + s * (-0.0013888888888887382 + s * (2.480158729874307e-05 + s * p))
    whole = 1.0 - 0.5 * s
    return whole + (((1.0 - whole) - 0.5 * s) + (s * s * p - r * rest))


@entry
def sin(angle: float) -> float:
    """Return the sine of an angle [rad]."""
    turns, r, rest = quarter_turns(float(angle))
    size = sine_of(r, rest) if turns & 1 == 0 else cosine_of(r, rest)
    return -size if turns & 2 else size


@entry
def cos(angle: float) -> float:
    """Return the cosine of an angle [rad]."""
    turns, r, rest = quarter_turns(float(angle))
    size = cosine_of(r, rest) if turns & 1 == 0 else sine_of(r, rest)
    return -size if (turns + 1) & 2 else size


@inline
def cos_sin(angle: float) -> tuple[float, float]:
    """Return the cosine and the sine of an angle [rad]."""
    turns, r, rest = quarter_turns(float(angle))
    cosine = cosine_of(r, rest)
    sine = sine_of(r, rest)
    if turns & 1:
        cosine, sine = -sine, cosine
    return (-cosine, -sine) if turns & 2 else (cosine, sine)


@kernel
def turn_of(y: float, y_low: float, x: float, x_low: float) -> tuple[float, float]:
    """Return the angle [rad] of the vector (x + x_low, y + y_low) as a pair of doubles. x and y are
    pairs, too, with 0 <= y <= x, and so large or small that no product leaves the range of doubles.
    """
    k = math.floor(8.0 * (y / x) + 0.5)
    c = 0.125 * k
    first, first_low = multiply_exactly(c, x)
    second, second_low = multiply_exactly(c, y)
    up, up_low = add_exactly(y, -first)
    along, along_low = add_exactly(x, second)
    up_low += y_low - first_low - c * x_low
    along_low += x_low + second_low + c * y_low
    z = up / along
    product, error = multiply_exactly(z, along)
    rest = ((up - product) - error + up_low - z * along_low) / along
    s = z * z
    p = 0.11111110380075591 + s * (-0.0909055492625425 + s * 0.07613134949626692)
    p = -0.3333333333333333 + s * (0.19999999999999768 + s * (-0.14285714285031906 + s * p))
    total, lost = add_exactly(TURN_HIGH[k], z)
    low = lost + (z * s * p + (rest + TURN_LOW[k]))
    high = total + low
    return high, (total - high) + low


@inline
def turned_back(whole: float, whole_low: float, high: float, low: float) -> float:
    """Return the difference of two pairs of doubles, (whole + whole_low) - (high + low), rounded:
    for the mirror image of an angle.
    """
    total, lost = add_exactly(whole, -high)
    return total + (lost + (whole_low - low))


@kernel
def first_quadrant(y: float, x: float) -> tuple[float, float]:
    """Return the angle [rad] of the vector (x, y), 0 to pi/2, as a pair of doubles. Both are finite
    and not negative, and one is positive; they are scaled by powers of two if extreme.
    """
    largest = max(x, y)
    size = 1.0
    if largest > 2.0**500:
        size = 2.0**-600
    elif largest < 2.0**-400:
        size = 2.0**600
    if y * size * STEEP < x * size:
        return y / x, 0.0
    if x * size * STEEP < y * size:
        return 0.5 * PI, 0.5 * PI_LOW
    if y <= x:
        return turn_of(y * size, 0.0, x * size, 0.0)
    high, low = turn_of(x * size, 0.0, y * size, 0.0)
    total, lost = add_exactly(0.5 * PI, -high)
    return total, lost + (0.5 * PI_LOW - low)


@entry
def atan2(y: float, x: float) -> float:
    """Return the angle of the vector (x, y) [rad], from -pi to pi."""
    y = float(y)
    x = float(x)
    if math.isnan(y) or math.isnan(x):
        return math.nan
    up = abs(y)
    along = abs(x)
    if not (along < math.inf and up < math.inf):
        up = 1.0 if up == math.inf else 0.0
        along = 1.0 if along == math.inf else 0.0
    if up == 0.0 and along == 0.0:
        high = 0.0
        low = 0.0
    else:
        high, low = first_quadrant(up, along)
    if math.copysign(1.0, x) < 0.0:
        return math.copysign(turned_back(PI, PI_LOW, high, low), y)
    return math.copysign(high + low, y)


@kernel
def acos(x: float) -> float:
    """Return the angle between 0 and pi [rad] whose cosine is x; NaN for |x| > 1.

    It is twice the angle of the vector (sqrt(1 + x), sqrt(1 - x)), by the formulas of the half
    angle; both are computed as pairs of doubles.
    """
    x = float(x)
    if not -1.0 <= x <= 1.0:
        return math.nan
    if abs(x) == 1.0:
        return 0.0 if x > 0.0 else PI
    up, up_low = root_of(-x)
    along, along_low = root_of(x)
    if x >= 0.0:
        high, low = turn_of(up, up_low, along, along_low)
        return 2.0 * high + 2.0 * low
    high, low = turn_of(along, along_low, up, up_low)
    return turned_back(PI, PI_LOW, 2.0 * high, 2.0 * low)


@inline
def root_of(x: float) -> tuple[float, float]:
    """Return sqrt(1 + x) as a pair of doubles, for x above -1; the second one is a Newton step."""
    total, lost = add_exactly(1.0, x)
    root = math.sqrt(total)
    square, error = multiply_exactly(root, root)
    return root, ((total - square) - error + lost) / (2.0 * root)
