"""Material: masses and spring constants from what people can feel."""

from __future__ import annotations

import math

import numpy as np

from ecs_softbody.storage import check_number

DENSITY = 1.3
"""Default mass of a square metre [kg/m²]: a blob of half a metre weighs one kilogram."""
LINE_DENSITY = 0.5
"""Default mass of a metre of rope or rod [kg/m]."""
REACH_SHARE = 0.3
"""Default radius of a particle as a share of the distance between neighbours."""
BENDING_DAMPING_RATIO = 0.03
"""Default damping of angular springs, over critical for one particle at the end of an arm."""


def whole(owner: str, name: str, value: int, *, minimum: int) -> int:
    """Return a whole number not below `minimum`, or raise ValueError naming it."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < minimum:
        raise ValueError(f"{owner}.{name}: {value!r} is not allowed; expected a whole number >= {minimum}")
    return int(value)


def flag(owner: str, name: str, value: bool) -> bool:
    """Return True or False, or raise ValueError naming what was given instead."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{owner}.{name}: {value!r} is not allowed; expected True or False")
    return bool(value)


def total_mass(owner: str, mass: float | None, density: float | None, extent: float, default: float) -> float:
    """Return the mass [kg] of a body: as given, or density times its extent (area [m²] or length [m])."""
    if mass is not None and density is not None:
        raise ValueError(f"{owner}.density: {density!r} beside mass is not allowed; expected one of them")
    if mass is not None:
        return check_number(owner, "mass", mass, above=0.0)
    return extent * check_number(owner, "density", default if density is None else density, above=0.0)


def spring_constants(
    owner: str,
    particle_mass: float,
    *,
    stiffness: float | None,
    damping: float | None,
    frequency: float | None,
    damping_ratio: float | None,
    default_frequency: float,
    default_damping_ratio: float,
) -> tuple[float, float]:
    """Return stiffness [N/m] and damping [N·s/m] of the springs between neighbouring particles.

    One spring alone between two of the body's particles swings at `frequency` [Hz], k = μ (2π f)² with the reduced
    mass μ = m/2, and dies out with `damping_ratio` [1], c = 2 ζ √(k μ): 1 is critical.
    """
    reduced = 0.5 * particle_mass
    if stiffness is not None and frequency is not None:
        raise ValueError(f"{owner}.frequency: {frequency!r} beside stiffness is not allowed; expected one of them")
    if damping is not None and damping_ratio is not None:
        raise ValueError(
            f"{owner}.damping_ratio: {damping_ratio!r} beside damping is not allowed; expected one of them"
        )
    if stiffness is None:
        chosen = default_frequency if frequency is None else frequency
        stiff = reduced * (2.0 * math.pi * check_number(owner, "frequency", chosen, minimum=0.0)) ** 2
    else:
        stiff = check_number(owner, "stiffness", stiffness, minimum=0.0)
    if damping is not None:
        return stiff, check_number(owner, "damping", damping, minimum=0.0)
    ratio = default_damping_ratio if damping_ratio is None else damping_ratio
    return stiff, 2.0 * check_number(owner, "damping_ratio", ratio, minimum=0.0) * math.sqrt(stiff * reduced)


def bending_damping(bending: float, particle_mass: float, arm: float) -> float:
    """Return the default damping [N·m·s/rad] of angular springs of stiffness `bending` [N/m] with such arms [m]."""
    return 2.0 * BENDING_DAMPING_RATIO * math.sqrt(bending * particle_mass) * arm**2


def radius_of(mass: float, density: float = DENSITY) -> float:
    """Return the radius [m] of a disc of `mass` [kg] and `density` [kg/m²]: √(m / (π ρ))."""
    mass = check_number("radius_of", "mass", mass, above=0.0)
    return math.sqrt(mass / (math.pi * check_number("radius_of", "density", density, above=0.0)))
