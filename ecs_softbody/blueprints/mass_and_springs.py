"""Masses and spring constants from intuitive quantities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ecs_softbody.validation import check_number

EARTH = 9.81
"""Gravity on Earth [m/s²], for which default pressures and stiffnesses are chosen."""
DENSITY = 1.3
"""Default mass of a square metre [kg/m²]: a blob of half a metre weighs one kilogram."""
LINE_DENSITY = 0.5
"""Default mass of a metre of rope or rod [kg/m]."""
RADIUS_SHARE = 0.3
"""Default radius of a particle as a share of the distance between neighbours."""
BENDING_DAMPING_RATIO = 0.03
"""Default damping of angular springs, over critical for one particle at the end of an arm."""

ALTERNATIVES = (("density", "mass"), ("frequency", "stiffness"), ("damping_ratio", "damping"))
"""Arguments of blueprints of which only one may be given."""


@dataclass(frozen=True, slots=True)
class MassAndSprings:
    """Mass and springs of a body, from the options (`options.py`) given to the blueprint `owner`;
    None stands for its default.
    """

    owner: str
    options: Mapping[str, Any]

    def total_mass(self, extent: float, default: float) -> float:
        """Return the mass [kg] of a body of this area [m²] or length [m]; default: its density."""
        self._only_one("density", "mass")
        if self._given("mass"):
            return self._number("mass", above=0.0)
        return extent * self._number("density", default, above=0.0)

    def springs(
        self, particle_mass: float, *, frequency: float, damping_ratio: float
    ) -> tuple[float, float]:
        """Return stiffness [N/m] and damping [N·s/m] of the springs between neighbouring particles.

        One spring alone between two of the body's particles swings at a frequency f [Hz], k = μ (2π
        f)² with the reduced mass μ = m/2, and dies out with a damping ratio ζ [1], c = 2 ζ √(k μ):
        1 is critical. The arguments are the defaults.
        """
        reduced = 0.5 * particle_mass
        self._only_one("frequency", "stiffness")
        self._only_one("damping_ratio", "damping")
        if self._given("stiffness"):
            stiff = self._number("stiffness", minimum=0.0)
        else:
            swing = 2.0 * math.pi * self._number("frequency", frequency, minimum=0.0)
            stiff = reduced * swing**2
        if self._given("damping"):
            return stiff, self._number("damping", minimum=0.0)
        ratio = self._number("damping_ratio", damping_ratio, minimum=0.0)
        return stiff, 2.0 * ratio * math.sqrt(stiff * reduced)

    def _given(self, name: str) -> bool:
        return self.options.get(name) is not None

    def _number(self, name: str, default: float = math.nan, **limits: float) -> float:
        """Return an option within limits, or its default."""
        value = self.options[name] if self._given(name) else default
        return check_number(self.owner, name, value, **limits)

    def _only_one(self, name: str, other: str) -> None:
        """Raise ValueError where both of two fields are given."""
        if self._given(name) and self._given(other):
            raise ValueError(
                f"{self.owner}.{name}: {self.options[name]!r} beside {other} is not allowed; "
                "expected one of them"
            )


def bending_damping(bending: float, particle_mass: float, arm: float) -> float:
    """Return the default damping [N·m·s/rad] of angular springs of stiffness `bending` [N/m] with
    such arms [m].
    """
    return 2.0 * BENDING_DAMPING_RATIO * math.sqrt(bending * particle_mass) * arm**2


def radius_of(mass: float, density: float = DENSITY) -> float:
    """Return the radius [m] of a disc of `mass` [kg] and `density` [kg/m²]: √(m / (π ρ))."""
    mass = check_number("radius_of", "mass", mass, above=0.0)
    return math.sqrt(mass / (math.pi * check_number("radius_of", "density", density, above=0.0)))
