"""Rest directions: cosine and sine of each rest angle, recomputed when the angle changes.

Angular springs need them in every substep, but a rest angle changes only through a muscle, clay or
a game. Cached values depend on the angle alone, so values of another row or another time are valid,
too.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1
from ecs_softbody.elementary.angles import cos_sin
from ecs_softbody.parallel.compiling import inline


class RestDirections(NamedTuple):
    """Cached values of T rows."""

    angle: Floats1  # (T,) [rad], NaN at first
    cosine: Floats1  # (T,)
    sine: Floats1  # (T,)


def unknown_directions(count: int) -> RestDirections:
    """Return an empty cache of `count` rows."""
    return RestDirections(np.full(count, np.nan), np.zeros(count), np.zeros(count))


@inline
def rest_direction(known: RestDirections, t: int, angle: float) -> tuple[float, float]:
    """Return cosine and sine of the angle of row t."""
    if known.angle[t] != angle:
        known.angle[t] = angle
        known.cosine[t], known.sine[t] = cos_sin(angle)
    return known.cosine[t], known.sine[t]
