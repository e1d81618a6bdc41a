"""Drag: the resistance of still air or water to every particle of an entity."""

from __future__ import annotations

import numpy as np

from ecs_softbody.storage import Component, Value


class Drag(Component):
    """A force against the velocity of each particle, linear · v + quadratic · |v| · v.

    Args:
        linear: [N·s/m] for each particle.
        quadratic: [N·s²/m²] for each particle: half the density of the fluid, times drag
            coefficient, times width.
    """

    __slots__ = ()

    linear = Value(dtype=np.float64, unit="N·s/m", minimum=0.0, doc="force per m/s")
    quadratic = Value(dtype=np.float64, unit="N·s²/m²", minimum=0.0, doc="force per (m/s)²")

    def __init__(self, *, linear: float = 0.0, quadratic: float = 0.0) -> None:
        self._fill(None, linear=linear, quadratic=quadratic)
