"""Bodies: gas in an elastic skin, an area that springs back, a jelly that keeps its shape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecs_softbody import AreaConstraint, PressureBody, ShapeMatching, Springs
from ecs_softbody.elementary import dot, sin
from ecs_softbody.play import Slider
from ecs_softbody_games.springs_lab.measuring import centre, period
from ecs_softbody_games.springs_lab.page import Floats, Number, Page

RING = 24
HALF = float(np.sin(np.pi / RING))


class Gas(Page):
    """A ring of springs full of gas."""

    title = "Gas in an elastic skin"
    sentence = "More gas, a larger ring: it grows until the skin pulls as hard as the gas pushes."
    formula = ("P A = n R T", "N k (2 sin(π/N))² (r − r₀) = 2 n R T / r", "N = 24,  r₀ = 1 m")
    scene = "gas"
    view = (-2.6, -2.2, 2.6, 2.2)
    seconds = 5.0
    label = "radius r [m]"

    def controls(self) -> Sequence[Slider]:
        """Gas, skin."""
        return (
            Slider("gas nRT", 10.0, 140.0, value=80.0, step=10.0, unit="J"),
            Slider("stiffness of a spring k", 100.0, 400.0, value=200.0, step=20.0, unit="N/m"),
        )

    @property
    def radius(self) -> float:
        """At rest [m]: the root of a square equation."""
        load = 2.0 * self["gas nRT"] / (RING * 4.0 * self["stiffness of a spring k"] * HALF**2)
        return float(0.5 + np.sqrt(0.25 + load))

    def build(self) -> None:
        """Fill it."""
        self.part("body", Springs).stiffness = self["stiffness of a spring k"]
        self.part("body", PressureBody).nRT = self["gas nRT"]

    def value(self) -> float:
        """Mean radius [m]."""
        place = self.body().position
        return float(np.hypot(*(place - place.mean(axis=0)).T).mean())

    def exact(self, t: Floats) -> Floats:
        """Where it comes to rest."""
        return np.full(len(t), self.radius, np.float64)

    def height(self) -> tuple[float, float]:
        """From the empty ring to a little above the rest."""
        return 0.9, 1.25 * self.radius

    def numbers(self) -> Sequence[Number]:
        """Radius, pressure, area."""
        calm = self.times[-1] > 0.5 and float(np.ptp(self.trace[-30:])) < 2e-3 * self.radius
        gas = self.part("body", PressureBody)
        area = 0.5 * RING * np.sin(2.0 * np.pi / RING) * self.radius**2
        return (
            Number("radius r", float(self.trace[-1]) if calm else None, self.radius, "m"),
            Number("area A", float(gas.area) if calm else None, float(area), "m²"),
            Number(
                "pressure P",
                float(gas.pressure) if calm else None,
                self["gas nRT"] / float(area),
                "Pa",
            ),
        )


class Breath(Page):
    """A ring whose area is a spring."""

    title = "An area that springs back"
    sentence = "Nothing holds this ring together but its area: squeezed a little, it breathes."
    formula = (
        "pressure = k (A₀ − A) / A₀",
        "ω² = N g² k / (m A₀),   g = r sin(2π/N)",
        "N = 24 particles of mass m,  r = 1 m",
    )
    scene = "area"
    view = (-2.2, -1.9, 2.2, 1.9)
    seconds = 4.0
    label = "area [m²]"

    def controls(self) -> Sequence[Slider]:
        """Stiffness, mass."""
        return (
            Slider("stiffness k", 20.0, 200.0, value=60.0, step=10.0, unit="Pa"),
            Slider("mass m", 0.1, 0.5, value=0.2, unit="kg"),
        )

    @property
    def rest(self) -> float:
        """Area of the ring at rest [m²]."""
        return 0.5 * RING * sin(2.0 * np.pi / RING)

    @property
    def omega(self) -> float:
        """Angular frequency [1/s]."""
        slope = np.sin(2.0 * np.pi / RING)
        return float(np.sqrt(RING * slope**2 * self["stiffness k"] / (self["mass m"] * self.rest)))

    def build(self) -> None:
        """Squeeze it by two per cent of the radius."""
        area = self.part("body", AreaConstraint)
        self.body().mass[:] = self["mass m"]
        area.stiffness = self["stiffness k"]
        area.rest_area = self.rest
        self.body().position[:] *= 0.98

    def value(self) -> float:
        """Area [m²]."""
        x, y = self.body().position.T
        return float(0.5 * (dot(x, np.roll(y, -1)) - dot(y, np.roll(x, -1))))

    def exact(self, t: Floats) -> Floats:
        """Its swing, for small ones."""
        return np.asarray(self.rest * (1.0 - 0.02 * np.cos(self.omega * t)) ** 2)

    def height(self) -> tuple[float, float]:
        """Both sides of the rest."""
        return 0.94 * self.rest, 1.06 * self.rest

    def numbers(self) -> Sequence[Number]:
        """Period, and the area in the middle."""
        return (
            Number(
                "period", period(self.times, self.trace, self.rest), 2.0 * np.pi / self.omega, "s"
            ),
            Number("rest area A₀", centre(self.trace), self.rest, "m²"),
        )


class Jelly(Page):
    """A block whose particles are pulled to their places in the rest shape."""

    title = "A jelly that keeps its shape"
    sentence = (
        "Each particle hangs on its place in the rest shape, so the whole jelly swings "
        "as one spring."
    )
    formula = ("F = k (place − x)   for each particle", "T = 2π √(m / k),   m of one particle")
    scene = "jelly"
    view = (-2.2, -1.7, 2.2, 1.7)
    seconds = 4.0
    label = "width [m]"

    def controls(self) -> Sequence[Slider]:
        """Stiffness, mass, stretch."""
        return (
            Slider("stiffness k", 2.0, 20.0, value=6.0, step=1.0, unit="N/m"),
            Slider("mass m", 0.02, 0.2, value=0.1, step=0.02, unit="kg"),
            Slider("stretched to", 1.1, 1.6, value=1.3),
        )

    @property
    def omega(self) -> float:
        """Angular frequency [1/s]."""
        return float(np.sqrt(self["stiffness k"] / self["mass m"]))

    def build(self) -> None:
        """Stretch it."""
        body = self.body()
        body.mass[:] = self["mass m"]
        body.rest_offset[:] = body.position
        body.position[:, 0] *= self["stretched to"]
        self.part("body", ShapeMatching).stiffness = self["stiffness k"]

    def value(self) -> float:
        """Width [m]."""
        return float(np.ptp(self.body().position[:, 0]))

    def exact(self, t: Floats) -> Floats:
        """Its swing."""
        return np.asarray(2.0 * (1.0 + (self["stretched to"] - 1.0) * np.cos(self.omega * t)))

    def height(self) -> tuple[float, float]:
        """Both sides of the rest."""
        return 2.0 * (0.9 - (self["stretched to"] - 1.0)), 2.0 * (self["stretched to"] + 0.1)

    def numbers(self) -> Sequence[Number]:
        """Period, and the width in the middle."""
        return (
            Number("period T", period(self.times, self.trace, 2.0), 2.0 * np.pi / self.omega, "s"),
            Number("rest width", centre(self.trace), 2.0, "m"),
        )
