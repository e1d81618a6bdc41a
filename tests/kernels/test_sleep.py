"""Stillness, islands and what was written: NumPy and networkx-free twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_softbody.indices import arange
from ecs_softbody.kernels.motion.sleep import (
    Resting,
    RestingBodies,
    Stillness,
    are_lasting,
    are_near,
    are_within,
    find_forced,
    find_islands,
    join,
    measure_stillness,
)
from ecs_softbody.processors.sleep.sleep import as_words, find_written, remember, width_of


def reachable(count, pairs):
    """The lowest number that each one can reach."""
    lowest = arange(count)
    for _ in range(count):
        for i, j in pairs:
            lowest[i] = lowest[j] = min(lowest[i], lowest[j])
    return lowest


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=20),
            st.lists(st.booleans(), min_size=n, max_size=n),
            st.lists(st.booleans(), min_size=n, max_size=n),
        )
    )
)
def test_an_island_is_quiet_when_all_are_ready_and_one_is_supported(world):
    count, pairs, ready, supported = world
    parent = arange(count)
    may_sleep = np.zeros(count, bool)
    join(parent, np.array(pairs, np.int64).reshape(-1, 2))
    find_islands(parent, np.array(ready), np.array(supported), may_sleep)
    expected = reachable(count, pairs)
    assert np.array_equal(parent, expected)
    for b in range(count):
        members = expected == expected[b]
        assert may_sleep[b] == (
            np.array(ready)[members].all() and np.array(supported)[members].any()
        )


def stillness(away, speed, *, touching=True, still_time=0.25):
    """One body of two particles, one of them `away` from its anchor; return still time and the way
    that is left.
    """
    anchor = np.array([(0.0, 0.0), (1.0, 0.0)])
    position = anchor + np.array([(0.0, away), (0.0, 0.0)])
    times = np.array([still_time])
    held = np.zeros(1, bool)
    velocity = np.array([(speed, 0.0), (0.0, 0.0)])
    inverse_mass = np.array([1.0, 0.0])
    measure_stillness(
        arange(1),
        Resting(position, velocity, np.zeros(2), np.zeros(2), inverse_mass, anchor),
        RestingBodies(np.zeros(1, np.uint32), np.array([2], np.uint32), times),
        np.array([1.0 if touching else 0.1]),
        np.ones(1, bool),
        held,
        Stillness(0.01, 0.375, 0.1),
        0.125,
    )
    assert held[0], "one of the two is fixed"
    return times[0], np.abs(position - anchor).max()


@pytest.mark.parametrize(
    ("away", "speed", "touching", "expected"),
    [
        (0.009, 0.0, True, 0.375),
        (0.011, 0.0, True, 0.0),
        (0.0, 0.1 * np.sqrt(2) - 1e-9, True, 0.375),
        (0.0, 0.1 * np.sqrt(2) + 1e-9, True, 0.0),
        (0.0009, 0.0, False, 0.375),
        (0.0011, 0.0, False, 0.0),
        (0.0, 0.015, False, 0.0),
    ],
)
def test_still_time_grows_below_the_limits_and_starts_anew_above(away, speed, touching, expected):
    time, left = stillness(away, speed, touching=touching)
    assert time == expected
    assert left == pytest.approx(0.75 * away), "the anchor follows by dt / (lag + dt)"


def test_a_wait_is_not_shortened_by_moving():
    assert stillness(0.5, 0.0, still_time=-2.0)[0] == -2.0
    assert stillness(0.0, 0.0, still_time=-2.0)[0] == -1.875


@pytest.mark.parametrize("dtype", [np.float64, np.uint32, np.bool_])
@pytest.mark.parametrize("width", [1, 2])
def test_every_written_row_is_found_and_nothing_else(dtype, width):
    rng = np.random.default_rng(4)
    now = rng.integers(0, 2, (9, width) if width > 1 else 9).astype(dtype)
    kept = np.zeros_like(now)
    first = np.array([0, 3, 6], np.int64)
    last = np.array([3, 6, 9], np.int64)
    body = np.array([2, 0, 1], np.int64)
    slots = np.array([0, 2], np.int64)
    remember((slots, first, last, width_of(now), as_words(now), as_words(kept), body))
    assert np.array_equal(kept[:3], now[:3])
    assert not kept[3:6].any()
    assert np.array_equal(kept[6:], now[6:])
    for row in range(9):
        changed = now.copy()
        changed[row] = ~changed[row] if dtype is np.bool_ else changed[row] + 1
        written = np.zeros(3, bool)
        find_written(
            (slots, first, last, width_of(now), as_words(changed), as_words(kept), body), written
        )
        assert written.tolist() == [False, row >= 6, row < 3]


def test_nan_equals_itself():
    now = np.array([np.nan, 1.0])
    written = np.zeros(1, bool)
    kept = now.copy()
    one = np.zeros(1, np.int64)
    find_written(
        (one, one, np.array([2], np.int64), 1, as_words(now), as_words(kept), one), written
    )
    assert not written.any()


def test_forces_mark_their_bodies():
    force = np.zeros((6, 2))
    forced = np.zeros(3, bool)
    first = np.array([0, 2, 4], np.uint32)
    last = np.array([2, 4, 6], np.uint32)
    assert not find_forced(arange(3), first, last, force, forced)
    force[3, 1] = 1e-300
    force[5, 0] = np.nan
    assert find_forced(arange(3), first, last, force, forced)
    assert forced.tolist() == [False, True, True]


@pytest.mark.parametrize("value", [np.nan, -np.nan, np.inf, -np.inf, 1e61, -1e61])
@pytest.mark.parametrize("which", range(3))
def test_what_is_too_far_is_found_in_the_spans_only(which, value):
    arrays = [np.ones((10, 2)) for _ in range(3)]
    arrays[which][4, 1] = value
    assert not are_near(np.array([(0, 2), (3, 6)], np.int64), *arrays)
    assert are_near(np.array([(0, 4), (5, 10)], np.int64), *arrays)


def test_numbers_at_their_limits_are_near():
    farthest = np.full((9, 2), 1e30)
    strongest = np.full((9, 2), 1e60)
    assert are_near(np.array([(0, 9)], np.int64), farthest, -farthest, strongest)
    assert not are_near(np.array([(0, 9)], np.int64), farthest, -farthest * (1 + 1e-15), strongest)
    assert are_near(np.array([(0, 0)], np.int64), *(np.zeros((0, 2)) for _ in range(3)))


@pytest.mark.parametrize(
    "value", [-1.0, 2.5, 3.0, np.nextafter(3.0, 4.0), -1.1, np.nan, np.inf, -np.inf]
)
@pytest.mark.parametrize("row", [0, 7, 12])
def test_numbers_are_within_limits_as_numpy_says(value, row):
    numbers = np.linspace(-1.0, 3.0, 13)
    numbers[row] = value
    assert are_within(numbers, -1.0, 3.0) == bool(((numbers >= -1.0) & (numbers <= 3.0)).all())
    assert are_within(numbers[:0], -1.0, 3.0)


@pytest.mark.parametrize(
    ("radius", "mass", "lasting"),
    [
        (0.0, 1.0, True),
        (0.1, np.inf, True),
        (1e30, 1e-50, True),
        (0.1, 1e50, True),
        (0.0, 0.0, True),
        (0.1, np.nan, False),
        (0.1, 1e-51, False),
        (0.1, 1e51, False),
        (0.1, -1.0, False),
        (0.1, -np.inf, False),
        (np.nan, 1.0, False),
        (np.inf, 1.0, False),
        (-np.inf, np.inf, False),
        (1e31, 1.0, False),
    ],
)
@pytest.mark.parametrize("row", [0, 5, 10])
def test_a_mass_may_be_infinite_and_a_radius_may_not(radius, mass, lasting, row):
    radii = np.full(11, 0.1)
    masses = np.full(11, 2.0)
    assert are_lasting(radii, masses)
    assert are_lasting(radii[:0], masses[:0])
    radii[row] = radius
    masses[row] = mass
    assert are_lasting(radii, masses) == lasting
