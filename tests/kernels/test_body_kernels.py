"""Gravity, drag, integration and inverse masses: NumPy twins, conservation laws, edges."""

import numpy as np
import pytest

from ecs_softbody.kernels.drag import accumulate_drag
from ecs_softbody.kernels.gravity import accumulate_gravity
from ecs_softbody.kernels.integration import integrate, refresh_inverse_mass

DT = 1 / 480


def rows(count):
    return np.array([(0, count)])


def cloud(seed=0, count=30):
    rng = np.random.default_rng(seed)
    mass = 10.0 ** rng.uniform(-3, 3, count)
    fixed = rng.random(count) < 0.2
    return (
        rng.normal(size=(count, 2)), rng.normal(size=(count, 2)) * 5, mass, np.where(fixed, 0.0, 1 / mass),
        rng.normal(size=(count, 2)) * 9,
    )  # fmt: skip


def test_gravity_matches_numpy_and_spares_fixed_particles():
    _, _, mass, inverse, force = cloud()
    body, scale = np.arange(len(mass), dtype=np.uint32) % 3, np.array([1.0, 0.0, -2.5])
    expected = force + (np.where(inverse > 0, mass, 0.0) * scale[body])[:, None] * (0.5, -9.81)
    accumulate_gravity(rows(len(mass)), mass, inverse, body, scale, 0.5, -9.81, force)
    assert np.allclose(force, expected, rtol=1e-12)


def test_gravity_of_an_infinite_mass_is_no_nan():
    force = np.zeros((1, 2))
    accumulate_gravity(rows(1), np.array([np.inf]), np.zeros(1), np.zeros(1, np.uint32), np.ones(1), 0.0, -9.81, force)
    assert np.array_equal(force, [(0, 0)])


def drag_twin(velocity, inverse, spans, linear, quadratic, force):
    result = force.copy()
    for (first, last), a, b in zip(spans, linear, quadratic, strict=True):
        rows = np.arange(first, last)[inverse[first:last] > 0]
        w = inverse[rows, None]
        hoped = velocity[rows] + DT * w * force[rows]
        kept = 1 / (1 + DT * w * (a + b * np.linalg.norm(hoped, axis=1)[:, None]))
        result[rows] = (kept * hoped - velocity[rows]) / (DT * w)
    return result


@pytest.mark.parametrize("seed", range(3))
def test_drag_matches_numpy(seed):
    rng = np.random.default_rng(seed)
    _, velocity, _, inverse, force = cloud(seed)
    spans, linear, quadratic = [(0, 10), (12, 25), (25, 30)], rng.uniform(0, 9, 3), rng.uniform(0, 9, 3)
    linear[1] = quadratic[1] = 0.0
    expected = drag_twin(velocity, inverse, spans, linear, quadratic, force)
    first, last = np.array(spans, np.uint32).T.copy()
    accumulate_drag(np.arange(len(first)), velocity, inverse, first, last, linear, quadratic, DT, force)
    assert np.allclose(force, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


def one_dragged(velocity, *, linear=0.0, quadratic=0.0, force=(0.0, 0.0), inverse=1.0):
    total = np.array([force], float)
    accumulate_drag(
        np.arange(1), np.array([velocity], float), np.array([inverse]), np.zeros(1, np.uint32), np.ones(1, np.uint32),
        np.array([linear]), np.array([quadratic]), DT, total,
    )  # fmt: skip
    return total[0]


@pytest.mark.parametrize("strength", [1e-3, 1.0, 1e6, 1e12])
def test_drag_never_turns_a_velocity_around(strength):
    for options in ({"linear": strength}, {"quadratic": strength}):
        after = np.array((3.0, -4.0)) + DT * one_dragged((3.0, -4.0), **options)
        assert np.dot(after, (3.0, -4.0)) >= -1e-12
        assert np.hypot(*after) < 5.0
        assert abs(after[0] * -4.0 - after[1] * 3.0) < 1e-9


def test_drag_at_rest_and_on_fixed_particles_is_nothing():
    assert np.array_equal(one_dragged((0, 0), linear=5.0, quadratic=5.0), (0, 0))
    assert np.array_equal(one_dragged((3, 0), linear=5.0, inverse=0.0), (0, 0))


@pytest.mark.parametrize("seed", range(3))
def test_integration_matches_numpy_and_clears_force(seed):
    place, velocity, _, inverse, force = cloud(seed)
    free = inverse[:, None] > 0
    expected_velocity = np.where(free, velocity + DT * inverse[:, None] * force, velocity)
    kinematic = np.arange(len(place)) % 2 == 0
    moves = free | (kinematic & (inverse == 0.0))[:, None]
    assert (moves & ~free).any()
    expected_place = np.where(moves, place + DT * expected_velocity, place)
    previous, before = np.full_like(place, 9.0), place.copy()
    integrate(rows(len(place)), place, velocity, inverse, kinematic & (inverse == 0.0), force, previous, DT, 1e9)
    assert np.allclose(velocity, expected_velocity, rtol=1e-12)
    assert np.allclose(place, expected_place, rtol=1e-12)
    assert np.array_equal(previous, before)
    assert not force.any()


def test_integration_keeps_the_speed_limit_and_the_direction():
    place, velocity = np.zeros((2, 2)), np.array([(300.0, 400.0), (3.0, 4.0)])
    integrate(
        rows(len(place)), place, velocity, np.ones(2), np.zeros(2, bool), np.zeros((2, 2)), np.zeros((2, 2)), 0.1, 50.0
    )
    assert velocity == pytest.approx(np.array([(30.0, 40.0), (3.0, 4.0)]))
    assert place == pytest.approx(0.1 * velocity)


def test_integration_conserves_momentum_of_internal_forces():
    place, velocity, mass, _, force = cloud(5)
    force -= force.mean(axis=0)
    before = mass @ velocity
    integrate(
        rows(len(place)), place, velocity, 1 / mass, np.zeros(len(place), bool), force, np.zeros_like(place), DT, 1e12
    )
    assert mass @ velocity == pytest.approx(before, rel=1e-12)


def test_kinematic_particles_have_no_inverse_mass_and_keep_their_velocity():
    mass, kinematic = np.array([2.0, 4.0, np.inf, np.inf]), np.array([True, True, True, False])
    velocity, inverse = np.ones((4, 2)), np.full(4, 7.0)
    assert refresh_inverse_mass(mass, np.array([False, True, False, False]), kinematic, velocity, inverse)
    assert not inverse.any()
    assert np.array_equal(velocity[:, 0], [1, 0, 1, 0]), "pinned and infinitely heavy ones stand"


def test_inverse_masses_and_whether_they_changed():
    mass, pinned = np.array([2.0, 4.0, np.inf, 0.0]), np.array([False, True, False, False])
    inverse = np.full(4, 7.0)
    assert refresh_inverse_mass(mass, pinned, np.zeros(len(mass), bool), np.zeros((len(mass), 2)), inverse)
    assert np.array_equal(inverse, [0.5, 0, 0, 0])
    assert not refresh_inverse_mass(mass, pinned, np.zeros(len(mass), bool), np.zeros((len(mass), 2)), inverse)
    pinned[1] = False
    assert refresh_inverse_mass(mass, pinned, np.zeros(len(mass), bool), np.zeros((len(mass), 2)), inverse)
    assert inverse[1] == 0.25
