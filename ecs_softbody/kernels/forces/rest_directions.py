"""Rest directions: a cache of cosine and sine of the rest angle of each angular spring.

Angular springs need them in every substep, but a rest angle changes only through a muscle,
plasticity or a game. The cached angle is compared with the present one, so an entry that is left
from another spring, after rows have moved, does no harm.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1
from ecs_softbody.elementary.angles import cos_sin
from ecs_softbody.parallel.compiling import inline


class RestDirections(NamedTuple):
    """Cached values of T angular springs."""

    angle: Floats1  # (T,) [rad], NaN: not known yet
    cosine: Floats1  # (T,)
    sine: Floats1  # (T,)


def unknown_directions(count: int) -> RestDirections:
    """Return an empty cache of `count` rows."""
    return RestDirections(np.full(count, np.nan), np.zeros(count), np.zeros(count))


@inline
def rest_direction(known: RestDirections, t: int, angle: float) -> tuple[float, float]:
    """Return cosine and sine of the rest angle [rad] of row t, from the cache if it has them."""
    if known.angle[t] != angle:
        known.angle[t] = angle
        known.cosine[t], known.sine[t] = cos_sin(angle)
    return known.cosine[t], known.sine[t]
