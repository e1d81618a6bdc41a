"""Contacts, sleep and events are the same, whatever finds the forces inside the bodies."""

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Collider,
    Particles,
    Simulation,
    Springs,
    StabilityWarning,
    StaticCollider,
    blueprints,
)
from tests.helpers.bodies import ground
from tests.helpers.stepping import run

G = 9.81
pytestmark = pytest.mark.filterwarnings(f"ignore::{StabilityWarning.__module__}.StabilityWarning")


@pytest.fixture(params=["saturated", "xpbd"])
def solver(request):
    return request.param


def test_rebound_height_is_restitution_squared(solver):
    sim = Simulation(solver=solver)
    ball = Particles([(0, 2.25)], radius=0.25)
    sim.spawn(ball, Collider(restitution=0.8))
    sim.spawn(ground())
    highest = 0.0
    fallen = False
    for _ in range(120):
        sim.step()
        fallen = fallen or ball.velocity[0, 1] > 0.0
        highest = max(highest, ball.position[0, 1] - 0.25) if fallen else 0.0
    assert highest == pytest.approx(0.64 * 2.0, rel=0.03)


@pytest.mark.brief(3)
@pytest.mark.parametrize(("degrees", "slides"), [(20, False), (35, True)])
def test_a_jelly_box_holds_or_slides(solver, degrees, slides):
    """Friction 0.5 holds up to 26.6 degrees."""
    sim = Simulation(solver=solver)
    turn = np.radians(degrees)
    box = blueprints.box(
        (-0.6 * np.sin(turn), 0.6 * np.cos(turn)), 1.0, angle=turn, mass=1.0, stiffness=5e3
    )
    sim.spawn(*box)
    sim.spawn(ground(degrees))
    run(sim, 1)
    before = box[0].position.mean(axis=0)
    run(sim, 1)
    way = np.hypot(*(box[0].position.mean(axis=0) - before))
    assert (way > 1.0) if slides else (way < 0.05)


def test_a_tower_stands_and_falls_asleep(solver):
    sim = Simulation(solver=solver, substeps=16)
    sim.spawn(ground())
    boxes = [blueprints.box((0, 0.55 + 1.05 * n), 1.0, mass=1.0, stiffness=2e4) for n in range(6)]
    for box in boxes:
        sim.spawn(*box)
    run(sim, 12)
    middles = np.array([box[0].position[:, 0].mean() for box in boxes])
    assert np.ptp(middles) < 0.05
    assert sim.asleep_count == len(boxes)


def test_a_sleeping_body_wakes_with_all_of_its_forces(solver):
    """A ball falls on a sleeping box: momentum along x stays, the box carries the ball, and both
    sleep again.
    """
    sim = Simulation(solver=solver)
    sim.spawn(ground())
    box = blueprints.box((0, 0.5), 1.0, mass=1.0, stiffness=5e3)
    entity = sim.spawn(*box)
    run(sim, 6)
    assert sim.is_asleep(entity)
    ball = Particles([(0, 3)], mass=0.5, radius=0.2)
    sim.spawn(ball, Collider())
    run(sim, 0.8)
    assert not sim.is_asleep(entity)
    run(sim, 12)
    assert box[0].position[:, 1].max() == pytest.approx(1.0, abs=0.12)
    assert np.isfinite(ball.position).all()


def test_bodies_joined_by_springs_sleep_together(solver):
    sim = Simulation(solver=solver)
    sim.spawn(ground())
    entities = [
        sim.spawn(*blueprints.box((x, 0.5), 0.8, mass=1.0, stiffness=5e3)) for x in (0.0, 1.5)
    ]
    with sim:
        sim.spawn(
            Springs([(12, 12)], stiffness=50.0, damping=1.0, between=(entities[0], entities[1]))
        )
    run(sim, 20)
    assert [sim.is_asleep(entity) for entity in entities] == [True, True]
    sim.wake(entities[0])
    assert not sim.is_asleep(entities[1])


def test_every_contact_begins_and_ends(solver):
    sim = Simulation(solver=solver)
    begun = []
    ended = []

    def begin(event):
        begun.append(event)

    def end(event):
        ended.append(event)

    with sim:
        esper.set_handler("contact_begin", begin)
        esper.set_handler("contact_end", end)
    floor = sim.spawn(ground())
    blob = blueprints.blob((0, 1.0), 0.5)
    entity = sim.spawn(*blob)
    run(sim, 6)
    assert all({event.entity_a, event.entity_b} == {entity, floor} for event in begun)
    assert len(begun) == len(ended) + 1
    begun.clear()
    ended.clear()
    run(sim, 1)
    assert not begun
    assert not ended
    blob[0].velocity += (0.0, 6.0)
    run(sim, 0.4)
    assert len(ended) == 1


def test_colliding_blobs_keep_momentum(solver):
    sim = Simulation(gravity=(0, 0), solver=solver)
    blobs = [
        blueprints.blob((x, 0.1 * x), 0.5, mass=m, velocity=(-4.0 * x, 0.0))
        for x, m in ((-1, 1.0), (1, 3.0))
    ]
    for blob in blobs:
        sim.spawn(*blob)

    def momenta():
        total = np.zeros(3)
        for body, *_ in blobs:
            place = body.position
            velocity = body.velocity
            mass = body.mass
            total += [
                *(mass @ velocity),
                mass @ (place[:, 0] * velocity[:, 1] - place[:, 1] * velocity[:, 0]),
            ]
        return total

    before = momenta()
    run(sim, 2)
    np.testing.assert_allclose(momenta(), before, atol=1e-10)


@pytest.mark.slow
@pytest.mark.brief(2)
def test_a_pile_of_blobs_comes_apart_nowhere_and_calms_down(solver):
    sim = Simulation(solver=solver)
    sim.spawn(StaticCollider([(-1.6, 8), (-1.6, 0), (1.6, 0), (1.6, 8)]))
    blobs = [
        blueprints.blob((0.9 * (n % 3) - 0.9, 0.6 + 1.1 * (n // 3)), 0.42, mass=1.0)
        for n in range(12)
    ]
    for blob in blobs:
        sim.spawn(*blob)
    run(sim, 10)
    for body, *_ in blobs:
        assert np.isfinite(body.position).all()
        assert np.abs(body.position[:, 0]).max() < 1.62
        assert body.position[:, 1].min() > -0.02
    assert np.sqrt(np.mean([(body.velocity**2).mean() for body, *_ in blobs])) < 0.2
