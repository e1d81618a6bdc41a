"""Plasticity: the play operator against a plain version, independence of the time step, the rest
shape.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_softbody.indices import full
from ecs_softbody.kernels.materials.plasticity import (
    PlasticAngles,
    PlasticParticles,
    Plastics,
    PlasticSprings,
    bounded,
    crept_share,
    followed,
    yield_angles,
    yield_lengths,
    yield_shapes,
)


def one(value):
    return np.array([value], float)


def laws_of(
    rows,
    *,
    yield_strain=np.inf,
    rate,
    limit=np.inf,
    creep_time,
    yield_angle=np.inf,
    angle_limit=np.inf,
):
    """The laws of one body that has all of so many springs, angular springs and particles."""
    spans = (full(1, 0), full(1, rows)) * 3
    return Plastics(
        *spans,
        one(yield_strain),
        one(rate),
        one(limit),
        one(creep_time),
        one(yield_angle),
        one(angle_limit),
    )


def particles(position, rest=None, state=None):
    count = len(position)
    rest = np.zeros((count, 2)) if rest is None else rest
    state = state or [np.zeros((count, 2)) for _ in range(3)]
    return PlasticParticles(position, np.ones(count), np.zeros(count, np.uint32), rest, *state)


class Bar:
    """One spring along x, pulled to any length."""

    def __init__(self, *, yield_strain=0.3, rate=0.5, limit=np.inf, creep_time=0.0, rest=10.0):
        self.laws = laws_of(
            1, yield_strain=yield_strain, rate=rate, limit=limit, creep_time=creep_time
        )
        self.rest_length = one(rest)
        self.state = [np.zeros(1) for _ in range(3)]
        self.still_time = one(3.0)

    def hold(self, length, dt=1.0 / 480.0, steps=1):
        position = np.array([[0.0, 0.0], [length, 0.0]])
        springs = PlasticSprings(np.array([[0, 1]], np.uint32), self.rest_length, *self.state)
        for _ in range(steps):
            yield_lengths(
                np.array([0], np.int64),
                self.laws,
                springs,
                particles(position),
                self.still_time,
                dt,
            )
        return self.rest_length[0]


def test_the_numbers_of_the_law():
    bar = Bar()
    assert bar.hold(12.9) == 10.0
    assert bar.hold(15.0) == pytest.approx(11.0, abs=1e-12)
    assert bar.hold(15.0) == pytest.approx(11.0, abs=1e-12)
    assert bar.hold(10.0) == pytest.approx(11.0, abs=1e-12)
    assert bar.hold(5.0) == pytest.approx(9.0, abs=1e-12)


def test_the_limit_clamps_both_ways():
    bar = Bar(limit=0.05)
    assert bar.hold(15.0) == pytest.approx(10.5, abs=1e-12)
    assert bar.hold(1.0) == pytest.approx(9.5, abs=1e-12)


@pytest.mark.parametrize("dt", [1 / 10, 1 / 60, 1 / 1000])
def test_creep_follows_its_time_constant_at_any_step(dt):
    bar = Bar(creep_time=0.5)
    steps = round(1.0 / dt)
    assert bar.hold(15.0, dt, steps) == pytest.approx(
        10.0 + (1.0 - math.exp(-steps * dt / 0.5)), abs=1e-9
    )


def test_what_creeps_stays_awake_until_it_has_crept():
    bar = Bar(creep_time=0.1)
    bar.hold(15.0)
    assert bar.still_time[0] == 0.0
    bar.hold(15.0, 0.01, 100)
    bar.still_time[0] = 1.0
    bar.hold(15.0, 0.01)
    assert bar.still_time[0] == 1.0


@given(
    st.lists(st.floats(0.0, 40.0), min_size=1, max_size=30),
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
)
def test_the_twin_and_no_length_below_zero(lengths, yield_strain, rate):
    bar = Bar(yield_strain=yield_strain, rate=rate)
    play = 0.0
    for length in lengths:
        strain = length / 10.0 - 1.0
        play = min(max(play, strain - yield_strain), strain + yield_strain)
        rest = bar.hold(length)
        assert rest >= -1e-12
        assert rest == pytest.approx(10.0 * (1.0 + rate * play), abs=1e-9)


def test_a_written_rest_length_is_a_new_start():
    bar = Bar()
    bar.hold(15.0)
    bar.rest_length[0] = 20.0
    assert bar.hold(24.0) == 20.0
    assert bar.hold(30.0) == pytest.approx(22.0, abs=1e-12)


@pytest.mark.parametrize(("length", "limit"), [(0.0, 8.0), (np.nan, 10.0), (1e300, 12.0)])
def test_edges_stay_harmless(length, limit):
    bar = Bar(rest=0.0)
    assert bar.hold(length) == 0.0
    bar = Bar(limit=0.2)
    assert bar.hold(length) == pytest.approx(limit, abs=1e-9)
    assert bar.rest_length[0] == pytest.approx(limit, abs=1e-9)


def angle_row(theta, rest, state, limit=np.inf):
    laws = {"yield_angle": 0.3, "rate": 1.0, "angle_limit": limit, "creep_time": 0.0}
    position = np.array([[1.0, 0.0], [0.0, 0.0], [math.cos(theta), math.sin(theta)]])
    springs = PlasticAngles(np.array([[0, 1, 2]], np.uint32), rest, *state)
    yield_angles(
        np.array([0], np.int64), laws_of(1, **laws), springs, particles(position), np.zeros(1), 0.01
    )
    return rest[0]


def test_angles_yield_and_do_not_jump_over_a_half_turn():
    rest = one(3.0)
    state = [np.zeros(1) for _ in range(3)]
    assert angle_row(3.2, rest, state) == 3.0
    for theta in np.linspace(3.2, 5.0, 40):
        angle_row(theta, rest, state)
    assert rest[0] == pytest.approx(4.7, abs=1e-9)


def test_the_angle_limit():
    rest = one(1.0)
    state = [np.zeros(1) for _ in range(3)]
    assert angle_row(2.5, rest, state, limit=0.4) == pytest.approx(1.4)


def shape(position, rest, state, **laws):
    given = {"yield_strain": 0.1, "rate": 1.0, "limit": np.inf, "creep_time": 0.0} | laws
    yield_shapes(
        np.array([0], np.int64),
        laws_of(len(position), **given),
        particles(position, rest, state),
        np.zeros(1),
        0.01,
    )


def square():
    return np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def empty():
    return [np.zeros((4, 2)) for _ in range(3)]


def test_a_turned_and_moved_shape_does_not_yield():
    rest = square()
    state = empty()
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    shape(square() @ turn.T + (5, 6), rest, state)
    assert np.allclose(rest, square(), atol=1e-12)


def test_a_stretched_shape_keeps_what_exceeds_the_yield():
    rest = square()
    state = empty()
    # every corner is 0.5 away; the radius is √2, so 0.141 are not kept
    shape(square() * (1.5, 1.0), rest, state)
    assert np.allclose(rest, square() * (1.5 - 0.1 * math.sqrt(2.0), 1.0), atol=1e-12)
    shape(square(), rest, state)
    assert np.allclose(rest, square() * (1.0 + 0.1 * math.sqrt(2.0), 1.0), atol=1e-12)


def test_a_shape_pressed_flat_keeps_a_quarter_of_its_area():
    rest = square()
    state = empty()
    for flat in (0.5, 0.1, 0.0, -0.5):
        shape(square() * (1.0, flat), rest, state, yield_strain=0.0)
        x, y = rest.T
        assert 0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() >= 1.0 - 1e-9


def test_small_laws():
    assert followed(0.0, 0.5, 0.3) == pytest.approx(0.2)
    assert followed(0.0, 0.2, 0.3) == 0.0
    assert followed(0.0, -0.5, 0.3) == pytest.approx(-0.2)
    assert bounded(3.0, 1.0) == 1.0
    assert bounded(-3.0, 1.0) == -1.0
    assert crept_share(0.0, 0.1) == 1.0
