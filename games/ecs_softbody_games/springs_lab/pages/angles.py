"""Angles: two springs that keep an angle, and a rod that bends to its rest angles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecs_softbody import AngularSprings, Drag, Springs
from ecs_softbody.elementary import cos, dot, sin
from ecs_softbody.play import Slider
from ecs_softbody_games.springs_lab.measuring import centre, pendulum_period, pendulum_swing, period
from ecs_softbody_games.springs_lab.page import Floats, Number, Page, Resting

DIRECTIONS = (-135, -90, -45, 45, 90, 135, 180)
"""Rest angles to choose from [°]."""


def angle(places: Floats, joint: int, near: float) -> float:
    """Return the angle at a joint by dot and perpendicular dot product [°], of all its turns the
    one near `near`.
    """
    first = places[joint - 1] - places[joint]
    second = places[joint + 1] - places[joint]
    along = float(dot(first, second))
    perpendicular = first[0] * second[1] - first[1] * second[0]
    turned = np.degrees(np.arctan2(perpendicular, along)) - near
    return float(near + (turned + 180.0) % 360.0 - 180.0)


class TwoSprings(Page):
    """One arm is held, the other swings around the rest angle."""

    title = "The angle between two springs"
    sentence = (
        "Two products tell all directions apart. Bent and let go, the angle swings like a pendulum."
    )
    formula = (
        "tan θ = (a × b) / (a · b)",
        "T = 2π √(m L / (K L₁)) / M(1, cos(φ / 2))",
        "φ: bent by,  L₁ = 1 m",
    )
    scene = "angle"
    coils = (("body", 0.2),)
    view = (-2.1, -2.1, 2.1, 2.1)
    label = "angle [°]"
    seconds = 8.0
    solvers = ("saturated",)

    def controls(self) -> Sequence[Slider]:
        """Rest angle, how far it is bent, stiffness, mass, length of the free arm."""
        return (
            Slider("rest angle θ₀", choices=DIRECTIONS, value=90, unit="°"),
            Slider("bent by φ", 10.0, 90.0, value=60.0, step=10.0, unit="°"),
            Slider("stiffness K", 8.0, 20.0, value=10.0, step=2.0, unit="N/m"),
            Slider("mass m", 0.5, 2.0, value=1.0, unit="kg"),
            Slider("length L", 1.0, 1.6, value=1.4, unit="m"),
        )

    @property
    def ratio(self) -> float:
        """φ'' = -ratio sin φ [1/s²]."""
        return self["stiffness K"] / (self["mass m"] * self["length L"])

    def build(self) -> None:
        """Bend it; the springs are as stiff as 4 substeps carry."""
        body = self.body()
        springs = self.part("body", Springs)
        mass = self["mass m"]
        start = np.radians(self["rest angle θ₀"] + self["bent by φ"])
        body.mass[2] = mass
        body.radius[2] = 0.2 * mass**0.5
        body.position[2] = self["length L"] * np.array((cos(start), sin(start)))
        springs.rest_length = (1.0, self["length L"])
        springs.stiffness = 2e4 * mass
        springs.damping = 60.0 * mass
        angles = self.part("body", AngularSprings)
        angles.stiffness = self["stiffness K"]
        angles.rest_angle = np.radians(self["rest angle θ₀"])

    def value(self) -> float:
        """Angle [°]."""
        return angle(self.body().position, 1, self["rest angle θ₀"])

    def exact(self, t: Floats) -> Floats:
        """Its swing."""
        return self["rest angle θ₀"] + np.degrees(
            pendulum_swing(self.ratio, np.radians(self["bent by φ"]), t)
        )

    def height(self) -> tuple[float, float]:
        """Both sides of the rest angle."""
        return self["rest angle θ₀"] - 1.2 * self["bent by φ"], self["rest angle θ₀"] + 1.2 * self[
            "bent by φ"
        ]

    def numbers(self) -> Sequence[Number]:
        """Period and rest angle."""
        swing = period(self.times, self.trace, self["rest angle θ₀"])
        return (
            Number(
                "period T", swing, pendulum_period(self.ratio, np.radians(self["bent by φ"])), "s"
            ),
            Number("rest angle θ₀", centre(self.trace), self["rest angle θ₀"], "°"),
        )


class RestAngles(Resting):
    """Three pieces, two joints."""

    title = "A rod with rest angles"
    sentence = (
        "Each joint has an angle of its own choice: the straight rod curls up until both have it."
    )
    formula = ("end to end = L |sin(3φ / 2) / sin(φ / 2)|", "φ = 180° − rest angle,   L = 1 m")
    scene = "curl"
    view = (-0.6, -2.1, 3.4, 2.1)
    seconds = 8.0
    label = "end to end [m]"
    solvers = ("saturated",)

    def controls(self) -> Sequence[Slider]:
        """Rest angle, stiffness, mass."""
        return (
            Slider("rest angle θ₀", choices=DIRECTIONS, value=135, unit="°"),
            Slider("stiffness K", 8.0, 20.0, value=10.0, step=2.0, unit="N/m"),
            Slider("mass m", 0.2, 0.6, value=0.4, unit="kg"),
        )

    @property
    def rest(self) -> float:
        """From end to end [m]."""
        turn = np.radians(180.0 - self["rest angle θ₀"])
        return float(abs(np.sin(1.5 * turn) / np.sin(0.5 * turn))) if turn else 3.0

    def build(self) -> None:
        """Let go of the straight rod; of a bent one where straight is its rest."""
        body = self.body()
        springs = self.part("body", Springs)
        angles = self.part("body", AngularSprings)
        mass = self["mass m"]
        bent = np.radians(50.0 if self["rest angle θ₀"] == 180.0 else 0.0)
        body.mass[:] = mass
        body.position[2] = (1.0 + cos(bent), sin(bent))
        body.position[3] = body.position[2] + (cos(2.0 * bent), sin(2.0 * bent))
        springs.stiffness = 2e4 * mass
        springs.damping = 60.0 * mass
        angles.stiffness = self["stiffness K"]
        angles.rest_angle = np.radians(self["rest angle θ₀"])
        self.part("body", Drag).linear = 0.6 * (self["stiffness K"] * mass) ** 0.5

    def value(self) -> float:
        """From end to end [m]."""
        return float(np.hypot(*(self.body().position[3] - self.body().position[0])))

    def height(self) -> tuple[float, float]:
        """From nothing to the straight rod."""
        return 0.0, 3.3

    def numbers(self) -> Sequence[Number]:
        """Both angles, and from end to end."""
        places = self.body().position
        near = self["rest angle θ₀"]
        calm = self.is_calm(2e-3) and float(np.abs(self.body().velocity).max()) < 4e-3
        return (
            Number("first joint", angle(places, 1, near) if calm else None, near, "°"),
            Number("second joint", angle(places, 2, near) if calm else None, near, "°"),
            Number("end to end", self.value() if calm else None, self.rest, "m"),
        )
