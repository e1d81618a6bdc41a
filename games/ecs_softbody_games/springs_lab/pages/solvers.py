"""Solvers: the same spring, and the same loaded rope, explicit, saturated and with XPBD, side by
side.
"""

from __future__ import annotations

from collections.abc import Sequence

import esper
import numpy as np

from ecs_softbody import Particles
from ecs_softbody.elementary import dot
from ecs_softbody.indices import arange, flatnonzero
from ecs_softbody.play import Slider, say
from ecs_softbody_games.springs_lab.page import GRAVITY, Floats, Number
from ecs_softbody_games.springs_lab.pages.side_by_side import FAR, LANES, SideBySide

STRETCH = 0.2
LINKS = 10
BEAD = 0.05
"""Mass of a bead of the rope [kg]."""


class Watch(esper.Processor):
    """Notes a stretch at the end of each substep."""

    def __init__(self, body: Particles) -> None:
        self.body = body
        self.seen = [float(body.position[1, 0]) - 1.0]

    def process(self, dt: float) -> None:
        """Note it."""
        self.seen.append(float(self.body.position[1, 0]) - 1.0)


class ThreeSolvers(SideBySide):
    """One spring of any stiffness, three times."""

    title = "One spring, three solvers"
    sentence = (
        "Ask for more than a substep can carry: one blows up, one acts softer, one loses its swing."
    )
    formula = (
        "s = k h² / m;   energy × per substep:",
        "explicit: 1, and more where s > 4",
        "xpbd: 1 / (1 + s)",
    )
    scene = "solvers"
    view = (-0.3, -2.6, 2.3, 0.7)
    seconds = 2.0

    def controls(self) -> Sequence[Slider]:
        """Stiffness, mass."""
        return (
            Slider(
                "stiffness k",
                choices=(100, 1_000, 10_000, 100_000, 200_000, 300_000, 1_000_000),
                value=1_000,
                unit="N/m",
            ),
            Slider("mass m", 0.5, 2.0, value=1.0, step=0.5, unit="kg"),
        )

    def build(self) -> None:
        """Pull all three out."""
        self.set_up(self["stiffness k"])
        for body in self.bodies:
            body.mass[1] = self["mass m"]
            body.position[1, 0] = 1.0 + STRETCH
        self.add_explicit(self["stiffness k"])
        self.watches = [Watch(body) for body in self.bodies]
        for watch, sim in zip(self.watches, (self.sim, self.sim, self.other), strict=True):
            sim.add_processor(watch, 1)

    def value(self) -> Sequence[float]:
        """Stretch of all three [m]."""
        return [float(body.position[1, 0]) - 1.0 for body in self.bodies]

    def exact(self, t: Floats) -> Floats:
        """The swing that no solver sees, where it is slow enough to be drawn."""
        omega = np.sqrt(self["stiffness k"] / self["mass m"])
        return np.asarray(STRETCH * np.cos(omega * t) if omega < 200.0 else np.full(len(t), np.nan))

    def height(self) -> tuple[float, float]:
        """Both sides."""
        return -1.3 * STRETCH, 1.3 * STRETCH

    def numbers(self) -> Sequence[Number]:
        """By what a substep multiplies the energy of each."""
        s = self["stiffness k"] * self.h**2 / self["mass m"]
        softer = float(self.springs[0].effective_stiffness[0]) * self.h**2 / self["mass m"]
        braked = float(self.springs[0].effective_damping[0]) * self.h / self["mass m"]
        exact = (
            growth(2.0 - s, 1.0),
            growth(2.0 - softer - braked, 1.0 - braked),
            growth(2.0 / (1.0 + s), 1 / (1 + s)),
        )
        found = []
        for name, watch, swing in zip(LANES, self.watches, exact, strict=True):
            seen = factor(watch.seen)
            found.append(
                Number(
                    say("springs_lab.energy_factor", lane=name),
                    None if seen is None else seen**2,
                    swing**2,
                )
            )
        return found


class LoadedRope(SideBySide):
    """One rope with a heavy load, three times."""

    title = "One rope, three solvers"
    sentence = (
        "Stiffer and stiffer: explicit blows up, saturated stretches all the same, xpbd "
        "holds the length."
    )
    formula = (
        "stretch = Σ pull / k",
        "explicit grows if k h² / m > 1",
        "saturated: k up to about m / h²",
    )
    scene = "load"
    coils = tuple((name, 0.14) for name in LANES)
    view = (-0.9, -4.0, 5.3, 0.6)
    seconds = 6.0
    axis = 1
    sign = -1.0

    def controls(self) -> Sequence[Slider]:
        """Stiffness, load."""
        return (
            Slider(
                "stiffness k",
                choices=(1_000, 2_000, 10_000, 30_000, 100_000),
                value=2_000,
                unit="N/m",
            ),
            Slider("load", 1.0, 4.0, value=2.0, step=0.5, unit="kg"),
        )

    def build(self) -> None:
        """Hang all three up; the drag lets them come to rest."""
        self.set_up(self["stiffness k"])
        for body, drag in zip(self.bodies, self.drags, strict=True):
            drag.linear = 3.0 * self["load"]
            body.mass[-1] = self["load"]
            body.radius[-1] = 0.14 * self["load"] ** 0.5
        self.body("xpbd").radius[-1] = 0.14 * self["load"] ** 0.5
        self.add_explicit(self["stiffness k"])

    @property
    def pulls(self) -> Floats:
        """What hangs on each spring, from the top [N]."""
        return np.asarray(GRAVITY * (self["load"] + BEAD * arange(LINKS - 1, -1, -1)))

    @property
    def rest(self) -> float:
        """Stretch at rest, as asked [m]."""
        return float(self.pulls.sum() / self["stiffness k"])

    @property
    def softest(self) -> float:
        """Stretch at rest with what stiffness a substep carries [m]; the first substep finds it."""
        stiffness = self.springs[0].effective_stiffness
        return float((self.pulls / np.where(stiffness > 0.0, stiffness, self["stiffness k"])).sum())

    @property
    def explicit_factor(self) -> float:
        """By what a substep multiplies the fastest swing of the explicit rope, in which the load
        rests.
        """
        braked = 1.0 / (1.0 + 3.0 * self["load"] * self.h / BEAD)
        s = (
            4.0
            * self["stiffness k"]
            * self.h**2
            / BEAD
            * np.sin(0.5 * np.pi * (1.0 - 1.0 / LINKS)) ** 2
        )
        return growth(1.0 + braked - braked * s, braked)

    @property
    def explicit_seen(self) -> float | None:
        """The same as seen: of the beads' places, the part that has the form of that swing, once it
        is large.
        """
        form = np.sin(np.pi * (1.0 - 1.0 / LINKS) * arange(LINKS + 1))
        ways = np.abs(dot(np.array(self.explicit.seen), form))
        if (ways > FAR).any():
            ways = ways[: int(np.argmax(ways > FAR))]  # it is stopped then
        rows = flatnonzero(ways > 1e4)
        return (
            float((ways[rows[-1]] / ways[rows[0]]) ** (1.0 / (len(rows) - 1)))
            if len(rows) > 1
            else None
        )

    def value(self) -> Sequence[float]:
        """Stretch of all three [m]."""
        return [float(body.position[0, 1] - body.position[-1, 1]) - 2.5 for body in self.bodies]

    def exact(self, t: Floats) -> Floats:
        """Where it should come to rest."""
        return np.full(len(t), self.rest, np.float64)

    def height(self) -> tuple[float, float]:
        """From a little above the unstretched rope to below the softest one."""
        return -0.1 * self.softest, 2.0 * self.softest

    def numbers(self) -> Sequence[Number]:
        """Stretch of each; of an explicit rope that blows up by what it grows."""
        calm = self.times[-1] > 0.5 * self.seconds
        grown = self.explicit_factor
        found = []
        for name, value, exact in zip(
            LANES, self.value(), (self.rest, self.softest, self.rest), strict=True
        ):
            if name == "explicit" and grown > 1.0:
                found.append(Number(say("springs_lab.grows", lane=name), self.explicit_seen, grown))
            else:
                found.append(
                    Number(
                        say("springs_lab.stretch_of", lane=name),
                        value if calm else None,
                        exact,
                        "m",
                    )
                )
        return found


def growth(p: float, q: float) -> float:
    """Return by what x is multiplied in the long run, where x'' = p x' - q x from one substep to
    the next.
    """
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
