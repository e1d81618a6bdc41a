"""Showing: a game that shows an existing simulation unchanged."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Particles, StaticCollider
from ecs_softbody.errors import FieldTypeError
from ecs_softbody.play.game import Game
from ecs_softbody.rendering.camera import Camera
from ecs_softbody.simulation import Simulation
from ecs_softbody.validation import check_coordinates, check_number

MARGIN = 1.15
"""Factor by which the view exceeds the bounds of the shown bodies."""
LEAST_HEIGHT = 4.0  # m
NEAR = 4.0
"""The view includes walls within this distance [m], or within the bodies' extent if larger."""


class Showing(Game):
    """Shows a simulation; a `center` or `height` [m] of None is fitted to its bodies."""

    title = "Simulation"
    drag_with_mouse = True
    pauses_alone = False
    keys: ClassVar[list[tuple[str, str]]] = [("mouse", "drag")]

    def __init__(
        self, sim: Simulation, center: ArrayLike | None, height: float | None, aspect: float
    ) -> None:
        super().__init__()
        if not isinstance(sim, Simulation):
            raise FieldTypeError("show", "", sim, "a Simulation. A game is opened with play(game)")
        if sim.closed:
            raise RuntimeError(
                f"show: the simulation of world {sim.world!r} is closed; show it before sim.close()"
            )
        self.sim = sim
        low, high = extent(sim)
        middle = (
            0.5 * (low + high) if center is None else check_coordinates("show", "center", center)
        )
        if height is None:
            height = (
                max(
                    float(high[1] - low[1]), float(high[0] - low[0]) / aspect, LEAST_HEIGHT / MARGIN
                )
                * MARGIN
            )
        x, y = middle
        self.camera = Camera(
            (float(x), float(y)), check_number("show", "height", height, above=0.0)
        )

    def start(self) -> None:
        """Keep the given simulation: it was not made here."""

    def close(self) -> None:
        """Leave the simulation open."""


def extent(sim: Simulation) -> tuple[Floats, Floats]:
    """Return the lower left and upper right corners [m] of all bodies and the walls near them."""
    with sim:
        bodies = [sim.get(entity, Particles).position for entity in sim.entities(Particles)]
        walls = [
            sim.get(entity, StaticCollider).vertices for entity in sim.entities(StaticCollider)
        ]
    if not bodies:
        bodies = walls or [np.array([(-8.0, 0.0), (8.0, 8.0)])]
    seen = np.concatenate(bodies)
    low = seen.min(axis=0)
    high = seen.max(axis=0)
    reach = np.maximum(high - low, NEAR)
    near = np.clip(np.concatenate([seen, *walls]), low - reach, high + reach)
    return near.min(axis=0), near.max(axis=0)
