"""Motors of any speed and torque leave what they turn whole."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ecs_softbody import Motor, Particles, Simulation, StaticCollider, blueprints

WIDTH = 20.0
HEIGHT = 12.0
SOLVERS = ("saturated", "xpbd")


def area(ring):
    x, y = ring.T
    return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def car_in_a_room(solver, substeps=8, size=1.0, **motor):
    """A car of two wheels in a closed room; returns the simulation, its bodies and its motors."""
    sim = Simulation(world=f"motors {solver} {substeps}", solver=solver, substeps=substeps)
    room = np.array([(0.0, 0.0), (WIDTH, 0.0), (WIDTH, HEIGHT), (0.0, HEIGHT), (0.0, 0.0)]) - (
        0.5 * WIDTH,
        0.0,
    )
    sim.spawn(StaticCollider(size * room))
    bodies = [blueprints.box((0.0, 0.9 * size), (2.0 * size, 0.6 * size))]
    motors = []
    chassis = sim.spawn(*bodies[0])
    for x in (-0.7 * size, 0.7 * size):
        bodies.append(blueprints.wheel((x, 0.5 * size), 0.4 * size))
        joint = blueprints.axle(chassis, sim.spawn(*bodies[-1]), (x, 0.5 * size), **motor)
        sim.spawn(*joint)
        motors.append(joint[1])
    return sim, [body[0] for body in bodies], motors


def check_whole(speed, seconds, solver, substeps=8, size=1.0, **motor):
    """Turn a car's motors round twice a second: its wheels have their form, and nothing leaves the
    room.
    """
    sim, bodies, motors = car_in_a_room(solver, substeps, size, speed=speed, **motor)
    whole = [area(body.position[1:]) for body in bodies[1:]]
    fastest = 0.0
    for frame in range(round(60 * seconds)):
        for one in motors:
            one.speed = speed if frame // 30 % 2 == 0 else -speed
        sim.step()
        for body in bodies:
            assert np.abs(body.position[:, 0]).max() < 0.5 * WIDTH * size
            assert body.position[:, 1].min() > 0.0
            assert body.position[:, 1].max() < HEIGHT * size
            fastest = max(fastest, float(np.hypot(*body.velocity.T).max()))
        for body, before in zip(bodies[1:], whole, strict=True):
            assert 0.2 < area(body.position[1:]) / before < 3.0
    sim.close()
    assert fastest < 150.0 * math.sqrt(size)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("torque", [None, math.inf])
def test_a_car_stays_whole(solver, torque):
    check_whole(300.0, 4.0, solver, max_torque=torque)


@pytest.mark.slow
@pytest.mark.sample(6)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("torque", [None, 1e6, math.inf])
@pytest.mark.parametrize("speed", [10.0, 100.0, 300.0, 3000.0])
def test_a_car_stays_whole_for_a_minute(solver, torque, speed):
    check_whole(speed, 60.0, solver, max_torque=torque)


def test_the_default_torque_carries_both_bodies_at_the_rim_and_drives():
    sim, bodies, motors = car_in_a_room("saturated", speed=-6.0)
    sim.step()
    wheel = bodies[1]
    rim = np.hypot(*(wheel.position - wheel.center).T).max()
    assert motors[0].max_torque == pytest.approx(
        9.81 * rim * (bodies[0].mass.sum() + wheel.mass.sum()), rel=0.02
    )
    for _ in range(59):
        sim.step()
    start = bodies[0].center[0]
    for _ in range(120):
        sim.step()
    assert (bodies[0].center[0] - start) / 2.0 == pytest.approx(6.0 * 0.4, rel=0.04)
    sim.close()


def test_a_wheel_that_turns_against_the_world_reaches_its_speed_with_any_torque():
    for torque in (None, 20.0, math.inf):
        sim = Simulation(gravity=(0, 0), world=f"wheel {torque}")
        wheel, *rest = blueprints.wheel((0.0, 0.0), 0.4)
        sim.spawn(Motor((None, sim.spawn(wheel, *rest)), speed=20.0, max_torque=torque))
        for _ in range(60):
            sim.step()
        assert wheel.pose().angular_velocity == pytest.approx(20.0, rel=0.01)
        assert isinstance(wheel, Particles)
        sim.close()
