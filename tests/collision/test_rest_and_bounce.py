"""Discs and bodies on the ground: rest, rebound, friction, platforms;
momentum between free bodies.
"""

import numpy as np
import pytest

from ecs_softbody import Simulation, StaticCollider, blueprints
from tests.helpers.bodies import disc, ground
from tests.helpers.measures import momenta
from tests.helpers.stepping import run

G = 9.81


@pytest.mark.brief(4)
@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("height", [0.25, 0.3, 3.0])
def test_a_disc_comes_to_rest_at_its_radius(height, mass):
    sim = Simulation()
    body, collider = disc(0, height, mass=mass)
    sim.spawn(body, collider)
    sim.spawn(ground())
    run(sim, 3)
    assert body.position[0, 1] == pytest.approx(0.25, abs=1.5e-3)
    assert np.hypot(*body.velocity[0]) < 1e-3


def test_a_disc_rests_on_the_surface_of_thick_ground():
    sim = Simulation()
    body, collider = disc(0, 2)
    sim.spawn(body, collider)
    sim.spawn(ground(radius=0.5))
    run(sim, 3)
    assert body.position[0, 1] == pytest.approx(0.75, abs=1.5e-3)


@pytest.mark.brief(4)
@pytest.mark.parametrize(("restitution", "rebound"), [(0.5, 0.5), (0.8, 1.28), (1.0, 2.0)])
@pytest.mark.parametrize("on_ground", [False, True])
def test_rebound_height_is_restitution_squared(restitution, rebound, on_ground):
    """From 2 m: e² × 2 m, ± 1 %."""
    sim = Simulation()
    body, collider = disc(0, 2.25, restitution=0.0 if on_ground else restitution)
    sim.spawn(body, collider)
    sim.spawn(ground(restitution=restitution if on_ground else 0.0))
    heights = []
    for _ in range(120):
        sim.step(1 / 120)
        heights.append(body.position[0, 1] - 0.25)
    bottom = int(np.argmin(heights))
    for _ in range(90):
        sim.step(1 / 120)
        heights.append(body.position[0, 1] - 0.25)
    assert max(heights[bottom:]) == pytest.approx(rebound, rel=0.01)


@pytest.mark.parametrize(
    ("height", "substeps"), [(0.8, 8), (2.0, 4), (2.0, 16), (7.3, 8), (40.0, 8)]
)
def test_rebound_does_not_depend_on_height_or_substeps(height, substeps):
    sim = Simulation(substeps=substeps)
    body, collider = disc(0, height + 0.25, restitution=0.8)
    sim.spawn(body, collider)
    sim.spawn(ground())
    while body.velocity[0, 1] <= 0.0:
        sim.step()
        assert sim.time < 10
    top = body.position[0, 1]
    while body.velocity[0, 1] > 0.0:
        sim.step()
        top = max(top, body.position[0, 1])
    assert top - 0.25 == pytest.approx(0.64 * height, rel=0.03)


def slide(degrees, *, seconds=2.0, mu=0.5, **surface):
    """Distance slid along a slope and the acceleration, from rest on it."""
    angle = np.radians(degrees)
    sim = Simulation()
    normal = np.array((-np.sin(angle), np.cos(angle)))
    body, collider = disc(*(0.25 * normal), friction=mu, inertia_factor=np.inf, **surface)
    sim.spawn(body, collider)
    sim.spawn(ground(np.degrees(angle), friction=mu))
    run(sim, seconds)
    down = np.array((-np.cos(angle), -np.sin(angle)))
    return body.position[0] @ down, body.velocity[0] @ down / seconds


def test_friction_holds_on_a_gentle_slope():
    """tan 20° < 0.5: it stays."""
    distance, _ = slide(20)
    assert abs(distance) < 1e-3


@pytest.mark.parametrize("degrees", [30, 40, 60])
def test_friction_brakes_on_a_steep_slope(degrees):
    """g (sin - μ cos) ± 5 %."""
    exact = G * (np.sin(np.radians(degrees)) - 0.5 * np.cos(np.radians(degrees)))
    distance, acceleration = slide(degrees)
    assert acceleration == pytest.approx(exact, rel=0.05)
    assert distance == pytest.approx(0.5 * exact * 4, rel=0.05)


def test_without_friction_it_slides_freely():
    _, acceleration = slide(10, mu=0.0)
    assert acceleration == pytest.approx(G * np.sin(np.radians(10)), rel=0.01)


def test_two_surfaces_meet_with_the_geometric_mean_of_their_friction():
    sim = Simulation()
    body, collider = disc(0, 0.25, velocity=(10.0, 0.0), friction=0.9)
    sim.spawn(body, collider)
    sim.spawn(ground(friction=0.1))
    run(sim, 1)
    assert body.velocity[0, 0] == pytest.approx(10.0 - 0.3 * G, rel=0.03)


@pytest.mark.brief(3)
@pytest.mark.parametrize(
    ("degrees", "exact", "tolerance"), [(20, 0.0, 0.02), (24, 0.0, 0.05), (30, 2.62, 0.4)]
)
def test_a_jelly_box_holds_or_slides(degrees, exact, tolerance):
    """The way from second 1 to 3: none below 26.57 degrees, 4 g (sin - μ cos) above."""
    angle = np.radians(degrees)
    sim = Simulation()
    normal = np.array((-np.sin(angle), np.cos(angle)))
    body, *rest = blueprints.box(0.5 * normal, 1.0, angle=angle, friction=0.5)
    sim.spawn(body, *rest)
    sim.spawn(ground(np.degrees(angle)))
    run(sim, 1)
    start = body.position.mean(axis=0)
    run(sim, 2)
    assert np.linalg.norm(body.position.mean(axis=0) - start) == pytest.approx(exact, abs=tolerance)


def test_moving_platform_carries_a_box():
    sim = Simulation()
    body, *rest = blueprints.box((0, 0.51), 1.0)
    sim.spawn(body, *rest)
    platform = StaticCollider([(-2, 0), (2, 0)], velocity=(1.0, 0.0), friction=0.8)
    sim.spawn(platform)
    run(sim, 4)
    assert platform.vertices[0] == pytest.approx((2.0, 0.0), abs=1e-9)
    assert body.velocity.mean(axis=0) == pytest.approx((1.0, 0.0), abs=0.1)
    assert body.position[:, 0].mean() == pytest.approx(4.0, abs=0.2)


def test_rising_and_sinking_platforms_carry_a_disc():
    sim = Simulation()
    body, collider = disc(0, 0.25)
    sim.spawn(body, collider)
    lift = StaticCollider([(-2, 0), (2, 0)], velocity=(0.0, 2.0))
    sim.spawn(lift)
    run(sim, 1)
    assert body.position[0, 1] == pytest.approx(2.25, abs=5e-3)
    lift.velocity = (0.0, -1.0)
    run(sim, 1)
    assert body.position[0, 1] == pytest.approx(1.25, abs=5e-3)


@pytest.mark.slow
def test_one_way_platform_lets_a_body_up_and_then_carries_it():
    for make in (
        lambda: disc(0, 0.0, velocity=(0.0, 9.0)),
        lambda: blueprints.blob((0, 0), 0.4, velocity=(0.0, 9.0)),
        lambda: blueprints.box((0, 0), 0.6, velocity=(0.0, 9.0)),
    ):
        sim = Simulation()
        body, *rest = make()
        entity = sim.spawn(body, *rest)
        sim.spawn(StaticCollider([(-3, 2), (3, 2)], one_way=(0, 1)))
        top = 0.0
        for _ in range(150):
            sim.step()
            top = max(top, body.position[:, 1].min())
        assert top > 2.2, "it was held below"
        assert (body.position[:, 1] > 1.99).all(), "it fell through"
        sim.despawn(entity)
        sim.step()


def test_one_way_platform_is_open_from_below_without_braking():
    sim = Simulation(gravity=(0, 0))
    body, collider = disc(0, 0, velocity=(0.5, 6.0))
    sim.spawn(body, collider)
    sim.spawn(StaticCollider([(-3, 2), (3, 2)], one_way=(0, 1)))
    run(sim, 1)
    assert body.velocity[0] == pytest.approx((0.5, 6.0), abs=1e-12)


def test_inner_vertices_of_a_chain_give_no_bump():
    """A disc slides fast over a chain of collinear pieces and keeps its speed, friction 0."""
    sim = Simulation()
    body, collider = disc(0.0, 0.1, radius=0.1, velocity=(20.0, 0.0), friction=0.0)
    sim.spawn(body, collider)
    sim.spawn(StaticCollider([(x, 0.0) for x in np.linspace(-1, 50, 103)], friction=0.0))
    for _ in range(120):
        sim.step()
        assert body.position[0, 1] == pytest.approx(0.1, abs=2e-3)
    assert body.velocity[0] == pytest.approx((20.0, 0.0), abs=1e-6)


@pytest.mark.slow
def test_separate_collinear_walls_let_a_disc_slide_over_their_joint():
    sim = Simulation()
    body, collider = disc(-3, 0.25, velocity=(8.0, 0.0), friction=0.0)
    sim.spawn(body, collider)
    for x in range(-5, 12, 2):
        sim.spawn(StaticCollider([(x, 0), (x + 2, 0)]))
    run(sim, 1)
    assert body.velocity[0, 0] == pytest.approx(8.0, rel=0.01)


def test_equal_elastic_discs_exchange_their_velocities():
    sim = Simulation(gravity=(0, 0))
    a, ca = disc(-1, 0, velocity=(3.0, 0.0), restitution=1.0, friction=0.0)
    b, cb = disc(1, 0, velocity=(-1.0, 0.0), restitution=1.0, friction=0.0)
    sim.spawn(a, ca)
    sim.spawn(b, cb)
    run(sim, 1)
    assert a.velocity[0] == pytest.approx((-1.0, 0.0), abs=1e-9)
    assert b.velocity[0] == pytest.approx((3.0, 0.0), abs=1e-9)


def test_unequal_discs_bounce_by_the_laws_of_impact():
    """v1' = (m1 v1 + m2 v2 - m2 e (v1 - v2)) / (m1 + m2)."""
    sim = Simulation(gravity=(0, 0))
    a, ca = disc(-1, 0, velocity=(3.0, 0.0), mass=2.0, restitution=0.5)
    b, cb = disc(1, 0, velocity=(-1.0, 0.0), mass=0.5, restitution=0.5)
    sim.spawn(a, ca)
    sim.spawn(b, cb)
    run(sim, 1)
    assert a.velocity[0, 0] == pytest.approx((6.0 - 0.5 - 0.5 * 0.5 * 4.0) / 2.5, abs=1e-9)
    assert b.velocity[0, 0] == pytest.approx((6.0 - 0.5 + 2.0 * 0.5 * 4.0) / 2.5, abs=1e-9)


@pytest.mark.brief(12)
@pytest.mark.parametrize("restitution", [0.0, 0.7])
@pytest.mark.parametrize("friction", [0.0, 0.8])
@pytest.mark.parametrize("seed", range(5))
def test_momentum_of_colliding_discs_is_conserved(friction, restitution, seed):
    rng = np.random.default_rng(seed)
    sim = Simulation(gravity=(0, 0))
    bodies = []
    for _ in range(12):
        body, collider = disc(
            *(rng.uniform(-2, 2, 2)),
            velocity=rng.normal(size=2) * 4,
            mass=rng.uniform(0.2, 5),
            friction=friction,
            restitution=restitution,
        )
        sim.spawn(body, collider)
        bodies.append(body)
    before = momenta(*bodies)
    hits = 0
    for _ in range(120):
        sim.step()
        hits += len(sim.contacts)
    assert hits >= 5
    assert momenta(*bodies)[:2] == pytest.approx(before[:2], abs=1e-9)


def test_momentum_of_colliding_blobs_is_conserved():
    sim = Simulation(gravity=(0, 0))
    bodies = []
    for x, velocity in ((-1, (5.0, 1.0)), (1, (-3.0, 0.0))):
        body, *rest = blueprints.blob((x, 0.2 * x), 0.5, velocity=velocity, mass=1.0 + x / 2)
        sim.spawn(body, *rest)
        bodies.append(body)
    before = momenta(*bodies)
    run(sim, 2)
    assert momenta(*bodies)[:2] == pytest.approx(before[:2], abs=1e-9)
    assert momenta(*bodies)[2] == pytest.approx(before[2], abs=0.05 * abs(before[0])), (
        "edges have a thickness only"
    )


def test_a_stack_of_discs_stands():
    sim = Simulation()
    bodies = []
    for k in range(6):
        body, collider = disc(0.0, 0.25 + 0.5 * k)
        sim.spawn(body, collider)
        bodies.append(body)
    sim.spawn(ground())
    run(sim, 4)
    heights = [body.position[0, 1] for body in bodies]
    assert heights == pytest.approx([0.25 + 0.5 * k for k in range(6)], abs=0.02)


def test_a_body_pressed_between_walls_stays_finite():
    """A lift that crushes a blob and discs against a ceiling: nothing explodes,
    nothing turns NaN.
    """
    sim = Simulation()
    blob, *rest = blueprints.blob((0, 0.6), 0.5)
    body, collider = disc(1.5, 0.4)
    sim.spawn(blob, *rest)
    sim.spawn(body, collider)
    sim.spawn(StaticCollider([(-3, 0), (3, 0)], velocity=(0.0, 0.5)))
    sim.spawn(StaticCollider([(-3, 1.2), (3, 1.2)]))
    for _ in range(150):
        sim.step()
        for each in (blob, body):
            assert np.isfinite(each.position).all()
            assert np.abs(each.velocity).max() < 200.0
