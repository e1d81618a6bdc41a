"""Bodies from blueprints: sizes, masses, frequencies, and what they do when they are dropped."""

import esper
import numpy as np
import pytest

from ecs_softbody import (
    AngularSprings,
    Collider,
    Particles,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)
from tests.helpers.stepping import run_frames

SQUARE = [(0, 0), (2, 0), (2, 1), (0, 1)]
BODIES = {
    "ball": lambda **o: blueprints.ball((1, 2), 0.5, **o),
    "blob": lambda **o: blueprints.blob((1, 2), 0.5, **o),
    "box": lambda **o: blueprints.box((1, 2), (1.0, 0.8), **o),
    "rope": lambda **o: blueprints.rope((0, 2), (2, 2), **o),
    "rod": lambda **o: blueprints.rod((0, 2), (2, 2), **o),
    "cloth": lambda **o: blueprints.cloth((1, 2), (1.0, 0.8), **o),
    "polygon": lambda **o: blueprints.polygon([(x, y + 2) for x, y in SQUARE], **o),
}
SOFT = [name for name in BODIES if name != "ball"]


def part(components, kind):
    return next(component for component in components if isinstance(component, kind))


@pytest.mark.parametrize("name", BODIES)
def test_a_blueprint_is_a_tuple_of_components_and_touches_no_world(name):
    parts = BODIES[name]()
    assert isinstance(parts, tuple)
    assert isinstance(parts[0], Particles)
    assert isinstance(parts[-1], Collider)
    assert esper.get_component(Particles) == []
    kinds = [type(component) for component in parts]
    assert len(set(kinds)) == len(kinds)


@pytest.mark.parametrize("name", BODIES)
def test_mass_is_shared_and_doubling_density_doubles_it(name):
    assert BODIES[name](mass=3.0)[0].mass.sum() == pytest.approx(3.0)
    one = BODIES[name](density=1.0)[0].mass.sum()
    two = BODIES[name](density=2.0)[0].mass.sum()
    assert two == pytest.approx(2 * one)


@pytest.mark.parametrize("name", SOFT)
def test_frequency_and_damping_ratio_give_the_same_components_as_stiffness_and_damping(name):
    felt = BODIES[name](frequency=12.0, damping_ratio=0.3, mass=2.0)
    body = felt[0]
    springs = part(felt, Springs)
    reduced = 0.5 * body.mass[0]
    stiffness = reduced * (2 * np.pi * 12.0) ** 2
    damping = 2 * 0.3 * np.sqrt(stiffness * reduced)
    # a blob has dashpots across and bending, too
    elastic = springs.stiffness == springs.stiffness.max()
    assert elastic.sum() >= springs.row_count / 3
    assert np.allclose(springs.stiffness[elastic], stiffness)
    assert np.allclose(springs.damping[elastic], damping)
    given = BODIES[name](stiffness=stiffness, damping=damping, mass=2.0)
    for mine, yours in zip(felt, given, strict=True):
        assert type(mine) is type(yours)
        for column in ("position", "stiffness", "damping", "pairs", "triples", "mass"):
            if hasattr(mine, column):
                assert np.allclose(getattr(mine, column), getattr(yours, column), rtol=1e-12)


def test_a_pair_swings_at_the_frequency_that_was_asked_for():
    sim = Simulation(gravity=(0, 0), substeps=1)
    body, springs, *_ = blueprints.rope(
        (0, 0), (1, 0), segments=1, frequency=5.0, damping_ratio=0.0
    )
    sim.spawn(body, springs)
    body.position[1, 0] += 0.05
    springs.rest_length[:] = 1.0
    signal = []
    for _ in range(1440):
        sim.step(1 / 480)
        signal.append(body.position[1, 0] - body.position[0, 0] - 1.0)
    signal = np.array(signal)
    up = np.flatnonzero((signal[:-1] < 0) & (signal[1:] >= 0))
    assert 480 * (len(up) - 1) / (up[-1] - up[0]) == pytest.approx(5.0, rel=0.01)


def test_outer_sizes_include_the_thickness():
    body = BODIES["blob"]()[0]
    distance = np.hypot(*(body.position - (1, 2)).T)
    assert np.allclose(distance + body.radius, 0.5)
    body = BODIES["box"]()[0]
    low = (body.position - body.radius[:, None]).min(0)
    high = (body.position + body.radius[:, None]).max(0)
    assert np.allclose([low, high], [(0.5, 1.6), (1.5, 2.4)])
    body = blueprints.box((0, 0), 1.0, angle=np.pi / 2, rows=3, columns=5)[0]
    assert np.ptp(body.position, axis=0) == pytest.approx((1 - 2 * body.radius[0],) * 2, abs=0.2)
    assert blueprints.ball((0, 0), 0.3)[0].radius[0] == 0.3


def test_box_turns_counter_clockwise():
    flat, turned = (
        blueprints.box((0, 0), (2.0, 1.0), angle=angle)[0].position for angle in (0.0, 0.1)
    )
    assert turned[4, 1] > flat[4, 1], "the lower right corner rises"


def test_outlines_are_counter_clockwise_rings_of_the_boundary():
    for name in ("blob", "box", "polygon"):
        parts = BODIES[name]()
        ring = parts[0].position[part(parts, Collider).outline]
        after = np.roll(ring, -1, axis=0)
        assert 0.5 * (ring[:, 0] * after[:, 1] - ring[:, 1] * after[:, 0]).sum() > 0.5


def test_polygon_takes_either_orientation_and_puts_particles_on_corners():
    for corners in (SQUARE, SQUARE[::-1]):
        body = blueprints.polygon(corners, spacing=0.25)[0]
        for corner in corners:
            assert np.hypot(*(body.position - corner).T).min() < 1e-12
        steps = np.hypot(*(np.roll(body.position, -1, axis=0) - body.position).T)
        assert steps.max() <= 0.25 + 1e-12


def test_pins_and_slack():
    rope = blueprints.rope((0, 0), (2, 0), segments=4, pin_start=True, slack=0.5)
    assert rope[0].pinned.tolist() == [True, False, False, False, False]
    assert rope[1].rest_length == pytest.approx(np.full(4, 0.75))
    assert (
        blueprints.rod((0, 0), (2, 0), segments=4, pin_end=True)[0].pinned.tolist()
        == [False] * 3 + [True] * 2
    )
    cloth = blueprints.cloth((0, 0), 1.0, rows=3, columns=4)[0]
    assert np.flatnonzero(cloth.pinned).tolist() == [8, 11]
    assert not blueprints.cloth((0, 0), 1.0, pin_top=False)[0].pinned.any()


@pytest.mark.brief(7)
@pytest.mark.parametrize("name", BODIES)
def test_every_body_survives_a_fall_and_comes_near_to_rest(name):
    """Dropped from 2 m on the ground: finite, above it, inside what it was,
    slow after ten seconds.
    """
    sim = Simulation()
    parts = BODIES[name](**({"pin_top": False} if name == "cloth" else {}))
    body = parts[0]
    sim.spawn(*parts)
    sim.spawn(StaticCollider([(-20, 0), (20, 0)]))
    span = np.ptp(body.position, axis=0).max() + 0.2
    for _ in range(600):
        sim.step()
        assert (body.position[:, 1] > 0.0).all()
        assert np.ptp(body.position, axis=0).max() < 1.6 * span
    assert np.abs(body.velocity).max() < 0.5


@pytest.mark.parametrize("name", ["blob", "box", "rod", "polygon"])
def test_shapes_are_kept_by_bodies_that_have_one(name):
    """Without weight the defaults hold still: every blueprint is made in balance."""
    sim = Simulation(gravity=(0, 0))
    parts = BODIES[name]()
    start = parts[0].position.copy()
    sim.spawn(*parts)
    run_frames(sim, 120)
    assert np.allclose(parts[0].position, start, atol=1e-6)


@pytest.mark.slow
def test_rod_bends_less_than_a_rope():
    drops = {}
    for name, make in (("rope", blueprints.rope), ("rod", blueprints.rod)):
        sim = Simulation(world=name)
        parts = make((0, 0), (1, 0), segments=6, pin_start=True)
        parts[0].pinned[1] = True
        sim.spawn(*parts)
        run_frames(sim, 240)
        drops[name] = -parts[0].position[-1, 1]
    assert drops["rod"] < 0.5 * drops["rope"]
    assert isinstance(blueprints.rod((0, 0), (1, 0))[2], AngularSprings)


@pytest.mark.brief(10)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize(
    ("particles", "radius"), [(12, 0.5), (23, 0.5), (24, 0.25), (24, 1.0), (40, 0.5)]
)
def test_blob_sags_a_little_and_keeps_its_area(particles, radius, solver):
    sim = Simulation(solver=solver)
    body, springs, gas, collider = blueprints.blob((0, radius), radius, particles=particles)
    sim.spawn(body, springs, gas, collider)
    sim.spawn(StaticCollider([(-20, 0), (20, 0)]))
    sim.step(1e-12)
    area = gas.area
    run_frames(sim, 600)
    assert sim.asleep_count == 1
    assert 0.91 < (body.position[:, 1] + body.radius).max() / (2.0 * radius) < 0.95
    assert gas.area == pytest.approx(area, rel=0.02)


@pytest.mark.brief(3)
@pytest.mark.parametrize("particles", [12, 23, 24])
def test_a_dropped_blob_soon_stops_wobbling(particles):
    """Also one of an odd number of particles has dashpots across it."""
    sim = Simulation(sleeping=False)
    body, *rest = blueprints.blob((0, 0.6), 0.5, particles=particles)
    sim.spawn(body, *rest)
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    run_frames(sim, 480)
    assert np.hypot(*body.velocity.T).max() < 0.03
