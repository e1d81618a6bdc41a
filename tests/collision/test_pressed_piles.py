"""Soft bodies under load: crushed as far as it goes, but never through each other, themselves, or
inside out.
"""

import numpy as np
import pytest

from ecs_softbody import Collider, Simulation, StaticCollider, blueprints
from tests.helpers.outlines import UNTANGLED, tangles
from tests.helpers.stepping import run_frames


def ring_of(parts):
    body = parts[0]
    outline = next(part for part in parts if isinstance(part, Collider)).outline
    return body.position[np.asarray(outline, int)]


def fastest(bodies):
    return max(float(np.hypot(*parts[0].velocity.T).max()) for parts in bodies)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1.3, pytest.param(2.0, marks=pytest.mark.slow)])
def test_a_column_of_blobs_under_a_heavy_box(width):
    """Twelve blobs in a shaft; a box of 20 times their mass falls on them."""
    sim = Simulation()
    sim.spawn(StaticCollider([(-width / 2, 40), (-width / 2, 0), (width / 2, 0), (width / 2, 40)]))
    bodies = [blueprints.blob((0.01 * (-1) ** k, 0.52 + 1.02 * k), 0.5) for k in range(12)]
    for parts in bodies:
        sim.spawn(*parts)
    run_frames(sim, 120)
    bodies.append(blueprints.box((0, 16), 1.0, mass=20.0 * bodies[0][0].mass.sum()))
    sim.spawn(*bodies[-1])
    run_frames(sim, 480)
    assert tangles([ring_of(parts) for parts in bodies]) == UNTANGLED
    assert fastest(bodies) < 2.0, "a pressed body yields, and rests"


def press(sim, bodies, top, depth, speed=0.5):
    """Lower a plate from `top` to `depth` at `speed` [m/s], hold it for 2 s,
    and lift it for 3 s.
    """
    plate = StaticCollider([(-2.2, top), (2.2, top)], velocity=(0.0, -speed))
    sim.spawn(plate)
    for velocity, seconds in ((-speed, (top - depth) / speed), (0.0, 2.0), (speed, 3.0)):
        plate.velocity = (0.0, velocity)
        run_frames(sim, round(60 * seconds))
        yield tangles([ring_of(parts) for parts in bodies])


@pytest.mark.slow
@pytest.mark.parametrize("depth", [2.0, 1.6])
def test_a_pile_of_blobs_under_a_plate(depth):
    """Twenty blobs, 4 in a row, pressed to less than half and to a third of their height, held, and
    let go.
    """
    sim = Simulation()
    sim.spawn(StaticCollider([(-2.2, 40), (-2.2, 0), (2.2, 0), (2.2, 40)]))
    bodies = [
        blueprints.blob((-1.6 + 1.06 * (k % 4) + 0.05 * (k // 4 % 2), 0.6 + 1.05 * (k // 4)), 0.5)
        for k in range(20)
    ]
    for parts in bodies:
        sim.spawn(*parts)
    run_frames(sim, 120)
    top = max(parts[0].position[:, 1].max() for parts in bodies) + 0.1
    _, held, after = press(sim, bodies, top, depth)
    assert held["boundary crossings"] == held["inverted"] == 0
    assert after == UNTANGLED
