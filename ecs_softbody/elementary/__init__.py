"""Elementary functions: sin, cos, atan2, acos, exp, expm1, sinh, cosh, power and hypot, the same
bits on every machine.

Replays and snapshots need a simulation that computes the same numbers everywhere. The functions of
the C library and of numpy depend on their versions and on the processor. The functions here are
made of sums, products, quotients and square roots of doubles only, which IEEE 754 rounds in one
way, and no build may fuse or reorder them. Errors are below 0.9 units in the last place, for hypot
below 1.2, for sinh and cosh below 3.

The methods are published: argument reduction of W. J. Cody and W. Waite, "Software Manual for the
Elementary Functions" (1980); for large angles the reduction of M. Payne and R. Hanek, "Radian
Reduction for Trigonometric Functions", SIGNUM Newsletter 18 (1983); pairs of doubles of T. J.
Dekker, "A Floating-Point Technique for Extending the Available Precision", Numerische Mathematik 18
(1971); tables as in J.-M. Muller, "Elementary Functions" (2016). The polynomials interpolate at
Chebyshev's nodes.

Games use these functions, too, for all numbers that enter the state of the world.
"""

from ecs_softbody.elementary.angles import atan2, cos, sin
from ecs_softbody.elementary.exponential import power_of
from ecs_softbody.elementary.hyperbolic import cosh, sinh
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.elementary.rows import angles, directions, length, lengths, turned
from ecs_softbody.elementary.sums import dot

__all__ = [
    "angles", "atan2", "cos", "cosh", "directions", "dot", "hypot", "length", "lengths", "power_of",
    "sin", "sinh", "turned",
]  # fmt: skip
