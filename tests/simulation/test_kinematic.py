"""Kinematic particles move with their velocity, whatever pushes them; what they push follows the
laws of impact.
"""

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, Springs, StaticCollider, blueprints
from tests.helpers.stepping import run


def test_a_kinematic_particle_moves_exactly_with_its_velocity():
    """Gravity, springs and drag do not change it."""
    sim = Simulation()
    body = Particles(
        [(0, 0), (1, 0)], velocity=[(2.0, -1.0), (0, 0)], kinematic=[True, False], mass=[1e-3, 5.0]
    )
    sim.spawn(body, Springs([(0, 1)], stiffness=100.0, damping=1.0))
    run(sim, 1)
    assert body.position[0] == pytest.approx((2.0, -1.0), abs=1e-12)
    assert tuple(body.velocity[0]) == (2.0, -1.0)
    assert body.inverse_mass[0] == 0.0


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e3])
def test_a_ball_in_the_way_gets_exactly_the_speed_of_what_pushes_it(mass):
    sim = Simulation(gravity=(0, 0))
    pusher = Particles([(0, 0)], velocity=(1.0, 0.0), radius=0.2, kinematic=True)
    sim.spawn(pusher, Collider())
    ball = Particles([(1, 0)], radius=0.2, mass=mass)
    entity = sim.spawn(ball, Collider())
    impulse = 0.0
    for _ in range(90):
        sim.step()
        impulse += sim.contacts.of(entity).impulse.sum()
    assert ball.velocity[0] == pytest.approx((1.0, 0.0), abs=1e-12)
    assert impulse == pytest.approx(mass * 1.0, rel=1e-12)
    assert tuple(pusher.velocity[0]) == (1.0, 0.0)
    assert ball.position[0, 0] - pusher.position[0, 0] == pytest.approx(0.4, abs=1e-3)


@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_a_ball_bounces_off_with_the_speed_of_the_bat(restitution):
    """u + e (u - v) for a bat at u that meets a ball at v."""
    sim = Simulation(gravity=(0, 0))
    sim.spawn(Particles([(0, 0)], velocity=(3.0, 0.0), radius=0.2, kinematic=True), Collider())
    ball = Particles([(1, 0)], velocity=(-2.0, 0.0), radius=0.2)
    sim.spawn(ball, Collider(restitution=restitution))
    run(sim, 0.5)
    assert ball.velocity[0] == pytest.approx((3.0 + restitution * 5.0, 0.0), abs=1e-9)


def test_a_towed_mass_takes_on_the_speed_and_the_work_is_that_of_the_tow():
    """From rest to v the tow does m v² of work, half of it becomes heat in the dashpot."""
    sim = Simulation(gravity=(0, 0), substeps=16)
    body = Particles(
        [(0, 0), (-1, 0)], velocity=[(2.0, 0), (0, 0)], mass=3.0, kinematic=[True, False]
    )
    springs = Springs([(0, 1)], stiffness=50.0, damping=10.0)
    sim.spawn(body, springs)
    work = 0.0
    heat = 0.0
    for _ in range(1200):
        sim.step(1 / 240)
        stretch = body.position[0, 0] - body.position[1, 0] - 1.0
        rate = 2.0 - body.velocity[1, 0]
        work += (50.0 * stretch + 10.0 * rate) * 2.0 / 240
        heat += 10.0 * rate * rate / 240
    assert body.velocity[1, 0] == pytest.approx(2.0, abs=1e-3)
    assert work == pytest.approx(3.0 * 2.0**2, rel=0.02)
    assert heat == pytest.approx(0.5 * 3.0 * 2.0**2, rel=0.02)


def test_a_kinematic_hub_spins_a_soft_wheel():
    """Eight particles go round exactly; the rim that hangs on them by springs ends up at the same
    angular velocity.
    """
    omega = 5.0
    dt = 1 / 60
    sim = Simulation(gravity=(0, 0))
    angle = 2 * np.pi * np.arange(8) / 8
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    wheel = Particles(np.concatenate([0.2 * circle, circle]), mass=0.5, kinematic=np.arange(16) < 8)
    ring = np.arange(8)
    pairs = [
        (ring, ring + 8),
        (ring, (ring + 1) % 8 + 8),
        ((ring + 1) % 8, ring + 8),
        (ring + 8, (ring + 1) % 8 + 8),
    ]
    sim.spawn(
        wheel,
        Springs(
            np.concatenate([np.column_stack(pair) for pair in pairs]), stiffness=500.0, damping=40.0
        ),
    )
    turn = np.array(
        [(np.cos(omega * dt), -np.sin(omega * dt)), (np.sin(omega * dt), np.cos(omega * dt))]
    )
    hub = wheel.position[:8].copy()
    angles = []
    for _ in range(600):
        hub = hub @ turn.T
        wheel.velocity[:8] = (hub - wheel.position[:8]) / dt
        sim.step(dt)
        assert wheel.position[:8] == pytest.approx(hub, abs=1e-12)
        angles.append(np.arctan2(wheel.position[8, 1], wheel.position[8, 0]))
    assert np.diff(np.unwrap(angles)[-60:]) == pytest.approx(omega * dt, rel=1e-3)


def test_a_kinematic_raft_carries_what_lies_on_it():
    sim = Simulation()
    raft, *_, collider = blueprints.box((0, 0), (4.0, 0.4), rows=2, columns=9)
    raft.kinematic = True
    raft.velocity = (1.5, 0.0)
    sim.spawn(raft, collider)
    load, *rest = blueprints.box((0, 0.6), 0.5)
    sim.spawn(load, *rest)
    run(sim, 2)
    start = load.position.mean(axis=0)
    run(sim, 2)
    assert load.position.mean(axis=0) - start == pytest.approx((3.0, 0.0), abs=0.05)
    assert start[0] == pytest.approx(3.0 - 1.5**2 / (2 * 0.5 * 9.81), abs=0.15), (
        "less what it slipped at the start"
    )


def test_switching_over_while_it_runs():
    """Free again it keeps its velocity; pinned it loses it; both at once it stands."""
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0)], velocity=(2.0, 0.0), kinematic=True)
    sim.spawn(body)
    run(sim, 0.5)
    body.kinematic = False
    run(sim, 0.5)
    assert body.position[0] == pytest.approx((2.0, 0.0), abs=1e-12)
    assert body.inverse_mass[0] == 1.0
    body.kinematic = body.pinned = True
    run(sim, 0.5)
    assert body.position[0] == pytest.approx((2.0, 0.0), abs=1e-12)
    assert not body.velocity.any()
    body.pinned = False
    body.velocity = (0.0, 1.0)
    run(sim, 1)
    assert body.position[0] == pytest.approx((2.0, 1.0), abs=1e-12)


def test_what_can_be_pushed_is_free():
    body = Particles(
        [(k, 0) for k in range(4)],
        mass=[1, 1, 1, np.inf],
        pinned=[False, True, False, False],
        kinematic=[False, False, True, False],
    )
    assert body.free.tolist() == [True, False, False, False]
    with pytest.raises(ValueError, match=r"Particles\.kinematic: 'yes' is not allowed"):
        Particles([(0, 0)], kinematic="yes")


def test_a_kinematic_particle_goes_through_walls_and_pushes_a_soft_body():
    sim = Simulation(gravity=(0, 0))
    sim.spawn(StaticCollider([(0, -5), (0, 5)]))
    finger = Particles([(-1, 0)], velocity=(2.0, 0.0), radius=0.2, kinematic=True)
    sim.spawn(finger, Collider())
    blob, *rest = blueprints.blob((1.5, 0), 0.5)
    sim.spawn(blob, *rest)
    run(sim, 3)
    assert finger.position[0] == pytest.approx((5.0, 0.0), abs=1e-9)
    assert blob.position[:, 0].mean() > 5.2
