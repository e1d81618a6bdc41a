"""Tufts: blades of grass on the ground that bend away from the bodies that pass, and swing back."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Particles
from ecs_softbody.rendering.land.strata import gentle_runs, scattered
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour, rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.simulation import Simulation

CELL = 0.11
"""One blade in each stretch of the ground of this length [m], where there are any."""
STEEP = 1.0
"""Slope from which nothing grows."""
SHARE = 0.1
"""How much of the ground is covered: -1 all, 1 none of it."""
LOW, HIGH = 0.10, 0.28
"""Height of a blade [m]."""
REACH = 0.4
"""How near a particle [m] bends a blade."""
LAID = 1.1
"""How far a body that stands beside a blade turns it [rad]."""
SWING, DAMPING = 14.0, 4.0
"""How a blade swings when it is free: 2π times its frequency [1/s], and what calms it [1/s]."""
BREEZE = 0.12
"""How far blades sway by themselves [rad]."""
FRAME = 1.0 / 60.0
MOST_FRAMES = 6
"""That blades go on at once."""
WIDTH = 2.4
"""Of a blade [points]."""


class Lawn:
    """The blades on one chain of ground: where they stand, and how far each is bent."""

    def __init__(self, chain: Floats) -> None:
        line = chain if chain[0, 0] <= chain[-1, 0] else chain[::-1]
        cells, x, y = np.concatenate([_planted(line[run]) for run in gentle_runs(line, STEEP)] or [np.zeros((0, 3))]).T
        grown = np.argsort(x, kind="stable")
        grown = grown[np.sin(0.9 * x[grown]) + np.sin(0.37 * x[grown]) > SHARE]
        tall, tone, lean = (scattered(cells[grown], number) for number in range(6, 9))
        self.feet = np.column_stack((x, y))[grown]
        """Where blades stand (N, 2) [m], from left to right."""
        self.length = LOW + (HIGH - LOW) * tall
        self.lean = 0.5 * (lean - 0.5)
        self.tone = (0.8 + 0.4 * tone).astype(np.float32)
        self.bent, self._speed = np.zeros(len(self.feet)), np.zeros(len(self.feet))
        """How far each is turned to the right [rad]."""

    def advance(self, position: Floats, frames: int, part: slice) -> None:
        """Go on by some frames: a part of the blades bends away from particles (P, 2) [m] beside them."""
        feet, bent, speed = self.feet[part], self.bent[part], self._speed[part]
        wanted = _pushed(feet, position)
        for _ in range(min(frames, MOST_FRAMES)):
            speed += FRAME * (SWING**2 * (wanted - bent) - DAMPING * speed)
            bent += FRAME * speed

    def part_between(self, left: float, right: float) -> slice:
        """Return which blades stand between two places [m]."""
        first, last = np.searchsorted(self.feet[:, 0], (left, right)).tolist()
        return slice(first, last)


def _planted(run: Floats) -> Floats:
    """Return the cells of a gentle run of ground, and a place in each [m]: (N, 3)."""
    cells = np.arange(math.ceil(run[0, 0] / CELL), math.floor(run[-1, 0] / CELL))
    x = (cells + 0.8 * scattered(cells, 5)) * CELL
    return np.column_stack((cells, x, np.interp(x, *run.T)))


def _pushed(feet: Floats, position: Floats) -> Floats:
    """Return how far particles (P, 2) turn blades (N, 2): the nearest one counts."""
    wanted = np.zeros(len(feet))
    if len(feet):
        ground = np.interp(position[:, 0], *feet.T)
        near = (np.abs(position[:, 1] - ground) < REACH) & (position[:, 0] > feet[0, 0] - REACH)
        near &= position[:, 0] < feet[-1, 0] + REACH
        if near.any():
            away = feet[:, None, 0] - position[None, near, 0]
            nearest = np.abs(away).argmin(axis=1)
            away = away[np.arange(len(feet)), nearest]
            wanted = LAID * np.sign(away) * np.maximum(1.0 - np.abs(away) / REACH, 0.0)
    return wanted


class Tufts:
    """The lawns of a simulation."""

    def __init__(self) -> None:
        self._lawns: dict[int, tuple[bytes, Lawn]] = {}
        self._frame = 0

    def draw(self, sim: Simulation, picture: Picture, grounds: Mapping[int, Floats], colour: Colour) -> None:
        """Add blades on chains of ground (V, 2) [m] by entity; they are moved by the bodies of `sim`."""
        frames, self._frame = sim.frame - self._frame, sim.frame
        position = sim.buffers[Particles].rows["position"]
        position = position[np.isfinite(position).all(axis=1)]
        left, _, right, _ = picture.view.bounds
        tint = rgba(colour)
        for entity, chain in grounds.items():
            lawn = self._lawn(entity, chain)
            part = lawn.part_between(left - LAID, right + LAID)
            if part.start < part.stop:
                lawn.advance(position, max(frames, 0), part)
                _draw_blades(picture, lawn, part, sim.time, tint)

    def _lawn(self, entity: int, chain: Floats) -> Lawn:
        key = chain.tobytes()
        kept = self._lawns.get(entity)
        if kept is None or kept[0] != key:
            kept = self._lawns[entity] = (key, Lawn(chain))
        return kept[1]


def _draw_blades(picture: Picture, lawn: Lawn, part: slice, time: float, tint: NDArray[np.float32]) -> None:
    feet, length = lawn.feet[part], lawn.length[part, None]
    turn = lawn.lean[part] + lawn.bent[part] + BREEZE * np.sin(1.8 * time + 0.9 * feet[:, 0])
    lower, upper = 0.55 * turn, 1.45 * turn  # a blade bends more towards its tip
    middle = feet + 0.55 * length * np.column_stack((np.sin(lower), np.cos(lower)))
    tip = middle + 0.45 * length * np.column_stack((np.sin(upper), np.cos(upper)))
    colours = np.tile(tint, (len(feet), 1))
    colours[:, :3] = np.clip(colours[:, :3] * lawn.tone[part, None], 0.0, 1.0)
    root = feet - (0.0, 0.03)
    picture.segments(root, middle, WIDTH, colours, layer=Layer.GROUND + 1)
    picture.segments(middle, tip, 0.65 * WIDTH, colours, layer=Layer.GROUND + 1)
