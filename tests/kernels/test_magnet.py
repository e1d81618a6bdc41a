"""The forces between magnetic poles: against a plain twin, at their greatest, and the third law in
every bit.
"""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.indices import arange, bincount
from ecs_softbody.kernels.forces.magnet import CORE_SHARE, MagnetLaw, Poles, accumulate_magnet_force
from ecs_softbody.kernels.groups import Motion

DT = 1.0 / 480.0


def world(seed: int, count: int = 12) -> tuple[Poles, np.ndarray, MagnetLaw, Motion]:
    """Some poles of four magnets on four bodies, close to each other and far apart."""
    random = np.random.default_rng(seed)
    magnet = np.sort(random.integers(0, 4, count))
    company = bincount(magnet, minlength=4)[magnet]
    poles = Poles(
        arange(count), magnet, magnet.copy(), random.choice([-1.0, 0.5, 1.0], count), company
    )
    strength = random.uniform(-5.0, 5.0, 4)
    reach = np.array([np.inf, 3.0, 2.0, np.inf])
    law = MagnetLaw(np.full((4, 2), np.nan), strength, reach, random.uniform(0.01, 0.2, 4))
    inverse_mass = random.choice([0.0, 1.0, 20.0], count)
    position = random.uniform(-2.0, 2.0, (count, 2))
    motion = Motion(position, np.zeros((count, 2)), inverse_mass, np.zeros((count, 2)))
    return poles, np.array([True, True, True, seed % 2 == 0]), law, motion


def twin(
    poles: Poles, acts: np.ndarray, law: MagnetLaw, motion: Motion, k: int, m: int
) -> np.ndarray:
    """Return the force on pole k by pole m."""
    i = poles.particle[k]
    j = poles.particle[m]
    a = poles.magnet[k]
    b = poles.magnet[m]
    mobility = motion.inverse_mass[i] + motion.inverse_mass[j]
    away = motion.position[i] - motion.position[j]
    distance = float(np.hypot(*away))
    reach = min(law.reach[a], law.reach[b])
    if (
        poles.body[k] == poles.body[m]
        or not (acts[a] and acts[b])
        or distance >= reach
        or mobility == 0.0
    ):
        return np.zeros(2)
    product = law.strength[a] * law.strength[b] * poles.polarity[k] * poles.polarity[m]
    carried = (
        max(poles.company[k], poles.company[m]) * abs(product) * DT**2 * mobility / CORE_SHARE
    ) ** (1 / 3)
    core = max(law.least_distance[a], law.least_distance[b], carried)
    force: np.ndarray = (
        product * away / (distance**2 + core**2) ** 1.5 * (1 - (distance / reach) ** 2) ** 2
    )
    return force


@pytest.mark.parametrize("seed", range(6))
def test_the_forces_are_those_of_the_law(seed: int) -> None:
    poles, acts, law, motion = world(seed)
    accumulate_magnet_force(poles, acts, law, motion, DT)
    every = range(len(poles.particle))
    expected = np.array(
        [sum(twin(poles, acts, law, motion, k, m) for m in every if m != k) for k in every]
    )
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(motion.force, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", range(6))
def test_two_poles_push_each_other_with_one_number(seed: int) -> None:
    poles, acts, law, motion = world(seed, 2)
    poles.magnet[:] = poles.body[:] = (0, 1)
    motion.inverse_mass[:] = 1.0
    motion.position[:] = np.random.default_rng(seed).uniform(-0.7, 0.7, (2, 2))
    accumulate_magnet_force(poles, acts, law, motion, DT)
    assert (motion.force[0] == -motion.force[1]).all()
    assert motion.force.any()


@pytest.mark.parametrize("seed", range(6))
def test_a_pole_at_a_position_acts_as_one_on_a_particle_that_nothing_moves(seed: int) -> None:
    poles, acts, law, motion = world(seed)
    acts[:] = True
    poles.magnet[-1] = poles.body[-1] = 3
    poles.magnet[:-1] = poles.body[:-1] = arange(11) % 3
    motion.inverse_mass[-1] = 0.0
    accumulate_magnet_force(poles, acts, law, motion, DT)
    expected = motion.force[:-1].copy()
    poles.particle[-1] = poles.body[-1] = -1
    law.position[3] = motion.position[-1]
    motion.position[-1] = np.nan
    motion.force[:] = 0.0
    accumulate_magnet_force(poles, acts, law, motion, DT)
    assert np.array_equal(motion.force[:-1], expected)
    assert not motion.force[-1].any()
    assert expected.any()


@pytest.mark.parametrize("product", [-1e6, -1.0, 1e-3, 1.0, 1e6, 1e12])
def test_the_force_never_exceeds_its_bound(product: float) -> None:
    poles = Poles(*np.array([(0, 1), (0, 1), (0, 1)], np.int64), np.ones(2), np.ones(2, np.int64))
    law = MagnetLaw(
        np.zeros((2, 2)), np.array([product, 1.0]), np.full(2, np.inf), np.full(2, 1e-3)
    )
    core = max(1e-3, (abs(product) * DT**2 * 2.0 / CORE_SHARE) ** (1.0 / 3.0))
    largest = 2.0 / 27.0**0.5 * abs(product) / core**2
    for distance in (0.0, *core * np.geomspace(1e-9, 1e9, 91), core * 0.5**0.5):
        motion = Motion(
            np.array([(0.0, 0.0), (distance, 0.0)]), np.zeros((2, 2)), np.ones(2), np.zeros((2, 2))
        )
        accumulate_magnet_force(poles, np.ones(2, np.bool_), law, motion, DT)
        assert np.abs(motion.force).max() <= largest * (1.0 + 1e-12)
    assert np.abs(motion.force).max() == pytest.approx(largest)
