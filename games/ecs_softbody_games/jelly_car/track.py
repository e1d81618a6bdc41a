"""Track: the ground from the start to the flag, and what stands on it."""

from __future__ import annotations

import math

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Attachment, Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.rendering import Look, palette

START = (0.0, 1.3)
SLOPE_FOOT, SLOPE_DEGREES, SLOPE_LENGTH = 8.0, 20.0, 6.0
HILLS = 31.5
FLAG = 41.0
LEFT, RIGHT = -5.0, 48.0
SEESAW, CRATES = 25.4, 30.2
"""Where things are along the track [m]."""
GRIP = 0.9
CRATE, CRATE_MASS = 0.4, 0.1
"""Two crates side by side are less than the way between the wheels, so that they cannot jam there [m, kg]."""


def ground_points() -> list[tuple[float, float]]:
    """Return the chain of the ground, from left to right [m]."""
    rise = SLOPE_LENGTH * math.tan(math.radians(SLOPE_DEGREES))
    points = [(LEFT, 14.0), (LEFT, 0.0)]
    points += [(x, 0.16 * math.sin(math.pi * (x - 3.0) / 1.2) ** 2) for x in np.linspace(3.0, 6.6, 25).tolist()]
    points += [(SLOPE_FOOT, 0.0), (SLOPE_FOOT + SLOPE_LENGTH, rise), (SLOPE_FOOT + SLOPE_LENGTH + 3.0, rise)]
    down = np.linspace(0.0, 1.0, 13)[1:]
    x, y = SLOPE_FOOT + SLOPE_LENGTH + 3.0, rise
    points += [(x + 5.0 * s, y * 0.5 * (1.0 + math.cos(math.pi * s))) for s in down.tolist()]
    points += [(HILLS, 0.0)]
    points += [(HILLS + x, 0.5 * math.sin(math.pi * x / 4.0) ** 2) for x in np.linspace(0.2, 8.0, 40).tolist()]
    return [*points, (RIGHT, 0.0), (RIGHT, 14.0)]


class Track:
    """Everything but the car."""

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        sim.spawn(StaticCollider(ground_points(), friction=GRIP), Look(style="ground"))
        self.crates = [self._crate((CRATES + x, y)) for x, y in ((-0.24, 0.22), (0.24, 0.22), (0.0, 0.66))]
        self.seesaw = self._add_seesaw()

    def _crate(self, position: tuple[float, float]) -> int:
        crate = blueprints.box(
            position, CRATE, rows=4, columns=4, mass=CRATE_MASS, shape_stiffness=2000.0, friction=0.4
        )
        return self.sim.spawn(*crate, Look(fill=palette.AMBER))

    def _add_seesaw(self) -> int:
        sim, height = self.sim, 0.55
        board = sim.spawn(
            *blueprints.box(
                (SEESAW, height), (4.4, 0.2), rows=2, columns=15, mass=4.0, shape_stiffness=1e5, friction=GRIP,
                angle=math.radians(10.0),
            ),
            Look(fill=palette.SAND),
        )  # fmt: skip
        post = [(SEESAW - 0.3, 0.0), (SEESAW, height - 0.12), (SEESAW + 0.3, 0.0)]
        sim.spawn(StaticCollider(post, friction=0.2), Look(style="line", fill=palette.STEEL))
        sim.spawn(Attachment((board, None), at=(SEESAW, height)))
        return board


def board_of(track: Track) -> NDArray[np.float64]:
    """Return the positions of the lower row of the see-saw's board, from left to right."""
    with track.sim:
        return np.asarray(esper.component_for_entity(track.seesaw, Particles).position[:15])
