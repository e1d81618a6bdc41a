"""Particles.pose: exact for rigid motions, by momentum for any motion, the best fit for a deformed
body.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_softbody import Particles, Simulation


def random_body(seed, count=9):
    rng = np.random.default_rng(seed)
    return Particles(rng.normal(size=(count, 2)), mass=rng.uniform(0.1, 5.0, count)), rng


def packed(body):
    sim = Simulation(gravity=(0, 0), world=f"pose {id(body)}")
    sim.spawn(body)
    sim.step(1e-12)
    return sim


@given(st.integers(0, 1000), st.floats(-3.1, 3.1), st.floats(-50.0, 50.0))
def test_a_rigid_motion_is_read_back(seed, angle, spin):
    body, rng = random_body(seed)
    sim = packed(body)
    shift = rng.normal(size=2) * 10.0
    drift = rng.normal(size=2)
    centre = body.mass @ body.position / body.mass.sum()
    turn = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
    arm = (body.position - centre) @ turn.T
    body.position = centre + shift + arm
    body.velocity = drift + spin * np.column_stack([-arm[:, 1], arm[:, 0]])
    pose = body.pose()
    sim.close()
    assert pose.position == pytest.approx(tuple(centre + shift), abs=1e-9)
    assert pose.velocity == pytest.approx(tuple(drift), abs=1e-9)
    assert pose.angle == pytest.approx(angle, abs=1e-9)
    assert pose.angular_velocity == pytest.approx(spin, abs=1e-9)


def test_the_angle_is_that_of_the_best_fit():
    """No other angle leaves less of Σ m |d - R r|²."""
    body, rng = random_body(3)
    packed(body)
    rest = body.position - body.mass @ body.position / body.mass.sum()
    body.position += rng.normal(size=(9, 2)) * 0.7
    pose = body.pose()

    def left(angle):
        turn = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
        return body.mass @ ((body.position - pose.position - rest @ turn.T) ** 2).sum(axis=1)

    assert all(
        left(pose.angle) <= left(pose.angle + step) for step in np.linspace(-np.pi, np.pi, 100)
    )


def test_momenta_are_those_of_the_particles():
    body, rng = random_body(4)
    body.velocity = rng.normal(size=(9, 2))
    pose = body.pose()
    total = body.mass.sum()
    assert total * np.array(pose.velocity) == pytest.approx(body.mass @ body.velocity, abs=1e-12)
    arm = body.position - pose.position
    motion = body.velocity - pose.velocity
    inertia = body.mass @ (arm**2).sum(axis=1)
    turning = body.mass @ (arm[:, 0] * motion[:, 1] - arm[:, 1] * motion[:, 0])
    assert inertia * pose.angular_velocity == pytest.approx(turning, abs=1e-12)


def test_fixed_single_and_unpacked_bodies_have_a_pose():
    assert Particles([(1, 2)], velocity=(3, 4)).pose() == ((1.0, 2.0), 0.0, (3.0, 4.0), 0.0)
    heavy = Particles([(0, 0), (4, 0), (2, 3)], mass=[1.0, np.inf, 1.0])
    assert heavy.pose().position == pytest.approx((2.0, 1.0))
    assert Particles([(0, 0), (4, 0)], mass=np.inf).pose().position == (2.0, 0.0)
