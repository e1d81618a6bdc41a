"""The measures of a ring, and the forces of a pressure on it, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.kernels.forces.rings import area_rate, measure_ring, push_outwards
from ecs_softbody.kernels.groups import Motion
from tests.helpers.measures import signed_area

COUNT = 7


def ring(seed: int) -> tuple[Motion, np.ndarray, np.ndarray]:
    """Return particles, the ring of their rows in mixed order,
    and the gradient of its area (K, 2).
    """
    rng = np.random.default_rng(seed)
    motion = Motion(
        rng.normal(size=(COUNT, 2)),
        rng.normal(size=(COUNT, 2)),
        rng.uniform(0, 2, COUNT),
        rng.normal(size=(COUNT, 2)),
    )
    outline = rng.permutation(COUNT).astype(np.uint32)
    place = motion.position[outline]
    chord = np.roll(place, -1, axis=0) - np.roll(place, 1, axis=0)
    return motion, outline, 0.5 * np.column_stack([chord[:, 1], -chord[:, 0]])


@pytest.mark.parametrize("seed", range(4))
def test_the_measures_of_a_ring(seed: int) -> None:
    motion, outline, gradient = ring(seed)
    found = measure_ring(motion, outline, 0, COUNT)
    w = motion.inverse_mass[outline]
    roots = np.sqrt(w) * np.hypot(*gradient.T)
    assert found.signed_area == pytest.approx(signed_area(motion.position[outline]), abs=1e-12)
    assert found.mobility == pytest.approx((roots**2).sum())
    assert (found.total, found.largest) == pytest.approx((roots.sum(), roots.max()))
    assert found.inverse_mass == w.max()


@pytest.mark.parametrize("ahead", [0.0, 0.01])
def test_the_rate_of_the_area_is_its_gradient_times_the_velocities(ahead: float) -> None:
    motion, outline, gradient = ring(5)
    velocity = motion.velocity + ahead * motion.inverse_mass[:, None] * motion.force
    assert area_rate(motion, outline, 0, COUNT, ahead) == pytest.approx(
        (gradient * velocity[outline]).sum()
    )


def test_a_pressure_pushes_along_the_gradient_without_force_or_torque() -> None:
    motion, outline, gradient = ring(6)
    motion.force[:] = 0.0
    push_outwards(motion, outline, 0, COUNT, 3.0)
    assert motion.force[outline] == pytest.approx(3.0 * gradient)
    assert motion.force.sum(axis=0) == pytest.approx((0.0, 0.0), abs=1e-12)
    x, y = motion.position.T
    assert (x * motion.force[:, 1] - y * motion.force[:, 0]).sum() == pytest.approx(0.0, abs=1e-12)
