"""Angular springs: frequency, energy and momentum; and the energy of a jelly."""

import esper
import numpy as np
import pytest

from ecs_softbody import AngularSprings, Particles, Simulation, Springs, blueprints
from tests.helpers.measures import momenta
from tests.helpers.stepping import run_frames

H = 1.0 / 480.0


def angle_of(position, i=0, j=1, k=2):
    a = position[i] - position[j]
    b = position[k] - position[j]
    return np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b)


@pytest.mark.brief(2)
@pytest.mark.parametrize(("first_arm", "second_arm"), [(1.0, 1.0), (2.0, 0.5)])
def test_small_oscillations_have_the_frequency_of_the_law(first_arm, second_arm):
    """One arm held, the other free: ω² = K L1 L2 / (m L2²)."""
    sim = Simulation(gravity=(0, 0), substeps=1)
    rest = np.pi / 3
    stiffness = 25.0
    mass = 0.5
    omega = np.sqrt(stiffness * first_arm / (mass * second_arm))
    start = rest + 0.01
    body = Particles(
        [(first_arm, 0), (0, 0), (second_arm * np.cos(start), second_arm * np.sin(start))],
        mass=mass, pinned=[True, True, False],
    )  # fmt: skip
    esper.create_entity(
        body,
        Springs([(1, 2)], stiffness=5000.0),
        AngularSprings([(0, 1, 2)], stiffness=stiffness, rest_angle=rest),
    )
    signal = np.empty(4000)
    for n in range(4000):
        sim.step(H)
        signal[n] = angle_of(body.position) - rest
    up = np.flatnonzero((signal[:-1] < 0) & (signal[1:] >= 0))
    times = (up + signal[up] / (signal[up] - signal[up + 1])) * H
    assert 2 * np.pi * (len(up) - 1) / (times[-1] - times[0]) == pytest.approx(omega, rel=2e-3)
    assert np.abs(signal[-1000:]).max() == pytest.approx(0.01, rel=0.02)


def free_corner(*, damping=0.0):
    body = Particles(
        [(1.2, 0.1), (0, 0), (-0.3, 0.9)],
        velocity=[(0.5, 1.0), (-0.2, 0.3), (0.4, -1.5)],
        mass=[0.4, 2.0, 1.1],
    )
    springs = Springs([(0, 1), (1, 2)], stiffness=400.0)
    angles = AngularSprings([(0, 1, 2)], stiffness=60.0, damping=damping, rest_angle=np.pi / 2)
    return body, springs, angles


@pytest.mark.parametrize("damping", [0.0, 0.05])
def test_linear_and_angular_momentum_are_exact(damping):
    sim = Simulation(gravity=(0, 0))
    body, springs, angles = free_corner(damping=damping)
    esper.create_entity(body, springs, angles)
    before = momenta(body)
    run_frames(sim, 600)
    assert np.allclose(momenta(body), before, atol=1e-11)


@pytest.mark.brief(2)
@pytest.mark.parametrize("damping", [0.0, 0.2])
def test_energy_is_conserved_and_damping_takes_it(damping):
    """K L1 L2 (1 - cos(angle - rest)) with rest lengths is a potential: the total swings around its
    start.
    """
    sim = Simulation(gravity=(0, 0))
    body, springs, angles = free_corner(damping=damping)
    esper.create_entity(body, springs, angles)
    energies = []
    for _ in range(1800):
        sim.step()
        x = body.position
        v = body.velocity
        length = np.hypot(*(x[springs.pairs[:, 1]] - x[springs.pairs[:, 0]]).T)
        bent = 60.0 * angles.arms[0].prod() * (1.0 - np.cos(angle_of(x) - np.pi / 2))
        energies.append(
            0.5 * body.mass @ (v**2).sum(1)
            + 200.0 * ((length - springs.rest_length) ** 2).sum()
            + bent
        )
    first = np.mean(energies[:600])
    last = np.mean(energies[-600:])
    assert max(energies) < 1.1 * energies[0]
    if damping:
        assert last < 0.9 * first
    else:
        assert last == pytest.approx(first, rel=0.02)
        assert min(energies) > 0.9 * energies[0]


def jelly_energy(body, springs):
    x = body.position
    v = body.velocity
    length = np.hypot(*(x[springs.pairs[:, 1]] - x[springs.pairs[:, 0]]).T)
    strain = 0.5 * springs.stiffness @ (length - springs.rest_length) ** 2
    return 0.5 * body.mass @ (v**2).sum(axis=1) + strain


@pytest.mark.slow
def test_energy_of_an_undamped_jelly_neither_grows_nor_dies():
    """k = 300 N/m, unsaturated, 30 s: E/E0 stays around 1."""
    sim = Simulation(gravity=(0, 0))
    body, springs, *_ = blueprints.box(
        (0, 0), 1.0, rows=6, columns=6, mass=1.0, stiffness=300.0, damping=0.0
    )
    esper.create_entity(body, springs)
    sim.step(1e-9)
    body.position *= (1.25, 0.9)
    energies = []
    for _ in range(1800):
        sim.step()
        energies.append(jelly_energy(body, springs))
    energies = np.array(energies) / energies[0]
    assert np.array_equal(springs.effective_stiffness, springs.stiffness)
    assert energies.min() > 0.8
    assert energies.max() < 1.2
    assert energies[-300:].mean() < 1.02 * energies[:300].mean()
    assert energies[-300:].mean() > 0.98 * energies[:300].mean()
