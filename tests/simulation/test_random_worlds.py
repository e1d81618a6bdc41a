"""Nothing explodes: random worlds with any stiffness, damping, mass, gas and frame length stay
finite and bounded.
"""

import numpy as np
import pytest
from hypothesis import given

from tests.simulation.random_worlds import Seeded, World, momenta, worlds

SUBSTEPS = 2000
CHUNK = 25


def run_chunk(seeds, substeps=SUBSTEPS):
    """Run the worlds of these seeds; return the greatest speed of each."""
    fastest = []
    for seed in seeds:
        world = World(Seeded(seed))
        fastest.append(world.run(substeps))
        assert fastest[-1] <= world.sim.speed_limit * (1 + 1e-9), f"seed {seed}: {fastest[-1]} m/s"
        world.sim.close()
    return fastest


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 50, CHUNK))
def test_random_worlds_stay_finite(first):
    """... and most of them slow: the speed limit is the last line of defence, not what keeps them
    together.
    """
    assert np.median(run_chunk(range(first, first + CHUNK))) < 1500.0


@pytest.mark.slow
@pytest.mark.sample(4)
@pytest.mark.parametrize("first", range(1000, 2000, CHUNK))
def test_a_thousand_random_worlds_stay_finite(first):
    assert np.median(run_chunk(range(first, first + CHUNK))) < 1500.0


@given(worlds())
def test_small_worlds_of_round_numbers_stay_finite(world):
    """The same worlds, drawn by hypothesis: a failure shrinks to a few particles."""
    assert world.run(200) <= world.sim.speed_limit * (1 + 1e-9)
    world.sim.close()


@pytest.mark.brief(3)
@pytest.mark.parametrize("first", range(0, 30, 10))
def test_closed_worlds_keep_momentum_and_angular_momentum(first):
    """To rounding × steps, for any bodies with springs between them: gas, areas, angles, groups,
    all saturated.
    """
    for seed in range(first, first + 10):
        world = World(Seeded(seed), closed=True)
        before, scale = momenta(world)
        frames = 1000 // world.sim.substeps
        for _ in range(frames):
            world.sim.step(world.dt)
            now, around = momenta(world)
            scale = np.maximum(scale, around)
        rounding = np.finfo(float).eps * frames * world.sim.substeps
        assert (np.abs(now - before) <= rounding * scale).all(), f"seed {seed}"
        world.sim.close()
