"""One step: the spring that comes home in one substep, the stiffest that a substep can carry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecs_softbody import Springs
from ecs_softbody.play import Slider
from ecs_softbody_games.springs_lab.page import Floats, Number, Page
from ecs_softbody_games.springs_lab.pages.side_by_side import FRAME
from ecs_softbody_games.springs_lab.pages.solvers import Watch

AGAIN = 2.0
"""After so long the mass is pulled out once more [s]."""


class OneStep(Page):
    """A mass that is pulled out, and damped so much that each substep takes the same share of the
    way.
    """

    title = "The spring that returns in one step"
    sentence = (
        "With c = m / h each substep takes the share s of the way home. With s = 1 it is "
        "there at once."
    )
    formula = (
        "k = s m / h²,   c = m / h",
        "left after n substeps: (1 − s)^n",
        "more than s = 1 no substep carries",
    )
    scene = "step"
    coils = (("body", 0.3),)
    view = (-0.4, -0.7, 2.4, 0.7)
    label = "stretch [m]"
    grabs = False
    solvers = ("saturated",)

    def controls(self) -> Sequence[Slider]:
        """Share of the way, mass, how far it is pulled."""
        return (
            Slider("share s", choices=(0.002, 0.005, 0.02, 0.1, 0.5, 1.0), value=0.005),
            Slider("mass m", 0.5, 4.0, value=1.0, step=0.5, unit="kg"),
            Slider("pulled by", 0.2, 1.0, value=0.8, unit="m"),
        )

    @property
    def h(self) -> float:
        """Length of a substep [s]."""
        return FRAME / self["substeps"]

    def build(self) -> None:
        """Pull it out."""
        spring = self.part("body", Springs)
        mass = self["mass m"]
        self.body().mass[1], self.body().radius[1] = mass, 0.2 * mass**0.5
        spring.stiffness = self["share s"] * mass / self.h**2
        spring.damping = mass / self.h
        self._pull()
        self.watch = Watch(self.body())
        self.sim.add_processor(self.watch, 1)

    def _pull(self) -> None:
        body = self.body()
        body.position[1] = (1.0 + self["pulled by"], 0.0)
        body.velocity[1] = 0.0

    def after_step(self, dt: float) -> None:
        """Pull it out again and again."""
        if self.sim.frame % round(AGAIN / FRAME) == 0:
            self._pull()

    def value(self) -> float:
        """Stretch [m]."""
        return float(self.body().position[1, 0]) - 1.0

    def exact(self, t: Floats) -> Floats:
        """The same share in every substep."""
        steps = np.round(np.mod(t + 1e-6, AGAIN) / self.h)
        return np.asarray(self["pulled by"] * (1.0 - self["share s"]) ** steps)

    def height(self) -> tuple[float, float]:
        """From home to a little above where it is pulled to."""
        return -0.1 * self["pulled by"], 1.15 * self["pulled by"]

    def numbers(self) -> Sequence[Number]:
        """What is left after one and after four substeps, and the stiffness that acts."""
        seen = self.watch.seen
        spring = self.part("body", Springs)
        left = 1.0 - self["share s"]
        done = len(seen) > 4
        acts = float(spring.effective_stiffness[0]) if done else None
        return (
            Number("left after 1 substep", round(seen[1] / seen[0], 9) if done else None, left),
            Number("left after 4 substeps", round(seen[4] / seen[0], 9) if done else None, left**4),
            Number(
                "stiffness that acts", acts, self["share s"] * self["mass m"] / self.h**2, "N/m"
            ),
        )
