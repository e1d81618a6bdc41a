"""Rest: what has to stay stays, asleep or not; what has to slide slides by the law."""

import numpy as np
import pytest

from ecs_softbody import Simulation, StaticCollider, blueprints
from tests.collision.sleepers import G, rigid_box
from tests.helpers.bodies import ground
from tests.helpers.stepping import run, step_until


def slide(degrees, seconds, sleeping):
    angle = np.radians(degrees)
    sim = Simulation(sleeping=sleeping)
    normal = np.array((-np.sin(angle), np.cos(angle)))
    down = np.array((-np.cos(angle), -np.sin(angle)))
    body, *rest = blueprints.box(0.5 * normal, 1.0, angle=angle, friction=0.5)
    sim.spawn(body, *rest)
    sim.spawn(StaticCollider([-200 * down, 200 * down], friction=0.5))
    run(sim, 1)
    start = body.position.mean(axis=0) @ down
    speed = (body.velocity.mean(axis=0)) @ down
    run(sim, seconds)
    return body.position.mean(axis=0) @ down - start, (
        body.velocity.mean(axis=0) @ down - speed
    ) / seconds


@pytest.mark.brief(4)
@pytest.mark.parametrize("sleeping", [False, True])
@pytest.mark.parametrize(("degrees", "most"), [(24, 0.02), (26, 0.06)])
def test_a_box_stays_on_a_slope_below_the_angle_of_friction(degrees, most, sleeping):
    distance, _ = slide(degrees, 5, sleeping)
    assert abs(distance) <= most


@pytest.mark.brief(2)
@pytest.mark.parametrize("sleeping", [False, True])
def test_a_box_slides_down_a_steeper_slope_by_the_law(sleeping):
    exact = G * (np.sin(np.radians(28)) - 0.5 * np.cos(np.radians(28)))
    _, acceleration = slide(28, 4, sleeping)
    assert acceleration == pytest.approx(exact, rel=0.05)


def spin_of(body):
    away = body.position - np.average(body.position, axis=0, weights=body.mass)
    speed = body.velocity - np.average(body.velocity, axis=0, weights=body.mass)
    turning = body.mass @ (away[:, 0] * speed[:, 1] - away[:, 1] * speed[:, 0])
    return turning / (body.mass @ (away**2).sum(axis=1))


@pytest.mark.parametrize("sleeping", [False, True])
def test_a_blob_without_gravity_does_not_begin_to_spin(sleeping):
    sim = Simulation(gravity=(0, 0), sleeping=sleeping)
    body, *rest = blueprints.blob((0, 0), 0.5)
    sim.spawn(body, *rest)
    run(sim, 10)
    assert abs(spin_of(body)) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sleeping", "turned"), [(False, 0.5), (True, 0.5), (True, 0.0), (True, 0.2)]
)
def test_a_blob_on_flat_ground_does_not_roll_for_a_minute(sleeping, turned):
    """A ring of 24 balances on an edge, for up to 25 s if it may not sleep, and falls to a corner,
    where it rests.
    """
    sim = Simulation(sleeping=sleeping)
    body, *rest = blueprints.blob((0, 0.5), 0.5)
    angle = turned * np.pi / 12
    across = np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])
    body.position = (body.position - (0, 0.5)) @ across + (0, 0.5)
    entity = sim.spawn(body, *rest)
    sim.spawn(ground())
    run(sim, 10 if sleeping else 40)
    assert not sleeping or step_until(sim, lambda: sim.is_asleep(entity), frames=80 * 60), (
        "it rocks for too long"
    )
    start = body.position.mean(axis=0)
    run(sim, 60)
    assert np.abs(body.position.mean(axis=0) - start).max() < 1e-3
    assert sim.is_asleep(entity) == sleeping


@pytest.mark.slow
def test_a_tower_of_ten_jelly_boxes_stands_and_sleeps():
    sim = Simulation(substeps=8)
    bodies = []
    for k in range(10):
        body, *rest = rigid_box((0, 0.55 + 1.05 * k))
        sim.spawn(body, *rest)
        bodies.append(body)
    sim.spawn(ground())
    run(sim, 30)
    assert sim.asleep_count == 10
    for k, body in enumerate(bodies):
        x, y = body.position.mean(axis=0)
        assert abs(x) < 0.05
        assert y == pytest.approx(0.5 + 1.03 * k, abs=0.05 * (k + 1))
        assert np.abs(body.velocity).max() <= 1e-3
