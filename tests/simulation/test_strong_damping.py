"""Damping of any strength only brakes: too strong for a substep it stops the motion, it does not
turn it around.
"""

import numpy as np
import pytest

from ecs_softbody import AngularSprings, Particles, Simulation, Springs
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


@pytest.mark.parametrize("damping", [1.0, 1e3, 1e6, 1e12])
@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("stiffness", [0.0, 100.0])
def test_a_dashpot_never_reverses_the_motion_along_its_line(damping, pinned, stiffness):
    sim = Simulation(gravity=(0, 0), substeps=1)
    body = Particles([(0, 0), (1, 0)], velocity=[(0, 0), (1, 0)], pinned=[pinned, False])
    sim.spawn(body, Springs([(0, 1)], stiffness=stiffness, damping=damping))
    before = 1.0
    for _ in range(20):
        sim.step(1 / 480)
        after = body.velocity[1, 0] - body.velocity[0, 0]
        assert after >= -0.05
        assert after <= before + 1e-12
        before = after


@pytest.mark.parametrize("damping", [0.1, 1e3, 1e6, 1e12])
def test_angular_damping_never_reverses_the_turning(damping):
    sim = Simulation(gravity=(0, 0), substeps=1)
    body = Particles(
        [(1, 0), (0, 0), (0, 1)], velocity=[(0, 0), (0, 0), (-1, 0)], pinned=[True, True, False]
    )
    sim.spawn(body, AngularSprings([(0, 1, 2)], stiffness=0.0, damping=damping))
    before = 1.0
    for _ in range(20):
        sim.step(1 / 480)
        x = body.position[2]
        v = body.velocity[2]
        turning = (x[0] * v[1] - x[1] * v[0]) / (x @ x)
        assert turning >= -0.05
        assert turning <= before + 1e-9
        before = turning


@pytest.mark.slow
def test_strongly_damped_angular_springs_gain_no_energy():
    """One free particle at a pinned corner, stiff and damped beyond what a substep carries."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        sim = Simulation(gravity=(0, 0), substeps=1, world=f"corner {seed}")
        body = Particles(
            rng.normal(size=(3, 2)), mass=10.0 ** rng.uniform(0, 3), pinned=[False, True, True]
        )
        angles = AngularSprings(
            [(0, 1, 2)], stiffness=10.0 ** rng.uniform(3, 6), damping=1e12, rest_angle=-2.8
        )
        sim.spawn(body, angles)
        dt = 10.0 ** rng.uniform(-3, -1.5)
        kinetic = 0.0
        sim.step(dt)
        held = 2.0 * angles.effective_stiffness[0] * angles.arms[0].prod()
        for _ in range(300):
            sim.step(dt)
            kinetic = max(kinetic, 0.5 * body.mass[0] * (body.velocity[0] ** 2).sum())
        assert kinetic < 3.0 * held, f"seed {seed}: {kinetic / held:.3g} times what it can hold"
        sim.close()


@pytest.mark.parametrize(
    "fix", [{"pinned": [True, False]}, {"mass": [np.inf, 1.0]}], ids=["pinned", "infinite mass"]
)
def test_a_fixed_particle_that_does_not_move_drives_nothing(fix):
    """Whatever stands in its velocity: through dashpots and contacts it would be a motor without
    end.
    """
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0), (1, 0)], velocity=[(40.0, 0.0), (0.0, 0.0)], radius=0.6, **fix)
    sim.spawn(body, Springs([(0, 1)], stiffness=1.0, damping=50.0, rest_length=1.0))
    run_frames(sim, 30)
    assert np.array_equal(body.position[0], (0.0, 0.0))
    assert np.abs(body.velocity[1]).max() < 1e-9


def test_a_strongly_damped_pendulum_does_not_speed_up():
    """A found case: 47 kg on one arm, K = 87 kN/m, damping without limit, and two pins that hold a
    velocity.
    """
    sim = Simulation(gravity=(0, 0), substeps=1)
    velocity = [(-35.265, -20.331), (-32.588, 3.801), (-16.471, -40.538)]
    body = Particles(
        [(-0.384, 2.741), (1.116, 3.863), (-0.883, 3.737)],
        velocity=velocity,
        mass=47.46,
        pinned=[False, True, True],
    )
    sim.spawn(body, AngularSprings([(0, 1, 2)], stiffness=87448.0, damping=4e14, rest_angle=-2.804))
    energy = 0.5 * 47.46 * 40.7**2 + 2.0 * 87448.0 * 1.873 * 2.003
    for _ in range(300):
        sim.step(0.003493)
        assert np.hypot(*body.velocity[0]) < 1.5 * np.sqrt(2.0 * energy / 47.46)
