"""A ball on a rod or string to a weight bounces alike whether or not the weight has a collider that
touches nothing.
"""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import Collider, DistanceLimits, Particles, Simulation, StaticCollider

G = 9.81


def energies(
    minimum: float, solver: str, substeps: int, seed: int, *, has_collider: bool
) -> list[float]:
    """Return the energy [J] after each of 90 frames of an elastic ball and a weight 0.3 m away,
    thrown at a floor.
    """
    choose = np.random.default_rng(seed)
    sim = Simulation(world="weight", substeps=substeps, solver=solver, sleeping=False)
    sim.spawn(StaticCollider([(-9, 0), (9, 0)], restitution=1.0, friction=0.0))
    angle = choose.uniform(0.0, 2.0 * np.pi)
    ball = Particles([(0.0, 2.0)], radius=0.1, mass=1.0)
    weight = Particles(
        [(0.3 * np.cos(angle), 2.0 + 0.3 * np.sin(angle))],
        radius=0.1,
        mass=choose.uniform(0.2, 3.0),
    )
    own = [Collider(category=2, mask=0)] if has_collider else []
    ends = sim.spawn(ball, Collider(friction=0.0)), sim.spawn(weight, *own)
    sim.spawn(DistanceLimits([(0, 0)], between=ends, maximum=0.3, minimum=minimum))
    ball.velocity[:] = weight.velocity[:] = choose.uniform(-2.0, 2.0, 2)
    found = []
    for _ in range(90):
        sim.step()
        parts = (ball, weight)
        found.append(
            sum(
                float((0.5 * (p.velocity**2).sum() + G * p.position[0, 1]) * p.mass[0])
                for p in parts
            )
        )
    sim.close()
    return found


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("minimum", [0.3, 0.0])
def test_a_weight_without_a_collider_takes_no_energy_from_bounces(
    minimum: float, solver: str
) -> None:
    """Half of it was lost in 1.5 s: the velocities that such a weight was reflected with were
    nobody's.
    """
    for substeps in (4, 8, 16):
        for seed in range(4):
            without = energies(minimum, solver, substeps, seed, has_collider=False)
            assert without == energies(minimum, solver, substeps, seed, has_collider=True)
            if minimum > 0.0:
                assert max(without) < 1.01 * without[0], (substeps, seed)
                assert without[-1] > 0.99 * without[0], (substeps, seed)
