"""Pairs: two bodies on one spring, and a mass that circles on a damped spring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecs_softbody import Springs
from ecs_softbody.elementary import dot
from ecs_softbody.play import Slider
from ecs_softbody.rendering import Picture
from ecs_softbody_games.springs_lab.look import LANE_COLOURS, draw_coil
from ecs_softbody_games.springs_lab.measuring import bisect, period
from ecs_softbody_games.springs_lab.page import Floats, Number, Page, Resting

STRETCH, DISTANCE = 0.5, 1.6
"""How far the spring of two bodies is stretched at first, and its rest length [m]."""
NAMES = ("first", "second")


class TwoBodies(Page):
    """Two free bodies, joined by a spring, that drift."""

    title = "Two bodies on a spring"
    sentence = (
        "The light one swings wide, the heavy one little; their centre of mass goes straight on."
    )
    formula = (
        "T = 2π √(μ / k),   μ = m₁ m₂ / (m₁ + m₂)",
        "swing 1 / swing 2 = m₂ / m₁",
        "the centre keeps its speed v",
    )
    scene = "pair"
    view = (-2.4, -1.3, 3.2, 1.3)
    colours = LANE_COLOURS[:2]
    label = "from the centre [m]"

    def controls(self) -> Sequence[Slider]:
        """Both masses, stiffness, speed."""
        return (
            Slider("mass m₁", 0.5, 4.0, value=1.0, step=0.5, unit="kg"),
            Slider("mass m₂", 0.5, 4.0, value=3.0, step=0.5, unit="kg"),
            Slider("stiffness k", 5.0, 40.0, value=15.0, step=5.0, unit="N/m"),
            Slider("speed v", 0.0, 0.2, value=0.1, step=0.05, unit="m/s"),
        )

    @property
    def masses(self) -> Floats:
        """Of both [kg]."""
        return np.array((self["mass m₁"], self["mass m₂"]))

    @property
    def omega(self) -> float:
        """Angular frequency [1/s]."""
        return float(np.sqrt(self["stiffness k"] * self.masses.sum() / self.masses.prod()))

    @property
    def rests(self) -> Floats:
        """Where both are in the middle of the swing, from the centre [m]."""
        return np.asarray(DISTANCE * np.array((-1.0, 1.0)) * self.masses[::-1] / self.masses.sum())

    @property
    def places(self) -> Floats:
        """Where both are along the line [m]."""
        return np.array([self.body(name).position[0, 0] for name in NAMES])

    def build(self) -> None:
        """Stretch the spring and let both drift."""
        for name, mass, rest in zip(NAMES, self.masses, self.rests, strict=True):
            body = self.body(name)
            body.mass[:] = mass
            body.radius[:] = 0.2 * mass**0.5
            body.position[0, 0] = rest * (1.0 + STRETCH / DISTANCE)
            body.velocity[0, 0] = self["speed v"]
        self.part("spring", Springs).stiffness = self["stiffness k"]

    @property
    def centre(self) -> float:
        """Of mass [m]."""
        return float(dot(self.masses, self.places) / self.masses.sum())

    def value(self) -> Sequence[float]:
        """How far each is from its middle [m], seen from the centre."""
        return [float(aside) for aside in self.places - self.centre - self.rests]

    def exact(self, t: Floats) -> Floats:
        """Both swings."""
        return np.asarray(self.rests[:, None] * STRETCH / DISTANCE * np.cos(self.omega * t))

    def height(self) -> tuple[float, float]:
        """Both sides."""
        return -1.1 * STRETCH, 1.1 * STRETCH

    def numbers(self) -> Sequence[Number]:
        """Period, how far each swings beside the other, speed of the centre."""
        first, second = self.curves()
        swing = period(self.times, second - first)
        time = self.times[-1]
        ratio = float(np.ptp(first) / np.ptp(second)) if time > 0.5 else None
        return (
            Number("period T", swing, 2.0 * np.pi / self.omega, "s"),
            Number("swing 1 / swing 2", ratio, self["mass m₂"] / self["mass m₁"]),
            Number(
                "speed of the centre", self.speed if time > 0.5 else None, self["speed v"], "m/s"
            ),
        )

    @property
    def speed(self) -> float:
        """Of the centre since the start [m/s]."""
        speeds = [float(self.body(name).velocity[0, 0]) for name in NAMES]
        return round(float(dot(self.masses, np.array(speeds)) / self.masses.sum()), 9)

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the spring between both."""
        first, second = (
            one.frame_position[0] + alpha * (one.position[0] - one.frame_position[0])
            for one in map(self.body, NAMES)
        )
        draw_coil(picture, first, second, 0.2)


class Circling(Resting):
    """A mass goes round a pin on a damped spring."""

    title = "Damping along the line only"
    sentence = (
        "The damper sees only changes of length: the spring comes to rest, and the mass "
        "goes round for ever."
    )
    formula = ("m r v stays", "k (r − L) = m v² / r,   L = 1 m", "c brakes along the spring alone")
    scene = "circle"
    coils = (("body", 0.16),)
    view = (-1.6, -1.6, 1.6, 1.6)
    seconds = 9.0
    label = "radius r [m]"

    def controls(self) -> Sequence[Slider]:
        """Damping, stiffness, mass, speed."""
        return (
            Slider("damping c", 4.0, 12.0, value=6.0, step=2.0, unit="N·s/m"),
            Slider("stiffness k", 20.0, 80.0, value=40.0, step=10.0, unit="N/m"),
            Slider("mass m", 0.5, 2.0, value=1.0, step=0.5, unit="kg"),
            Slider("first speed", 1.0, 2.5, value=2.0, step=0.5, unit="m/s"),
        )

    @property
    def rest(self) -> float:
        """Radius on which it goes round in the end [m]."""
        mass = self["mass m"]
        spin = self["mass m"] * self["first speed"]
        return bisect(lambda r: self["stiffness k"] * (r - 1.0) - spin**2 / (mass * r**3), 1.0, 5.0)

    def build(self) -> None:
        """Start it on the unstretched spring, across."""
        body = self.body()
        spring = self.part("body", Springs)
        body.mass[1], body.radius[1] = self["mass m"], 0.2 * self["mass m"] ** 0.5
        body.velocity[1, 1] = self["first speed"]
        spring.stiffness = self["stiffness k"]
        spring.damping = self["damping c"]

    def value(self) -> float:
        """Radius [m]."""
        return float(np.hypot(*self.body().position[1]))

    def height(self) -> tuple[float, float]:
        """From the unstretched spring to above the rest."""
        return 0.9, 1.2 * self.rest

    def numbers(self) -> Sequence[Number]:
        """Radius, speed, angular momentum."""
        body = self.body()
        calm = self.is_calm(4e-3)
        (x, y) = body.position[1]
        (u, v) = body.velocity[1]
        spin = self["mass m"] * self["first speed"]
        return (
            Number("m r v", self["mass m"] * float(x * v - y * u), spin, "kg m²/s"),
            Number("radius r", self.value() if calm else None, self.rest, "m"),
            Number(
                "speed v",
                float(np.hypot(u, v)) if calm else None,
                self["first speed"] / self.rest,
                "m/s",
            ),
        )
