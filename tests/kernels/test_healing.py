"""heal: braking keeps both momenta; the radius grows to its goal."""

import numpy as np
import pytest

from ecs_softbody.kernels.materials.healing import HEALING_TIME, CutRows, Healed, Heals, heal
from tests.helpers.groups import filled


def body(seed=0, count=7):
    rng = np.random.default_rng(seed)
    return {
        "position": rng.normal(size=(count, 2)),
        "mass": rng.uniform(0.1, 9.0, count),
        "velocity": rng.normal(size=(count, 2)),
        "radius": np.full(count, 0.01),
    }


def run(state, dt=0.01, time_left=HEALING_TIME, steps=1, pinned=()):
    inverse = 1.0 / state["mass"]
    inverse[list(pinned)] = 0.0
    left = np.array([time_left])
    for _ in range(steps):
        healing = filled(Heals, particle_first=[0], particle_last=[len(inverse)], first=[0], last=[2], time_left=left)
        cuts = CutRows(np.array([0, 2], np.uint32), np.full(2, 0.1))
        healed = heal(np.array([0]), healing, cuts, Healed(inverse_mass=inverse, **state), dt)
    return healed


def momenta(state):
    x, y = state["position"].T
    u, v = state["velocity"].T
    mass = state["mass"]
    return np.array([mass @ u, mass @ v, mass @ (x * v - y * u)])


@pytest.mark.parametrize("dt", [1e-4, 0.01, 10.0])
def test_momentum_and_angular_momentum_stay(dt):
    state = body()
    before = momenta(state)
    run(state, dt)
    assert np.abs(momenta(state) - before).max() < 1e-12


def test_a_rigid_motion_is_not_braked():
    state = body()
    x, y = state["position"].T
    state["velocity"] = np.column_stack((2.0 - 3.0 * y, 1.0 + 3.0 * x))
    before = state["velocity"].copy()
    run(state, 1.0)
    assert np.allclose(state["velocity"], before, atol=1e-12)


def test_what_is_fixed_stays_fixed():
    state = body()
    state["velocity"][3] = 0.0
    run(state, pinned=[3])
    assert np.array_equal(state["velocity"][3], (0.0, 0.0))


def test_the_radius_grows_evenly_and_healing_ends():
    state = body()
    assert run(state, 0.25, 0.5) == 0
    assert state["radius"][0] == pytest.approx(0.055)
    assert run(state, 0.25, 0.25) == 1
    assert state["radius"][[0, 2]] == pytest.approx(0.1)
    assert state["radius"][1] == 0.01
