"""Rigid boxes by the contact law: they stand, slide, bounce, stack ten high, and keep what nothing
outside changes.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.prototypes.rigid_boxes import Box, World

SECOND = 480


def floor(**options: float) -> Box:
    return Box(0.0, -1.0, 40.0, 2.0, mass=math.inf, **options)


def test_a_box_stands() -> None:
    box = Box(0.0, 0.201, 0.4, 0.4)
    world = World(floor(), box)
    world.step(SECOND)
    assert abs(box.y - 0.2) < 0.001
    assert abs(box.angle) < 1e-7
    assert np.abs(box.corner_velocities).max() < 1e-6


@pytest.mark.parametrize("degrees", [10.0, 16.5, 16.9, 25.0])
def test_a_box_on_a_slope_holds_and_slides_by_coulomb(degrees: float) -> None:
    """The slope is level, and gravity leans. The angle of friction is 16.70 degrees."""
    angle = math.radians(degrees)
    friction = 0.3
    box = Box(0.0, 0.2, 0.4, 0.4, friction=friction)
    gravity = 9.81 * math.sin(angle), -9.81 * math.cos(angle)
    world = World(floor(friction=friction), box, gravity=gravity)
    world.step(SECOND // 4)
    begun = box.velocity[0]
    world.step(SECOND // 2)
    expected = max(9.81 * (math.sin(angle) - friction * math.cos(angle)), 0.0)
    assert (box.velocity[0] - begun) / 0.5 == pytest.approx(expected, rel=0.01, abs=1e-3)


@pytest.mark.parametrize("degrees", [0.0, 20.0, 45.0])
def test_an_elastic_box_keeps_its_energy_however_it_falls(degrees: float) -> None:
    box = Box(0.0, 1.0, 0.4, 0.3, angle=math.radians(degrees), restitution=1.0, friction=0.0)
    world = World(floor(friction=0.0), box)
    begun = world.energy
    found = []
    for _ in range(60):
        world.step(SECOND // 20)
        found.append(world.energy / begun)
    assert max(found) < 1.0 + 1e-9
    assert min(found) > 0.999


@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8])
def test_a_box_bounces_by_its_restitution(restitution: float) -> None:
    box = Box(0.0, 1.2, 0.4, 0.4, restitution=restitution)
    world = World(floor(), box)
    while box.velocity[1] <= 0.0:
        world.step()
    highest = box.y
    while box.velocity[1] > 0.0:
        world.step()
        highest = max(highest, box.y)
    assert highest - 0.2 == pytest.approx(restitution**2, rel=0.01)


@pytest.mark.slow
def test_ten_boxes_stand_on_one_another() -> None:
    boxes = [Box(0.0, 0.2 + 0.4 * number, 0.4, 0.4) for number in range(10)]
    world = World(floor(), *boxes)
    world.step(3 * SECOND)
    assert max(abs(box.x) for box in boxes) < 0.0005
    assert boxes[-1].y > 3.8 - 0.001
    assert max(np.abs(box.corner_velocities).max() for box in boxes) < 1e-4


def test_momentum_is_kept_to_rounding() -> None:
    choose = np.random.default_rng(3)
    boxes = [
        Box(
            0.7 * (number % 3),
            0.7 * (number // 3),
            0.4,
            choose.uniform(0.3, 0.5),
            mass=choose.uniform(0.3, 3.0),
            angle=choose.uniform(0.0, 3.0),
            velocity=choose.uniform(-2, 2, 2).tolist(),
            spin=choose.uniform(-5, 5),
            friction=0.4,
            restitution=0.5,
        )
        for number in range(9)
    ]
    world = World(*boxes, gravity=(0.0, 0.0))
    begun = world.momentum
    sides = [np.linalg.norm(np.diff(box.corners, axis=0), axis=1) for box in boxes]
    spins = [box.spin for box in boxes]
    world.step(SECOND)
    assert np.abs(world.momentum - begun).max() < 1e-12
    # they have met
    assert sum(abs(box.spin - spin) > 0.1 for box, spin in zip(boxes, spins, strict=True)) > 4
    for box, side in zip(boxes, sides, strict=True):
        assert np.linalg.norm(np.diff(box.corners, axis=0), axis=1) == pytest.approx(
            side, abs=1e-12
        )
