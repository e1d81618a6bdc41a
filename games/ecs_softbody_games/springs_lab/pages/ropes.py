"""Ropes: a rope that slips round a peg, and a cloth that hangs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecs_softbody import Collider, Drag, Springs, StaticCollider
from ecs_softbody.play import Slider
from ecs_softbody.rendering import Layer, Picture, palette
from ecs_softbody_games.springs_lab.page import GRAVITY, Floats, Number, Page

BEFORE, AFTER = 0.168, 0.078
"""Mass of the rope on either side of the top of the peg [kg]."""
SLIDES = 1.0
"""How far the loads may go [m]."""
ROWS = 7
COLUMNS = 9
THREAD: palette.Colour = (38, 128, 92)


class Capstan(Page):
    """Half a turn round a peg, a load at each end."""

    title = "A rope round a peg"
    sentence = (
        "Friction adds up all the way round: a light load holds a heavy one, until the rope slips."
    )
    formula = (
        "T₂ / T₁ ≤ exp(μ φ),   φ = π",
        "T₁ = m₁ (g + a),   T₂ = m₂ (g − a)",
        "it slips with the most it can hold",
    )
    scene = "capstan"
    view = (-2.2, -2.2, 2.2, 0.6)
    seconds = 2.0
    label = "way [m]"

    def controls(self) -> Sequence[Slider]:
        """Friction, both loads."""
        return (
            Slider("friction μ", 0.1, 0.4, value=0.3, step=0.05),
            Slider("light load m₁", 3.0, 5.0, value=3.0, step=0.5, unit="kg"),
            Slider("heavy load m₂", 4.0, 16.0, value=12.0, step=1.0, unit="kg"),
        )

    @property
    def most(self) -> float:
        """Ratio of the pulls at which the rope slips."""
        return float(np.exp(self["friction μ"] * np.pi))

    @property
    def acceleration(self) -> float:
        """Of the loads and the rope, which has mass but no weight [m/s²]; 0 where it holds."""
        light = self["light load m₁"]
        heavy = self["heavy load m₂"]
        spare = GRAVITY * (heavy - self.most * light)
        return max(0.0, spare / (heavy + AFTER + self.most * (light + BEFORE)))

    def build(self) -> None:
        """Hang the loads on."""
        self.part("peg", StaticCollider).friction = self.part("body", Collider).friction = self[
            "friction μ"
        ]
        for name in ("light", "heavy"):
            mass = self["light load m₁" if name == "light" else "heavy load m₂"]
            self.body(name).mass[0], self.body(name).radius[0] = mass, 0.09 * mass**0.5
        self.from_here = float(self.body("light").position[0, 1])

    def after_step(self, dt: float) -> None:
        """Stop the loads before one reaches the peg."""
        if self.value() > SLIDES:
            self.body("light").pinned[:] = self.body("heavy").pinned[:] = True

    def value(self) -> float:
        """How far the light load has risen [m]."""
        return float(self.body("light").position[0, 1]) - self.from_here

    def exact(self, t: Floats) -> Floats:
        """The same by the formula."""
        return np.minimum(0.5 * self.acceleration * t**2, SLIDES)

    def height(self) -> tuple[float, float]:
        """From below the start to above the end."""
        return -0.1, 1.2 * SLIDES

    def numbers(self) -> Sequence[Number]:
        """Both pulls where the rope touches the peg, and their ratio."""
        rows = (self.trace < 0.95 * SLIDES) & (self.times > 0.05)
        seen = None
        if rows.sum() > 12:
            bend = 2.0 * float(np.polyfit(self.times[rows], self.trace[rows], 2)[0])
            seen = self._pulls(0.0 if bend < 5e-3 else bend)
        exact = self._pulls(self.acceleration)
        units = ("N", "N", "")
        names = ("pull T₁", "pull T₂", "T₂ / T₁")
        return [
            Number(name, seen[n] if seen else None, exact[n], units[n])
            for n, name in enumerate(names)
        ]

    def _pulls(self, a: float) -> tuple[float, float, float]:
        light = self["light load m₁"] * (GRAVITY + a) + BEFORE * a
        heavy = self["heavy load m₂"] * (GRAVITY - a) - AFTER * a
        return light, heavy, heavy / light


class Cloth(Page):
    """A net of threads, hung up by its edge or by its corners."""

    title = "A cloth that hangs"
    sentence = (
        "However it drapes: all pegs together carry its weight, and every row carries all below it."
    )
    formula = (
        "Σ pull on the pegs = M g",
        "one peg: M g / number of pegs",
        "through row n: M g (6 − n) / 6",
    )
    scene = "cloth"
    view = (-2.4, -3.7, 2.4, 0.3)
    seconds = 8.0
    label = "pull on the pegs [N]"

    def controls(self) -> Sequence[Slider]:
        """Whether it hangs by two corners or by its edge, mass, stiffness."""
        return (
            Slider("pegs", choices=(2, COLUMNS), value=2),
            Slider("mass of a knot", 0.04, 0.1, value=0.06, step=0.02, unit="kg"),
            Slider("stiffness", 100.0, 250.0, value=200.0, step=50.0, unit="N/m"),
        )

    def build(self) -> None:
        """Hang it up and let go."""
        body = self.body()
        held = list(range(0, COLUMNS, COLUMNS - 1 if self["pegs"] == 2 else 1))
        body.mass[:] = self["mass of a knot"]
        body.pinned[held] = True
        self.pegs = held
        springs = self.part("body", Springs)
        springs.stiffness = self["stiffness"]
        springs.damping = 0.2
        self.part("body", Drag).linear = 4.0 * self["mass of a knot"]

    def _carried(self, rows: Sequence[int]) -> float:
        """Return how hard what hangs on these particles pulls them down, through springs to all
        others [N].
        """
        body = self.body()
        springs = self.part("body", Springs)
        way = np.diff(body.position[springs.pairs], axis=1)[:, 0]
        length = np.hypot(*way.T)
        pull = springs.stiffness * (length - springs.rest_length) * way[:, 1] / length
        first, second = np.isin(springs.pairs, rows).T
        return float(pull[second & ~first].sum() - pull[first & ~second].sum())

    def value(self) -> float:
        """Pull of all pegs [N]."""
        return self._carried(self.pegs)

    @property
    def weight(self) -> float:
        """Of all that hangs on the pegs [N]."""
        return GRAVITY * self["mass of a knot"] * (ROWS * COLUMNS - len(self.pegs))

    def exact(self, t: Floats) -> Floats:
        """The weight of the cloth."""
        return np.full(len(t), self.weight, np.float64)

    def height(self) -> tuple[float, float]:
        """To twice the weight."""
        return 0.0, 2.2 * self.weight

    def numbers(self) -> Sequence[Number]:
        """Pull on all pegs, on the left one, and in the middle row."""
        calm = self.times[-1] > 1.0 and float(np.ptp(self.trace[-45:])) < 0.01 * self.weight
        upper = list(range(4 * COLUMNS))
        below = GRAVITY * self["mass of a knot"] * (ROWS - 4) * COLUMNS
        names = ("pull on all pegs", "on the left peg", "in the middle row")
        seen = (self.value(), self._carried(self.pegs[:1]), self._carried(upper))
        exact = (self.weight, self.weight / len(self.pegs), below)
        return [
            Number(name, seen[n] if calm else None, exact[n], "N") for n, name in enumerate(names)
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the threads."""
        body = self.body()
        seen = body.frame_position + alpha * (body.position - body.frame_position)
        for pair in self.part("body", Springs).pairs:
            picture.stroke(seen[pair], 3.0, palette.faded(THREAD, 0.8), layer=Layer.DECOR)
