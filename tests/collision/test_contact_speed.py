"""The speed of a contact is that at which surfaces meet: the pull of a substep is not in it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from ecs_softbody import Simulation, StaticCollider, blueprints

SOLVERS = ("saturated", "xpbd")
MAKERS = {
    "disc": lambda y: blueprints.ball((0.03, y + 0.3), 0.3),
    "blob": lambda y: blueprints.blob((0.0, y + 0.3), 0.3),
    "box": lambda y: blueprints.box((0.0, y + 0.3), 0.6),
    "crate": lambda y: blueprints.box((0.0, y + 0.3), 0.6, shape_stiffness=1e6),
}
numbers = itertools.count()


def fall(kind, height, *, gravity=9.81, substeps=8, solver="saturated"):
    """Drop a body; return the world, the speed of its first frame in contact, of its event, and
    that of free fall.
    """
    sim = Simulation(
        world=f"speed {next(numbers)}", solver=solver, substeps=substeps, gravity=(0.0, -gravity)
    )
    sim.spawn(StaticCollider([(-5.0, 0.0), (5.0, 0.0)]))
    body, *rest = MAKERS[kind](height)
    sim.spawn(body, *rest)
    height = float((body.position[:, 1] - body.radius).min())
    began = []
    sim.on("contact_begin", lambda event: began.append(event.speed))
    for _ in range(400):
        sim.step()
        if len(sim.contacts) and sim.contacts.speed.max() > 0.0:
            break
    return sim, float(sim.contacts.speed.max()), began[0], math.sqrt(2.0 * gravity * height)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("substeps", [2, 4, 8, 16])
def test_a_disc_meets_the_ground_at_the_speed_of_its_fall(substeps, solver):
    for gravity, height in ((1.0, 0.3), (9.81, 0.1), (9.81, 2.0), (50.0, 1.0)):
        sim, met, began, exact = fall(
            "disc", height, gravity=gravity, substeps=substeps, solver=solver
        )
        assert met == pytest.approx(exact, rel=1e-6)
        # it may begin before it is pushed
        assert began == pytest.approx(exact, rel=1e-6) or began < exact
        sim.close()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["blob", "box", "crate"])
def test_soft_bodies_meet_the_ground_at_the_speed_of_their_fall(kind, solver):
    for substeps, gravity in ((4, 9.81), (8, 1.0), (8, 9.81), (16, 50.0)):
        sim, met, _, exact = fall(kind, 1.0, gravity=gravity, substeps=substeps, solver=solver)
        assert met == pytest.approx(exact, rel=0.05)
        sim.close()


@pytest.mark.parametrize("kind", list(MAKERS))
@pytest.mark.parametrize("solver", SOLVERS)
def test_what_rests_meets_nothing(kind, solver):
    for substeps, gravity in ((2, 9.81), (4, 50.0), (8, 9.81), (16, 50.0)):
        sim, *_ = fall(kind, 1e-3, gravity=gravity, substeps=substeps, solver=solver)
        sim.sleeping = False
        for frame in range(300):
            sim.step()
            assert frame < 240 or sim.contacts.speed.max() < 0.02
        assert len(sim.contacts)
        sim.close()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rising", [0.5, 3.0])
def test_without_gravity_a_wall_meets_a_disc_at_its_own_speed(solver, rising):
    for substeps in (2, 8, 16):
        sim = Simulation(
            world=f"wall {next(numbers)}", solver=solver, substeps=substeps, gravity=(0.0, 0.0)
        )
        floor = StaticCollider([(-5.0, 0.0), (5.0, 0.0)], velocity=(0.0, rising))
        sim.spawn(floor)
        sim.spawn(*blueprints.ball((0.0, 0.6), 0.3))
        speeds = []
        for _ in range(60):
            sim.step()
            speeds += sim.contacts.speed.tolist()
        assert max(speeds) == pytest.approx(rising, rel=0.01)
        sim.close()


@pytest.mark.parametrize("solver", SOLVERS)
def test_two_discs_meet_at_the_sum_of_their_speeds(solver):
    for substeps in (2, 8, 16):
        sim = Simulation(
            world=f"discs {next(numbers)}", solver=solver, substeps=substeps, gravity=(0.0, -9.81)
        )
        sim.spawn(*blueprints.ball((-1.0, 0.0), 0.2, velocity=(3.0, 0.0)))
        sim.spawn(*blueprints.ball((1.0, 0.0), 0.3, velocity=(-1.0, 0.0)))
        speeds = []
        for _ in range(40):
            sim.step()
            speeds += sim.contacts.speed.tolist()
        assert max(speeds) == pytest.approx(4.0, rel=1e-6)
        sim.close()


def test_a_light_crate_under_a_heavy_one_is_calm():
    sim = Simulation(world="pile of speeds")
    sim.sleeping = False
    sim.spawn(StaticCollider([(-5.0, 0.0), (5.0, 0.0)]))
    for number, mass in enumerate((0.02, 2.0)):
        sim.spawn(*blueprints.box((0.0, 0.31 + 0.61 * number), 0.6, mass=mass, shape_stiffness=1e6))
    for frame in range(300):
        sim.step()
        assert frame < 240 or np.max(sim.contacts.speed) < 0.1
    sim.close()
