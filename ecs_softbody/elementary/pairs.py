"""Pairs of doubles: a rounded sum or product, and its rounding error as a second double. Together
they have about twice the digits; the other functions of this folder compute with them where one
double would lose digits.
"""

from ecs_softbody.parallel.compiling import inline

SPLITTER = 134217729.0
"""2^27 + 1: a product with it splits a double into two halves of 26 bits."""


@inline
def add_exactly(a: float, b: float) -> tuple[float, float]:
    """Return a + b, rounded, and the rounding error: their sum is exact (D. E. Knuth)."""
    total = a + b
    taken = total - a
    return total, (a - (total - taken)) + (b - taken)


@inline
def multiply_exactly(a: float, b: float) -> tuple[float, float]:
    """Return a b, rounded, and the rounding error: their sum is exact (the method of Dekker).

    |a| and |b| have to be below 1e299, and the product above 1e-290. Each factor is split into two
    halves of 26 bits, whose products are exact.
    """
    product = a * b
    wide_a = SPLITTER * a
    wide_b = SPLITTER * b
    high_a = wide_a - (wide_a - a)
    high_b = wide_b - (wide_b - b)
    low_a = a - high_a
    low_b = b - high_b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b
