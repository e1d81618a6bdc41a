"""Swings and falls: a pendulum of any width, and a fall that air brakes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecs_softbody import Drag, Springs
from ecs_softbody.elementary import cos, sin
from ecs_softbody.play import Slider
from ecs_softbody.rendering import Layer, Picture, palette
from ecs_softbody_games.springs_lab.look import INK
from ecs_softbody_games.springs_lab.measuring import pendulum_period, pendulum_swing, period
from ecs_softbody_games.springs_lab.page import GRAVITY, Floats, Number, Page


class Pendulum(Page):
    """A mass on a rod that hardly stretches."""

    title = "A pendulum"
    sentence = "Its mass does not matter; its width does."
    formula = (
        "T = 2π √(L / g) / M(1, cos(θ / 2))",
        "M: arithmetic-geometric mean",
        "v = √(2 g L (1 − cos θ))",
    )
    scene = "pendulum"
    view = (-3.2, -3.4, 3.2, 1.8)
    label = "angle [°]"
    seconds = 9.0

    def controls(self) -> Sequence[Slider]:
        """Length, width, mass, gravity."""
        return (
            Slider("length L", 0.5, 3.0, value=2.0, unit="m"),
            Slider("swing θ", 5.0, 120.0, value=60.0, step=5.0, unit="°"),
            Slider("mass", 0.5, 4.0, value=1.0, step=0.5, unit="kg"),
            Slider("gravity g", choices=(1.62, 3.71, 9.81, 24.8), value=9.81, unit="m/s²"),
        )

    @property
    def time(self) -> float:
        """Period, exactly [s]."""
        return pendulum_period(self["gravity g"] / self["length L"], np.radians(self["swing θ"]))

    def build(self) -> None:
        """Lift the mass to the side; the rod is as stiff as 4 substeps carry."""
        body = self.body()
        rod = self.part("body", Springs)
        angle = np.radians(self["swing θ"])
        self.sim.gravity = (0.0, -self["gravity g"])
        body.mass[1], body.radius[1] = self["mass"], 0.2 * self["mass"] ** 0.5
        body.position[1] = self["length L"] * np.array((sin(angle), -cos(angle)))
        rod.rest_length = self["length L"]
        rod.stiffness = 2e4 * self["mass"]
        rod.damping = 60.0 * self["mass"]
        self.fastest = 0.0

    def after_step(self, dt: float) -> None:
        """Note the highest speed of the first half swing."""
        if not self.touched and self.sim.time < 0.5 * self.time:
            self.fastest = max(self.fastest, float(np.hypot(*self.body().velocity[1])))

    def value(self) -> float:
        """Angle from the plumb line [°]."""
        x, y = self.body().position[1]
        return float(np.degrees(np.arctan2(x, -y)))

    def exact(self, t: Floats) -> Floats:
        """Angle by the law θ'' = -g / L sin θ [°]."""
        return np.degrees(
            pendulum_swing(self["gravity g"] / self["length L"], np.radians(self["swing θ"]), t)
        )

    def height(self) -> tuple[float, float]:
        """Both sides."""
        return -1.15 * self["swing θ"], 1.15 * self["swing θ"]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the rod, and the plumb line."""
        body = self.body()
        seen = body.frame_position + alpha * (body.position - body.frame_position)
        plumb = np.array(((0.0, 0.0), (0.0, -self["length L"] - 0.3)))
        picture.stroke(plumb, 2.0, palette.faded(INK, 0.3), layer=Layer.DECOR)
        picture.stroke(seen, 4.0, INK, layer=Layer.DECOR)

    def numbers(self) -> Sequence[Number]:
        """Period, and the speed at the bottom."""
        passed = self.times[-1] > 0.4 * self.time
        drop = self["length L"] * (1.0 - np.cos(np.radians(self["swing θ"])))
        return (
            Number("period T", period(self.times, self.trace), self.time, "s"),
            Number(
                "fastest v",
                self.fastest if passed else None,
                float(np.sqrt(2.0 * self["gravity g"] * drop)),
                "m/s",
            ),
        )


class Fall(Page):
    """A ball that air brakes with the square of its speed."""

    title = "A fall through air"
    sentence = (
        "Drag grows with the square of the speed until it carries the weight: then "
        "nothing gets faster."
    )
    formula = ("v = √(m g / d)", "v(t) = v tanh(g t / v)")
    scene = "fall"
    view = (-3.2, -4.6, 3.2, 0.6)
    seconds = 5.0
    label = "speed [m/s]"

    def controls(self) -> Sequence[Slider]:
        """Mass, drag."""
        return (
            Slider("mass m", 0.4, 1.0, value=0.5, unit="kg"),
            Slider("drag d", 0.1, 0.25, value=0.2, step=0.05, unit="N·s²/m²"),
        )

    @property
    def limit(self) -> float:
        """Terminal speed [m/s]."""
        return float(np.sqrt(self["mass m"] * GRAVITY / self["drag d"]))

    def build(self) -> None:
        """Let go of the ball."""
        self.body().mass[:], self.body().radius[:] = self["mass m"], 0.5 * self["mass m"] ** 0.5
        self.part("body", Drag).quadratic = self["drag d"]

    def after_step(self, dt: float) -> None:
        """Let a ball that has left the picture fall in from above again."""
        body = self.body()
        if body.position[0, 1] < self.view[1] - 1.0:
            up = self.view[3] - self.view[1] + 2.0
            body.position[0, 1] += up
            body.frame_position[0, 1] += up

    def value(self) -> float:
        """Speed downwards [m/s]."""
        return float(-self.body().velocity[0, 1])

    def exact(self, t: Floats) -> Floats:
        """Speed by the formula."""
        return np.asarray(self.limit * np.tanh(GRAVITY * t / self.limit))

    def height(self) -> tuple[float, float]:
        """A little above the limit."""
        return 0.0, 1.2 * self.limit

    def numbers(self) -> Sequence[Number]:
        """The speed at the end."""
        passed = self.times[-1] > 3.8 * self.limit / GRAVITY
        return (Number("speed v", float(self.trace[-1]) if passed else None, self.limit, "m/s"),)
