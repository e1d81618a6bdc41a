"""Tearing: a body whose springs give way."""

from __future__ import annotations

import math

import numpy as np

from ecs_softbody.storage import Component, Value


class Tearing(Component):
    """Tears the springs of a body that are stretched too far or pull too hard. Squeezing tears
    nothing.

    A rope, a cloth or a net loses the spring, and separates where no spring remains. A body with a
    closed outline is cut across, through the middle of the spring.

    Args:
        strain: tears a spring that is longer than its rest length by more than this share of it
            [1], > 0.
        force: tears a spring that pulls with more than this [N], > 0.
    """

    __slots__ = ()

    strain = Value(
        dtype=np.float64, above=0.0, infinite=True, doc="stretch over rest length that tears"
    )
    force = Value(dtype=np.float64, unit="N", above=0.0, infinite=True, doc="pull that tears")
    load = Value(dtype=np.float64, engine=True, doc="largest load of a spring over what it carries")
    last_load = Value(
        dtype=np.float64, infinite=True, engine=True, doc="the load that the last tear took"
    )

    def __init__(self, *, strain: float = math.inf, force: float = math.inf) -> None:
        self._fill(None, strain=strain, force=force)
