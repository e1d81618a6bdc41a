"""Soft bodies do not pass each other at any speed that a game will see, and their momentum stays
exact.
"""

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, blueprints
from tests.helpers.measures import momenta

BODIES = {
    "blob": lambda: blueprints.blob((0.0, 0.0), 0.5),
    "small blob": lambda: blueprints.blob((0.0, 0.0), 0.15),
    "jelly": lambda: blueprints.box((0.0, 0.0), (1.0, 1.0)),
    "thin jelly": lambda: blueprints.box((0.0, 0.0), (0.15, 1.2), rows=9, columns=2),
    "rope": lambda: [
        part for part in blueprints.rope((0.0, -1.0), (0.0, 1.0)) if type(part).__name__ != "Drag"
    ],
    "ball": lambda: (Particles([(0.0, 0.0)], radius=0.2), Collider()),
}
PAIRS = [
    ("blob", "blob"),
    ("small blob", "small blob"),
    ("thin jelly", "thin jelly"),
    ("rope", "rope"),
]
OTHERS = [
    ("thin jelly", "blob"),
    ("jelly", "small blob"),
    ("small blob", "jelly"),
    ("blob", "rope"),
    ("ball", "blob"),
]


def is_behind(first, second, reach=0.13):
    """Whether the first body, at the height of its middle, has come out whole on the far side of
    the second one.
    """
    middle = first.position[:, 1].mean()
    heights = [np.abs(body.position[:, 1] - middle) for body in (first, second)]
    near = [
        body.position[height <= max(reach, np.ptp(body.position[:, 1]) / 16.0), 0]
        for body, height in zip((first, second), heights, strict=True)
    ]
    return all(len(x) for x in near) and near[0].min() > near[1].max()


def shoot(solver, substeps, speed, pair, ahead):
    sim = Simulation(gravity=(0.0, 0.0), substeps=substeps, solver=solver, world=f"{pair} {ahead}")
    one = BODIES[pair[0]]()
    two = BODIES[pair[1]]()
    one[0].position -= (ahead, 0.01)
    one[0].velocity[:, 0] = speed
    for body in (one, two):
        sim.spawn(*body)
    bodies = one[0], two[0]
    before = momenta(*bodies)
    passed = False
    for _ in range(int(np.ceil(60.0 * ahead / speed)) + 2):
        sim.step()
        passed |= is_behind(*bodies)
    change = np.abs(momenta(*bodies) - before) / np.abs(before[0])
    sim.close()
    return passed, change.max()


CASES = [
    ("saturated", 8, 200.0, PAIRS[0], 2.2),
    ("xpbd", 8, 200.0, PAIRS[2], 2.2),
    ("saturated", 8, 200.0, PAIRS[3], 2.2),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_nothing_passes(case):
    passed, change = shoot(*case)
    assert not passed
    assert change < 1e-12


@pytest.mark.slow
@pytest.mark.sample(4)
@pytest.mark.parametrize("ahead", [2.0, 2.11, 2.27, 2.35])
@pytest.mark.parametrize("pair", [*PAIRS, *OTHERS], ids=str)
@pytest.mark.parametrize("speed", [20.0, 70.0, 120.0, 200.0])
@pytest.mark.parametrize("substeps", [8, 16])
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_nothing_passes_at_any_speed_from_anywhere(solver, substeps, speed, pair, ahead):
    test_nothing_passes((solver, substeps, speed, pair, ahead))
