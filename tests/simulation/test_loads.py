"""Loads are what they are: what hangs or rests carries m g, whatever drag, water or wind does to
what moves.
"""

import itertools
import warnings

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Attachment,
    Collider,
    DistanceLimits,
    Drag,
    Particles,
    Simulation,
    StaticCollider,
    Water,
    Wind,
    blueprints,
)

G = 9.81
EXACT = 1e-6
QUICK = [
    ("saturated", 8, 10.0, 1.0), ("saturated", 1, 1e5, 0.01), ("xpbd", 32, 480.0, 100.0),
    ("xpbd", 8, 1e5, 1.0),
]  # fmt: skip
WHOLE = [
    *itertools.product(
        ("saturated", "xpbd"), (1, 2, 8, 32), (0.0, 10.0, 480.0, 5e3, 1e5), (0.01, 1.0, 100.0)
    )
]


def ranges(function):
    """Run with a few cases in the fast suite, with all of them in the slow one."""
    names = "solver, substeps, coefficient, mass"
    whole = [pytest.param(*case, marks=[pytest.mark.slow, pytest.mark.sample(3)]) for case in WHOLE]
    return pytest.mark.parametrize(names, [*QUICK, *whole])(function)


def world(solver, substeps):
    sim = Simulation(solver=solver, substeps=substeps, sleeping=False)
    sim.spawn(StaticCollider([(-99.0, 0.0), (99.0, 0.0)]))
    return sim


def run(sim, seconds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(round(seconds * 60)):
            sim.step()


def pressing(sim, entity):
    """Mean force on what an entity rests on, over the last frame [N]."""
    contacts = sim.contacts.of(entity)
    return float((contacts.impulse * contacts.normal[:, 1]).sum()) * 60.0


@ranges
def test_ground_rope_and_joint_carry_the_whole_weight(solver, substeps, coefficient, mass):
    sim = world(solver, substeps)
    resting = [
        sim.spawn(Particles([(x, 0.25)], mass=mass, radius=0.25), Collider(), drag)
        for x, drag in ((0.0, Drag(linear=coefficient)), (9.0, Drag(quadratic=coefficient)))
    ]
    places = [(20.0, 9.0), (20.0, 8.0)]
    masses = [1.0, mass]
    rope = DistanceLimits([(0, 1)])
    sim.spawn(Particles(places, mass=masses, pinned=[True, False]), rope, Drag(linear=coefficient))
    hanging = sim.spawn(Particles([(30.0, 9.0)], mass=mass), Drag(linear=coefficient))
    joint = Attachment((hanging, None), at=(30.0, 9.0))
    sim.spawn(joint)
    run(sim, 0.5)
    for entity in resting:
        assert pressing(sim, entity) == pytest.approx(mass * G, rel=EXACT)
    assert rope.force[0] == pytest.approx(mass * G, rel=EXACT)
    assert joint.force == pytest.approx((0.0, mass * G), rel=EXACT, abs=EXACT * mass * G)


@pytest.mark.slow
@pytest.mark.parametrize("make", [blueprints.blob, blueprints.box], ids=["blob", "box"])
@pytest.mark.parametrize("coefficient", [1.0, 10.0, 480.0])
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_a_soft_body_presses_with_its_weight(solver, coefficient, make):
    """Mean over half a second after it has come to rest: what trembles carries its weight on
    average.
    """
    sim = world(solver, 8)
    body = make((0.0, 0.7), 0.6 if make is blueprints.blob else (1.0, 1.0), mass=2.0)
    entity = sim.spawn(*body, Drag(linear=coefficient))
    run(sim, 30.0)  # with so much drag it takes long to settle
    before = body[0].velocity.copy()
    pushed = []
    for _ in range(30):
        run(sim, 1.0 / 60.0)
        pushed.append(pressing(sim, entity))
    gained = (body[0].mass * (body[0].velocity - before)[:, 1]).sum() * 2.0
    dragged = coefficient * body[0].velocity[:, 1].sum()
    assert np.mean(pushed) == pytest.approx(2.0 * G + gained + dragged, rel=1e-5)


@pytest.mark.brief(6)
@pytest.mark.parametrize("speed", [0.0, 3.0, 40.0])
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_wind_and_water_push_but_do_not_carry(solver, speed):
    """Discs in a wind downwards, a rope in a wind across, a ball at the bottom of a stream: closed
    forms.
    """
    sim = world(solver, 8)
    radius = 0.1
    mass = 0.05
    push = 0.5 * 1.2 * 8.0 / 3.0 * radius * speed**2
    sim.spawn(Wind((0.0, -speed), density=1.2, drag=1.0, region=((-5.0, 0.0), (5.0, 9.0))))
    sim.spawn(Wind((speed, 0.0), density=1.2, drag=1.0, region=((15.0, 0.0), (25.0, 99.0))))
    sim.spawn(Water(3.0, left=40.0, right=60.0, bottom=0.0, density=100.0, flow=(0.1 * speed, 0.0)))
    down = sim.spawn(Particles([(0.0, radius)], mass=mass, radius=radius), Collider())
    rope = DistanceLimits([(0, 1)])
    weight = np.array((push, -mass * G))
    aside = 2.0 * weight / np.hypot(*weight)
    places = [(20.0, 9.0), (20.0 + aside[0], 9.0 + aside[1])]
    masses = [1.0, mass]
    sim.spawn(Particles(places, mass=masses, pinned=[True, False], radius=radius), rope, Collider())
    sunk = sim.spawn(Particles([(50.0, radius)], mass=10.0, radius=radius), Collider(friction=9.0))
    run(sim, 1.0)
    assert pressing(sim, down) == pytest.approx(mass * G + push, rel=EXACT)
    assert pressing(sim, sunk) == pytest.approx(10.0 * G - 100.0 * G * np.pi * radius**2, rel=EXACT)
    run(sim, 4.0)
    assert rope.force[0] == pytest.approx(np.hypot(mass * G, push), rel=EXACT)


def test_rope_breaks_at_its_load_whatever_the_drag():
    sim = world("saturated", 8)
    held = []
    for k, strength in enumerate((0.999, 1.001)):
        places = [(float(k), 9.0), (float(k), 8.0)]
        rope = DistanceLimits([(0, 1)], break_force=strength * G)
        held.append(sim.spawn(Particles(places, pinned=[True, False]), rope, Drag(linear=480.0)))
    run(sim, 0.5)
    assert [esper.has_component(entity, DistanceLimits) for entity in held] == [False, True]


@pytest.mark.slow
@pytest.mark.parametrize("coefficient", [0.5, 20.0, 480.0])
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_what_hangs_together_sinks_at_one_terminal_speed(solver, coefficient):
    """A ball on a dragged plate, and a weight below a dragged one on a rope: (m + M) g = c v, and m
    g between both.
    """
    sim = world(solver, 8)
    top = Particles([(0.0, 500.0)], mass=2.0, radius=0.2)
    plate = sim.spawn(top, Drag(linear=coefficient))
    ball = Particles([(0.0, 498.0)], mass=3.0)
    rope = DistanceLimits([(0, 0)], between=(plate, sim.spawn(ball)))
    sim.spawn(rope)
    low = Particles([(9.0, 500.0)], mass=2.0, radius=0.2)
    sim.spawn(low, Collider(), Drag(linear=coefficient))
    above = Particles([(9.0, 500.4)], mass=3.0, radius=0.2)
    carried = sim.spawn(above, Collider())
    run(sim, 6.0)
    terminal = 5.0 * G / coefficient * (1.0 - np.exp(-6.0 * coefficient / 5.0))
    for body in (top, ball, low, above):
        assert body.velocity[0, 1] == pytest.approx(-terminal, rel=1e-2)
    if coefficient >= 20.0:
        assert rope.force[0] == pytest.approx(3.0 * G, rel=EXACT)
        assert pressing(sim, carried) == pytest.approx(3.0 * G, rel=EXACT)
    assert np.hypot(*(above.position - low.position)[0]) == pytest.approx(0.4, abs=1e-3)


@pytest.mark.brief(6)
@pytest.mark.parametrize("stiffness", [None, 1e6])
@pytest.mark.parametrize("coefficient", [50.0, 300.0, 1000.0])
@pytest.mark.parametrize("substeps", [4, 8])
def test_a_whole_body_with_drag_presses_with_its_weight(coefficient, substeps, stiffness):
    """Friction turned it without its drag: from h c / m of about 20 on it rocked, and at 160 it
    jumped.
    """
    sim = Simulation(substeps=substeps, sleeping=False)
    sim.spawn(StaticCollider([(-9, 0), (9, 0)], friction=1.0))
    body, *rest = blueprints.box((0, 0.5), 1.0, shape_stiffness=stiffness)
    body.position[:, 1] += body.radius[0] - body.position[:, 1].min()
    entity = sim.spawn(body, *rest, Drag(linear=coefficient))
    run(sim, 30.0)  # with so much drag it takes long to settle
    assert pressing(sim, entity) == pytest.approx(body.mass.sum() * G, rel=EXACT)
    assert abs(body.pose().angular_velocity) < 1e-9
