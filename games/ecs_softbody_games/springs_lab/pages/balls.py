"""Balls: a gas of four balls in a box, and how large a ball of a mass is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecs_softbody import Particles, StaticCollider
from ecs_softbody.blueprints import radius_of
from ecs_softbody.elementary import dot
from ecs_softbody.play import Slider, say
from ecs_softbody_games.springs_lab.look import GOOD, LANE_COLOURS
from ecs_softbody_games.springs_lab.measuring import period
from ecs_softbody_games.springs_lab.page import GRAVITY, Floats, Number, Page

RADIUS = 0.18
SPEEDS = (0.7, 0.9, 1.1, 1.3)
"""Of the balls in the box, beside the middle one."""
LANES = ("one", "two", "three")
TIMES = np.array((1.0, 4.0, 9.0))
"""Mass of the three balls on the floor, beside the first one."""
FALL = 0.4
"""From where they fall, above the floor [m]."""


class BallsInABox(Page):
    """Elastic balls, each to and fro in a row of its own."""

    title = "Elastic balls in a box"
    sentence = (
        "Each hit gives 2 m v to the wall: faster balls hit harder and more often. So "
        "gas has its pressure."
    )
    formula = (
        "time between hits = 2 L / v",
        "force F = Σ m v² / L = 2 E / L",
        "L = inner width − 2 r,   no energy is lost",
    )
    scene = "box"
    view = (-2.8, -1.3, 2.8, 1.3)
    seconds = 8.0
    colours = (*LANE_COLOURS, GOOD)

    def controls(self) -> Sequence[Slider]:
        """Speed, mass, width."""
        return (
            Slider("speed v", 2.0, 4.0, value=3.0, step=0.5, unit="m/s"),
            Slider("mass m", 0.2, 1.0, value=0.5, unit="kg"),
            Slider("inner width", 3.0, 5.0, value=4.0, step=0.5, unit="m"),
        )

    @property
    def bodies(self) -> Sequence[Particles]:
        """The balls."""
        return [self.body(f"ball-{number}") for number in range(1, len(SPEEDS) + 1)]

    @property
    def way(self) -> float:
        """From hit to hit [m]."""
        return self["inner width"] - 2.0 * RADIUS

    def build(self) -> None:
        """Set the walls, and send the balls off from the middle."""
        half = 0.5 * self["inner width"]
        self.part("walls", StaticCollider).vertices[:, 0] = (-half, half, half, -half)
        for body, speed in zip(self.bodies, SPEEDS, strict=True):
            body.mass[:], body.velocity[0, 0] = self["mass m"], speed * self["speed v"]
        self.speeds = [speed * self["speed v"] for speed in SPEEDS]

    def after_step(self, dt: float) -> None:
        """Note the speeds of those that touch no wall."""
        for number, body in enumerate(self.bodies):
            if abs(float(body.position[0, 0])) < 0.5 * self.way - 0.02:
                self.speeds[number] = float(np.hypot(*body.velocity[0]))

    def value(self) -> Sequence[float]:
        """Where they are along the box [m]."""
        return [float(body.position[0, 0]) for body in self.bodies]

    def exact(self, t: Floats) -> Floats:
        """To and fro."""
        ways = np.outer(SPEEDS, self["speed v"] * t) / self.way + 0.5
        return np.asarray(self.way * (0.5 - np.abs(1.0 - np.mod(ways, 2.0))))

    def height(self) -> tuple[float, float]:
        """From wall to wall."""
        return -0.55 * self["inner width"], 0.55 * self["inner width"]

    def numbers(self) -> Sequence[Number]:
        """Time between two hits of the slowest, force on a wall, energy."""
        times = [period(self.times, curve) for curve in self.curves()]
        mass = self["mass m"]
        exact = self["speed v"] * np.array(SPEEDS)
        pushes = [
            2.0 * mass * v / time
            for v, time in zip(self.speeds, times, strict=True)
            if time is not None
        ]
        return (
            Number("between two hits", times[0], 2.0 * self.way / float(exact[0]), "s"),
            Number(
                "force on a wall F",
                sum(pushes) if None not in times else None,
                mass * float(dot(exact, exact)) / self.way,
                "N",
            ),
            Number(
                "energy E",
                0.5 * mass * float(np.square(self.speeds).sum()),
                0.5 * mass * float(dot(exact, exact)),
                "J",
            ),
        )


class Density(Page):
    """Three balls of one density on the floor."""

    title = "Radius from mass and density"
    sentence = (
        "Four times the mass is twice as wide, nine times three times: see how high the "
        "centres lie."
    )
    formula = ("m = ρ π r²   (a disc)", "r = √(m / (π ρ))", "masses m, 4 m, 9 m")
    scene = "density"
    view = (-2.9, -0.2, 2.9, 2.7)
    seconds = 3.0
    label = "height of the centre [m]"
    colours = LANE_COLOURS

    def controls(self) -> Sequence[Slider]:
        """Mass, density."""
        return (
            Slider("mass m", 0.5, 1.0, value=0.6, unit="kg"),
            Slider("density ρ", 2.0, 6.0, value=3.0, step=0.5, unit="kg/m²"),
        )

    @property
    def radii(self) -> Floats:
        """Of all three [m]."""
        return np.sqrt(self["mass m"] * TIMES / (np.pi * self["density ρ"]))

    def build(self) -> None:
        """Let go of them above the floor, side by side."""
        places = np.cumsum(2.2 * self.radii) - 1.1 * self.radii - 1.1 * self.radii.sum()
        for name, times, x in zip(LANES, TIMES, places, strict=True):
            body = self.body(name)
            mass = times * self["mass m"]
            body.radius[:] = radius_of(mass, self["density ρ"])
            body.mass[:] = mass
            body.position[0] = (x, body.radius[0] + FALL)

    def value(self) -> Sequence[float]:
        """Height of the centres [m]."""
        return [float(self.body(name).position[0, 1]) for name in LANES]

    def exact(self, t: Floats) -> Floats:
        """They fall and lie."""
        return np.maximum(FALL - 0.5 * GRAVITY * t**2, 0.0) + self.radii[:, None]

    def height(self) -> tuple[float, float]:
        """From the floor to above the largest."""
        return 0.0, 1.15 * (float(self.radii[-1]) + FALL)

    def numbers(self) -> Sequence[Number]:
        """The three radii."""
        lie = self.times[-1] > 1.0
        return [
            Number(
                say("springs_lab.ball_number", number=number + 1),
                seen if lie else None,
                float(exact),
                "m",
            )
            for number, (seen, exact) in enumerate(zip(self.value(), self.radii, strict=True))
        ]
