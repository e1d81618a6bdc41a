"""Springs: one mass on a spring; three masses with little, critical and much damping."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecs_softbody import Springs
from ecs_softbody.play import Slider, say, translated
from ecs_softbody_games.springs_lab.look import LANE_COLOURS
from ecs_softbody_games.springs_lab.measuring import centre, crossings, period
from ecs_softbody_games.springs_lab.page import GRAVITY, Floats, Number, Page

LANES = ("little", "critical", "much")
PULLED = 2.0
"""How far the masses of the second page are pulled out [m]."""


class MassOnASpring(Page):
    """Pulled down and let go."""

    title = "A mass on a spring"
    sentence = (
        "Pulled down and let go: the swing is as slow as the mass is heavy and the spring is soft."
    )
    formula = ("T = 2π √(m / k)", "it rests at x = m g / k")
    scene = "spring"
    coils = (("body", 0.3),)
    view = (-2.5, -4.3, 2.5, 0.3)
    seconds = 6.0
    label = "stretch [m]"

    def controls(self) -> Sequence[Slider]:
        """Mass, stiffness, pull."""
        return (
            Slider("mass", 0.5, 4.0, value=2.0, unit="kg"),
            Slider("stiffness", 20.0, 120.0, value=40.0, step=5.0, unit="N/m"),
            Slider("pulled by", 0.1, 0.6, value=0.4, unit="m"),
        )

    @property
    def rest(self) -> float:
        """Stretch at rest [m]."""
        return self["mass"] * GRAVITY / self["stiffness"]

    @property
    def omega(self) -> float:
        """Angular frequency [1/s]."""
        return float(np.sqrt(self["stiffness"] / self["mass"]))

    def build(self) -> None:
        """Hang the mass where it was pulled to."""
        body = self.body()
        body.mass[1] = self["mass"]
        body.radius[1] = 0.22 * self["mass"] ** 0.5
        body.position[1] = (0.0, -1.0 - self.rest - self["pulled by"])
        self.part("body", Springs).stiffness = self["stiffness"]

    def value(self) -> float:
        """Stretch of the spring [m]."""
        return float(-self.body().position[1, 1] - 1.0)

    def exact(self, t: Floats) -> Floats:
        """The swing around the rest."""
        return np.asarray(self.rest + self["pulled by"] * np.cos(self.omega * t))

    def height(self) -> tuple[float, float]:
        """From above the swing to below it."""
        return self.rest - 0.7, self.rest + 0.7

    def numbers(self) -> Sequence[Number]:
        """Period and rest."""
        swing = period(self.times, self.trace, self.rest)
        return (
            Number("period T", swing, 2.0 * np.pi / self.omega, "s"),
            Number(
                "frequency",
                None if swing is None else 1.0 / swing,
                self.omega / (2.0 * np.pi),
                "Hz",
            ),
            Number("rest x", centre(self.trace), self.rest, "m"),
        )


class Damping(Page):
    """Three masses side by side."""

    title = "Damping: little, critical, much"
    sentence = (
        "Critical damping comes home fastest without swinging through; more of it only creeps."
    )
    formula = (
        "ζ = c / (2 √(k m)),   ω² = k / m",
        "half way home after t",
        "ζ < 1 swings,  ζ > 1 creeps",
    )
    scene = "damping"
    coils = tuple((name, 0.36) for name in LANES)
    view = (-0.4, -1.9, 5.6, 1.9)
    seconds = 8.0
    colours = LANE_COLOURS

    def controls(self) -> Sequence[Slider]:
        """Mass, stiffness, two dampings."""
        return (
            Slider("mass", 1.0, 4.0, value=1.0, step=0.5, unit="kg"),
            Slider("stiffness", 3.0, 9.0, value=6.0, step=0.5, unit="N/m"),
            Slider("little ζ", 0.05, 0.9, value=0.15, step=0.05),
            Slider("much ζ", 1.2, 3.0, value=2.0, step=0.2),
        )

    @property
    def omega(self) -> float:
        """Angular frequency without damping [1/s]."""
        return float(np.sqrt(self["stiffness"] / self["mass"]))

    @property
    def ratios(self) -> tuple[float, float, float]:
        """ζ of the three lanes."""
        return self["little ζ"], 1.0, self["much ζ"]

    def build(self) -> None:
        """Pull all three out."""
        for name, ratio in zip(LANES, self.ratios, strict=True):
            body = self.body(name)
            spring = self.part(name, Springs)
            body.mass[1] = self["mass"]
            body.position[1, 0] = 2.5 + PULLED
            spring.stiffness = self["stiffness"]
            spring.damping = 2.0 * ratio * self["mass"] * self.omega
        fine = np.linspace(0.0, self.seconds, 20001)
        ways = [swing(ratio, self.omega, fine) for ratio in self.ratios]
        self.halves = [float(crossings(fine, way, 0.5 * PULLED)[0]) for way in ways]

    def value(self) -> Sequence[float]:
        """How far each is from home [m]."""
        return [float(self.body(name).position[1, 0]) - 2.5 for name in LANES]

    def exact(self, t: Floats) -> Floats:
        """The three cases of the damped oscillator, started at rest."""
        return np.array([swing(ratio, self.omega, t) for ratio in self.ratios])

    def height(self) -> tuple[float, float]:
        """Both sides of home."""
        return -PULLED - 0.2, PULLED + 0.2

    def numbers(self) -> Sequence[Number]:
        """When each is half way home."""
        found = []
        for name, exact, curve in zip(LANES, self.halves, self.curves(), strict=True):
            times = crossings(self.times, curve, 0.5 * PULLED)
            half = say("springs_lab.half", lane=translated(name))
            found.append(Number(half, times[0] if len(times) else None, exact, "s"))
        return found


def swing(ratio: float, omega: float, t: Floats) -> Floats:
    """Return the way home of a damped spring pulled out by PULLED [m]."""
    fall = np.exp(-ratio * omega * t)
    if ratio < 1.0:
        ring = omega * np.sqrt(1.0 - ratio**2)
        return np.asarray(
            PULLED * fall * (np.cos(ring * t) + ratio * omega / ring * np.sin(ring * t))
        )
    if ratio == 1.0:
        return np.asarray(PULLED * fall * (1.0 + omega * t))
    root = omega * np.sqrt(ratio**2 - 1.0)
    return np.asarray(
        PULLED * fall * (np.cosh(root * t) + ratio * omega / root * np.sinh(root * t))
    )
