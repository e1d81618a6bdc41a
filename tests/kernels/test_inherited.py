"""What fragments inherit: the whole keeps its mass, its centre, its momentum and its spin."""

import numpy as np

from ecs_softbody.kernels.materials.inherited import Moving, balance, hand_motion


def balanced(weights: np.ndarray, places: np.ndarray, least: float) -> tuple[bool, np.ndarray]:
    """Return whether weights could be balanced to a sum of 3, and what they are then."""
    found = np.empty(len(weights))
    room = np.empty((2, len(weights)))
    return balance(weights, places, 3.0, least, np.empty_like(places), room, found), found


def test_weights_are_tilted_until_their_centre_is_where_it_has_to_be() -> None:
    random = np.random.default_rng(4)
    weights = random.uniform(0.5, 2.0, 150)
    places = random.normal(size=(150, 2)) + 0.1
    done, found = balanced(weights, places, 0.3)
    assert done
    assert np.isclose(found.sum(), 3.0, rtol=1e-14)
    assert np.allclose(found @ places, 0.0, atol=1e-12)
    assert (found / weights).min() > 0.3 * 3.0 / weights.sum()


def test_what_would_get_too_light_is_not_balanced() -> None:
    places = np.array([(0.0, 0.0), (1.0, 0.0), (5.0, 0.0)])
    assert not balanced(np.ones(3), places, 0.3)[0]


def test_particles_take_over_the_momentum_and_the_spin_of_others() -> None:
    random = np.random.default_rng(5)
    before, after = (
        Moving(random.uniform(0.1, 1.0, count), *random.normal(size=(2, count, 2)))
        for count in (20, 23)
    )
    hand_motion(before, after, np.empty((2, 23)))
    for motion in (
        lambda m, r, v: m @ v,
        lambda m, r, v: m @ (r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0]),
    ):
        assert np.allclose(motion(*after), motion(*before), atol=1e-12)


def test_one_particle_takes_over_the_momentum_only() -> None:
    before = Moving(
        np.array([1.0, 1.0]),
        np.array([(0.0, 1.0), (0.0, -1.0)]),
        np.array([(1.0, 2.0), (-1.0, 0.0)]),
    )
    after = Moving(np.array([2.0]), np.zeros((1, 2)), np.array([(9.0, 9.0)]))
    hand_motion(before, after, np.empty((2, 2)))
    assert after.velocity.tolist() == [[0.0, 1.0]]
