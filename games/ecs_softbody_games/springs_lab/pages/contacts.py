"""Contacts and water: a ball that bounces, a block on a slope, a box that floats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecs_softbody import Collider, StaticCollider, Water
from ecs_softbody.elementary import cos, dot, sin
from ecs_softbody.play import Slider, say
from ecs_softbody_games.springs_lab.measuring import tops
from ecs_softbody_games.springs_lab.page import GRAVITY, Floats, Number, Page

RADIUS = 0.25
SIDE = 1.0


class Bounce(Page):
    """A ball that falls and comes back."""

    title = "A ball that bounces"
    sentence = (
        "It parts from the ground with a share e of the speed it came with, so it rises "
        "to e² of the height."
    )
    formula = ("v' = −e v", "heights: h,  e² h,  e⁴ h, ...")
    scene = "bounce"
    view = (-2.6, -0.3, 2.6, 3.6)
    seconds = 5.5
    label = "height [m]"

    def controls(self) -> Sequence[Slider]:
        """Restitution, height, gravity."""
        return (
            Slider("restitution e", 0.5, 1.0, value=0.8, step=0.05),
            Slider("height h", 1.0, 3.0, value=2.5, step=0.25, unit="m"),
            Slider("gravity", choices=(3.71, 9.81, 24.8), value=9.81, unit="m/s²"),
        )

    def build(self) -> None:
        """Lift the ball."""
        self.sim.gravity = (0.0, -self["gravity"])
        self.body().position[0] = (0.0, self["height h"] + RADIUS)
        self.part("body", Collider).restitution = self["restitution e"]

    def value(self) -> float:
        """Height of the lowest point [m]."""
        return float(self.body().position[0, 1]) - RADIUS

    def exact(self, t: Floats) -> Floats:
        """One parabola after the other."""
        g = self["gravity"]
        speed = np.sqrt(2.0 * self["gravity"] * self["height h"])
        y = self["height h"] - 0.5 * g * t**2
        start = speed / g
        for _ in range(60):
            speed *= self["restitution e"]
            s = t - start
            y = np.where(s > 0.0, speed * s - 0.5 * g * s**2, y)
            start += 2.0 * speed / g
        return np.maximum(y, 0.0)

    def height(self) -> tuple[float, float]:
        """A little above the start."""
        return 0.0, 1.1 * self["height h"]

    def numbers(self) -> Sequence[Number]:
        """The first two heights after the fall."""
        found_tops = [top for top in tops(self.trace) if top > 0.03 * self["height h"]]
        share = self["restitution e"] ** 2
        found = []
        for count in range(2):
            name = say("springs_lab.height_number", number=count + 1)
            top = None
            if len(found_tops) > count:
                top = found_tops[count]
            found.append(
                Number(
                    name,
                    None if top is None else float(top),
                    share ** (count + 1) * self["height h"],
                    "m",
                )
            )
        return found


class Slope(Page):
    """A puck on a slope."""

    title = "Friction on a slope"
    sentence = "Steeper than the angle whose tangent is μ it slides, flatter it stays where it is."
    formula = ("tan φ ≤ μ:  it holds", "else  a = g (sin φ − μ cos φ)")
    scene = "slope"
    view = (-4.0, -3.0, 4.0, 3.0)
    seconds = 1.5
    label = "way [m]"

    def controls(self) -> Sequence[Slider]:
        """Angle, friction."""
        return (
            Slider("angle φ", 5.0, 45.0, value=30.0, step=5.0, unit="°"),
            Slider("friction μ", 0.1, 0.9, value=0.3),
        )

    @property
    def angle(self) -> float:
        """Of the slope [rad]."""
        return float(np.radians(self["angle φ"]))

    @property
    def down(self) -> Floats:
        """The direction down the slope."""
        return np.array((cos(self.angle), -sin(self.angle)))

    @property
    def acceleration(self) -> float:
        """By the formula [m/s²]; 0 where it holds."""
        return max(
            0.0, GRAVITY * float(np.sin(self.angle) - self["friction μ"] * np.cos(self.angle))
        )

    def build(self) -> None:
        """Tilt the slope and put the puck on it."""
        slope = self.part("slope", StaticCollider)
        up = np.array((sin(self.angle), cos(self.angle)))
        slope.vertices[:] = np.array((-4.2, 4.2))[:, None] * self.down
        slope.friction = self.part("body", Collider).friction = self["friction μ"]
        self.body().position[0] = -2.6 * self.down + RADIUS * up
        self.body().inertia_factor = np.inf  # a puck, not a ball: it slides
        self.from_here = self.body().position[0].copy()

    def after_step(self, dt: float) -> None:
        """Stop it where the picture ends."""
        if self.value() > 5.6:
            self.body().pinned[:] = True

    def value(self) -> float:
        """Way down the slope [m]."""
        return float(dot(self.body().position[0] - self.from_here, self.down))

    def exact(self, t: Floats) -> Floats:
        """Way by the formula, to the end of the picture."""
        return np.minimum(0.5 * self.acceleration * t**2, 5.6)

    def height(self) -> tuple[float, float]:
        """The whole way, or a little of it."""
        return 0.0, float(np.clip(0.6 * self.acceleration * self.seconds**2, 0.5, 5.8))

    def numbers(self) -> Sequence[Number]:
        """Acceleration, from a parabola through the way."""
        way = self.trace
        t = self.times
        rows = (way < 5.5) & (t > 0.05)
        measured = None
        if rows.sum() > 12:
            bend = 2.0 * float(np.polyfit(t[rows], way[rows], 2)[0])
            measured = 0.0 if abs(bend) < 1e-3 else bend
        return (Number("acceleration a", measured, self.acceleration, "m/s²"),)


class Floating(Page):
    """A box in water."""

    title = "A box that floats"
    sentence = (
        "It sinks in until the water it displaces weighs as much as the whole box (Archimedes)."
    )
    formula = ("lift = ρ g A under water", "A / A box = ρ box / ρ")
    scene = "water"
    view = (-2.6, -1.7, 2.6, 1.3)
    seconds = 8.0
    label = "share under water"
    solvers = ("saturated",)

    def controls(self) -> Sequence[Slider]:
        """Two densities."""
        return (
            Slider("density of the box", 100.0, 900.0, value=400.0, step=50.0, unit="kg/m³"),
            Slider("density of the water ρ", 700.0, 1200.0, value=1000.0, step=50.0, unit="kg/m³"),
        )

    @property
    def share(self) -> float:
        """Of the box that is under water, by the formula."""
        return min(self["density of the box"] / self["density of the water ρ"], 1.0)

    def build(self) -> None:
        """Set how heavy box and water are."""
        body = self.body()
        body.mass[:] = self["density of the box"] * SIDE**2 / body.row_count
        self.part("water", Water).density = self["density of the water ρ"]

    def value(self) -> float:
        """Share of the box under water."""
        return float(self.part("body", Collider).submerged_area) / SIDE**2

    def exact(self, t: Floats) -> Floats:
        """Where it comes to rest."""
        return np.full(len(t), self.share, np.float64)

    def height(self) -> tuple[float, float]:
        """Dry to sunk."""
        return 0.0, 1.05

    def numbers(self) -> Sequence[Number]:
        """Share and lift, once it floats still."""
        calm = self.times[-1] > 1.0 and float(np.ptp(self.trace[-60:])) < 0.03 * self.share
        seen = float(self.trace[-60:].mean())
        weight = self.share * self["density of the water ρ"] * GRAVITY * SIDE**2
        lift = seen * self["density of the water ρ"] * GRAVITY * SIDE**2
        return (
            Number("share under water", seen if calm else None, self.share),
            Number("lift = weight", lift if calm else None, weight, "N"),
        )
