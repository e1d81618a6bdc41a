"""Measures: energy, momentum and the time of a frame over the last seconds, for plots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Particles
from ecs_softbody.simulation import Simulation
from ecs_softbody.storage import merged_spans

LENGTH = 150
"""Points of a plot."""
SPACING = 4
"""Pictures from one point of a plot to the next: 10 s in all."""
NAMES = (
    "kinetic energy [J]",
    "potential energy [J]",
    "momentum x [N·s]",
    "momentum y [N·s]",
    "frame [ms]",
)
"""Names of the plots, with units."""


class Measures:
    """The data of the plots. Call `note` once per picture."""

    def __init__(self) -> None:
        self.series: dict[str, NDArray[np.float32]] = {
            name: np.zeros(LENGTH, np.float32) for name in NAMES
        }
        self._pictures = 0
        self._longest = 0.0
        self._known: tuple[int, int, NDArray[np.int64]] = (-1, -1, np.zeros((0, 2), np.int64))

    def note(self, sim: Simulation, frame_ms: float) -> None:
        """Take a point now and then; of the times in between the longest counts."""
        self._longest = max(self._longest, frame_ms)
        self._pictures += 1
        if self._pictures % SPACING:
            return
        values = (*self.of(sim), self._longest)
        self._longest = 0.0
        for one, value in zip(self.series.values(), values, strict=True):
            one[:-1] = one[1:]
            one[-1] = value

    def of(self, sim: Simulation) -> tuple[float, float, float, float]:
        """Return kinetic and potential energy [J], momentum x and y [N·s] of all particles that can
        be pushed.
        """
        table = sim.buffers[Particles]
        if (id(table), table.version) != self._known[:2]:
            bodies = list(table.bound.values())
            first = np.array([body.row_start for body in bodies], np.int64)
            last = np.array([body.row_stop for body in bodies], np.int64)
            self._known = id(table), table.version, merged_spans(first, last)
        kinetic = 0.0
        potential = 0.0
        momentum = np.zeros(2)
        for start, stop in self._known[2]:
            part = slice(int(start), int(stop))
            inverse = table.rows["inverse_mass"][part]
            velocity = table.rows["velocity"][part]
            mass = np.divide(1.0, inverse, out=np.zeros_like(inverse), where=inverse > 0.0)
            kinetic += 0.5 * float(mass @ np.einsum("ij,ij->i", velocity, velocity))
            spin = table.rows["angular_velocity"][part]
            if spin.any():
                factor = np.nan_to_num(
                    table.values["inertia_factor"][table.rows["body"][part]], posinf=0.0
                )
                surface = table.rows["radius"][part] * spin
                kinetic += 0.5 * float(mass @ (factor * surface * surface))
            momentum += mass @ velocity
            weight = table.rows["position"][part] @ sim.gravity
            potential -= float(mass @ weight)
        return kinetic, potential, float(momentum[0]), float(momentum[1])
