"""Masses and spring constants from intuitive quantities."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
    """Mass and springs of a body as a user asks for them; None stands for the default of the
    blueprint `owner`.

    Of mass [kg] and density (per area [kg/m²] or length [kg/m]), stiffness [N/m] and frequency
    [Hz], damping [N·s/m] and damping_ratio [1] only one may be given.
    """

    owner: str
    mass: float | None
    density: float | None
    stiffness: float | None = None
    damping: float | None = None
    frequency: float | None = None
    damping_ratio: float | None = None

    def total_mass(self, extent: float, default: float) -> float:
        """Return the mass [kg] of a body of this area [m²] or length [m]; default: its density."""
        self._only_one("density", "mass")
        if self.mass is not None:
            return check_number(self.owner, "mass", self.mass, above=0.0)
        density = default if self.density is None else self.density
        return extent * check_number(self.owner, "density", density, above=0.0)

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
        if self.stiffness is None:
            chosen = frequency if self.frequency is None else self.frequency
            stiff = (
                reduced
                * (2.0 * math.pi * check_number(self.owner, "frequency", chosen, minimum=0.0)) ** 2
            )
        else:
            stiff = check_number(self.owner, "stiffness", self.stiffness, minimum=0.0)
        if self.damping is not None:
            return stiff, check_number(self.owner, "damping", self.damping, minimum=0.0)
        ratio = damping_ratio if self.damping_ratio is None else self.damping_ratio
        ratio = check_number(self.owner, "damping_ratio", ratio, minimum=0.0)
        return stiff, 2.0 * ratio * math.sqrt(stiff * reduced)

    def _only_one(self, name: str, other: str) -> None:
        """Raise ValueError where both of two fields are given."""
        value = getattr(self, name)
        if value is not None and getattr(self, other) is not None:
            raise ValueError(
                f"{self.owner}.{name}: {value!r} beside {other} is not allowed; expected one of "
                "them"
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
