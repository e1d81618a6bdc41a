"""Chains: normal modes of masses in a row, waves on a string, a rope that hangs,
a rod that swings.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecs_softbody import AngularSprings, Drag, Springs
from ecs_softbody.elementary import cosh, directions, sinh
from ecs_softbody.indices import arange
from ecs_softbody.play import Slider
from ecs_softbody_games.springs_lab.measuring import period
from ecs_softbody_games.springs_lab.page import Floats, Number, Page

MASSES = 6
STRING, LENGTH = 40, 8.0
"""Pieces of the string, and its length [m]."""
LINKS = 10
PIECES = 10
"""Of the rope and of the rod."""
FIRMER = 1.0 + 1.6 / PIECES**2
"""Only its joints bend, so a chain swings slower than the rod that it stands for: this makes up for
it.
"""
CLAMPED = 1.8751041
"""First root of cos x cosh x = -1."""


class Modes(Page):
    """Masses between two walls, all in one mode."""

    title = "Masses in a row: normal modes"
    sentence = "Six masses, seven springs: each pattern swings with a frequency of its own."
    formula = (
        "ω = 2 √(k / m) sin(n π / (2 N + 2))",
        "x of mass j goes with sin(n π j / (N + 1))",
        "N = 6,  n = mode",
    )
    scene = "modes"
    coils = (("body", 0.22),)
    view = (-0.2, -1.4, 7.2, 1.4)

    def controls(self) -> Sequence[Slider]:
        """Mode, mass, stiffness."""
        return (
            Slider("mode", choices=(1, 2, 3, 4, 5, 6), value=2),
            Slider("mass", 0.2, 1.0, value=0.5, unit="kg"),
            Slider("stiffness", 10.0, 80.0, value=20.0, step=5.0, unit="N/m"),
        )

    @property
    def pattern(self) -> Floats:
        """How far each mass is pulled aside at first [m]."""
        return np.asarray(
            0.28 * directions(np.pi * self["mode"] * arange(MASSES + 2) / (MASSES + 1))[:, 1]
        )

    @property
    def omega(self) -> float:
        """Angular frequency of the mode [1/s]."""
        share = np.sin(0.5 * np.pi * self["mode"] / (MASSES + 1))
        return float(2.0 * np.sqrt(self["stiffness"] / self["mass"]) * share)

    def build(self) -> None:
        """Pull the masses aside."""
        body = self.body()
        body.mass[:], body.radius[1:-1] = self["mass"], 0.22 * self["mass"] ** 0.5
        body.position[1:-1, 0] += self.pattern[1:-1]
        self.part("body", Springs).stiffness = self["stiffness"]

    @property
    def widest(self) -> int:
        """The mass that moves most."""
        return int(np.argmax(np.abs(self.pattern)))

    def value(self) -> float:
        """How far the widest one is aside [m]."""
        return float(self.body().position[self.widest, 0]) - self.widest

    def exact(self, t: Floats) -> Floats:
        """Its swing."""
        return np.asarray(self.pattern[self.widest] * np.cos(self.omega * t))

    def height(self) -> tuple[float, float]:
        """Both sides."""
        return -0.33, 0.33

    def numbers(self) -> Sequence[Number]:
        """Period and frequency."""
        swing = period(self.times, self.trace)
        return (
            Number("period", swing, 2.0 * np.pi / self.omega, "s"),
            Number("ω", None if swing is None else 2.0 * np.pi / swing, self.omega, "1/s"),
        )


class String(Page):
    """A string between two ends, in one of its modes."""

    title = "A string under tension"
    sentence = "Plucked in a half, two or three: the tighter and the lighter, the faster its waves."
    formula = ("c = √(T / μ)", "period = 2 L / (n c),   L = 8 m")
    scene = "string"
    view = (-4.4, -1.6, 4.4, 1.6)

    def controls(self) -> Sequence[Slider]:
        """Mode, tension, mass of a metre."""
        return (
            Slider("mode n", choices=(1, 2, 3), value=1),
            Slider("tension T", 4.0, 20.0, value=6.0, step=1.0, unit="N"),
            Slider("mass per metre μ", 0.2, 0.6, value=0.3, unit="kg/m"),
        )

    @property
    def speed(self) -> float:
        """Of a wave [m/s]."""
        return float(np.sqrt(self["tension T"] / self["mass per metre μ"]))

    @property
    def wave(self) -> float:
        """Length of the wave [m]."""
        return 2.0 * LENGTH / self["mode n"]

    @property
    def seen(self) -> int:
        """The particle in the first belly."""
        return round(0.5 * STRING / self["mode n"])

    @property
    def amplitude(self) -> float:
        """At first [m]."""
        return 0.3 / self["mode n"]

    def build(self) -> None:
        """Pluck it: springs of half the length, so the tension hardly changes."""
        body = self.body()
        springs = self.part("body", Springs)
        piece = LENGTH / STRING
        body.mass[:] = self["mass per metre μ"] * piece
        along = body.position[:, 0] + 0.5 * LENGTH
        body.position[:, 1] = self.amplitude * directions(2.0 * np.pi * along / self.wave)[:, 1]
        springs.rest_length = 0.5 * piece
        springs.stiffness = self["tension T"] / (0.5 * piece)

    def value(self) -> float:
        """Height of the first belly [m]."""
        return float(self.body().position[self.seen, 1])

    def exact(self, t: Floats) -> Floats:
        """A standing wave."""
        start = self.amplitude * np.sin(2.0 * np.pi * self.seen * LENGTH / STRING / self.wave)
        return np.asarray(start * np.cos(2.0 * np.pi * self.speed / self.wave * t))

    def height(self) -> tuple[float, float]:
        """Both sides."""
        return -0.36, 0.36

    def numbers(self) -> Sequence[Number]:
        """Speed of the waves, and the period."""
        swing = period(self.times, self.trace)
        return (
            Number("wave speed c", None if swing is None else self.wave / swing, self.speed, "m/s"),
            Number("period", swing, self.wave / self.speed, "s"),
        )


class HangingRope(Page):
    """Ten masses below each other."""

    title = "A rope that hangs"
    sentence = "Every spring carries all that hangs below it, so the uppermost one is the longest."
    formula = ("stretch = n (n + 1) m g / (2 k),   n = 10", "pull at the top = n m g")
    scene = "rope"
    coils = (("body", 0.14),)
    view = (-2.2, -5.6, 2.2, 0.3)
    seconds = 8.0
    label = "stretch [m]"

    def controls(self) -> Sequence[Slider]:
        """Mass, stiffness, gravity."""
        return (
            Slider("mass of a bead", 0.05, 0.3, value=0.15, step=0.05, unit="kg"),
            Slider("stiffness", 60.0, 300.0, value=100.0, step=20.0, unit="N/m"),
            Slider("gravity", choices=(1.62, 3.71, 9.81), value=9.81, unit="m/s²"),
        )

    @property
    def rest(self) -> float:
        """Stretch of the whole rope at rest [m]."""
        return (
            0.5 * LINKS * (LINKS + 1) * self["mass of a bead"] * self["gravity"] / self["stiffness"]
        )

    def build(self) -> None:
        """Let go of it, with no spring stretched."""
        body = self.body()
        springs = self.part("body", Springs)
        self.sim.gravity = (0.0, -self["gravity"])
        body.mass[:] = self["mass of a bead"]
        springs.stiffness = self["stiffness"]
        springs.damping = 0.3 * (self["stiffness"] * self["mass of a bead"]) ** 0.5
        # This drag is critical for the slowest swing of the rope.
        self.part("body", Drag).linear = 0.3 * (self["stiffness"] * self["mass of a bead"]) ** 0.5

    def value(self) -> float:
        """Stretch [m]."""
        return float(-self.body().position[-1, 1]) - 2.5

    def exact(self, t: Floats) -> Floats:
        """Where it comes to rest."""
        return np.full(len(t), self.rest, np.float64)

    def height(self) -> tuple[float, float]:
        """Twice the rest."""
        return 0.0, 2.1 * self.rest

    def numbers(self) -> Sequence[Number]:
        """Stretch and pull, once it hangs still."""
        body = self.body()
        springs = self.part("body", Springs)
        calm = self.times[-1] > 1.0 and float(np.ptp(self.trace[-30:])) < 0.01 * self.rest
        pull = springs.stiffness[0] * (-body.position[1, 1] - springs.rest_length[0])
        weight = LINKS * self["mass of a bead"] * self["gravity"]
        return (
            Number("stretch", float(self.trace[-30:].mean()) if calm else None, self.rest, "m"),
            Number("pull at the top", float(pull) if calm else None, weight, "N"),
        )


class Rod(Page):
    """A rod clamped at one end: angles that spring back."""

    title = "A rod that is clamped"
    sentence = (
        "Springs at every joint hold the angle: together they swing like a ruler at the "
        "edge of a table."
    )
    formula = (
        "ω = 3.516 / L² · √(E I / μ)",
        "joint stiffness = E I / piece",
        "no weight, first mode",
    )
    scene = "rod"
    view = (-0.6, -1.3, 2.9, 1.3)
    seconds = 10.0
    label = "tip [m]"
    solvers = ("saturated",)

    def controls(self) -> Sequence[Slider]:
        """Length, stiffness, mass of a metre."""
        return (
            Slider("length L", 2.0, 2.6, value=2.0, unit="m"),
            Slider("stiffness E I", 1.0, 3.0, value=2.0, step=0.2, unit="N·m²"),
            Slider("mass per metre μ", 0.5, 1.0, value=0.5, unit="kg/m"),
        )

    @property
    def omega(self) -> float:
        """Angular frequency of the first mode [1/s]."""
        root = np.sqrt(self["stiffness E I"] / self["mass per metre μ"])
        return float((CLAMPED / self["length L"]) ** 2 * root)

    def build(self) -> None:
        """Bend it in the form of its first mode; half a piece belongs to each end."""
        piece = self["length L"] / PIECES
        body = self.body()
        springs = self.part("body", Springs)
        angles = self.part("body", AngularSprings)
        along = arange(-1, PIECES + 1) * piece
        x = CLAMPED * np.maximum(along, 0.0) / self["length L"]
        turned = directions(x)
        form = (
            np.array(list(map(cosh, x)))
            - turned[:, 0]
            - 0.7340955 * (np.array(list(map(sinh, x))) - turned[:, 1])
        )
        body.position[:] = np.column_stack((along, 0.05 * form))
        body.mass[:] = self["mass per metre μ"] * piece
        body.mass[-1] *= 0.5
        springs.rest_length = piece
        angles.stiffness[:] = FIRMER * self["stiffness E I"] / piece**3
        angles.stiffness[0] *= 2.0

    def value(self) -> float:
        """Height of the tip [m]."""
        return float(self.body().position[-1, 1])

    def exact(self, t: Floats) -> Floats:
        """Its swing."""
        return np.asarray(0.1 * np.cos(self.omega * t))

    def height(self) -> tuple[float, float]:
        """Both sides."""
        return -0.12, 0.12

    def numbers(self) -> Sequence[Number]:
        """Period and frequency."""
        swing = period(self.times, self.trace)
        return (
            Number("period", swing, 2.0 * np.pi / self.omega, "s"),
            Number(
                "frequency",
                None if swing is None else 1.0 / swing,
                self.omega / (2.0 * np.pi),
                "Hz",
            ),
        )
