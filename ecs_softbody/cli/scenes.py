"""Scenes measured by `ecs-softbody bench` besides games: a few lines each, without sleeping
bodies.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from ecs_softbody import Simulation, StaticCollider, blueprints
from ecs_softbody.elementary.angles import sin

WALL = 200.0


def _heap(
    count: int, spawn: Callable[[Simulation, int, float, float], object], pitch: float
) -> Simulation:
    """Drop rows of bodies into a box 1.5 times as wide as the rows are high."""
    sim = Simulation(world="bench", sleeping=False)
    columns = math.ceil(math.sqrt(1.5 * count))
    for number in range(count):
        row, column = divmod(number, columns)
        spawn(sim, number, pitch * (column + 0.5) + 0.05 * sin(13.0 * number), pitch * (row + 0.6))
    width = pitch * columns
    sim.spawn(StaticCollider([(0.0, WALL), (0.0, 0.0), (width, 0.0), (width, WALL)]))
    return sim


def _blob(sim: Simulation, number: int, x: float, y: float) -> None:
    sim.spawn(*blueprints.blob((x, y), 0.5))


def _ball(sim: Simulation, number: int, x: float, y: float) -> None:
    sim.spawn(*blueprints.ball((x, y), 0.15 + 0.1 * (0.618034 * number % 1.0)))


def _boxes() -> Simulation:
    """Stack boxes, four wide and five high."""
    sim = Simulation(world="bench", sleeping=False)
    for number in range(20):
        row, column = divmod(number, 4)
        sim.spawn(*blueprints.box((1.15 * column, 0.6 + 1.15 * row), (1.0, 1.0)))
    sim.spawn(StaticCollider([(-9.0, 0.0), (12.0, 0.0)]))
    return sim


def _cloth() -> Simulation:
    """Hang a cloth of 2500 particles by its corners."""
    sim = Simulation(world="bench", sleeping=False)
    sim.spawn(*blueprints.cloth((0.0, 5.0), (5.0, 5.0), rows=50, columns=50))
    return sim


SCENES: dict[str, Callable[[], Simulation]] = {
    "balls-1000": partial(_heap, 1000, _ball, 0.6),
    "blobs-10": partial(_heap, 10, _blob, 1.3),
    "blobs-100": partial(_heap, 100, _blob, 1.3),
    "blobs-1000": partial(_heap, 1000, _blob, 1.3),
    "boxes": _boxes,
    "cloth": _cloth,
}
"""Name -> function that creates the scene."""
