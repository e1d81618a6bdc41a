"""Nothing explodes: the worst starts that are known; test_random_worlds.py has the random ones."""

import numpy as np
import pytest

from ecs_softbody import (
    AngularSprings,
    Collider,
    FrozenBodyWarning,
    Particles,
    PressureBody,
    Simulation,
    Springs,
    StaticCollider,
)
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


def logarithmic(rng, low, high, size=None):
    return 10.0 ** rng.uniform(np.log10(low), np.log10(high), size)


@pytest.mark.parametrize("stiffness", [1e12, 1.5 * 480**2])
@pytest.mark.parametrize("pull", [0.5, 5.0])
def test_springs_that_turn_into_one_line_do_not_gain_energy(stiffness, pull):
    """Four springs around a particle; pulled far away it sees all of them in one line."""
    sim = Simulation(gravity=(0, 0))
    body = Particles(
        [(1, 0), (0, 1), (-1, 0), (0, -1), (0, 0)], pinned=[True, True, True, True, False]
    )
    springs = Springs([(0, 4), (1, 4), (2, 4), (3, 4)], stiffness=stiffness, rest_length=0.5)
    sim.spawn(body, springs)
    sim.step(1e-9)
    body.position[4] = (pull, 0.1)
    limit = None
    for _ in range(120):
        sim.step()
        if limit is None:
            energy = 0.5 * springs.effective_stiffness.sum() * (pull + 1.0) ** 2
            limit = 1.5 * np.sqrt(2.0 * energy)
        assert np.hypot(*body.velocity[4]) < limit


@pytest.mark.slow
def test_undamped_saturated_networks_do_not_heat_up():
    """Without the delta rule the kinetic energy of such networks grows by up to 300 times."""
    rng = np.random.default_rng(8)
    for k in range(6):
        sim = Simulation(gravity=(0, 0), world=f"heat {k}")
        pairs = [rng.permutation(20)[:2] for _ in range(50)]
        body = Particles(
            rng.normal(size=(20, 2)),
            velocity=rng.normal(size=(20, 2)),
            mass=logarithmic(rng, 1, 100, 20),
        )
        sim.spawn(body, Springs(pairs, stiffness=1e9))
        energy = []
        for _ in range(400):
            sim.step()
            energy.append(0.5 * body.mass @ (body.velocity**2).sum(axis=1))
        assert np.mean(energy[-100:]) <= 1.05 * np.mean(energy[:100])
        sim.close()


def greatest_energy_share(seed, *, springs, frames=300):
    """Greatest kinetic energy over the energy that the start of a random
    angular spring can hold.
    """
    rng = np.random.default_rng(seed)
    body = Particles(rng.normal(size=(3, 2)), mass=10.0 ** rng.uniform(0, 3, 3))
    angles = AngularSprings(
        [(0, 1, 2)], stiffness=logarithmic(rng, 1, 1e12), rest_angle=rng.uniform(-3, 3)
    )
    arms = [Springs([(0, 1), (1, 2)], stiffness=logarithmic(rng, 1, 1e12))] if springs else []
    sim = Simulation(gravity=(0, 0), substeps=1, world=f"angle {seed}")
    sim.spawn(body, angles, *arms)
    dt = logarithmic(rng, 1e-4, 0.1)
    kinetic = 0.0
    sim.step(dt)
    held = 2.0 * angles.effective_stiffness[0] * angles.arms[0].prod()
    for _ in range(frames):
        sim.step(dt)
        kinetic = max(kinetic, 0.5 * body.mass @ (body.velocity**2).sum(axis=1))
    sim.close()
    return kinetic / held


@pytest.mark.slow
@pytest.mark.parametrize(("springs", "limit"), [(False, 3.0), (True, 3.0)])
def test_saturated_angular_springs_do_not_gain_energy(springs, limit):
    """However stiff: what comes out is what was in it, not what the substep adds."""
    assert max(greatest_energy_share(seed, springs=springs) for seed in range(30)) < limit


@pytest.mark.slow
def test_jammed_discs_with_saturated_springs_do_not_gain_energy():
    """Pinned and free discs, tangled, pulled by springs that change their force from substep to
    substep.
    """
    fastest = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        sim = Simulation(gravity=(0, 0), substeps=1, world=f"jam {seed}")
        body = Particles(
            rng.normal(size=(16, 2)) * 0.3, mass=logarithmic(rng, 1, 1e3, 16), radius=0.1
        )
        body.pinned[:4] = True
        pairs = [rng.permutation(16)[:2] for _ in range(40)]
        sim.spawn(
            body, Springs(pairs, stiffness=1e9, rest_length=0.3), Collider(self_collision=True)
        )
        speeds = []
        for _ in range(200):
            sim.step(0.02)
            speeds.append(np.hypot(*body.velocity.T).max())
        fastest.append(max(speeds[50:]) / max(speeds[:10]))
        sim.close()
    assert max(fastest) < 3.0


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_tiny_and_huge_bodies_stay_finite(scale):
    sim = Simulation()
    angle = 2 * np.pi * np.arange(12) / 12
    body = Particles(
        scale * np.column_stack([np.cos(angle), np.sin(angle)]), mass=scale, radius=0.1 * scale
    )
    rows = np.arange(12)
    sim.spawn(
        body,
        Springs(np.column_stack([rows, np.roll(rows, -1)]), stiffness=1e4),
        PressureBody(rows, nRT=scale),
        Collider(outline=rows),
    )
    sim.spawn(StaticCollider([(-10 * scale, -2 * scale), (10 * scale, -2 * scale)]))
    for _ in range(120):
        sim.step()
        assert np.isfinite(body.position).all()


def test_all_points_of_a_gas_filled_body_in_one_place():
    """The most degenerate start: nothing has a direction, nothing moves, nothing is NaN."""
    sim = Simulation(gravity=(0, 0))
    rows = np.arange(8)
    body = Particles(np.ones((8, 2)))
    sim.spawn(
        body, Springs(np.column_stack([rows, np.roll(rows, -1)]), stiffness=1e12, rest_length=1.0),
        AngularSprings([(0, 1, 2)], stiffness=1e12), PressureBody(rows, nRT=1e8),
        Collider(outline=rows, self_collision=True),
    )  # fmt: skip
    run_frames(sim, 30)
    assert np.isfinite(body.position).all()


def test_a_body_far_away_neither_hangs_nor_stops_the_others():
    """Boxes of 1e15 m must not fill the grid of the broad phase."""
    sim = Simulation()
    far = Particles([(1e15, 1e15), (-1e15, 0.0)], radius=0.1)
    sim.spawn(far, Collider())
    near = Particles([(0, 1)], radius=0.2)
    sim.spawn(near, Collider())
    sim.spawn(StaticCollider([(-1e9, 0), (1e9, 0)]))
    run_frames(sim, 60)
    assert near.position[0, 1] == pytest.approx(0.2, abs=2e-3)


def test_a_body_that_a_game_made_nan_does_not_spread():
    """A game's own bug in one body leaves the others alone, and the step returns."""
    sim = Simulation()
    broken = Particles([(0.1, 1)], radius=0.2)
    near = Particles([(0, 1.5)], radius=0.2)
    for body in (broken, near):
        sim.spawn(body, Collider())
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    sim.step()
    broken.position[0, 0] = np.nan
    with pytest.warns(FrozenBodyWarning):
        sim.step()
    run_frames(sim, 90)
    assert np.isfinite(near.position).all()
    assert near.position[0, 1] == pytest.approx(0.2, abs=2e-3)
