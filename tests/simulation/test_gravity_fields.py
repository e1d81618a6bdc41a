"""Gravity scale and gravity towards a point, as games see them."""

import esper
import numpy as np
import pytest

from ecs_softbody import Collider, Particles, PointGravity, Simulation, StaticCollider, blueprints
from tests.helpers.measures import momenta
from tests.helpers.stepping import run_frames


def orbit(eccentricity, *, substeps=8, turns=10, radius=2.0, strength=20.0):
    """Start at the nearest point; return the energies relative to the first, the way from the
    start, the period.
    """
    sim = Simulation(gravity=(0, 0), substeps=substeps)
    sim.spawn(PointGravity((1.0, 2.0), strength=strength))
    ball = Particles(
        [(1.0 + radius, 2.0)],
        velocity=(0.0, np.sqrt(strength * (1 + eccentricity) / radius)),
        mass=3.0,
    )
    sim.spawn(ball)
    period = 2 * np.pi * np.sqrt((radius / (1 - eccentricity)) ** 3 / strength)
    frames = round(turns * period * 60)
    energy = [-0.5 * strength * (1 - eccentricity) / radius]
    for _ in range(frames):
        sim.step(turns * period / frames)
        energy.append(
            0.5 * (ball.velocity**2).sum() - strength / np.hypot(*(ball.position[0] - (1.0, 2.0)))
        )
    return (
        np.array(energy) / energy[0] - 1.0,
        float(np.hypot(*(ball.position[0] - (1.0 + radius, 2.0)))),
        sim,
    )


@pytest.mark.brief(2)
@pytest.mark.parametrize("eccentricity", [0.0, 0.5])
def test_an_orbit_closes_in_place_and_energy_over_ten_turns(eccentricity):
    drift, away, _ = orbit(eccentricity)
    assert np.abs(drift).max() < 0.003
    assert abs(drift[-1]) < 1e-4
    assert away < 0.02


@pytest.mark.slow
@pytest.mark.parametrize(("eccentricity", "substeps"), [(0.8, 8), (0.3, 1)])
def test_long_and_coarse_orbits(eccentricity, substeps):
    drift, _, _ = orbit(eccentricity, substeps=substeps)
    assert np.abs(drift).max() < 0.01


def test_bodies_that_pull_keep_momentum_and_angular_momentum():
    sim = Simulation(gravity=(0, 0))
    planet = blueprints.blob((0, 0), 1.0, mass=50.0)
    moon = blueprints.ball((4, 0), 0.2, mass=2.0, velocity=(0, 2))
    crate = blueprints.box((-3, 1), 0.5, mass=5.0, velocity=(0, -2))
    sim.spawn(*planet, PointGravity(strength=30.0))
    sim.spawn(*moon, PointGravity(strength=3.0))
    sim.spawn(*crate)
    bodies = [planet[0], moon[0], crate[0]]

    before = momenta(*bodies)
    run_frames(sim, 120)
    assert np.abs(momenta(*bodies) - before).max() < 1e-11
    assert crate[0].position[:, 0].mean() > -2.9, "it falls"


def circle_of_two(
    masses, strengths, *, apart=4.0, substeps=8, solver="saturated", exponent=2.0, scale=1.0
):
    """Start two stars on a circle that fits the pull of the first; return the distances of one
    turn, and momentum.
    """
    sim = Simulation(gravity=(0, 0), substeps=substeps, solver=solver, world=f"stars {strengths}")
    pull = masses[1] * scale * strengths[0] / apart**exponent
    total = sum(masses)
    # of one as the other sees it
    speed = np.sqrt(pull * apart * total / (masses[0] * masses[1]))
    stars = []
    for place, (mass, strength) in enumerate(zip(masses, strengths, strict=True)):
        side = (masses[1 - place] / total) * (1.0, -1.0)[place]
        star = Particles(
            [(side * apart, 0.0)], velocity=(0.0, side * speed), mass=mass, gravity_scale=scale
        )
        laws = [] if strength is None else [PointGravity(strength=strength, exponent=exponent)]
        sim.spawn(star, *laws)
        stars.append(star)
    distances = []
    for _ in range(600):
        sim.step(2.0 * np.pi * apart / speed / 600)
        distances.append(float(np.hypot(*(stars[0].position[0] - stars[1].position[0]))))
    momentum = sum(mass * star.velocity[0] for mass, star in zip(masses, stars, strict=True))
    return min(distances), max(distances), float(np.abs(momentum).max() / (pull * apart / speed))


@pytest.mark.brief(2)
@pytest.mark.parametrize("masses", [(1.0, 1.0), (5.0, 1.0), (1e3, 1e-3)])
@pytest.mark.parametrize(
    ("solver", "substeps", "exponent", "scale"),
    [
        ("saturated", 8, 2.0, 1.0),
        ("saturated", 4, 1.0, 1.0),
        ("xpbd", 8, 2.0, 0.5),
        ("xpbd", 16, 3.0, 1.0),
    ],
)
def test_two_stars_attract_each_other_once(masses, solver, substeps, exponent, scale):
    """With strengths of G M both laws say the same; a star without a law, or with hardly any, moves
    as before.
    """
    for strengths in (
        [20.0 * mass for mass in masses],
        (20.0 * masses[0], None),
        (20.0 * masses[0], 1e-9),
    ):
        least, most, momentum = circle_of_two(
            masses, strengths, substeps=substeps, solver=solver, exponent=exponent, scale=scale
        )
        assert 3.98 < least <= most < 4.02
        assert momentum < 1e-9


def test_laws_that_differ_count_with_their_shares():
    for own, other in ((10.0, 10.0), (10.0, 5.0), (3.0, 30.0), (4.0, -4.0), (0.0, 7.0)):
        sim = Simulation(gravity=(0, 0), substeps=1, world=f"stars {own} {other}")
        bodies = [Particles([(x, 0.0)], mass=2.0) for x in (0.0, 3.0)]
        for body, strength in zip(bodies, (own, other), strict=True):
            sim.spawn(body, PointGravity(strength=strength))
        sim.step(1e-3)
        pulls = np.array((own, other)) * 2.0 / 9.0
        expected = (pulls * np.abs(pulls)).sum() / np.abs(pulls).sum()
        found = [2.0 * body.velocity[0, 0] / 1e-3 for body in bodies]
        assert found == pytest.approx([expected, -expected], rel=1e-9, abs=1e-12)


def test_a_pinned_star_pulls_with_all_of_its_law():
    sim = Simulation(gravity=(0, 0), substeps=1)
    sun = Particles([(0.0, 0.0)], mass=2.0)
    planet = Particles([(3.0, 0.0)], mass=2.0)
    sun.pinned = True
    sim.spawn(sun, PointGravity(strength=9.0))
    sim.spawn(planet, PointGravity(strength=90.0))
    sim.step(1e-3)
    assert planet.velocity[0, 0] == pytest.approx(-1e-3, rel=1e-9)


def test_gravity_scale_is_live_and_wakes():
    sim = Simulation()
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    body = Particles([(0.0, 0.25)], radius=0.25)
    floating = Particles([(3.0, 2.0)], radius=0.25, gravity_scale=0.0)
    entity = sim.spawn(body, Collider())
    other = sim.spawn(floating, Collider())
    run_frames(sim, 90)
    assert sim.is_asleep(entity)
    assert sim.is_asleep(other), "what floats needs no support"
    assert floating.position[0, 1] == 2.0
    body.gravity_scale = -0.5
    run_frames(sim, 60)
    n = 480
    h = 1 / 480
    assert body.position[0, 1] == pytest.approx(
        0.25 + 0.5 * 9.81 * h**2 * n * (n + 1) / 2, rel=2e-3
    )


def test_a_point_that_changes_wakes_the_bodies_in_its_reach():
    sim = Simulation(gravity=(0, 0))
    near = Particles([(2.0, 0.0)])
    far = Particles([(30.0, 0.0)])
    entities = sim.spawn(near), sim.spawn(far)
    run_frames(sim, 60)
    assert sim.asleep_count == 2
    point = PointGravity((0.0, 0.0), strength=5.0, reach=5.0)
    planet = sim.spawn(point)
    sim.step()
    assert [sim.is_asleep(entity) for entity in entities] == [False, True]
    assert near.velocity[0, 0] < 0.0
    point.position = (28.0, 0.0)
    sim.step()
    assert far.velocity[0, 0] < 0.0
    sim.despawn(planet)
    sim.step()
    before = far.velocity.copy()
    sim.step()
    assert np.array_equal(far.velocity, before)


def test_bodies_rest_and_sleep_on_a_planet():
    sim = Simulation(gravity=(0, 0))
    sim.spawn(StaticCollider([(0, 0)], radius=2.0), PointGravity(strength=9.81 * 4))
    boxes = [
        blueprints.box((2.3 * np.cos(a), 2.3 * np.sin(a)), 0.5, angle=a, shape_stiffness=1e5)
        for a in (0.3, 2.0, 4.4)
    ]
    entities = [sim.spawn(*box) for box in boxes]
    run_frames(sim, 480)
    assert [sim.is_asleep(entity) for entity in entities] == [True] * 3
    for box in boxes:
        assert np.hypot(*box[0].pose().position) == pytest.approx(2.25, abs=0.03)


@pytest.mark.slow
def test_a_body_that_carries_the_point_sleeps_with_what_it_pulls():
    sim = Simulation(gravity=(0, 0))
    planet = sim.spawn(
        *blueprints.box((0, 0), 2.0, mass=1000.0, shape_stiffness=1e6), PointGravity(strength=10.0)
    )
    crate = blueprints.box((0, 1.3), 0.5, mass=1.0, shape_stiffness=1e4)
    entity = sim.spawn(*crate)
    asleep = []
    for _ in range(900):
        sim.step()
        asleep.append((sim.is_asleep(planet), sim.is_asleep(entity)))
    assert all(one == other for one, other in asleep)
    assert asleep[-1] == (True, True)
    sim.wake(planet)
    assert not sim.is_asleep(entity)


@pytest.mark.parametrize("dt", [1 / 10, 1 / 240])
def test_falling_through_the_point_gains_no_energy(dt):
    sim = Simulation(gravity=(0, 0), substeps=1)
    sim.spawn(PointGravity(strength=1e4))
    body = Particles([(1.0, 1e-9), (0.0, 0.0)], mass=[1.0, 1e-6])
    entity = sim.spawn(body)
    for _ in range(600):
        sim.step(dt)
        assert np.isfinite(body.position).all()
        assert np.abs(body.position).max() < 3.0
    assert esper.entity_exists(entity)
