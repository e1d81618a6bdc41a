"""PointGravity: everything falls towards one point."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.storage import Component, Value


class PointGravity(Component):
    """An acceleration of all bodies towards a point, strength / distance^exponent: a planet, a
    magnet, a whirl's eye.

    On an entity of its own the point is `position`. On an entity with Particles it is the body's
    centre of mass, which may move: the body does not pull itself, and attracted bodies pull it in
    return, so momentum is conserved.

    Args:
        position: (x, y) [m]; on a body it is written by the engine.
        strength: [m^(1 + exponent)/s²]; surface gravity g at the distance R takes g · R^exponent.
            Below 0 it repels.
        exponent: 2 as for planets, 1 as in a flat world, 0 for a pull that is the same everywhere.
        least_distance: nearer than this [m] the pull shrinks in proportion to the distance, as it
            does inside a planet.
        reach: further away than this [m] there is no pull.
    """

    __slots__ = ()
    needs_particles = False
    cost_per_point = 400.0

    position = Value(2, dtype=np.float64, unit="m", doc="where everything falls to")
    strength = Value(
        dtype=np.float64, unit="m^(1+n)/s²", doc="acceleration times distance^n, n the exponent"
    )
    exponent = Value(
        dtype=np.float64, minimum=0.0, maximum=8.0, doc="how fast the pull gets less with distance"
    )
    least_distance = Value(
        dtype=np.float64, unit="m", minimum=0.0, doc="nearer than this the pull shrinks again"
    )
    reach = Value(
        dtype=np.float64, unit="m", above=0.0, infinite=True, doc="further away there is no pull"
    )

    def __init__(
        self,
        position: ArrayLike = (0.0, 0.0),
        *,
        strength: float,
        exponent: float = 2.0,
        least_distance: float = 0.0,
        reach: float = np.inf,
    ) -> None:
        self._fill(
            None,
            position=position,
            strength=strength,
            exponent=exponent,
            least_distance=least_distance,
            reach=reach,
        )
