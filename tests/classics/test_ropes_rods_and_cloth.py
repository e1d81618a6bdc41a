"""The classics with many springs: elastic and damped rope, angle between two springs, rods, string,
cloth, jelly.
"""

import numpy as np
import pytest

from ecs_softbody import (
    AngularSprings,
    Collider,
    Drag,
    Particles,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)
from tests.helpers.stepping import run

G = 9.81
REST_ANGLES = [0, 45, -45, 90, -90, 135, -135, 180]


def chain(count):
    return np.column_stack([np.arange(count - 1), np.arange(1, count)])


def angle_between(position, i, j, k):
    """The dot and the perpendicular dot product of two springs give their angle, sign included."""
    a = position[i] - position[j]
    b = position[k] - position[j]
    dot = a @ b
    perpendicular_dot = a[0] * b[1] - a[1] * b[0]
    return np.arctan2(perpendicular_dot, dot)


def test_elastic_rope_stretches_and_swings():
    """Ten masses hung from one end: it swings like a pendulum and is longest at the bottom."""
    sim = Simulation()
    body = Particles([(0.2 * k, 0.0) for k in range(11)], mass=0.1, pinned=np.arange(11) == 0)
    springs = Springs(chain(11), stiffness=300.0, damping=0.5)
    sim.spawn(body, springs)
    lowest = 0.0
    leftmost = 2.0
    longest = 0.0
    for _ in range(180):
        sim.step()
        lowest = min(lowest, body.position[-1, 1])
        leftmost = min(leftmost, body.position[-1, 0])
        longest = max(longest, np.hypot(*np.diff(body.position, axis=0).T).sum())
    assert lowest < -2.0
    assert leftmost < -1.0
    assert 2.05 < longest < 3.0


def test_damped_rope_comes_to_rest_hanging_straight():
    sim = Simulation()
    body = Particles([(0.2 * k, 0.0) for k in range(11)], mass=0.1, pinned=np.arange(11) == 0)
    sim.spawn(body, Springs(chain(11), stiffness=300.0, damping=3.0), Drag(linear=0.2))
    run(sim, 15)
    assert np.abs(body.velocity).max() < 0.01
    assert np.allclose(body.position[:, 0], 0.0, atol=0.01)
    stretch = 0.1 * G / 300.0 * np.arange(10, 0, -1)
    assert np.allclose(-np.diff(body.position[:, 1]), 0.2 + stretch, atol=1e-3)


@pytest.mark.slow
def test_elastic_balls_that_bounce_in_a_box():
    """They keep bouncing and stay inside; only approaches slower than 0.5 m/s lose their speed, and
    none gains.
    """
    sim = Simulation(gravity=(0, 0))
    rng = np.random.default_rng(1)
    bodies = []
    for k in range(9):
        body, collider = blueprints.ball(
            (-1.2 + 1.2 * (k % 3), -1.2 + 1.2 * (k // 3)),
            0.2 + 0.02 * k,
            velocity=rng.normal(size=2) * 3,
            restitution=1.0,
            friction=0.0,
        )
        sim.spawn(body, collider)
        bodies.append(body)
    sim.spawn(StaticCollider([(-2, -2), (2, -2), (2, 2), (-2, 2)], closed=True, friction=0.0))

    def energy():
        return sum(0.5 * body.mass @ (body.velocity**2).sum(axis=1) for body in bodies)

    start = energy()
    hits = 0
    for _ in range(900):
        sim.step()
        hits += len(sim.contacts)
        for body in bodies:
            assert np.abs(body.position).max() < 2.0 - 0.9 * body.radius[0]
        assert energy() < 1.02 * start
    assert hits > 50
    assert energy() > 0.7 * start


@pytest.mark.parametrize("degrees", REST_ANGLES)
def test_angle_between_two_springs(degrees):
    """Dot and perpendicular dot product tell all eight directions apart, and the component measures
    the same.
    """
    angle = np.radians(degrees)
    sim = Simulation(gravity=(0, 0))
    body = Particles([(1, 0), (0, 0), (2 * np.cos(angle), 2 * np.sin(angle))])
    springs = AngularSprings([(0, 1, 2)], stiffness=1.0)
    sim.spawn(body, springs)
    sim.step(1e-9)
    measured = angle_between(body.position, 0, 1, 2)
    assert np.cos(measured) == pytest.approx(np.cos(angle))
    assert np.sin(measured) == pytest.approx(np.sin(angle), abs=1e-12)
    assert springs.rest_angle[0] == pytest.approx(measured)


def soft_rod(rest_degrees, *, segments=4, stiffness=400.0, pinned=True):
    """A rod of five masses in its rest shape: each joint turns by the same rest angle."""
    turn = np.pi - np.radians(rest_degrees)
    heading = 0.0
    place = [np.zeros(2)]
    for k in range(segments):
        place.append(place[-1] + 0.5 * np.array((np.cos(heading), np.sin(heading))))
        heading += -turn if k % 2 else turn
    count = segments + 1
    joints = np.arange(1, segments)
    rest = np.where(joints % 2, np.radians(-rest_degrees), np.radians(rest_degrees))
    body = Particles(place, mass=0.1, pinned=np.arange(count) < (2 if pinned else 0))
    angles = AngularSprings(
        np.column_stack([joints - 1, joints, joints + 1]),
        stiffness=stiffness,
        damping=0.05,
        rest_angle=rest,
    )
    return body, Springs(chain(count), stiffness=2000.0, damping=5.0), angles, rest


@pytest.mark.brief(9)
@pytest.mark.parametrize("degrees", REST_ANGLES)
def test_soft_rod_returns_to_each_rest_angle(degrees):
    """Bent at every joint and let go, without weight: the angles are those of rest again."""
    sim = Simulation(gravity=(0, 0))
    body, springs, angles, rest = soft_rod(degrees)
    sim.spawn(body, springs, angles, Drag(linear=0.3))
    sim.step()
    body.position[3] += (0.11, 0.16)
    body.position[4] += (-0.08, 0.21)
    run(sim, 15)
    for joint, wanted in zip(range(1, 4), rest, strict=True):
        found = angle_between(body.position, joint - 1, joint, joint + 1)
        off = np.arctan2(np.sin(found - wanted), np.cos(found - wanted))
        assert abs(off) < np.radians(1.0)


@pytest.mark.brief(8)
@pytest.mark.parametrize("degrees", REST_ANGLES)
def test_soft_rod_holds_its_shape_under_moderate_weight(degrees):
    """Clamped at one end it sags a little under its weight and keeps every
    angle within 12 degrees.
    """
    sim = Simulation(gravity=(0, -2.0))
    body, springs, angles, rest = soft_rod(degrees)
    sim.spawn(body, springs, angles, Drag(linear=0.3))
    run(sim, 10)
    for joint, wanted in zip(range(1, 4), rest, strict=True):
        found = angle_between(body.position, joint - 1, joint, joint + 1)
        off = np.arctan2(np.sin(found - wanted), np.cos(found - wanted))
        assert abs(off) < np.radians(12.0)


def test_a_string_whose_rest_length_and_rest_angle_change_while_it_runs():
    sim = Simulation(gravity=(0, 0))
    body, springs, angles, _ = soft_rod(180)
    sim.spawn(body, springs, angles, Drag(linear=0.3))
    run(sim, 1)
    springs.rest_length[:] = 0.8
    run(sim, 6)
    lengths = np.hypot(*np.diff(body.position, axis=0).T)
    assert np.allclose(lengths[1:], 0.8, atol=0.01)
    angles.rest_angle = np.radians(120)
    springs.rest_length *= 0.5
    run(sim, 12)
    assert np.allclose(np.hypot(*np.diff(body.position, axis=0).T)[1:], 0.4, atol=0.01)
    for joint in (1, 2, 3):
        assert angle_between(body.position, joint - 1, joint, joint + 1) == pytest.approx(
            np.radians(120), abs=0.03
        )


def test_string_hangs_in_a_catenary():
    """Held at both ends a chain of equal masses hangs symmetrically, each joint in balance."""
    sim = Simulation()
    body, springs, *_ = blueprints.rope(
        (-1, 0), (1, 0), segments=12, pin_start=True, pin_end=True, slack=0.3
    )
    sim.spawn(body, springs, Drag(linear=0.05))
    run(sim, 12)
    assert np.allclose(body.position[:, 0], -body.position[::-1, 0], atol=1e-6)
    assert np.allclose(body.position[:, 1], body.position[::-1, 1], atol=1e-6)
    assert body.position[6, 1] < -0.6
    along = np.diff(body.position, axis=0)
    tension = springs.stiffness * (np.hypot(*along.T) - springs.rest_length)
    horizontal = tension * along[:, 0] / np.hypot(*along.T)
    assert np.allclose(horizontal, horizontal.mean(), rtol=0.02)


def test_cloth_hangs_from_its_corners():
    sim = Simulation()
    body, springs, _, collider = blueprints.cloth((0, 0), (2, 1.5), rows=7, columns=9)
    corners = body.position[[-9, -1]].copy()
    sim.spawn(body, springs, collider, Drag(linear=0.02))
    run(sim, 8)
    assert np.array_equal(body.position[[-9, -1]], corners)
    assert body.position[:, 1].min() < -0.75
    assert np.abs(body.velocity).max() < 0.3
    lengths = np.hypot(*(body.position[springs.pairs[:, 1]] - body.position[springs.pairs[:, 0]]).T)
    assert (lengths / springs.rest_length).max() < 1.5
    assert np.allclose(body.position[:9, 0], -body.position[8::-1, 0], atol=0.05)


def test_jelly_is_squashed_by_a_fall_and_recovers():
    sim = Simulation()
    body, *rest = blueprints.box((0, 3), 1.0, material="jelly", mass=1.0)
    sim.spawn(body, *rest)
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    least = 1.0
    for _ in range(300):
        sim.step()
        least = min(least, np.ptp(body.position[:, 1]) + 2 * body.radius[0])
    assert 0.3 < least < 0.95
    assert np.ptp(body.position[:, 1]) + 2 * body.radius[0] == pytest.approx(1.0, abs=0.05)
    assert np.abs(body.velocity).max() < 0.05
    assert isinstance(rest[-1], Collider)
