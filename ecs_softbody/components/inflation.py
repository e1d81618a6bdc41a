"""Inflation: the gas of a PressureBody, driven by a wave or towards a target."""

from __future__ import annotations

import math

import numpy as np

from ecs_softbody.components.muscles import driven_component
from ecs_softbody.components.pressure_body import PressureBody
from ecs_softbody.storage import Component, Value


class Inflation(Component):
    """Pumps gas into the entity's PressureBody, and lets it out.

        nRT = base · (level + amplitude · sin(2π · frequency · t + phase)), never below 0

    with the simulation's time t. `level` follows `target`, by at most `rate` in a second. A pump
    that works keeps its body awake.

    Args:
        target: where `level` goes, as a share of `base`, >= 0; it starts at 1. 0 lets all gas out.
        rate: how much `level` changes in a second at most [1/s]; `inf`: at once; 0 holds it.
        amplitude: height of the wave, as a share of `base`: breathing.
        frequency: waves in a second [Hz]. Writing it later bends the wave and does not break it.
        phase: how far the wave is at time 0 [rad].
        base: nRT of the resting body [J]; None takes the nRT of the PressureBody at the first step.
    """

    __slots__ = ()
    drives = PressureBody

    base = Value(dtype=np.float64, unit="J", minimum=0.0, unset=True, doc="nRT of the resting body")
    target = Value(dtype=np.float64, minimum=0.0, doc="where level goes, as a share of base")
    rate = Value(
        dtype=np.float64,
        unit="1/s",
        minimum=0.0,
        infinite=True,
        doc="most that level changes in a second",
    )
    amplitude = Value(dtype=np.float64, doc="height of the wave, as a share of base")
    frequency = Value(dtype=np.float64, unit="Hz", minimum=0.0, doc="waves in a second")
    phase = Value(dtype=np.float64, unit="rad", doc="how far the wave is at time 0")
    level = Value(dtype=np.float64, engine=True, doc="share of base without the wave")
    started = Value(dtype=np.bool_, engine=True, doc="whether it has seen its PressureBody")

    def __init__(
        self,
        *,
        target: float = 1.0,
        rate: float = math.inf,
        amplitude: float = 0.0,
        frequency: float = 0.0,
        phase: float = 0.0,
        base: float | None = None,
    ) -> None:
        self._fill(
            None,
            target=target,
            rate=rate,
            amplitude=amplitude,
            frequency=frequency,
            phase=phase,
            base=base,
        )

    def check_loaded(self, entity: int) -> None:
        """Look at nothing: the gas may be gone, and then it drives nothing."""

    def check_fit(self, entity: int) -> None:
        """Raise ValueError unless the entity has a PressureBody."""
        driven_component("Inflation", entity, PressureBody)
