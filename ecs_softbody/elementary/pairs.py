"""Pairs of doubles: a rounded sum or product, and its rounding error."""

from ecs_softbody.parallel.compiling import inline

SPLITTER = 134217729.0
"""2^27 + 1: a product with it splits a double into two halves of 26 bits."""


@inline
def add_exactly(a: float, b: float) -> tuple[float, float]:
    """Return a + b, rounded, and the rest (D. E. Knuth)."""
    total = a + b
    taken = total - a
    return total, (a - (total - taken)) + (b - taken)


@inline
def multiply_exactly(a: float, b: float) -> tuple[float, float]:
    """Return a b, rounded, and the rest (T.

    J. Dekker); |a| and |b| are below 1e299, the product is above 1e-290.
    """
    product = a * b
    wide_a = SPLITTER * a
    wide_b = SPLITTER * b
    high_a = wide_a - (wide_a - a)
    high_b = wide_b - (wide_b - b)
    low_a = a - high_a
    low_b = b - high_b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b
