"""The kernels of muscles against NumPy twins, and the small functions that they are made of."""

import math

import numpy as np
import pytest

from ecs_softbody.indices import arange
from ecs_softbody.kernels.materials.muscles import (
    Drive,
    Driven,
    base_giving,
    continued,
    drive,
    ramped,
    wave,
)

DT = 0.01
TIME = 1.37
GRID = np.linspace(-2.0, 3.0, 23)


def muscles(seed, count=40, springs=60):
    rng = np.random.default_rng(seed)
    driven = rng.permutation(springs)[:count].astype(np.int64)
    driven[::7] = -1
    return rng, {
        "driven": driven,
        "amplitude": rng.normal(size=count) * (rng.random(count) < 0.7),
        "frequency": rng.uniform(0, 5, count) * (rng.random(count) < 0.7),
        "phase": rng.normal(size=count),
        "target": rng.uniform(0, 2, count),
        "rate": np.where(rng.random(count) < 0.3, np.inf, rng.uniform(0, 200, count)),
    }


def signal_of(given, level, shift):
    step = np.minimum(np.abs(given["target"] - level), given["rate"] * DT)
    level = level + np.sign(given["target"] - level) * step
    return level, level + given["amplitude"] * np.sin(
        2 * np.pi * (given["frequency"] * TIME + shift) + given["phase"]
    )


def drive_all(active, given, state, driven, *, adds=False):
    drives = Drive(**given, **state)
    drive(np.array(active, np.int64), drives, driven, adds, TIME, DT)


def fresh(given, rng, rest):
    count = len(given["driven"])
    seen = given["frequency"].copy()
    shift = rng.random(count)
    written = np.where(given["driven"] < 0, 0.0, rest[given["driven"]])
    return {
        "base": rng.uniform(0.5, 2, count), "level": np.ones(count), "factor": np.ones(count),
        "seen_frequency": seen, "shift": shift, "written": written,
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_lengths_are_those_of_the_twin(seed):
    rng, given = muscles(seed)
    pairs = rng.integers(0, 30, (60, 2)).astype(np.uint32)
    body = np.arange(30, dtype=np.uint32) // 3
    still = rng.uniform(-3, 3, 10)
    rest = rng.uniform(0.5, 2, 60)
    state = fresh(given, rng, rest)
    expected = rest.copy()
    still_before = still.copy()
    level, signal = signal_of(given, state["level"], state["shift"])
    on = given["driven"] >= 0
    expected[given["driven"][on]] = (state["base"] * np.maximum(signal, 0.0))[on]
    works = on & (
        ((given["amplitude"] != 0) & (given["frequency"] != 0))
        | ((given["target"] != 1.0) & (given["rate"] > 0))
    )
    busy = np.isin(arange(10), body[pairs[given["driven"][works]]])
    drive_all([(0, 15), (15, 40)], given, state, Driven(rest, pairs, 0, 2, body, still))
    assert rest == pytest.approx(expected, rel=1e-12)
    assert state["level"][on] == pytest.approx(level[on], rel=1e-12)
    assert still == pytest.approx(np.where(busy, np.minimum(still_before, 0.0), still_before))


@pytest.mark.parametrize("seed", range(3))
def test_angles_are_those_of_the_twin(seed):
    rng, given = muscles(seed)
    triples = rng.integers(0, 30, (60, 3)).astype(np.uint32)
    body = np.arange(30, dtype=np.uint32) // 3
    still = rng.uniform(-3, 3, 10)
    rest = rng.normal(size=60)
    state = fresh(given, rng, rest)
    expected = rest.copy()
    _, signal = signal_of(given, state["level"], state["shift"])
    on = given["driven"] >= 0
    expected[given["driven"][on]] = (state["base"] + signal)[on]
    drive_all([(0, 40)], given, state, Driven(rest, triples, 1, 2, body, still), adds=True)
    assert rest == pytest.approx(expected, rel=1e-12)


def test_gas_is_that_of_the_twin_and_never_below_nothing():
    rng, given = muscles(4)
    first = np.resize(rng.integers(0, 10, 40), (60, 1)).astype(np.uint32)
    still = rng.uniform(-3, 3, 10)
    gas = rng.uniform(0.5, 2, 60)
    state = fresh(given, rng, gas)
    expected = gas.copy()
    _, signal = signal_of(given, state["level"], state["shift"])
    active = arange(0, 40, 2)
    chosen = active[given["driven"][active] >= 0]
    expected[given["driven"][chosen]] = (state["base"] * np.maximum(signal, 0.0))[chosen]
    drive_all(
        np.column_stack((active, active + 1)),
        given,
        state,
        Driven(gas, first, 0, 1, np.arange(10, dtype=np.uint32), still),
    )
    assert gas == pytest.approx(expected, rel=1e-12)
    assert gas.min() == 0.0


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0, 1e300, math.inf])
def test_a_ramp_ends_exactly_on_its_target(rate):
    for level in GRID:
        for target in GRID:
            after = ramped(level, target, rate, DT)
            assert min(level, target) <= after <= max(level, target)
            if abs(target - level) <= rate * DT:
                assert after == target
            else:
                assert abs(after - level) == pytest.approx(rate * DT, abs=1e-15)


def test_a_wave_goes_on_where_it_was_when_its_frequency_changes():
    for before in (0.0, 0.7, 3.3):
        for after in (0.0, 1.9, 40.0):
            shift = continued(0.2, before, after, TIME)
            assert 0.0 <= shift < 1.0
            assert wave(1.0, after * TIME + shift, 0.4) == pytest.approx(
                wave(1.0, before * TIME + 0.2, 0.4), abs=1e-12
            )


def test_a_base_gives_the_value_back_but_for_no_factor():
    assert base_giving(3.0, 1.5) == 2.0
    assert base_giving(3.0, 0.0) == 3.0
