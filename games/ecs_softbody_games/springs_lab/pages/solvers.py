"""Three solvers: the same spring explicit, saturated and with XPBD, side by side."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import esper
import numpy as np

from ecs_softbody import Order, Particles, Simulation, Springs, StabilityWarning, scenes
from ecs_softbody.play import Slider, translated
from ecs_softbody.rendering import Layer, Picture
from ecs_softbody_games.springs_lab.look import BAD, INK, LANE_COLOURS
from ecs_softbody_games.springs_lab.page import Floats, Number, Page

LANES = ("explicit", "saturated", "xpbd")
FAR = 1e5
"""A swing wider than this [m] has blown up; it is stopped then, in sight."""
STRETCH = 0.5
FRAME = 1.0 / 60.0


class ExplicitSpring(esper.Processor):
    """A spring as textbooks first have it: force = -k stretch at the start of the substep, with no limit."""

    def __init__(self, body: Particles, stiffness: float) -> None:
        self.body, self.stiffness = body, stiffness

    def process(self, dt: float) -> None:
        """Add the force; a spring that has blown up rests."""
        stretch = self.body.position[1, 0] - 1.0
        if abs(stretch) > FAR:
            self.stiffness = stretch = 0.0
            self.body.pinned[1] = True
            self.body.position[1, 0] = 1.0 + STRETCH
            self.body.frame_position[1] = self.body.position[1]
        self.body.force[1, 0] -= self.stiffness * stretch


class Watch(esper.Processor):
    """Notes a stretch at the end of each substep."""

    def __init__(self, body: Particles) -> None:
        self.body = body
        self.seen = [float(body.position[1, 0]) - 1.0]

    def process(self, dt: float) -> None:
        """Note it."""
        self.seen.append(float(self.body.position[1, 0]) - 1.0)


class ThreeSolvers(Page):
    """One spring of any stiffness, three times."""

    title = "One spring, three solvers"
    sentence = "Ask for more than a substep can carry: one blows up, one acts softer, one loses its swing."
    formula = (
        "with s = k h² / m, each substep multiplies by",
        "explicit: 1, and grows where s > 4",
        "xpbd: 1 / √(1 + s)",
    )
    scene = "solvers"
    coils = tuple((name, 0.2) for name in LANES)
    view = (-0.3, -2.6, 2.3, 0.7)
    seconds = 2.0
    colours = LANE_COLOURS
    label = "stretch [m]"
    solvers = ("saturated",)
    grabs: ClassVar[bool] = False

    def controls(self) -> Sequence[Slider]:
        """Stiffness, mass."""
        return (
            Slider("stiffness k", choices=(100, 1_000, 10_000, 100_000, 200_000, 300_000, 1_000_000), value=1_000,
                   unit="N/m"),
            Slider("mass m", 0.5, 2.0, value=1.0, step=0.5, unit="kg"),
        )  # fmt: skip

    @property
    def h(self) -> float:
        """Length of a substep [s]."""
        return FRAME / self["substeps"]

    @property
    def strength(self) -> float:
        """s = k h² / m."""
        return self["stiffness k"] * self.h**2 / self["mass m"]

    def build(self) -> None:
        """Set up all three; the third has a world of its own."""
        self._quiet = ExitStack()  # to ask for too much is what this page is about
        self._quiet.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", StabilityWarning)
        path = Path(__file__).parents[1] / "scenes" / f"{self.scene}.toml"
        self.other = Simulation(solver="xpbd", substeps=int(self["substeps"]), world=f"{self.sim.world} xpbd")
        third = scenes.load(self.other, path)
        self.other.substeps, self.other.sleeping = self.sim.substeps, False
        self.bodies = (self.body("explicit"), self.body("saturated"), self.other.get(third["saturated"], Particles))
        self.spring = self.part("saturated", Springs)
        for body in self.bodies:
            body.mass[1] = self["mass m"]
            body.position[1, 0] = 1.0 + STRETCH
        self.spring.stiffness = self["stiffness k"]
        self.other.get(third["saturated"], Springs).stiffness = self["stiffness k"]
        self.sim.speed_limit = 1e12  # what blows up is seen to the end
        self.sim.add_processor(ExplicitSpring(self.bodies[0], self["stiffness k"]), Order.CUSTOM_FORCE)
        self.watches = [Watch(body) for body in self.bodies]
        for watch, sim in zip(self.watches, (self.sim, self.sim, self.other), strict=True):
            sim.add_processor(watch, 1)

    def after_step(self, dt: float) -> None:
        """Step the other world, and show where its mass is."""
        self.other.step(dt)
        self.body("xpbd").position[1, 0] = self.bodies[2].position[1, 0]

    @property
    def blown_up(self) -> bool:
        """Whether the explicit spring has been stopped."""
        return bool(self.bodies[0].pinned[1])

    def value(self) -> Sequence[float]:
        """Stretch of all three [m]."""
        return [float(body.position[1, 0]) - 1.0 for body in self.bodies]

    def curves(self) -> Sequence[Floats]:
        """Leave out what lies outside of the plot."""
        return [np.where(np.abs(curve) < 1.3 * STRETCH, curve, np.nan) for curve in super().curves()]

    def exact(self, t: Floats) -> Floats:
        """The swing that no solver sees, where it is slow enough to be drawn."""
        omega = np.sqrt(self["stiffness k"] / self["mass m"])
        return np.asarray(STRETCH * np.cos(omega * t) if omega < 200.0 else np.full(len(t), np.nan))

    def height(self) -> tuple[float, float]:
        """Both sides."""
        return -1.3 * STRETCH, 1.3 * STRETCH

    def numbers(self) -> Sequence[Number]:
        """By what a substep multiplies the swing of each."""
        s, seen = self.strength, [factor(watch.seen) for watch in self.watches]
        softer = float(self.spring.effective_stiffness[0]) * self.h**2 / self["mass m"]
        braked = float(self.spring.effective_damping[0]) * self.h / self["mass m"]
        return (
            Number("explicit: factor", seen[0], growth(2.0 - s, 1.0)),
            Number("saturated: factor", seen[1], growth(2.0 - softer - braked, 1.0 - braked)),
            Number("xpbd: factor", seen[2], growth(2.0 / (1.0 + s), 1.0 / (1.0 + s))),
        )

    def draw(self, picture: Picture, alpha: float) -> None:
        """Name the lanes, and say that one has blown up."""
        super().draw(picture, alpha)
        for name, body in zip(LANES, (*self.bodies[:2], self.body("xpbd")), strict=True):
            place = body.position[0] + (0.0, 0.42)
            text = translated(name)
            picture.text(text, place, size=24.0, colour=INK, shadow=False, space="world", layer=Layer.EFFECTS)
        if self.blown_up:
            place = self.bodies[0].position[0] + (0.85, 0.36)
            text = translated("blown up, stopped")
            picture.text(text, place, size=24.0, colour=BAD, shadow=False, space="world", layer=Layer.EFFECTS)

    def close_others(self) -> None:
        """Give up the world of the third spring."""
        other = vars(self).pop("other", None)
        if other is not None:
            other.close()
            self._quiet.close()


def growth(p: float, q: float) -> float:
    """Return by what x is multiplied in the long run, where x'' = p x' - q x from one substep to the next."""
    roots = np.roots((1.0, -p, q))
    return float(np.abs(roots).max())


def factor(seen: Sequence[float]) -> float | None:
    """Return the same from what was seen: the best p and q of all substeps."""
    x = np.array(seen)
    x = x[: int(np.argmax(np.abs(x) > FAR))] if (np.abs(x) > FAR).any() else x
    x = x[: int(np.argmax(np.abs(x) < 1e-9))] if (np.abs(x) < 1e-9).any() else x
    if len(x) < 4:
        return None
    (p, minus_q), *_ = np.linalg.lstsq(np.column_stack((x[1:-1], x[:-2])), x[2:], rcond=None)
    return growth(float(p), float(-minus_q))
