"""Track: where things are along the way from the start to the flag; the track itself is in track.toml."""

from __future__ import annotations

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Particles, StaticCollider
from ecs_softbody.scenes import Scene

START = (0.0, 1.3)
SLOPE_FOOT, SLOPE_DEGREES = 8.0, 20.0
FLAG = 41.0
"""Where things are along the track [m]."""


class Track:
    """Everything but the car."""

    def __init__(self, scene: Scene) -> None:
        self.sim = scene.sim
        self.ground = scene["ground"]
        self.crates = scene.tags["crate"]
        self.seesaw = scene["seesaw"]


def ground_of(track: Track) -> NDArray[np.float64]:
    """Return the chain of the ground, from left to right [m]."""
    return np.asarray(track.sim.get(track.ground, StaticCollider).vertices)


def board_of(track: Track) -> NDArray[np.float64]:
    """Return the positions of the lower row of the see-saw's board, from left to right."""
    with track.sim:
        return np.asarray(esper.component_for_entity(track.seesaw, Particles).position[:15])
