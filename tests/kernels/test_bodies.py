"""Gravity, drag, integration and inverse masses: NumPy twins, conservation laws, edges."""

import numpy as np
import pytest

from ecs_softbody.indices import arange, repeat
from ecs_softbody.kernels.fluids.resistance import FluidParticles, Resistance, add_resistance
from ecs_softbody.kernels.forces.drag import Drags, accumulate_drag
from ecs_softbody.kernels.forces.gravity import Weighed, accumulate_gravity
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.motion.integration import (
    Moving,
    integrate,
    limit_speeds,
    refresh_inverse_mass,
)
from ecs_softbody.kernels.motion.saturation import find_changed

DT = 1 / 480


def rows(count):
    return np.array([(0, count)], np.int64)


def cloud(seed=0, count=30):
    rng = np.random.default_rng(seed)
    mass = 10.0 ** rng.uniform(-3, 3, count)
    fixed = rng.random(count) < 0.2
    return (
        rng.normal(size=(count, 2)), rng.normal(size=(count, 2)) * 5, mass,
        np.where(fixed, 0.0, 1 / mass), rng.normal(size=(count, 2)) * 9,
    )  # fmt: skip


def test_gravity_matches_numpy_and_spares_fixed_particles():
    _, _, mass, inverse, force = cloud()
    body = np.arange(len(mass), dtype=np.uint32) % 3
    scale = np.array([1.0, 0.0, -2.5])
    expected = force + (np.where(inverse > 0, mass, 0.0) * scale[body])[:, None] * (0.5, -9.81)
    accumulate_gravity(rows(len(mass)), Weighed(mass, inverse, body, force), scale, 0.5, -9.81)
    assert np.allclose(force, expected, rtol=1e-12)


def test_gravity_of_an_infinite_mass_is_no_nan():
    force = np.zeros((1, 2))
    heavy = Weighed(np.array([np.inf]), np.zeros(1), np.zeros(1, np.uint32), force)
    accumulate_gravity(rows(1), heavy, np.ones(1), 0.0, -9.81)
    assert np.array_equal(force, [(0, 0)])


def test_the_weight_of_one_body_does_not_depend_on_how_others_are_weighed():
    """Where all bodies are weighed alike there is a loop of its own: it gives the same bits."""
    _, _, mass, inverse, force = cloud(1)
    body = repeat(np.arange(2, dtype=np.uint32), 15)
    alike = force.copy()
    mixed = force.copy()
    accumulate_gravity(
        rows(30), Weighed(mass, inverse, body, alike), np.array([0.7, 0.7]), 0.3, -9.81
    )
    accumulate_gravity(
        rows(30), Weighed(mass, inverse, body, mixed), np.array([0.7, -1.0]), 0.3, -9.81
    )
    assert np.array_equal(alike[:15], mixed[:15])
    assert not np.array_equal(alike[15:], mixed[15:])


def test_no_bodies_have_no_weight():
    none = np.zeros(0)
    accumulate_gravity(
        rows(0), Weighed(none, none, np.zeros(0, np.uint32), np.zeros((0, 2))), none, 0.0, -9.81
    )


def drag_twin(velocity, inverse, spans, linear, quadratic, force):
    result = force.copy()
    for (first, last), a, b in zip(spans, linear, quadratic, strict=True):
        rows = arange(first, last)[inverse[first:last] > 0]
        w = inverse[rows, None]
        hoped = velocity[rows] + DT * w * force[rows]
        speed, before = (np.linalg.norm(each, axis=1)[:, None] for each in (hoped, velocity[rows]))
        rest = 1 + DT * w * a
        square = DT * w * b
        after = 2 * speed / (rest + np.sqrt(rest**2 + 4 * square * speed))
        assert np.allclose(rest * after + square * after**2, speed)
        kept = 1 / (1 + DT * w * (a + b * np.maximum(before, after)))
        result[rows] = (kept * hoped - velocity[rows]) / (DT * w)
    return result


def resist_with(drags, motion):
    """Sum up the drag and add it to `motion.force`."""
    count = len(motion.force)
    none = Resistance(
        np.zeros((count, 3)), np.zeros((count, 2)), np.zeros(count), np.zeros(count, np.bool_)
    )
    accumulate_drag(arange(len(drags.linear)), drags, motion, none, DT)
    still, velocity, inverse, force = motion
    particles = FluidParticles(
        still, still, velocity, *np.zeros((2, count)), inverse, force, np.zeros(count)
    )
    add_resistance(np.array([[0, count]], np.int64), particles, none, DT)


@pytest.mark.parametrize("seed", range(3))
def test_drag_matches_numpy(seed):
    rng = np.random.default_rng(seed)
    _, velocity, _, inverse, force = cloud(seed)
    spans = [(0, 10), (12, 25), (25, 30)]
    linear = rng.uniform(0, 9, 3)
    quadratic = rng.uniform(0, 9, 3)
    linear[1] = quadratic[1] = 0.0
    expected = drag_twin(velocity, inverse, spans, linear, quadratic, force)
    first, last = np.array(spans, np.uint32).T.copy()
    motion = Motion(np.zeros_like(force), velocity, inverse, force)
    resist_with(Drags(first, last, linear, quadratic), motion)
    assert np.allclose(force, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


def one_dragged(velocity, *, linear=0.0, quadratic=0.0, force=(0.0, 0.0), inverse=1.0):
    total = np.array([force], float)
    drags = Drags(
        np.zeros(1, np.uint32), np.ones(1, np.uint32), np.array([linear]), np.array([quadratic])
    )
    motion = Motion(np.zeros((1, 2)), np.array([velocity], float), np.array([inverse]), total)
    resist_with(drags, motion)
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
    kinematic = arange(len(place)) % 2 == 0
    moves = free | (kinematic & (inverse == 0.0))[:, None]
    assert (moves & ~free).any()
    expected_place = np.where(moves, place + DT * expected_velocity, place)
    previous = np.full_like(place, 9.0)
    before = place.copy()
    integrate(
        rows(len(place)),
        Moving(place, velocity, inverse, kinematic & (inverse == 0.0), force, previous),
        DT,
        1e9,
    )
    assert np.allclose(velocity, expected_velocity, rtol=1e-12)
    assert np.allclose(place, expected_place, rtol=1e-12)
    assert np.array_equal(previous, before)
    assert not force.any()


def test_integration_keeps_the_speed_limit_and_the_direction():
    place = np.zeros((2, 2))
    velocity = np.array([(300.0, 400.0), (3.0, 4.0)])
    integrate(
        rows(len(place)),
        Moving(place, velocity, np.ones(2), np.zeros(2, bool), np.zeros((2, 2)), np.zeros((2, 2))),
        0.1,
        50.0,
    )
    assert velocity == pytest.approx(np.array([(30.0, 40.0), (3.0, 4.0)]))
    assert place == pytest.approx(0.1 * velocity)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 33, 100])
@pytest.mark.parametrize("limit", [1e9, 5.0])
def test_integration_of_spans_agrees_with_one_particle_at_a_time(count, limit):
    """Several particles are moved by one instruction, those left over one by one: no bit tells
    which is which.
    """
    place, velocity, _, inverse, force = cloud(count, count)
    kinematic = arange(count) % 3 == 0
    force[inverse == 0.0] = np.resize([np.inf, np.nan, -np.inf], ((inverse == 0.0).sum(), 2))
    start = count // 3
    stop = count - count // 4
    whole = [array.copy() for array in (place, velocity, force, np.full_like(place, 9.0))]
    each = [array.copy() for array in whole]
    for (x, v, f, before), spans in (
        (whole, [(start, stop)]),
        (each, [(p, p + 1) for p in range(start, stop)]),
    ):
        # 0 x infinity, where kernels are plain Python
        with np.errstate(invalid="ignore"):
            integrate(
                np.array(spans, np.int64), Moving(x, v, inverse, kinematic, f, before), DT, limit
            )
    for one, other, first in zip(
        whole, each, (place, velocity, force, np.full_like(place, 9.0)), strict=True
    ):
        assert one.tobytes() == other.tobytes()
        assert one[:start].tobytes() == first[:start].tobytes()
        assert one[stop:].tobytes() == first[stop:].tobytes()
    held = (inverse == 0.0) & ~kinematic
    assert np.array_equal(whole[0][held], place[held])
    assert np.array_equal(whole[1][inverse == 0.0], velocity[inverse == 0.0])
    assert np.hypot(*whole[1][start:stop][inverse[start:stop] > 0.0].T).max(
        initial=0.0
    ) <= limit * (1 + 1e-12)


def test_speeds_beyond_the_limit_are_shortened_in_the_spans_only():
    velocity = np.tile([(3.0, 4.0), (300.0, 400.0)], (10, 1))
    limit_speeds(np.array([(0, 3), (8, 9), (9, 16)], np.int64), velocity, 50.0)
    expected = np.tile([(3.0, 4.0), (300.0, 400.0)], (10, 1))
    expected[[1, 9, 11, 13, 15]] = (30.0, 40.0)
    assert velocity == pytest.approx(expected)


@pytest.mark.parametrize("row", [0, 17, 99])
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("value", [2.0, np.nan])
def test_a_written_strength_is_found_in_any_row(row, which, value):
    now = [np.ones(100), np.ones(100)]
    seen = [np.ones(100), np.ones(100)]
    assert not find_changed(rows(100), *now, *seen)
    now[which][row] = value
    assert find_changed(rows(100), *now, *seen)


def test_integration_conserves_momentum_of_internal_forces():
    place, velocity, mass, _, force = cloud(5)
    force -= force.mean(axis=0)
    before = mass @ velocity
    integrate(
        rows(len(place)),
        Moving(place, velocity, 1 / mass, np.zeros(len(place), bool), force, np.zeros_like(place)),
        DT,
        1e12,
    )
    assert mass @ velocity == pytest.approx(before, rel=1e-12)


def test_kinematic_particles_have_no_inverse_mass_and_keep_their_velocity():
    mass = np.array([2.0, 4.0, np.inf, np.inf])
    kinematic = np.array([True, True, True, False])
    velocity = np.ones((4, 2))
    spin = np.ones(4)
    inverse = np.full(4, 7.0)
    pinned = np.array([False, True, False, False])
    of_one_body = np.zeros(4, np.uint32)
    assert refresh_inverse_mass(
        mass, pinned, kinematic, velocity, spin, inverse, of_one_body, np.zeros(1, bool)
    )
    assert not inverse.any()
    assert np.array_equal(velocity[:, 0], [1, 0, 1, 0]), "pinned and infinitely heavy ones stand"
    assert np.array_equal(spin, [1, 0, 1, 0])


def test_inverse_masses_and_whose_changed():
    mass = np.array([2.0, 4.0, np.inf, 0.0])
    pinned = np.array([False, True, False, False])
    inverse = np.full(4, 7.0)
    body = np.array([0, 1, 1, 2], np.uint32)
    others = np.zeros(4, bool), np.zeros((4, 2)), np.zeros(4), inverse, body

    def changed():
        found = np.zeros(3, bool)
        assert refresh_inverse_mass(mass, pinned, *others, found) == found.any()
        return found.tolist()

    assert changed() == [True, True, True]
    assert np.array_equal(inverse, [0.5, 0, 0, 0])
    assert changed() == [False, False, False]
    pinned[1] = False
    assert changed() == [False, True, False]
    assert inverse[1] == 0.25
