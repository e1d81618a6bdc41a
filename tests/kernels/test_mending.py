"""Mending against NumPy; it pulls to the rest shape, keeps both momenta, and holds no body back by
its pace.
"""

import numpy as np
import pytest

from ecs_softbody.indices import arange
from ecs_softbody.kernels.forces.shape_matching import Matched
from ecs_softbody.kernels.materials.mending import MendedBodies, mend, pace_of, rate_of, size_of

DT = 1.0 / 480.0


def bodies(seed, count=12):
    """Two bodies, only the first one damaged."""
    random = np.random.default_rng(seed)
    rest = np.tile(random.normal(size=(count, 2)), (2, 1))
    place, velocity = random.normal(size=(2, 2 * count, 2))
    mass = random.uniform(0.5, 2.0, 2 * count)
    return Matched(place, velocity, mass, rest, np.zeros((2 * count, 2)))


def places_of(place, mass, rest):
    """The rest shape moved and turned to fit best: the angle is that of Σ m r* d in complex
    numbers.
    """
    center = mass @ place / mass.sum()
    away = (place - center) @ [1, 1j]
    rest = (rest - mass @ rest / mass.sum()) @ [1, 1j]
    turn = (mass * np.conj(rest) * away).sum()
    fitted = turn / abs(turn) * rest
    return center + np.column_stack([fitted.real, fitted.imag])


def run(particles, dt=DT):
    """Return the force on both bodies, and how far the first is from its rest shape."""
    half = len(particles.mass) // 2
    spans = MendedBodies(
        np.array([0, half], np.uint32), np.array([half, 2 * half], np.uint32), *np.zeros((2, 2))
    )
    particles.force[:] = 0.0
    every_row = np.arange(2 * half, dtype=np.uint32)
    mend(arange(2), np.array([True, False]), spans, every_row, particles, dt)
    return particles.force, spans.unmended[0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [1e-3, 1.0])
def test_it_is_the_formula(seed, scale):
    particles = bodies(seed)
    one = slice(0, 12)
    places = places_of(particles.position[one], particles.mass[one], particles.rest_offset[one])
    particles.position[one] = places + scale * (particles.position[one] - places)
    force, unmended = run(particles)
    place = particles.position[one]
    velocity = particles.velocity[one]
    mass = particles.mass[one]
    away = place - places_of(place, mass, particles.rest_offset[one])
    size = np.hypot(*np.ptp(particles.rest_offset[one], axis=0))
    rate = rate_of(size)
    furthest = np.hypot(*away.T).max()
    share = min(1.0, pace_of(size) / (rate * furthest))
    arm = place - mass @ place / mass.sum()
    motion = velocity - mass @ velocity / mass.sum()
    spin = (mass * (arm[:, 0] * motion[:, 1] - arm[:, 1] * motion[:, 0])).sum() / (
        mass @ (arm**2).sum(axis=1)
    )
    motion = motion - spin * np.column_stack([-arm[:, 1], arm[:, 0]])
    expected = -mass[:, None] * 4 * rate / (1 + 4 * rate * DT) * (rate * share * away + motion)
    assert force[one] == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())
    assert unmended == pytest.approx(furthest / size)
    assert size == pytest.approx(size_of(0, 12, particles.rest_offset))
    assert not force[12:].any()


@pytest.mark.parametrize("seed", range(3))
def test_net_force_and_torque_are_zero(seed):
    particles = bodies(seed)
    force, _ = run(particles)
    assert np.abs(force.sum(axis=0)).max() < 1e-12 * np.abs(force).max()
    x, y = particles.position.T
    assert abs((x * force[:, 1] - y * force[:, 0]).sum()) < 1e-12 * np.abs(force).max()


@pytest.mark.brief(4)
@pytest.mark.parametrize("dt", [1.0 / 1920.0, 1.0 / 60.0, 1.0])
@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_any_shape_becomes_the_rest_shape_within_a_fixed_number_of_its_own_times(size, dt):
    """Mirrored and shaken; in units of sqrt(size / g) it takes the same time, and no step is too
    long.
    """
    random = np.random.default_rng(1)
    particles = bodies(1)
    particles.rest_offset[:] = size * np.tile(random.normal(size=(12, 2)), (2, 1))
    particles.position[:] = particles.rest_offset * (-1.0, 1.0) + 0.1 * size * random.normal(
        size=(24, 2)
    )
    particles.velocity[:] = 0.0
    for _ in range(max(int(4.0 * np.sqrt(size) / dt), 100)):
        force, unmended = run(particles, dt)
        particles.velocity[:] += dt * force / particles.mass[:, None]
        particles.position[:] += dt * particles.velocity
    assert unmended < 1e-3
