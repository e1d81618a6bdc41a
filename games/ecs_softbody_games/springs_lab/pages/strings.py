"""Strings: one whose rest length changes while it runs, and one that hangs between two pegs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecs_softbody import DistanceLimits, Drag, Springs
from ecs_softbody.elementary import sin
from ecs_softbody.play import Slider
from ecs_softbody_games.springs_lab.measuring import bisect
from ecs_softbody_games.springs_lab.page import GRAVITY, Floats, Number, Page, Resting

LONG, DEEP = 2.0, 0.1
"""Rest length of the string in the middle, and how far it changes to either side [m]."""
OMEGA, ZETA = 5.0, 0.3
"""Angular frequency of the load without damping [1/s], and its damping."""
LINKS = 24
FRAME = 1.0 / 60.0


class Muscle(Page):
    """A load on a string that is drawn in and let out."""

    title = "A string that changes its length"
    sentence = (
        "Its rest length goes up and down: slowly, and the load follows; in time with "
        "it, and it swings wide."
    )
    formula = (
        "rest length = L₀ + 0.1 m · sin(ω₁ t)",
        "swing / 0.1 m = 1 / √((1 − r²)² + (2 ζ r)²)",
        "r = ω₁ / ω,  ω = √(k / m) = 5/s,  ζ = 0.3",
    )
    scene = "muscle"
    coils = (("body", 0.22),)
    view = (-2.2, -3.9, 2.2, 0.3)
    seconds = 8.0
    label = "aside [m]"
    solvers = ("saturated",)

    def controls(self) -> Sequence[Slider]:
        """Ratio of the frequencies, mass."""
        return (
            Slider("r = ω₁ / ω", 0.5, 1.6, value=1.0),
            Slider("mass m", 0.5, 2.0, value=1.0, unit="kg"),
        )

    @property
    def drive(self) -> float:
        """Angular frequency of the rest length [1/s]."""
        return OMEGA * self["r = ω₁ / ω"]

    @property
    def reach(self) -> complex:
        """How far the load swings, with its delay [m]."""
        r = self["r = ω₁ / ω"]
        return DEEP / (1.0 - r * r + 2j * ZETA * r)

    def build(self) -> None:
        """Hang the load where it would rest."""
        body = self.body()
        spring = self.part("body", Springs)
        mass = self["mass m"]
        self.rest = GRAVITY / OMEGA**2 + LONG
        body.mass[1] = mass
        body.radius[1] = 0.22 * mass**0.5
        body.position[1, 1] = -self.rest
        spring.stiffness = mass * OMEGA**2
        self.part("body", Drag).linear = 2.0 * ZETA * mass * OMEGA
        self.after_step(0.0)

    def after_step(self, dt: float) -> None:
        """Change the rest length to what it is in the middle of the next frame."""
        self.part("body", Springs).rest_length = LONG + DEEP * sin(
            self.drive * (self.sim.time + 0.5 * FRAME)
        )

    def value(self) -> float:
        """How far the load is below its rest [m]."""
        return float(-self.body().position[1, 1]) - self.rest

    def exact(self, t: Floats) -> Floats:
        """The steady swing, and what dies out of the start."""
        steady = self.reach * np.exp(1j * self.drive * t)
        ring = OMEGA * np.sqrt(1.0 - ZETA**2)
        start = -self.reach.imag
        slope = -(1j * self.drive * self.reach).imag
        sine = (slope + ZETA * OMEGA * start) / ring
        dying = np.exp(-ZETA * OMEGA * t) * (start * np.cos(ring * t) + sine * np.sin(ring * t))
        return np.asarray(steady.imag + dying)

    def height(self) -> tuple[float, float]:
        """Both sides."""
        most = max(1.4 * abs(self.reach), 1.3 * DEEP)
        return -most, most

    def numbers(self) -> Sequence[Number]:
        """The swing of the load, and how many times that of the string."""
        rows = self.times > 5.0
        seen = None
        if self.times[-1] > 5.0 + 2.0 * np.pi / self.drive:
            seen = fitted_swing(self.times[rows], self.trace[rows], self.drive)
        return (
            Number("swing", seen, abs(self.reach), "m"),
            Number(
                "times that of the string",
                None if seen is None else seen / DEEP,
                abs(self.reach) / DEEP,
            ),
        )


def fitted_swing(t: Floats, y: Floats, omega: float) -> float:
    """Return how far a curve swings with a known frequency: the best sine and cosine."""
    base = np.column_stack((np.sin(omega * t), np.cos(omega * t), np.ones(len(t))))
    return float(np.hypot(*np.linalg.lstsq(base, y, rcond=None)[0][:2]))


class Catenary(Resting):
    """A chain between two pegs."""

    title = "A string held at both ends"
    sentence = (
        "It hangs in a catenary. Its pull to the side is the same all along: tight "
        "strings pull hardest."
    )
    formula = (
        "y = a cosh(x / a)",
        "2 a sinh(D / (2 a)) = S",
        "sag = a (cosh(D / (2 a)) − 1),   H = μ g a",
    )
    scene = "catenary"
    view = (-2.6, -3.1, 2.6, 0.4)
    seconds = 10.0
    label = "sag [m]"

    def controls(self) -> Sequence[Slider]:
        """Length, distance, mass of a metre."""
        return (
            Slider("length S", 4.4, 6.0, value=5.0, step=0.2, unit="m"),
            Slider("distance D", 2.0, 4.0, value=3.6, step=0.2, unit="m"),
            Slider("mass per metre μ", 0.2, 1.0, value=0.5, unit="kg/m"),
        )

    @property
    def shape(self) -> float:
        """a of the catenary [m]."""
        half = 0.5 * self["distance D"]
        length = self["length S"]
        return bisect(lambda a: length - 2.0 * a * np.sinh(half / a), 0.1, 100.0)

    @property
    def rest(self) -> float:
        """Sag [m]."""
        return float(self.shape * (np.cosh(0.5 * self["distance D"] / self.shape) - 1.0))

    def build(self) -> None:
        """Let go of it as two straight halves."""
        body = self.body()
        piece = self["length S"] / LINKS
        half = 0.5 * self["distance D"]
        share = np.abs(np.linspace(-1.0, 1.0, LINKS + 1))
        deep = (0.25 * self["length S"] ** 2 - half**2) ** 0.5
        body.position[:] = np.column_stack(
            (np.linspace(-half, half, LINKS + 1), deep * (share - 1.0))
        )
        body.mass[:] = self["mass per metre μ"] * piece
        self.part("body", DistanceLimits).maximum = piece
        self.part("body", Drag).linear = 2.0 * self["mass per metre μ"] * piece

    def value(self) -> float:
        """Sag [m]."""
        return float(-self.body().position[LINKS // 2, 1])

    def height(self) -> tuple[float, float]:
        """To below the lowest place."""
        return 0.0, 1.4 * self.rest

    def numbers(self) -> Sequence[Number]:
        """Sag, and the pull to the side in the first link."""
        first = np.diff(self.body().position[:2], axis=0)[0]
        calm = self.is_calm(2e-3)
        pull = float(self.part("body", DistanceLimits).force[0]) * float(
            first[0] / np.hypot(*first)
        )
        return (
            Number("sag", self.value() if calm else None, self.rest, "m"),
            Number(
                "pull to the side H",
                pull if calm else None,
                self["mass per metre μ"] * GRAVITY * self.shape,
                "N",
            ),
        )
