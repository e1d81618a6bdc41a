"""Tufts: blades of grass on the ground that bend away from the bodies that pass, and swing back.

Their places follow from the world's coordinates alone (`scattered`), so grass stays where it is
when the ground around it changes. mesh/blades.py moves them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Particles
from ecs_softbody.indices import argsort, searchsorted
from ecs_softbody.rendering.land.strata import gentle_runs, scattered
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.mesh.blades import LAID, bend_blades, shape_blades
from ecs_softbody.rendering.palette import Colour, rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.simulation import Simulation

CELL = 0.11
"""Length of ground per blade [m], where grass grows."""
STEEP = 1.0
"""Slope from which nothing grows."""
SHARE = 0.1
"""Grass grows where a sum of two waves along x, -2 to 2, is above this: at 0 on half of the ground.
"""
LOW = 0.10
"""Length of the shortest blade [m]."""
HIGH = 0.28
"""Length of the longest blade [m]."""
MOST_FRAMES = 6
"""Maximum number of frames in one update of the blades."""
WIDTH = 2.4
"""Width of the lower part of a blade [points]."""
SUNK = 0.03
"""How deep its root is in the ground [m]."""


class Lawn:
    """The blades on one chain of ground: where they stand, and how far each is bent."""

    def __init__(self, chain: Floats) -> None:
        line = chain if chain[0, 0] <= chain[-1, 0] else chain[::-1]
        cells, x, y = np.concatenate(
            [_planted(line[run]) for run in gentle_runs(line, STEEP)] or [np.zeros((0, 3))]
        ).T
        grown = argsort(x, kind="stable")
        grown = grown[np.sin(0.9 * x[grown]) + np.sin(0.37 * x[grown]) > SHARE]
        tall, tone, lean = (scattered(cells[grown], number) for number in range(6, 9))
        self.feet = np.column_stack((x, y))[grown]
        """Where blades stand (N, 2) [m], from left to right."""
        # Of each blade: length [m], its angle at rest [rad], and factor of its colour.
        self.length = LOW + (HIGH - LOW) * tall
        self.lean = 0.5 * (lean - 0.5)
        self.tone = (0.8 + 0.4 * tone).astype(np.float32)
        self.bent, self._speed, self._nearest = np.zeros((3, len(self.feet)))
        """How far each is bent [rad], how fast [rad/s], and scratch for the distance to the
        nearest particle [m].
        """
        self._tints: dict[Colour, NDArray[np.float32]] = {}

    def advance(self, position: Floats, frames: int, part: slice) -> None:
        """Go on by some frames: a part of the blades bends away from particles (P, 2) [m] beside
        them.
        """
        arrays = self._nearest[part], self._speed[part], self.bent[part]
        bend_blades(self.feet[part], position, min(frames, MOST_FRAMES), *arrays)

    def tints(self, colour: Colour) -> NDArray[np.float32]:
        """Return the colour of each blade (N, 4), about this one."""
        if colour not in self._tints:
            tints = np.tile(rgba(colour), (len(self.feet), 1))
            tints[:, :3] = np.clip(tints[:, :3] * self.tone[:, None], 0.0, 1.0)
            self._tints = {colour: tints}
        return self._tints[colour]

    def part_between(self, left: float, right: float) -> slice:
        """Return which blades stand between two places [m]."""
        first, last = searchsorted(self.feet[:, 0], (left, right)).tolist()
        return slice(first, last)


def _planted(run: Floats) -> Floats:
    """Return the cells of a gentle run of ground, and a place in each [m]: (N, 3)."""
    cells = np.arange(math.ceil(run[0, 0] / CELL), math.floor(run[-1, 0] / CELL), dtype=np.float64)
    x = (cells + 0.8 * scattered(cells, 5)) * CELL
    return np.column_stack((cells, x, np.interp(x, *run.T)))


class Tufts:
    """The lawns of a simulation."""

    def __init__(self) -> None:
        self._lawns: dict[int, tuple[bytes, Lawn]] = {}
        self._frame = 0

    def draw(
        self, sim: Simulation, picture: Picture, grounds: Mapping[int, Floats], colour: Colour
    ) -> None:
        """Add blades on chains of ground (V, 2) [m] by entity; they are moved by the bodies of
        `sim`.
        """
        frames = sim.frame - self._frame
        self._frame = sim.frame
        position = sim.buffers[Particles].rows["position"]
        left, _, right, _ = picture.view.bounds
        for entity, chain in grounds.items():
            lawn = self._lawn(entity, chain)
            part = lawn.part_between(left - LAID, right + LAID)
            if part.start < part.stop:
                lawn.advance(position, max(frames, 0), part)
                _draw_blades(picture, lawn, part, sim.time, colour)

    def _lawn(self, entity: int, chain: Floats) -> Lawn:
        key = chain.tobytes()
        kept = self._lawns.get(entity)
        if kept is None or kept[0] != key:
            kept = self._lawns[entity] = (key, Lawn(chain))
        return kept[1]


def _draw_blades(picture: Picture, lawn: Lawn, part: slice, time: float, colour: Colour) -> None:
    """Draw a part of the blades, two strokes each."""
    feet = lawn.feet[part]
    length = lawn.length[part]
    lean = lawn.lean[part]
    count = len(feet)
    points = np.empty((3, count, 2))
    widths = np.empty(2 * count)
    shape_blades(feet, length, lean, lawn.bent[part], time, SUNK, points)
    widths[:count] = WIDTH * picture.point
    widths[count:] = 0.65 * WIDTH * picture.point
    pixels = picture.to_pixels(points)
    tints = lawn.tints(colour)[part]
    starts = pixels[:2].reshape(-1, 2)
    ends = pixels[1:].reshape(-1, 2)
    picture.mesh(Layer.GROUND + 1).add_segments(
        starts, ends, widths, np.concatenate((tints, tints))
    )
