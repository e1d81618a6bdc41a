"""Springs against closed forms: the oscillator, its damping, the hanging chain, the spring of one
step.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, Springs
from tests.helpers.stepping import run_frames

H = 1.0 / 480.0


def oscillator(sim, omega, *, zeta=0.0, stretch=0.1, speed=0.0, mass=2.0):
    """A mass on a spring of one metre whose other end is pinned; returns its particles."""
    body = Particles(
        [(0.0, 0.0), (1.0 + stretch, 0.0)],
        velocity=[(0.0, 0.0), (speed, 0.0)],
        mass=mass,
        pinned=[True, False],
    )
    stiffness = mass * omega**2
    damping = 2.0 * zeta * mass * omega
    esper.create_entity(
        body, Springs([(0, 1)], stiffness=stiffness, damping=damping, rest_length=1.0)
    )
    return body


def stretches(sim, body, count, h=H):
    found = np.empty(count)
    for n in range(count):
        sim.step(h)
        found[n] = body.position[1, 0] - 1.0
    return found


def frequency(signal, h):
    """Angular frequency from the upward zero crossings, interpolated between samples."""
    up = np.flatnonzero((signal[:-1] < 0.0) & (signal[1:] >= 0.0))
    times = (up + signal[up] / (signal[up] - signal[up + 1])) * h
    return 2.0 * np.pi * (len(times) - 1) / (times[-1] - times[0])


@pytest.mark.slow
def test_undamped_frequency_is_right_within_a_thousandth():
    """At ω h = 0.1 symplectic Euler is 0.042 % fast and keeps the amplitude."""
    sim = Simulation(gravity=(0, 0), substeps=1)
    signal = stretches(sim, oscillator(sim, 0.1 / H), 4000)
    assert frequency(signal, H) == pytest.approx(0.1 / H, rel=1e-3)
    assert frequency(signal, H) == pytest.approx(0.1 / H * (1.0 + 0.1**2 / 24.0), rel=2e-5)
    assert np.abs(signal[-500:]).max() == pytest.approx(np.abs(signal[:500]).max(), rel=2e-3)


@pytest.mark.slow
def test_frequency_error_shrinks_with_the_square_of_the_substep():
    errors = []
    for share in (0.2, 0.1):
        sim = Simulation(gravity=(0, 0), substeps=1)
        signal = stretches(sim, oscillator(sim, share / H), 3000)
        errors.append(frequency(signal, H) / (share / H) - 1.0)
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_position_error_halves_with_the_substep():
    """Order of convergence of the position: 1."""
    omega = 10.0
    errors = []
    for substeps in (8, 16, 32):
        sim = Simulation(gravity=(0, 0), substeps=substeps)
        body = oscillator(sim, omega)
        for _ in range(20):
            sim.step(1 / 60)
        errors.append(abs(body.position[1, 0] - 1.0 - 0.1 * np.cos(omega / 3.0)))
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.1)


@pytest.mark.brief(5)
@pytest.mark.parametrize(
    ("zeta", "speed"), [(0.1, 0.0), (0.5, 0.3), (1.0, 0.0), (1.0, -0.6), (2.0, 0.0), (3.0, 0.4)]
)
def test_damped_springs_follow_the_closed_form(zeta, speed):
    """Under-damped, critical and over-damped: within 1 % of the largest stretch,
    at every substep.
    """
    omega = 3.0
    stretch = 0.1
    sim = Simulation(gravity=(0, 0), substeps=1)
    signal = stretches(sim, oscillator(sim, omega, zeta=zeta, stretch=stretch, speed=speed), 1200)
    t = H * np.arange(1, 1201)
    decay = np.exp(-zeta * omega * t)
    if zeta < 1.0:
        ring = omega * np.sqrt(1.0 - zeta**2)
        exact = decay * (
            stretch * np.cos(ring * t) + (speed + zeta * omega * stretch) / ring * np.sin(ring * t)
        )
    elif zeta == 1.0:
        exact = decay * (stretch + (speed + omega * stretch) * t)
    else:
        root = omega * np.sqrt(zeta**2 - 1.0)
        exact = decay * (
            stretch * np.cosh(root * t)
            + (speed + zeta * omega * stretch) / root * np.sinh(root * t)
        )
    assert np.abs(signal - exact).max() <= 0.01 * np.abs(exact).max()
    if zeta >= 1.0 and speed == 0.0:
        assert (signal > -1e-12).all(), "it must not swing through"


def test_hanging_chain_stretches_by_the_sum_of_the_weights():
    """Ten masses of 1 kg, k = 1000 N/m: Σ i m g / k = 0.53955 m."""
    sim = Simulation()
    rows = np.arange(11)
    body = Particles(np.column_stack([0 * rows, -0.5 * rows]), mass=1.0, pinned=rows == 0)
    pairs = np.column_stack([rows[:-1], rows[1:]])
    esper.create_entity(body, Springs(pairs, stiffness=1000.0, damping=200.0, rest_length=0.5))
    run_frames(sim, 15 * 60)
    lengths = -np.diff(body.position[:, 1])
    assert -body.position[-1, 1] - 5.0 == pytest.approx(0.53955, abs=1e-5)
    assert np.allclose(lengths - 0.5, 9.81e-3 * np.arange(10, 0, -1), atol=1e-6)


STARTS = [
    ((3.0, 0.0), 0.0),
    ((0.2, 0.1), 0.0),
    ((-1.0, 2.0), 40.0),
    ((0.6, -0.8), -7.0),
    ((12.0, 12.0), 300.0),
    ((1e-3, 0.0), -2.0),
]


@pytest.mark.parametrize(("start", "speed"), STARTS)
@pytest.mark.parametrize("dt", [1 / 60, 1 / 480])
def test_spring_of_one_step_is_at_rest_after_one_substep(start, speed, dt):
    """k = m/h², c = m/h between a pinned and a free particle: rest length in one substep, whatever
    the start.
    """
    sim = Simulation(gravity=(0, 0), substeps=1)
    mass = 0.7
    rest = 1.5
    direction = np.array(start) / np.hypot(*start)
    bystanders = [(0.0, 0.0), (0.3, 0.1), (1.5, 0.0), (-4.0, 1.0)]
    body = Particles(
        [(0.0, 0.0), start, *bystanders],
        velocity=[(0, 0), speed * direction, *([(0, 0)] * 4)],
        mass=mass,
        pinned=[True, False, False, False, True, False],
    )
    esper.create_entity(
        body, Springs([(0, 1)], stiffness=mass / dt**2, damping=mass / dt, rest_length=rest)
    )
    esper.create_entity(Particles(np.random.default_rng(1).normal(size=(5, 2)), mass=1e3))
    sim.step(dt)
    assert body.position[1] == pytest.approx(rest * direction, abs=1e-9)
    assert np.array_equal(body.position[2:], bystanders)
    assert np.array_equal(body.position[0], (0.0, 0.0))


def test_spring_of_one_step_across_the_line_is_right_along_it():
    """A velocity across the line is not damped, and does not change where the mass is along it."""
    sim = Simulation(gravity=(0, 0), substeps=1)
    body = Particles([(0, 0), (3, 0)], velocity=[(0, 0), (5, 2)], pinned=[True, False])
    esper.create_entity(body, Springs([(0, 1)], stiffness=480.0**2, damping=480.0, rest_length=1.0))
    sim.step(H)
    assert body.position[1] == pytest.approx((1.0, 2.0 * H), abs=1e-12)


def test_a_spring_without_length_exerts_no_force():
    """Coincident ends have no direction: they stay where they are, and nothing turns NaN."""
    sim = Simulation(gravity=(0, 0))
    body = Particles([(1, 2), (1, 2), (4, 2)], velocity=[(0.5, 0), (0.5, 0), (0, 0)])
    esper.create_entity(
        body, Springs([(0, 1), (1, 0)], stiffness=1e9, damping=1e3, rest_length=[1.0, 0.0])
    )
    run_frames(sim, 10)
    assert np.allclose(body.position[:2], (1 + 0.5 / 6, 2), rtol=1e-12)
    assert np.array_equal(body.velocity[:2], [(0.5, 0), (0.5, 0)])


def test_a_zero_rest_length_pulls_together_without_nan():
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0), (1, 0)])
    esper.create_entity(body, Springs([(0, 1)], stiffness=50.0, damping=20.0, rest_length=0.0))
    run_frames(sim, 600)
    assert np.allclose(body.position, (0.5, 0.0), atol=1e-6)


def test_two_unequal_masses_keep_momentum_and_angular_momentum():
    sim = Simulation(gravity=(0, 0))
    mass = np.array([0.3, 17.0])
    body = Particles([(0, 0), (2, 1)], velocity=[(3, -4), (0.5, 2)], mass=mass)
    esper.create_entity(body, Springs([(0, 1)], stiffness=900.0, damping=0.5, rest_length=1.2))

    def totals():
        x = body.position
        v = body.velocity
        return np.array([*(mass @ v), mass @ (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0])])

    before = totals()
    for _ in range(500):
        earlier = totals()
        sim.step()
        assert np.abs(totals() - earlier).max() <= 1e-12 * 8 * np.abs(before).max()
    assert np.allclose(totals(), before, rtol=1e-10)
