"""Components together: what is jointed, plastic and has muscles sleeps and wakes; what is gone
drives nothing.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Attachment,
    Inflation,
    Motor,
    Muscles,
    Particles,
    Plasticity,
    PressureBody,
    Simulation,
    StaticCollider,
    Tearing,
    Water,
    Wind,
    blueprints,
)
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_a_jointed_plastic_body_with_muscles_sleeps_and_every_value_wakes_it(solver):
    sim = Simulation(solver=solver)
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    box = sim.spawn(
        *blueprints.box((0, 0.55), 1.0),
        Muscles([0, 1]),
        Plasticity(yield_strain=0.3),
        Tearing(strain=2.0),
    )
    ball = sim.spawn(*blueprints.ball((0.9, 0.3), 0.3))
    sim.spawn(Attachment((box, ball), rows=([0, 1, 2], None), at=(0.6, 0.3)))
    wind = sim.spawn(Wind((0.0, 0.0)))
    water = sim.spawn(Water(-1.0))
    muscles = esper.component_for_entity(box, Muscles)

    def rest():
        for _ in range(1500):
            sim.step()
            if sim.is_asleep(box) and sim.is_asleep(ball):
                return
        raise AssertionError("it never sleeps")

    rest()
    muscles.target = 0.9
    sim.step()
    assert not sim.is_asleep(box)
    assert not sim.is_asleep(ball)
    rest()
    esper.component_for_entity(wind, Wind).velocity = (12.0, 0.0)
    sim.step()
    assert not sim.is_asleep(box)
    esper.component_for_entity(wind, Wind).velocity = (0.0, 0.0)
    rest()
    esper.component_for_entity(water, Water).level = 0.5
    sim.step()
    assert not sim.is_asleep(box)


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_a_pump_that_is_gone_drives_no_other_gas(solver):
    sim = Simulation(gravity=(0, 0), solver=solver)
    plain = sim.spawn(*blueprints.blob((0, 0), 0.5))
    pumped = [sim.spawn(*blueprints.blob((3 * k + 3, 0), 0.5), Inflation()) for k in range(2)]
    sim.step()
    before = float(esper.component_for_entity(plain, PressureBody).nRT)
    sim.despawn(pumped[0])
    run_frames(sim, 3)
    assert esper.component_for_entity(plain, PressureBody).nRT == before


def test_a_motor_that_is_gone_leaves_the_others_running():
    sim = Simulation(gravity=(0, 0))
    wheels = [sim.spawn(*blueprints.blob((3 * k, 0), 0.5)) for k in range(2)]
    motors = [sim.spawn(Motor((None, wheel), speed=2.0)) for wheel in wheels]
    sim.step()
    sim.despawn(motors[0])
    run_frames(sim, 30)
    body = esper.component_for_entity(wheels[1], Particles)
    away = body.position - body.position.mean(axis=0)
    spin = (away[:, 0] * body.velocity[:, 1] - away[:, 1] * body.velocity[:, 0]).sum() / (
        away**2
    ).sum()
    assert spin == pytest.approx(2.0, rel=0.05)


def test_a_motor_on_a_chassis_that_is_a_point_does_nothing():
    """A point takes no torque, and rounding is no moment of inertia: once 1e-33 kg m² flung it at
    any speed.
    """
    sim = Simulation(gravity=(0, 0))
    point = sim.spawn(Particles([(0.1300655, 3.8855072)], mass=0.7105279))
    wheel = sim.spawn(*blueprints.blob((2, 3), 0.5))
    motor = sim.spawn(Motor((point, wheel), speed=20.0))
    run_frames(sim, 30)
    speeds = [
        np.hypot(*esper.component_for_entity(entity, Particles).velocity.T).max()
        for entity in (point, wheel)
    ]
    assert max(speeds) < 1e-6
    assert esper.component_for_entity(motor, Motor).torque == 0.0
