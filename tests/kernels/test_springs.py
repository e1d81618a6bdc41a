"""accumulate_spring_force: numbers, a NumPy twin, conservation laws, edges."""

import numpy as np
import pytest

from ecs_softbody.indices import repeat
from ecs_softbody.kernels.forces.springs import accumulate_kept_tension, accumulate_spring_force
from ecs_softbody.kernels.groups import Motion, SpringLaw
from tests.helpers.twins import spring_forces


def tangle(seed=0, particles=25, springs=60):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, particles, (springs, 2)).astype(np.uint32)
    return {
        "position": rng.normal(size=(particles, 2)),
        "velocity": rng.normal(size=(particles, 2)),
        "pairs": pairs,
        "rest_length": rng.uniform(0, 2, springs),
        "stiffness": 10.0 ** rng.uniform(-1, 5, springs),
        "damping": 10.0 ** rng.uniform(-2, 3, springs),
    }


def forces(position, velocity, pairs, rest_length, stiffness, damping):
    return added_to(
        np.zeros_like(position), position, velocity, pairs, rest_length, stiffness, damping
    )


def added_to(force, position, velocity, pairs, rest_length, stiffness, damping):
    accumulate_spring_force(
        np.array([(0, len(pairs))], np.int64),
        SpringLaw(pairs, rest_length, stiffness, damping),
        Motion(position, velocity, np.ones(len(position)), force),
    )
    return force


def one(distance, *, rest=2.0, stiffness=7.0, damping=0.0, velocity=((0, 0), (0, 0))):
    return forces(
        np.array([(0.0, 0.0), (0.6 * distance, 0.8 * distance)]), np.array(velocity, float),
        np.array([(0, 1)], np.uint32), np.array([rest]), np.array([stiffness]), np.array([damping]),
    )  # fmt: skip


def test_stretched_by_one_metre_pulls_with_stiffness():
    assert one(3.0) == pytest.approx(np.array([(4.2, 5.6), (-4.2, -5.6)]))


def test_pressed_by_one_metre_pushes_with_stiffness():
    assert one(1.0) == pytest.approx(np.array([(-4.2, -5.6), (4.2, 5.6)]))


def test_damping_acts_along_the_line_only():
    assert one(2.0, damping=3.0, velocity=[(0, 0), (-0.8, 0.6)]) == pytest.approx(
        np.zeros((2, 2)), abs=1e-14
    )
    assert one(2.0, damping=3.0, velocity=[(0, 0), (0.6, 0.8)])[0] == pytest.approx((1.8, 2.4))


@pytest.mark.parametrize("seed", range(5))
def test_matches_numpy(seed):
    knot = tangle(seed)
    found = forces(**knot)
    expected = spring_forces(**knot)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def test_adds_to_what_is_there():
    knot = tangle(1)
    assert np.allclose(added_to(np.full((25, 2), 3.0), **knot), 3.0 + spring_forces(**knot))


@pytest.mark.parametrize("seed", range(3))
def test_force_and_torque_sum_to_zero(seed):
    knot = tangle(seed)
    force = forces(**knot)
    place = knot["position"]
    scale = np.abs(force).sum()
    assert np.abs(force.sum(axis=0)).max() <= 1e-14 * scale
    assert abs((place[:, 0] * force[:, 1] - place[:, 1] * force[:, 0]).sum()) <= 1e-13 * scale


def test_damping_never_adds_energy():
    knot = tangle(4) | {"stiffness": np.zeros(60)}
    assert (forces(**knot) * knot["velocity"]).sum() <= 0.0


@pytest.mark.parametrize("distance", [0.0, 1e-13])
def test_coincident_ends_give_no_force(distance):
    assert np.array_equal(one(distance, stiffness=1e12, damping=1e12), np.zeros((2, 2)))


def test_no_springs_and_a_spring_from_a_particle_to_itself_do_nothing():
    knot = tangle(2)
    empty = {name: array if len(array) == 25 else array[:0] for name, array in knot.items()}
    assert np.array_equal(forces(**empty), np.zeros((25, 2)))
    loop = knot | {"pairs": repeat(knot["pairs"][:, :1], 2, axis=1)}
    assert np.array_equal(forces(**loop), np.zeros((25, 2)))


def test_kept_tension_pulls_along_the_line_and_sums_to_zero():
    rng = np.random.default_rng(5)
    place = rng.normal(size=(9, 2))
    pairs = np.array([rng.permutation(9)[:2] for _ in range(12)], np.uint32)
    tension = rng.normal(size=12) * (rng.random(12) < 0.7)
    force = np.zeros((9, 2))
    motion = Motion(place, np.zeros((9, 2)), np.ones(9), force)
    accumulate_kept_tension(np.array([(0, 5), (5, 12)], np.int64), tension, pairs, motion)
    expected = np.zeros((9, 2))
    for (a, b), pull in zip(pairs, tension, strict=True):
        along = (place[b] - place[a]) / np.linalg.norm(place[b] - place[a])
        expected[a] += pull * along
        expected[b] -= pull * along
    assert np.allclose(force, expected, rtol=1e-12)
    assert np.abs(force.sum(axis=0)).max() <= 1e-14
    assert abs((place[:, 0] * force[:, 1] - place[:, 1] * force[:, 0]).sum()) <= 1e-13
