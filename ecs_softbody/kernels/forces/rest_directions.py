"""Rest directions: cosine and sine of each rest angle, found anew where the angle is another one.

Angular springs need them in every substep, but a rest angle changes only where a muscle, clay or a
game changes it. What is kept depends on the angle alone, so it may be that of another row, or of
another time.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1
from ecs_softbody.elementary.angles import cos_sin
from ecs_softbody.parallel.compiling import inline


class RestDirections(NamedTuple):
    """What was found for each of T rows."""

    angle: Floats1  # (T,) [rad], NaN at first
    cosine: Floats1  # (T,)
    sine: Floats1  # (T,)


def unknown_directions(count: int) -> RestDirections:
    """Return room for so many rows."""
    return RestDirections(np.full(count, np.nan), np.zeros(count), np.zeros(count))


@inline
def rest_direction(known: RestDirections, t: int, angle: float) -> tuple[float, float]:
    """Return cosine and sine of the angle of row t."""
    if known.angle[t] != angle:
        known.angle[t] = angle
        known.cosine[t], known.sine[t] = cos_sin(angle)
    return known.cosine[t], known.sine[t]
