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
        "force": rng.normal(size=(count, 2)),
    }


def run(state, dt=0.01, time_left=HEALING_TIME, steps=1, pinned=()):
    inverse = 1.0 / state["mass"]
    inverse[list(pinned)] = 0.0
    left = np.array([time_left])
    for _ in range(steps):
        healing = filled(
            Heals,
            particle_first=[0],
            particle_last=[len(inverse)],
            first=[0],
            last=[2],
            time_left=left,
        )
        cuts = CutRows(np.array([0, 2], np.uint32), np.full(2, 0.1))
        healed = heal(
            np.array([0], np.int64), healing, cuts, Healed(inverse_mass=inverse, **state), dt
        )
        state["velocity"] += dt * inverse[:, None] * state["force"]
        state["force"][:] = 0.0
    return healed


def momenta(state):
    x, y = state["position"].T
    u, v = state["velocity"].T
    mass = state["mass"]
    return np.array([mass @ u, mass @ v, mass @ (x * v - y * u)])


@pytest.mark.parametrize("dt", [1e-4, 0.01, 10.0])
def test_momentum_and_angular_momentum_stay(dt):
    state = body()
    before = momenta(
        {**state, "velocity": state["velocity"] + dt * state["force"] / state["mass"][:, None]}
    )
    run(state, dt)
    assert np.abs(momenta(state) - before).max() < 1e-12


def test_a_rigid_motion_is_not_braked():
    state = body()
    x, y = state["position"].T
    state["velocity"] = np.column_stack((2.0 - 3.0 * y, 1.0 + 3.0 * x))
    state["force"][:] = 0.0
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


def deforming(state):
    """Return the root of the mean square of what the velocity has beyond the motion of the whole,
    and R.
    """
    mass = state["mass"]
    position = state["position"]
    velocity = state["velocity"]
    arm = position - mass @ position / mass.sum()
    u = velocity - mass @ velocity / mass.sum()
    turn = mass @ (arm[:, 0] * u[:, 1] - arm[:, 1] * u[:, 0]) / (mass @ (arm**2).sum(axis=1))
    u = u - turn * np.column_stack((-arm[:, 1], arm[:, 0]))
    return [np.sqrt(mass @ (each**2).sum(axis=1) / mass.sum()) for each in (u, arm)]


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("push", [1.0, 1e6])
def test_however_hard_it_is_pushed_it_deforms_slowly_and_faster_as_it_heals(size, push):
    for left, most in ((1.0, 0.15), (0.5, 0.3)):
        state = body()
        state["position"] *= size
        state["force"] *= push * 1e3
        run(state, 1e-4, left * HEALING_TIME)
        speed, radius = deforming(state)
        assert speed <= 1.001 * most * np.sqrt(9.81 * radius)
