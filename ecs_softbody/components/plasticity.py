"""Plasticity: bodies keep part of a stretch, bend or dent beyond their yield limit."""

from __future__ import annotations

import math

import numpy as np

from ecs_softbody.storage import Component, Value


class Plasticity(Component):
    """Lets the springs, the angular springs and the rest shape of a body yield.

    With the strain e = length / L0 - 1 against the rest length L0 that a spring had at first,
    nothing yields while e stays within `yield_strain`. The excess, times `rate`, is kept:
    `Springs.rest_length` becomes L0 (1 + p), where |p| never exceeds `limit`. Pushed back beyond
    the yield strain it yields the other way. Angular springs do the same with angles. The rest
    shape of a `ShapeMatching` without groups does it with the distance of a particle from its
    position, over the body's root mean square radius.

    Args:
        yield_strain: strain that is not kept [1]; inf: lengths and the shape never yield.
        rate: share of the excess strain that is kept, 0 to 1.
        limit: largest strain that is kept [1].
        creep_time: how long yielding takes [s]: after this time 63 % of it has happened. 0: at
            once.
        yield_angle: angle that is not kept [rad]; inf: angles never yield.
        angle_limit: largest angle that is kept [rad].
    """

    __slots__ = ()

    yield_strain = Value(
        dtype=np.float64, minimum=0.0, infinite=True, doc="strain that is not kept"
    )
    rate = Value(
        dtype=np.float64,
        minimum=0.0,
        maximum=1.0,
        doc="share of what exceeds the yield that is kept",
    )
    limit = Value(dtype=np.float64, minimum=0.0, infinite=True, doc="largest strain that is kept")
    creep_time = Value(
        dtype=np.float64, unit="s", minimum=0.0, doc="time in which 63 % of the yielding happens"
    )
    yield_angle = Value(
        dtype=np.float64, unit="rad", minimum=0.0, infinite=True, doc="angle that is not kept"
    )
    angle_limit = Value(
        dtype=np.float64, unit="rad", minimum=0.0, infinite=True, doc="largest angle that is kept"
    )

    def __init__(
        self,
        *,
        yield_strain: float = math.inf,
        rate: float = 1.0,
        limit: float = math.inf,
        creep_time: float = 0.0,
        yield_angle: float = math.inf,
        angle_limit: float = math.inf,
    ) -> None:
        self._fill(
            None,
            yield_strain=yield_strain,
            rate=rate,
            limit=limit,
            creep_time=creep_time,
            yield_angle=yield_angle,
            angle_limit=angle_limit,
        )
