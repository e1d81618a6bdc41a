"""What can be switched while the game runs: gravity, the fluid in the room, and how elastic
everything is.
"""

from __future__ import annotations

from dataclasses import dataclass

EARTH = 9.81
"""Strength of the gravity [m/s²], whichever way it points."""
DIRECTIONS: dict[str, tuple[int, int]] = {
    "down": (0, -1),
    "up": (0, 1),
    "left": (-1, 0),
    "right": (1, 0),
    "off": (0, 0),
}
RESTITUTIONS = (0.0, 0.5, 0.8, 1.0)
"""Share of the approach speed that an impact returns."""


@dataclass(frozen=True, slots=True)
class Fluid:
    """What fills the room: density [kg/m³] for drag that grows with v², viscosity [Pa·s] for drag
    that grows with v.
    """

    name: str
    density: float
    viscosity: float

    def quadratic(self, radius: float) -> float:
        """Return the drag of a disc [N·s²/m²]: half the density, times a coefficient near 1, times
        the width.
        """
        return 0.5 * self.density * 2.0 * radius

    def linear(self, radius: float) -> float:
        """Return the drag of a disc [N·s/m], after Stokes: proportional to its radius."""
        return 6.0 * self.viscosity * radius


FLUIDS = (
    Fluid("vacuum", 0.0, 0.0),
    Fluid("air", 0.04, 0.0),
    Fluid("thick air", 0.4, 0.05),
    Fluid("water", 2.0, 0.4),
    Fluid("honey", 3.0, 4.0),
)


@dataclass(slots=True)
class Settings:
    """The switches as they stand."""

    direction: str = "down"
    fluid_level: int = 1
    restitution_level: int = 2

    @property
    def gravity(self) -> tuple[float, float]:
        """Acceleration (x, y) [m/s²]."""
        x, y = DIRECTIONS[self.direction]
        return EARTH * x, EARTH * y

    @property
    def fluid(self) -> Fluid:
        """What fills the room."""
        return FLUIDS[self.fluid_level]

    @property
    def restitution(self) -> float:
        """Of every body and wall."""
        return RESTITUTIONS[self.restitution_level]

    @property
    def friction(self) -> float:
        """Of every body and wall: very little, since a ball would roll; none where nothing is to be
        lost.
        """
        return 0.0 if self.restitution == 1.0 else 0.03
